import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '@her/configs';
import { z } from 'zod';
import { isDone, latestAttempt } from './state.ts';
import { record, type World } from './world.ts';

/** A request to stop, left in a folder for the one who writes the ledger. */
const stopRequest = z.strictObject({ jobs: z.array(z.string()), reason: z.string() });
export type StopRequest = z.infer<typeof stopRequest>;

/** The folder of stop requests. `her stop` writes there while another `her run` is at work. */
export type StopRequests = { folder: string };

/** Leaves a request; returns the file that vanishes once it has been obeyed. */
export async function leaveStopRequest({ folder }: StopRequests, request: StopRequest): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${randomUUID()}.json`);
  await writeFile(`${file}.tmp`, JSON.stringify(request));
  await rename(`${file}.tmp`, file);
  return file;
}

/** Takes every request in the folder: decision first, then the agent is asked, then the request is removed. */
export async function obeyStops(world: World, { folder }: StopRequests): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => candidate.endsWith('.json')).sort()) {
    const file = join(folder, name);
    const request = stopRequest.parse(JSON.parse(await readFile(file, 'utf8')));
    for (const job of world.plan.jobs.filter(({ id }) => request.jobs.includes(id)))
      await stopJob(world, job, request.reason);
    await rm(file);
  }
}

/** Records the stop and asks the agent; a job that is done is left alone. */
export async function stopJob(world: World, job: Job, reason: string): Promise<void> {
  const known = world.state.jobs.get(job.id);
  if (isDone(known) || known?.stopped) return;
  const attempt = latestAttempt(known);
  const live = attempt !== undefined && attempt.ended === null ? attempt : null;
  await record(world, [
    {
      kind: 'decision',
      study: world.plan.study,
      action: 'stop',
      job: job.id,
      attempt: live?.id ?? null,
      token: randomUUID(),
      why: reason,
    },
  ]);
  if (live !== null) await world.target.stop(live.id, reason, job.limits.grace);
}
