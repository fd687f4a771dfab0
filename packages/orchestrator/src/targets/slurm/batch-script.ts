import { HerError } from '../../errors.ts';
import { quoteWord } from '../../ssh/command-line.ts';
import type { SlurmSettings } from './settings.ts';

export type Batch = {
  name: string;
  /** One task each; more than one makes an array. */
  attempts: readonly string[];
  /** Of each attempt: a stage may take fewer than the target has. */
  nodes: number;
  /** Absolute, on the shared storage. */
  root: string;
  python: string;
  agent: string;
  settings: SlurmSettings;
  /** How long an agent waits for the secrets that its study names. */
  secretSeconds: number;
};

/** Options that this program decides by itself. */
const own = new Set([
  'array',
  'batch',
  'chdir',
  'error',
  'export',
  'export-file',
  'get-user-env',
  'gid',
  'input',
  'job-name',
  'no-requeue',
  'nodes',
  'ntasks',
  'ntasks-per-node',
  'open-mode',
  'output',
  'parsable',
  'requeue',
  'signal',
  'test-only',
  'uid',
  'wait',
  'wrap',
]);

/** Of each, any in a study's options replaces what would be asked for by itself. */
const memoryWords = ['mem', 'mem-per-cpu', 'mem-per-gpu'];
const coreWords = ['cpus-per-task', 'cpus-per-gpu', 'exclusive', 'cores-per-socket'];
const gpuWords = ['gres', 'gpus', 'gpus-per-node', 'gpus-per-task', 'gpus-per-socket'];
const studyWords = ['partition', 'account', 'qos', 'constraint', 'time'] as const;

/**
 * The script that sbatch gets. Its shell does nothing but take the signal before the time limit, which it hands on as
 * a line in a file: signals of Slurm may reach every process of a step, the trainer's too.
 * @throws {HerError} `ARGUMENT_INVALID` for an option that cannot be given, or a word that could not be quoted
 */
export function batchScript(batch: Batch): string {
  const { attempts, nodes, root, settings } = batch;
  const output = `${root.replaceAll('%', '%%')}/slurm/batches/${batch.name}/${attempts.length > 1 ? '%a' : '0'}.out`;
  const directives = [
    ['job-name', batch.name],
    ['nodes', nodes],
    ['ntasks', nodes],
    ['ntasks-per-node', 1],
    ...resources(settings),
    ...studyWords.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]] as const])),
    ['signal', `B:USR2@${settings.signal_seconds}`],
    ['no-requeue', true],
    ['open-mode', 'append'],
    ['output', output],
    ['export', 'NIL'],
    ...(attempts.length > 1 ? [['array', `0-${attempts.length - 1}`] as const] : []),
    ...given(settings),
  ] as const;
  return [
    '#!/bin/sh',
    ...directives.map(([name, value]) => directive(name, value)),
    '',
    ...body(batch),
    '',
  ].join('\n');
}

/** A node's share, unless the study says it in Slurm's own words. */
function resources({ options, cores, memory_gb, gpus }: SlurmSettings): [string, string | number][] {
  const free = (words: readonly string[]) => words.every((word) => options[word] === undefined);
  const wanted: [string, string | number][] = [];
  if (free(coreWords)) wanted.push(['cpus-per-task', Math.ceil(cores)]);
  // Slurm's M are MiB, the study's GB are of 10^9 bytes.
  if (free(memoryWords)) wanted.push(['mem', `${Math.floor((memory_gb * 1e9) / 2 ** 20)}M`]);
  if (gpus !== undefined && free(gpuWords)) wanted.push(['gres', `gpu:${gpus.per_node}`]);
  return wanted;
}

function given({ options, ...settings }: SlurmSettings): [string, string | number | true][] {
  return Object.entries(options).map(([name, value]) => {
    const twice = studyWords.some((word) => word === name && settings[word] !== undefined);
    if (own.has(name) || twice)
      throw invalid(`the option ${name} of sbatch is ${twice ? 'given twice' : 'set by her itself'}`);
    return [name, value];
  });
}

function directive(name: string, value: string | number | true): string {
  if (!/^[a-z][a-z-]*$/.test(name)) throw invalid(`${name} is no long option of sbatch`);
  return value === true ? `#SBATCH --${name}` : `#SBATCH --${name}=${quoteForSbatch(String(value))}`;
}

/** sbatch takes double quotes off and understands no more of a shell. What would end them is not let in. */
function quoteForSbatch(value: string): string {
  if (/^[\w.,:@%+=/-]+$/.test(value)) return value;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (value === '' || /["'\\\u0000-\u001f\u007f]/.test(value))
    throw invalid(`${JSON.stringify(value)} cannot stand in a line of #SBATCH`);
  return `"${value}"`;
}

function body({ attempts, nodes, root, python, agent, settings, secretSeconds }: Batch): string[] {
  const choose =
    attempts.length === 1
      ? [`attempt=${quoteWord(attempts[0] ?? '')}`]
      : [
          'case "$SLURM_ARRAY_TASK_ID" in',
          ...attempts.map((attempt, task) => `${task}) attempt=${quoteWord(attempt)} ;;`),
          '*) exit 64 ;;',
          'esac',
        ];
  const node = [
    quoteWord(python),
    quoteWord(agent),
    'slurm-node',
    `--root ${quoteWord(root)}`,
    '--attempt "$attempt"',
    `--signal-seconds ${settings.signal_seconds}`,
    `--secret-seconds ${secretSeconds}`,
  ].join(' ');
  // The agents of a gang end each other; a node that is done first must not end one that still hashes.
  const srun = [
    'srun --export=ALL --kill-on-bad-exit=0 --wait=0 --cpu-bind=none --mpi=none',
    `--nodes=${nodes} --ntasks=${nodes} --ntasks-per-node=1`,
    ...(settings.options['cpus-per-task'] === undefined && coresAreAsked(settings)
      ? [`--cpus-per-task=${Math.ceil(settings.cores)}`]
      : []),
    '--input=none',
  ].join(' ');
  return [
    'umask 077',
    'PATH="$1:/usr/local/bin:/usr/bin:/bin"',
    'export PATH',
    ...choose,
    `signal=${quoteWord(`${root}/slurm/attempts`)}/"$attempt"/signal`,
    `trap 'echo time-limit >> "$signal"' USR2`,
    'trap : TERM',
    `${srun} ${node} &`,
    'step=$!',
    'while :; do',
    '  wait "$step"',
    '  code=$?',
    '  kill -0 "$step" 2> /dev/null || break',
    'done',
    'exit "$code"',
  ];
}

function coresAreAsked({ options }: SlurmSettings): boolean {
  return coreWords.every((word) => options[word] === undefined);
}

function invalid(message: string): HerError {
  return new HerError('ARGUMENT_INVALID', message, { hint: 'Change it under `target` in the study file.' });
}
