import { optionTable } from '../options/tables.ts';
import type { Entry } from './config-tree.ts';
import { ImportError } from './problem.ts';
import type { TrainerCommand } from './trainer-command.ts';

export type MeantCommand = { trainer: TrainerCommand['trainer']; command: string };

/** Files that look alike and are for another program: by keys of which one is enough, or all. */
const foreign: readonly { what: string; any?: readonly string[]; all?: readonly string[]; hint?: string }[] =
  [
    { what: 'a study of this program', all: ['her', 'stages'], hint: 'It needs no import: `her plan FILE`.' },
    { what: 'a task of SkyPilot', all: ['resources', 'run'] },
    { what: 'a task of SkyPilot', all: ['setup', 'run'] },
    {
      what: "accelerate's config",
      any: ['compute_environment', 'distributed_type', 'fsdp_config', 'deepspeed_config'],
      hint: 'Import the script with `accelerate launch`; this file is read with it.',
    },
    {
      what: "DeepSpeed's config",
      any: ['zero_optimization', 'train_micro_batch_size_per_gpu', 'zero_allow_untested_optimizer'],
      hint: 'In a study `parallel: { sharding: zero2 }` and its like say it.',
    },
    { what: 'a manifest of Kubernetes', all: ['apiVersion', 'kind'] },
    { what: "Docker Compose's file", any: ['services'] },
    { what: "LLaMA-Factory's config", any: ['model_name_or_path', 'finetuning_type'] },
    { what: "Axolotl's config", any: ['base_model', 'micro_batch_size_per_gpu'] },
  ];

/** Refuses what is no config of a trainer, by its keys. */
export function refuseForeign(entries: readonly Entry[], file: string): void {
  const keys = new Map(entries.map((entry) => [entry.key, entry]));
  for (const { what, any = [], all, hint } of foreign) {
    const found = all?.every((key) => keys.has(key)) ? all[0] : any.find((key) => keys.has(key));
    if (found === undefined) continue;
    const { line = 1, column = 1 } = keys.get(found) ?? {};
    throw new ImportError({
      code: 'IMPORT_CONFIG',
      message: `this is ${what} (\`${found}\`), and no config of ms-swift or verl.`,
      hint: `${hint ?? 'Import the script or the file that is given to the trainer.'} \`--command sft\` and its like read it as one all the same.`,
      place: { file, line, column },
    });
  }
}

const commands = ['sft', 'rlhf', 'megatron-sft', 'megatron-rlhf'] as const;
/** Names of Megatron's options in former versions. */
const formerMegatron = ['lr', 'min_lr', 'lr_warmup_fraction', 'max_epochs', 'save', 'load', 'save_interval'];

/** Which command of ms-swift takes a file: its keys decide, and what they leave open its name. */
export function swiftCommandOf(entries: readonly Entry[], file: string): MeantCommand {
  const keys = entries.map(({ key }) => key.replaceAll('-', '_'));
  const [plain, megatron] = [namesOf(['sft', 'rlhf']), namesOf(['megatron-sft', 'megatron-rlhf'])];
  const ofMegatron = keys.filter(
    (key) => formerMegatron.includes(key) || (megatron.has(key) && !plain.has(key)),
  ).length;
  const ofPlain = keys.filter((key) => plain.has(key) && !megatron.has(key)).length;
  const named = commands.find((name) => name === stemOf(file));
  const onMegatron = ofMegatron === ofPlain ? named?.startsWith('megatron-') === true : ofMegatron > ofPlain;
  const [sft, rlhf] = onMegatron ? [namesOf(['megatron-sft']), megatron] : [namesOf(['sft']), plain];
  const tunes = keys.includes('rlhf_type') || keys.some((key) => rlhf.has(key) && !sft.has(key));
  const command = tunes || named?.endsWith('rlhf') ? 'rlhf' : named === undefined ? '' : 'sft';
  return onMegatron
    ? { trainer: 'megatron-swift', command: command || 'sft' }
    : { trainer: 'ms-swift', command };
}

const stemOf = (file: string): string => file.replace(/^.*\//s, '').replace(/\.\w+$/, '');

function namesOf(of: readonly (typeof commands)[number][]): Set<string> {
  return new Set(
    of.flatMap((command) =>
      Object.keys(optionTable({ trainer: 'ms-swift', version: '4.6.0', command }).options),
    ),
  );
}
