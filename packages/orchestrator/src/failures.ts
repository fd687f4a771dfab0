import type { Failure } from './failure-kinds.ts';
import { slurmEndings } from './targets/slurm/endings.ts';

/** Of a rank that lost another one: true, and seldom where it began. */
export const peerLost = 'a rank lost its connection to another one';

/** How an attempt ended, as its agent reported it. */
export type Ending = {
  code: number | null;
  signal: string | null;
  reason: string;
  tail: string;
  lastStep: number | null;
};

type Row = Failure & { name: string; matches: (ending: Ending) => boolean };

const tailHas = (pattern: RegExp) => (ending: Ending) => pattern.test(ending.tail);
const reasonIs = (reason: string) => (ending: Ending) => ending.reason === reason;

/**
 * Signature → class → cause → remedy → policy, first match wins: what the agent knows for certain stands before
 * what a log line suggests, and a certain cause before a wide one. Sources of the signatures: docs/failures.md.
 */
export const failureTable: readonly Row[] = [
  {
    name: 'stopped',
    matches: reasonIs('stopped'),
    class: 'stopped',
    cause: 'it was asked to stop',
    remedy: '`her resume JOB` lifts the stop; `her run` then goes on from the last whole checkpoint.',
    policy: 'stop',
  },
  {
    name: 'disk-full',
    matches: (ending) =>
      ending.reason === 'disk-full' || /No space left on device|StorageFull|os error 28/.test(ending.tail),
    class: 'resource',
    cause: 'the disk of the node is full',
    remedy:
      'Free space there (old attempts are under `attempts/`), or lower `keep`; then `her resume JOB` and `her run`.',
    policy: 'stop',
  },
  {
    name: 'rows-lost',
    matches: tailHas(/her: \d+ of \d+ rows were dropped|her: \d+ rows are there where the study says/),
    class: 'data',
    cause: 'the trainer dropped more rows than the study allows, or counted others than it says',
    remedy:
      'Raise `max_length`, shorten the rows, or let more go by `overlong.delete`; `rows` must be right.',
    policy: 'stop',
  },
  {
    name: 'exec-failed',
    matches: reasonIs('exec-failed'),
    class: 'configuration',
    cause: "the trainer's program could not be started",
    remedy: 'Set the environment up again: `her environments --repair`.',
    policy: 'stop',
  },
  {
    name: 'agent-lost',
    matches: reasonIs('agent-lost'),
    class: 'infrastructure',
    cause: 'the agent on the node was killed, or the node was rebooted; what it had started was ended',
    remedy: 'It goes on from the last whole checkpoint.',
    policy: 'retry',
  },
  {
    name: 'time-limit',
    matches: reasonIs('time-limit'),
    class: 'infrastructure',
    cause: 'the time limit of its allocation was near; it was asked to save and end',
    remedy: 'It goes on from the last whole checkpoint in a new allocation.',
    policy: 'retry',
  },
  ...slurmEndings.map(({ reason, ...failure }) => ({ name: reason, matches: reasonIs(reason), ...failure })),
  {
    name: 'cluster-incomplete',
    matches: reasonIs('cluster-incomplete'),
    class: 'infrastructure',
    cause: 'not every node joined the cluster in time',
    remedy: 'It is tried again; `her doctor STUDY` looks at the nodes and the ports between them.',
    policy: 'retry',
  },
  {
    name: 'gang-ended',
    matches: reasonIs('gang-ended'),
    class: 'infrastructure',
    cause: 'another node of the attempt ended',
    remedy: 'It goes on from the last whole checkpoint.',
    policy: 'retry',
  },
  {
    name: 'hang-before-first-step',
    matches: (ending) => ending.reason === 'hang' && ending.lastStep === null,
    class: 'unknown',
    cause: 'the trainer made no first step in time and was ended',
    remedy:
      'Read its log (`her logs JOB`); raise `limits.first_step` if it was only slow; then `her resume JOB`.',
    policy: 'stop',
  },
  {
    name: 'hang',
    matches: reasonIs('hang'),
    class: 'infrastructure',
    cause: 'the trainer fell silent and was ended',
    remedy: 'It goes on from the last whole checkpoint; raise `limits.silence` if it was only slow.',
    policy: 'retry',
  },
  {
    name: 'cuda-out-of-memory',
    matches: tailHas(/torch\.(cuda\.)?OutOfMemoryError|CUDA out of memory/),
    class: 'resource',
    cause: 'the GPU ran out of memory',
    remedy: 'Lower `batch.per_device` or `max_length`, or shard more.',
    policy: 'stop',
  },
  {
    name: 'host-out-of-memory',
    matches: tailHas(
      /MemoryError|DefaultCPUAllocator: can't allocate memory|std::bad_alloc|Cannot allocate memory/,
    ),
    class: 'resource',
    cause: 'the node ran out of memory',
    remedy: 'Lower the batch, or run fewer jobs side by side (`target.memory_gb`).',
    policy: 'stop',
  },
  {
    name: 'usage',
    matches: (ending) => ending.code === 2 && /error: argument|unrecognized arguments/.test(ending.tail),
    class: 'configuration',
    cause: 'the trainer refused an option',
    remedy: 'The last line of its log names the option.',
    policy: 'stop',
  },
  {
    name: 'hydra',
    matches: tailHas(/hydra\.errors\.|omegaconf\.errors\.|ConfigCompositionException|Could not override/),
    class: 'configuration',
    cause: 'verl refused the composed configuration',
    remedy: 'The last lines of its log name the key.',
    policy: 'stop',
  },
  {
    name: 'missing-module',
    matches: tailHas(/ModuleNotFoundError|ImportError/),
    class: 'configuration',
    cause: 'a Python module is missing or broken in the environment',
    remedy: 'Set the environment up again: `her environments --repair`.',
    policy: 'stop',
  },
  {
    name: 'torn-checkpoint',
    matches: tailHas(
      /SafetensorError|PytorchStreamReader failed|Can't find a valid checkpoint at|trainer_state\.json'/,
    ),
    class: 'data',
    cause: 'a checkpoint or model file could not be read',
    remedy:
      '`her run` sets a torn checkpoint aside and takes the one before; a torn start model must be replaced.',
    policy: 'retry',
  },
  {
    name: 'dataset',
    matches: tailHas(
      /There are errors in the dataset|The local path does not exist, dataset_id|JSONDecodeError|ArrowInvalid/,
    ),
    class: 'data',
    cause: 'the data could not be read',
    remedy: 'The last lines of the log name the row or the file.',
    policy: 'stop',
  },
  {
    name: 'port-in-use',
    matches: tailHas(/EADDRINUSE|errno: 98|Address already in use/),
    class: 'infrastructure',
    cause: 'a port was taken by another process',
    remedy: 'It is tried again.',
    policy: 'retry',
  },
  {
    name: 'collective-timeout',
    matches: tailHas(/Watchdog caught collective operation timeout|NCCL error|uncorrectable ECC error/i),
    class: 'infrastructure',
    cause: 'the nodes or GPUs lost touch with each other',
    remedy: 'It goes on from the last whole checkpoint.',
    policy: 'retry',
  },
  {
    name: 'peer-lost',
    matches: tailHas(
      /Connection (closed|reset) by peer|ActorDiedError|RayActorError|remote process exited|Broken pipe.*TCPStore/,
    ),
    class: 'infrastructure',
    cause: peerLost,
    remedy: 'It goes on from the last whole checkpoint.',
    policy: 'retry',
  },
  {
    name: 'killed',
    matches: (ending) => ending.signal === 'SIGKILL' || ending.code === 247 || ending.code === 137,
    class: 'unknown',
    cause:
      'the trainer was killed (SIGKILL): by a person, by the kernel for want of memory, or by a scheduler',
    remedy: 'It goes on from the last whole checkpoint; look at `dmesg` if it happens again.',
    policy: 'retry',
  },
  {
    name: 'terminated',
    matches: (ending) => ending.signal !== null || ending.code === 241 || ending.code === 143,
    class: 'infrastructure',
    cause: 'the trainer was ended by a signal from outside',
    remedy: 'It goes on from the last whole checkpoint.',
    policy: 'retry',
  },
];

/**
 * What an ending means. An exit code that nothing explains is `unknown`: it is tried again only if the attempt
 * had made a step, because a program that fails before its first step fails again.
 */
export function classify(ending: Ending): Failure {
  const row = failureTable.find((candidate) => candidate.matches(ending));
  if (row !== undefined)
    return { class: row.class, cause: row.cause, remedy: row.remedy, policy: row.policy };
  const steps = ending.lastStep === null ? 'before its first step' : `after step ${ending.lastStep}`;
  return {
    class: 'unknown',
    cause: `the trainer ended with exit code ${ending.code ?? 'none'} ${steps}`,
    remedy: 'Read its log: `her logs JOB`.',
    policy: ending.lastStep === null ? 'stop' : 'retry',
  };
}
