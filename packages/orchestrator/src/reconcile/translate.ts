import type { Job } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import type { AgentEvent, FileHash, KnownEvent } from '../agent/protocol.ts';
import { classify } from '../failures.ts';
import type { AttemptState } from './state.ts';

/** Bodies too large for an entry go to blobs; translating stays pure by asking for that through this. */
export type PutBlob = (text: string) => Promise<string>;

export type TranslateContext = {
  study: string;
  node: string;
  job: Job;
  attempt: AttemptState;
  putBlob: PutBlob;
  /** Outputs that the agent has hashed so far, by name. */
  made: ReadonlySet<string>;
  /** What is wrong with an attempt that says it ended well, if something is. */
  spoiled: string | null;
};

/** File lists longer than this stand in a blob: an entry holds at most 65,535 bytes. */
const filesInline = 150;

/** The entries that one event of an agent becomes. Heartbeats are not history. */
export async function translate(event: AgentEvent, context: TranslateContext): Promise<EntryBody[]> {
  const { study, node, job, attempt } = context;
  const head = { study, job: job.id, attempt: attempt.id, node, seq: event.seq, at: event.time };
  switch (event.type) {
    case 'heartbeat':
      return [];
    case 'metric': {
      const metric = event as KnownEvent<'metric'>;
      const replaces = metric.replaces === true ? { replaces: true } : {};
      const { step, values, from } = metric;
      return [
        { kind: 'metric', ...head, from, step, maxSteps: metric.maxSteps ?? null, values, ...replaces },
      ];
    }
    case 'seeds':
      return seedEntries(event as KnownEvent<'seeds'>, head, context);
    case 'checkpoint': {
      const { step, path, digest, files } = event as KnownEvent<'checkpoint'>;
      return [
        {
          kind: 'checkpoint.saved',
          ...head,
          step,
          path,
          digest,
          ...(await fileList(files, context.putBlob)),
        },
      ];
    }
    case 'output': {
      const { name, path, digest, files } = event as KnownEvent<'output'>;
      return [{ kind: 'artifact', ...head, name, path, digest, ...(await fileList(files, context.putBlob)) }];
    }
    case 'ended':
      return [await endedEntry(event as KnownEvent<'ended'>, head, context)];
    default: {
      const { seq: _seq, time: _time, type, ...data } = event as Record<string, unknown> & { type: string };
      return [{ kind: 'event', ...head, type, data: data as Record<string, never> }];
    }
  }
}

type Head = { study: string; job: string; attempt: string; node: string; seq: number; at: string };

function seedEntries(
  event: KnownEvent<'seeds'>,
  head: Head,
  { job, attempt }: TranslateContext,
): EntryBody[] {
  return event.values
    .filter(({ source }) => !attempt.seedsSeen.includes(source))
    .map(({ source, value, where }) => {
      const planned = job.seeds.find((row) => row.source === source)?.value ?? null;
      const status =
        planned === null ? 'unplanned' : String(planned) === String(value) ? 'applied' : 'differs';
      return { kind: 'seed.used', ...head, source, planned, used: value, where, status };
    });
}

async function endedEntry(
  event: KnownEvent<'ended'>,
  head: Head,
  context: TranslateContext,
): Promise<EntryBody> {
  const { code, signal, reason } = event;
  const tail = Object.entries(event.tails)
    .map(([rank, text]) => `== ${rank}\n${text}`)
    .join('\n');
  const lastStep = event.steps ?? context.attempt.lastStep;
  const tailBlob = tail === '' ? null : await context.putBlob(tail);
  const gang = context.attempt.nodes.length > 1;
  const by = event.by === undefined ? {} : { by: event.by };
  const kind = gang ? { kind: 'node.ended' as const, ...by } : { kind: 'attempt.ended' as const };
  const ending = { ...kind, ...head, code, signal, reason, tailBlob, lastStep };
  // What a gang makes is collected on its node 0.
  if (gang && head.node !== context.attempt.nodes[0] && reason === 'exited' && code === 0)
    return { ...ending, class: null, cause: null, remedy: null };
  if (reason === 'exited' && code === 0) {
    const fault = context.spoiled ?? missingOutputs(context);
    if (fault === null) return { ...ending, class: null, cause: null, remedy: null };
    const remedy = 'Read its log: `her logs JOB`.';
    return { ...ending, class: 'data', cause: fault, remedy, policy: 'stop' };
  }
  const failure = classify({ code, signal, reason, tail: `${tail}\n${event.message ?? ''}`, lastStep });
  const cause = event.message === undefined ? failure.cause : `${failure.cause}: ${event.message}`;
  return { ...ending, class: failure.class, cause, remedy: failure.remedy, policy: failure.policy };
}

/** A job that leaves less than it promised has not succeeded, whatever its exit code says. */
function missingOutputs({ job, made }: TranslateContext): string | null {
  const missing = job.outputs
    .filter(({ name }) => !made.has(name))
    .map(({ name, path }) => `${name} (${path})`);
  return missing.length === 0 ? null : `it ended with exit code 0 and left no ${missing.join(', no ')}`;
}

async function fileList(files: readonly FileHash[], putBlob: PutBlob) {
  if (files.length <= filesInline) return { files: [...files] };
  return { filesBlob: await putBlob(JSON.stringify(files)) };
}
