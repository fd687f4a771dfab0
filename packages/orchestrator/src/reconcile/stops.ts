import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '@her/configs';
import { z } from 'zod';
import { type AttemptState, isDone, latestAttempt } from './state.ts';
import { stopNodes } from './stop-nodes.ts';
import { record, type World } from './world.ts';

/** A request to stop, left in a folder for the one who writes the ledger. */
const stopRequest = z.strictObject({ jobs: z.array(z.string()), reason: z.string() });
export type StopRequest = z.infer<typeof stopRequest>;

/** The folder of stop requests. `her stop` writes there while another `her run` is at work. */
export type StopRequests = { folder: string };

/** Leaves a request, whole on disk before it has its name; returns the file, which vanishes once it was obeyed. */
export async function leaveStopRequest({ folder }: StopRequests, request: StopRequest): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${randomUUID()}.json`);
  const draft = await open(`${file}.tmp`, 'w');
  try {
    await draft.writeFile(JSON.stringify(request));
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${file}.tmp`, file);
  return file;
}

/** Takes every request in the folder: decisions first, then the agents are asked, then the request is removed. */
export async function obeyStops(world: World, { folder }: StopRequests): Promise<void> {
  for (const name of (await requestsIn(folder)).sort()) {
    const file = join(folder, name);
    const request = readRequest(await readFile(file, 'utf8'));
    if (request === undefined) {
      await rename(file, `${file}.refused`);
      world.observer.note(null, `a stop request that cannot be read was put aside: ${file}.refused`);
      continue;
    }
    const jobs = world.plan.jobs.filter(({ id }) => request.jobs.includes(id));
    for (const job of jobs) await recordStop(world, job, request.reason);
    // Side by side: a node that does not answer keeps no other from being asked.
    const asked = Promise.all(jobs.map((job) => askToStop(world, job, request.reason)));
    await Promise.race([asked, aborted(world.signal)]);
    // Not obeyed for certain: the next one to work on the ledger obeys it again.
    if (world.signal.aborted) return;
    await rm(file, { force: true });
  }
}

async function requestsIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function readRequest(text: string): StopRequest | undefined {
  try {
    return stopRequest.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function recordStop(world: World, job: Job, reason: string): Promise<void> {
  const known = world.state.jobs.get(job.id);
  if (isDone(known) || known?.stopped) return;
  const head = { study: world.plan.study, job: job.id, attempt: liveOf(world, job)?.id ?? null };
  await record(world, [{ kind: 'decision', ...head, action: 'stop', token: randomUUID(), why: reason }]);
}

/** Also where the stop is in the ledger already: a crash may have come between the two. */
async function askToStop(world: World, job: Job, reason: string): Promise<void> {
  const live = liveOf(world, job);
  // One whose start is not in the ledger yet is dealt with by who follows it.
  if (live !== null && live.startedOn.size > 0) await stopNodes(world, job, live, reason);
}

function liveOf(world: World, job: Job): AttemptState | null {
  const attempt = latestAttempt(world.state.jobs.get(job.id));
  return attempt !== undefined && attempt.ended === null ? attempt : null;
}
