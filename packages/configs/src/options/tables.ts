import { json as swift460MegatronRlhf } from './ms-swift-4.6.0/megatron-rlhf.gen.ts';
import { json as swift460MegatronSft } from './ms-swift-4.6.0/megatron-sft.gen.ts';
import { json as swift460Registry } from './ms-swift-4.6.0/registry.gen.ts';
import { json as swift460Rlhf } from './ms-swift-4.6.0/rlhf.gen.ts';
import { json as swift460Sft } from './ms-swift-4.6.0/sft.gen.ts';
import type { OptionTable, SwiftRegistry, VerlGroups, VerlRegistry } from './option.ts';
import { json as verl091Fsdp } from './verl-0.9.1/fsdp.gen.ts';
import { json as verl091Groups } from './verl-0.9.1/groups.gen.ts';
import { json as verl091Megatron } from './verl-0.9.1/megatron.gen.ts';
import { json as verl091Registry } from './verl-0.9.1/registry.gen.ts';

export type Trainer = 'ms-swift' | 'verl';

/** What a trainer is started as: a command of ms-swift, a model engine of verl. Each has its own options. */
export type TrainerCommand = {
  'ms-swift': 'sft' | 'rlhf' | 'megatron-sft' | 'megatron-rlhf';
  verl: 'fsdp' | 'megatron';
};

type Registry = { 'ms-swift': SwiftRegistry; verl: VerlRegistry };

/** One version of a trainer as JSON texts, read when somebody asks. */
type Release<T extends Trainer> = {
  tables: Record<TrainerCommand[T], string>;
  registry: string;
} & (T extends 'verl' ? { groups: string } : unknown);

/** Every version there is a folder of; a new one is a row. */
const releases: { [T in Trainer]: Record<string, Release<T>> } = {
  'ms-swift': {
    '4.6.0': {
      tables: {
        sft: swift460Sft,
        rlhf: swift460Rlhf,
        'megatron-sft': swift460MegatronSft,
        'megatron-rlhf': swift460MegatronRlhf,
      },
      registry: swift460Registry,
    },
  },
  verl: {
    '0.9.1': {
      tables: { fsdp: verl091Fsdp, megatron: verl091Megatron },
      registry: verl091Registry,
      groups: verl091Groups,
    },
  },
};

/** The version of each trainer that its environment is locked to. */
export const pinnedVersions: Record<Trainer, string> = { 'ms-swift': '4.6.0', verl: '0.9.1' };

/** Every version of a trainer that a study may name. */
export function knownVersions(trainer: Trainer): string[] {
  return Object.keys(releases[trainer]);
}

export type TableName<T extends Trainer = Trainer> = T extends Trainer
  ? { trainer: T; version?: string; command: TrainerCommand[T] }
  : never;

/** The options of one command; of the pinned version unless another one is asked for. */
export function optionTable(name: TableName): OptionTable {
  const texts: Partial<Record<string, string>> = releaseOf(name.trainer, name.version).tables;
  const text = texts[name.command];
  if (text === undefined) throw new RangeError(`${name.trainer} has no options of \`${name.command}\``);
  return parsed(text) as OptionTable;
}

/** The names that a trainer takes where its options only say that they are texts. */
export function registryOf<T extends Trainer>(trainer: T, version?: string): Registry[T] {
  return parsed(releaseOf(trainer, version).registry) as Registry[T];
}

/** verl's config groups, and which of their options make up each model engine's tree. */
export function groupsOf(trainer: 'verl', version?: string): VerlGroups {
  return parsed(releaseOf(trainer, version).groups) as VerlGroups;
}

function releaseOf<T extends Trainer>(trainer: T, version: string = pinnedVersions[trainer]): Release<T> {
  const known: Record<string, Release<T>> = releases[trainer];
  const release = Object.hasOwn(known, version) ? known[version] : undefined;
  if (release === undefined) throw new RangeError(`no options of ${trainer} ${version} are known`);
  return release;
}

const read = new Map<string, unknown>();

/** Each text is parsed once. */
function parsed(text: string): unknown {
  const value = read.get(text) ?? JSON.parse(text);
  read.set(text, value);
  return value;
}
