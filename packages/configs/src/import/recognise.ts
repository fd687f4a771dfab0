import { isUnknown, known, spell, type Word } from './shell/value.ts';
import type { Launcher, TrainerCommand } from './trainer-command.ts';
import { isOpen } from './unknown.ts';

/** A command of a trainer: which, what follows it, and what launches it. `training`: false for `swift rollout`. */
export type Recognised = {
  trainer: TrainerCommand['trainer'];
  command: string;
  rest: readonly Word[];
  launcher: Launcher;
  training: boolean;
  /** verl only: the whole name of the module. */
  module?: string;
};

/** Text of a script that may hold a launch. */
export const mayLaunch = (source: string): boolean =>
  /\b(swift|megatron)["']?[\s\\]+["']?(sft|pt|rlhf|\$)|swift[./]cli|\b(verl|recipe)\.[\w.]{0,100}(main|trainer)|main_(ppo|dapo)|sft_trainer/.test(
    source,
  );

/** The trainer's command that these words run, if they do. */
export function recognise(words: readonly Word[]): Recognised | undefined {
  const head = words[0];
  const name = baseName(head);
  if (!head) return undefined;
  if (name === 'swift' || name === 'megatron') return ofSwift(name, words.slice(1), { other: [] });
  if (name === 'torchrun' || name === 'deepspeed') return ofLauncher(name, words.slice(1));
  if (name === 'accelerate')
    return known(words[1]?.value ?? []) === 'launch' ? ofLauncher(name, words.slice(2)) : undefined;
  // An interpreter in a variable: `$PYTHON -m verl.trainer.main_ppo`.
  if (name === undefined ? head.value.every(isUnknown) : /^(python[\d.]*|pypy3?)$/.test(name))
    return ofPython(words.slice(1));
  return name?.endsWith('.py') ? ofTarget(spell(head.value), words.slice(1), { other: [] }) : undefined;
}

const baseName = (word: Word | undefined): string | undefined =>
  word && known(word.value)?.replace(/^.*\//s, '');

function ofPython(words: readonly Word[]): Recognised | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    const written = spell(word.value);
    if (written === '-m') {
      const module = spell(words[at + 1]?.value ?? []);
      const rest = words.slice(at + 2);
      if (/^torch\.distributed\.(run|launch)$/.test(module)) return ofLauncher('torchrun', rest);
      if (module === 'accelerate.commands.launch') return ofLauncher('accelerate', rest);
      return ofTarget(module, rest, { other: [] });
    }
    if (written === '-X' || written === '-W') at += 1;
    else if (!written.startsWith('-')) return ofTarget(written, words.slice(at + 1), { other: [] });
  }
  return undefined;
}

const launcherNames: Record<string, keyof Omit<Launcher, 'other' | 'program' | 'spread'>> = {
  nnodes: 'nnodes',
  num_machines: 'nnodes',
  num_nodes: 'nnodes',
  nproc_per_node: 'nprocPerNode',
  num_gpus: 'nprocPerNode',
  node_rank: 'nodeRank',
  machine_rank: 'nodeRank',
  master_addr: 'masterAddr',
  main_process_ip: 'masterAddr',
  master_port: 'masterPort',
  main_process_port: 'masterPort',
  num_processes: 'numProcesses',
  config_file: 'file',
  hostfile: 'file',
  H: 'file',
};

/** How accelerate spreads a model. */
const spreads =
  /^(use_fsdp|use_deepspeed|use_megatron_lm|zero_stage|offload_\w+_device|fsdp_\w+|deepspeed_\w+)$/;

/** `torchrun --nproc_per_node 8 script.py …`: the launcher's own words, then the script or module. */
function ofLauncher(program: string, words: readonly Word[]): Recognised | undefined {
  const launcher: Launcher = { program, other: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    const written = spell(word.value);
    const next = words[at + 1];
    if (written === '-m' || written === '--module')
      return next && ofTarget(spell(next.value), words.slice(at + 2), launcher);
    // `torchrun $ARGS -m …`: words of the launcher that are not known.
    if (isOpen(word.value)) {
      launcher.other.push(written);
      continue;
    }
    if (!written.startsWith('-')) {
      return (
        ofTarget(written, words.slice(at + 1), launcher) ??
        (baseName(word) === 'swift' ? ofSwift('swift', words.slice(at + 1), launcher) : undefined)
      );
    }
    const [, flag = '', inline] = /^--?([\w-]+)(?:=(.*))?$/s.exec(written) ?? [];
    const follows =
      inline === undefined && next && !spell(next.value).startsWith('-') && !isTarget(spell(next.value));
    const value = inline ?? (follows ? spell(next.value) : undefined);
    if (follows) at += 1;
    const name = flag.replaceAll('-', '_');
    const key = launcherNames[name];
    if (key && value !== undefined) launcher[key] = value;
    else if (program === 'accelerate' && spreads.test(name))
      launcher.spread = { ...launcher.spread, [name]: value ?? 'true' };
    else launcher.other.push(written, ...(follows ? [spell(next.value)] : []));
  }
  return undefined;
}

const isTarget = (written: string): boolean => /\.py$/.test(written) || targetOf(written) !== undefined;

type Target = { trainer: TrainerCommand['trainer']; command: string; training: boolean; module?: string };

/** A module or script of a trainer. */
function targetOf(written: string): Target | undefined {
  if (written.length > 500) return undefined;
  const dotted = written.replace(/\.py$/, '').replaceAll('/', '.').replace(/^\.+/, '');
  const swift = /(?:^|\.)swift\.cli\.(_?megatron\.)?(\w+)$/.exec(dotted);
  if (swift?.[2]) {
    const trainer = swift[1] ? 'megatron-swift' : 'ms-swift';
    return { trainer, command: swift[2], training: trains(swift[2]) };
  }
  const verl =
    /(?:^|\.)(?:verl|recipe)\.(?:[\w${}]+\.)*(\w+)$/.exec(dotted) ?? /(?:^|\.)(main_ppo\w*)$/.exec(dotted);
  if (!verl?.[1]) return undefined;
  const command = verl[1];
  const training = /^main_(?!generation|eval|server)\w+$|trainer|_main$/.test(command);
  return { trainer: 'verl', command, training, module: dotted };
}

const trains = (command: string): boolean => /^(sft|pt|rlhf)$/.test(command);

function ofTarget(written: string, rest: readonly Word[], launcher: Launcher): Recognised | undefined {
  const target = targetOf(written);
  if (target && /^(ms|megatron)-swift$/.test(target.trainer) && target.command === 'main') {
    return ofSwift(target.trainer === 'ms-swift' ? 'swift' : 'megatron', rest, launcher);
  }
  return target && { ...target, rest, launcher };
}

function ofSwift(
  name: 'swift' | 'megatron',
  words: readonly Word[],
  launcher: Launcher,
): Recognised | undefined {
  const [first, ...rest] = words;
  const command = first && spell(first.value);
  if (!command || command.startsWith('-')) return undefined;
  return {
    trainer: name === 'swift' ? 'ms-swift' : 'megatron-swift',
    command,
    rest,
    launcher,
    training: trains(command),
  };
}
