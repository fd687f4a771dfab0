import type { SwiftCommand } from '../../stages/swift/command.ts';
import type { OptionValue } from '../../study/settings.ts';
import type { TrainerCommand } from '../trainer-command.ts';
import type { LeftOver, StageDraft } from './draft.ts';
import { mostNodes } from './machine.ts';
import { swiftStage } from './swift.ts';
import { verlStage } from './verl.ts';

/** A study made of launches, in the form of a study file, and what of them is not in it. */
export type ImportedStudy = {
  study: Record<string, OptionValue>;
  /** The names of the stages, one a launch. */
  stages: string[];
  left: LeftOver[];
  /** Settings of the launches, and how many of them are in the study. */
  settings: { all: number; carried: number };
};

/** What a study holds of a launch, or why it holds nothing. */
export function stageOf(launch: TrainerCommand): StageDraft | LeftOver {
  if (launch.trainer === 'verl') return verlStage(launch);
  const command = launch.command === '' ? 'sft' : launch.command;
  if (command !== 'sft' && command !== 'rlhf') {
    const message = `\`${launch.trainer === 'ms-swift' ? 'swift' : 'megatron'} ${command}\` is no stage of a study.`;
    return { line: launch.line, option: command, code: 'not-carried', message, hint: 'sft and rlhf are.' };
  }
  const own: SwiftCommand = launch.trainer === 'megatron-swift' ? `megatron-${command}` : command;
  return swiftStage(launch, own);
}

/**
 * A study of the launches, one stage each, in their order.
 * @param name of the study
 */
export function importStudy(launches: readonly TrainerCommand[], name: string): ImportedStudy {
  const left: LeftOver[] = [];
  let carried = 0;
  const drafts: { stageName: string; draft: StageDraft }[] = [];
  for (const [at, launch] of launches.entries()) {
    const made = stageOf(launch);
    const leave = (...some: LeftOver[]) =>
      left.push(...some.map((each) => ({ ...each, ...fileOf(launch, each), launch: at })));
    if ('code' in made) leave(made);
    else if (made.nodes > mostNodes) leave(...made.left, tooLarge(launch.line, made.nodes));
    else {
      const kind = String(made.stage['kind']);
      const same = drafts.filter(({ draft }) => draft.stage['kind'] === kind).length;
      drafts.push({
        stageName: same === 0 ? kind : `${kind}-${same + 1}`,
        draft: numbered(made, drafts.length),
      });
      leave(...made.left);
      carried += carriedOf(launch, made.left);
    }
  }
  const nodes = Math.max(1, ...drafts.map(({ draft }) => draft.nodes));
  const gpus = Math.max(1, ...drafts.map(({ draft }) => draft.gpusPerNode));
  for (const { draft, stageName } of drafts) {
    if (draft.gpusPerNode === gpus) continue;
    const message = `the launch is for ${draft.gpusPerNode} GPUs a node; the study has ${gpus}.`;
    left.push({ line: 0, option: stageName, code: 'chosen', message });
  }
  if (drafts.length > 0) {
    const message = `a launch says nothing of it: hosts ${nodes === 1 ? 'node-1' : `node-1 to node-${nodes}`}, cards of 80 GB, 64 cores and 1000 GB of memory stand there; write your own.`;
    left.push({ line: 0, option: 'target', code: 'chosen', message });
  }
  const trainers = new Set(drafts.map(({ draft }) => draft.trainer));
  const seeds = drafts.map(({ draft }) => draft.seed).find((seed) => seed !== null) ?? 42;
  for (const { draft, stageName } of drafts) {
    if (draft.seed === null || draft.seed === seeds) continue;
    const message = `the launch has seed ${draft.seed}; the study has one root seed, ${seeds}.`;
    left.push({ line: 0, option: stageName, code: 'chosen', message });
  }
  return {
    study: {
      her: 1,
      name,
      seeds: [seeds],
      trainers: {
        ...(trainers.has('ms-swift') ? { 'ms-swift': '4.6.0' } : {}),
        ...(trainers.has('verl') ? { verl: '0.9.1' } : {}),
      },
      models: Object.assign({}, ...drafts.map(({ draft }) => draft.models)),
      data: Object.assign({}, ...drafts.map(({ draft }) => draft.data)),
      target: targetOf(nodes, gpus),
      stages: Object.fromEntries(
        drafts.map(({ stageName, draft }) => [
          stageName,
          draft.nodes === nodes ? draft.stage : { ...draft.stage, nodes: draft.nodes },
        ]),
      ),
    },
    stages: drafts.map(({ stageName }) => stageName),
    left: left.sort((a, b) => a.line - b.line),
    settings: { all: launches.reduce((sum, { options }) => sum + options.length, 0), carried },
  };
}

