import { Notes } from './note.ts';
import { ImportError } from './problem.ts';
import { mayLaunch, type Recognised, recognise } from './recognise.ts';
import { readShell } from './shell/read-shell.ts';
import type { Invocation } from './shell/run.ts';
import { known, spell, type Value } from './shell/value.ts';
import { swiftOptions } from './swift-options.ts';
import type { EnvironmentVariable, ImportReading, Launcher, TrainerCommand } from './trainer-command.ts';
import { unknownPieces } from './unknown.ts';
import { verlOptions } from './verl-options.ts';

/** `set`: variables of the environment (`--set NAME=VALUE`); `1`, `2`, … are the script's arguments. */
export type ScriptOptions = { file: string; set?: Readonly<Record<string, string>> };

/** Every launch of a trainer that a Bash script comes to. The script is read, never run. */
export function importScript(text: string, { file, set = {} }: ScriptOptions): ImportReading {
  const { commands, notes, files } = readShell(text, { file, set, wanted: mayLaunch });
  for (const [i, line] of text.split('\n').entries()) {
    const directive = /^#(SBATCH|PBS|BSUB|\$)\s.*/.exec(line)?.[0].trim();
    if (directive) {
      notes.add({
        line: i + 1,
        code: 'scheduler',
        message: `\`${directive}\` is for the scheduler and is not carried over.`,
      });
    }
  }
  const launches = launchesAmong(commands, notes, files);
  if (launches.length > 0) return { file, launches, notes: notes.all() };
  const blind = commands.find(({ words }) => words[0] && known(words[0].value) === undefined);
  if (blind) {
    const [head] = blind.words;
    notes.add({
      line: blind.line,
      code: 'other-script',
      message: `Line ${blind.line} runs \`${spell(head?.value ?? [])}\`, which the script does not set.`,
    });
  }
  const others = notes.all().filter(({ code }) => code === 'other-script' || code === 'not-training');
  throw new ImportError({
    code: 'IMPORT_NO_LAUNCH',
    message:
      'the script launches no training: no `swift sft|pt|rlhf`, `megatron sft|pt|rlhf` or `verl.trainer.main_ppo`.',
    hint: (blind ? others.at(-1) : others[0])?.message ?? 'Give the script that holds the launch itself.',
    place: { file, line: blind?.line ?? others[0]?.line ?? 1, column: 1 },
  });
}

function launchesAmong(
  commands: readonly Invocation[],
  notes: Notes,
  files: ReadonlyMap<string, Value>,
): TrainerCommand[] {
  const launches = new Map<string, TrainerCommand>();
  let last: { launch: TrainerCommand; notes: Notes } | undefined;
  for (const command of commands) {
    const recognised = recognise(command.words);
    if (recognised?.training) {
      const own = new Notes();
      const launch = launchOf(command, recognised, own, files);
      // A loop around a launch repeats it; the same words are the same launch.
      const key = JSON.stringify([command.line, launch.options, launch.env]);
      if (!launches.has(key)) launches.set(key, launch);
      last = { launch, notes: own };
      continue;
    }
    const written = command.words.map(({ value }) => spell(value)).join(' ');
    const told = withoutSecrets(written);
    const shown = told.length > 100 ? `${told.slice(0, 100)}…` : told;
    if (last && isStray(written)) {
      last.notes.add({
        line: command.line,
        code: 'cut-by-comment',
        message: `\`${shown}\` does not reach the trainer: the shell ends the command before it, at a comment or a line without \`\\\`.`,
      });
      last.launch.notes = last.notes.all();
    } else if (recognised) {
      notes.add({
        line: command.line,
        code: 'not-training',
        message: `\`${shown}\` trains nothing and is not carried over.`,
      });
    } else if (!command.captured && !quiet.test(known(command.words[0]?.value ?? []) ?? '')) {
      notes.add({ line: command.line, code: 'other-command', message: `\`${shown}\` is not carried over.` });
    }
  }
  return [...launches.values()];
}

/** A command that is only told of, without what `wandb login KEY` and the like give away. */
function withoutSecrets(written: string): string {
  return written
    .replace(/(\blogin\b)\s.*/s, '$1 …')
    .replaceAll(/([\w.-]*(?:token|key|secret|password|passwd))([= ]+)\S+/gi, '$1$2…');
}

/** Options that begin a command: what is left of one that was cut in two. */
const isStray = (written: string): boolean => /^(--[a-z]|(\+\+?|~)?\w+(\.\w+)+=)/.test(written);

/** Commands that leave nothing behind which a launch depends on. */
const quiet =
  /^(mkdir|rm|rmdir|touch|ls|tee|cat|chmod|nvidia-smi|npu-smi|which|kill|pkill|killall|clear|df|free|grep|sed|awk|tail|head|sort|tr|cut|wc|date|hostname)$/;

function launchOf(
  command: Invocation,
  recognised: Recognised,
  notes: Notes,
  files: ReadonlyMap<string, Value>,
): TrainerCommand {
  const { trainer, rest, launcher } = recognised;
  const read = trainer === 'verl' ? verlOptions : swiftOptions;
  const { options, config } = read(rest, notes);
  const env = environmentOf(command);
  const written = config?.kind === 'file' ? files.get(config.path) : undefined;
  return {
    trainer,
    command: recognised.command,
    ...(recognised.module === undefined ? {} : { module: recognised.module }),
    line: command.line,
    column: command.column,
    env,
    options,
    config: config?.kind === 'file' && written ? { ...config, text: spell(written) } : config,
    launcher: trainer === 'verl' ? launcher : withVariables(launcher, env),
    via: [...command.via],
    notes: notes.all(),
  };
}

function environmentOf({ env }: Invocation): Record<string, EnvironmentVariable> {
  return Object.fromEntries(
    [...env].map(([name, { value, line }]) => [
      name,
      { value: spell(value), line, unknown: unknownPieces(value) },
    ]),
  );
}

/** ms-swift starts its processes by these variables when `torchrun` does not. */
export function withVariables(launcher: Launcher, env: Record<string, EnvironmentVariable>): Launcher {
  if (launcher.program) return launcher;
  const made = { ...launcher };
  for (const [name, key] of variables) {
    const variable = env[name];
    if (variable) made[key] = variable.value;
  }
  return made;
}

const variables = [
  ['NPROC_PER_NODE', 'nprocPerNode'],
  ['NNODES', 'nnodes'],
  ['NODE_RANK', 'nodeRank'],
  ['MASTER_ADDR', 'masterAddr'],
  ['MASTER_PORT', 'masterPort'],
] as const;