const lost: readonly LeftOver['code'][] = [
  'gone',
  'her-sets',
  'not-carried',
  'secret',
  'unknown-value',
  'wrong-value',
];

/** Options of a launch that the study has, in its own words or by their names. */
function carriedOf({ options }: TrainerCommand, left: readonly LeftOver[]): number {
  const without = new Set(
    left
      .filter(({ code, kept }) => lost.includes(code) && kept !== true)
      .map(({ line, option }) => `${line} ${option}`),
  );
  return options.filter(
    ({ line, spelling, name }) => !without.has(`${line} ${spelling}`) && !without.has(`${line} ${name}`),
  ).length;
}

/** The config file in which an option stands that a note is about. */
function fileOf({ options }: TrainerCommand, { line, option }: LeftOver): { file?: string } {
  const file = options.find(
    (each) => each.line === line && (each.spelling === option || each.name === option),
  )?.file;
  return file === undefined ? {} : { file };
}

/** The nodes of the trainer and those of its reward model together. */
function tooLarge(line: number, nodes: number): LeftOver {
  const message = `the launch is for ${nodes} nodes; a study has at most ${mostNodes}.`;
  return { line, option: 'nodes', code: 'not-carried', message };
}

/** A launch says how many GPUs, and nothing else of its nodes. */
function targetOf(nodes: number, gpus: number): Record<string, OptionValue> {
  return {
    kind: 'ssh',
    hosts: Array.from({ length: nodes }, (_, i) => `node-${i + 1}`),
    gpus: { per_node: gpus, memory_gb: 80 },
    cores: 64,
    memory_gb: 1000,
  };
}

/** Models and data of a second launch get names of their own. */
function numbered(draft: StageDraft, before: number): StageDraft {
  if (before === 0) return draft;
  const rename = (name: string): string => `${name}-of-${before + 1}`;
  const names = new Set([...Object.keys(draft.models), ...Object.keys(draft.data)]);
  const value = (written: OptionValue): OptionValue =>
    typeof written === 'string' && names.has(written)
      ? rename(written)
      : Array.isArray(written)
        ? written.map(value)
        : written;
  const stage = { ...draft.stage };
  for (const key of ['model', 'data', 'prompts', 'validation'])
    if (stage[key] !== undefined) stage[key] = value(stage[key]);
  const reward = stage['reward'];
  if (
    typeof reward === 'object' &&
    reward !== null &&
    !Array.isArray(reward) &&
    reward['model'] !== undefined
  )
    stage['reward'] = { ...reward, model: value(reward['model']) };
  const renamed = <T>(entries: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [rename(name), entry]));
  return { ...draft, stage, models: renamed(draft.models), data: renamed(draft.data) };
}

/** A launch with the options of the config file that it names; its own flags win. */
export function withConfig(launch: TrainerCommand, config: TrainerCommand): TrainerCommand {
  const own = new Set(launch.options.map(({ name }) => name));
  const file = launch.config?.kind === 'file' ? launch.config.path : undefined;
  const from = file === undefined ? {} : { file };
  return {
    ...launch,
    config: null,
    options: [
      ...config.options.filter(({ name }) => !own.has(name)).map((option) => ({ ...option, ...from })),
      ...launch.options,
    ],
    env: { ...config.env, ...launch.env },
    launcher: { ...config.launcher, ...launch.launcher },
    notes: [...launch.notes, ...config.notes.map((note) => ({ ...note, ...from }))],
  };
}
