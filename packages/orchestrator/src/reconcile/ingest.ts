import type { Job } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import { HerError } from '../errors.ts';
import type { Node } from '../targets/target.ts';
import { parseEvent } from './event-stream.ts';
import { proveResume } from './resume-proof.ts';
import { scoreEntries } from './scores.ts';
import { type AttemptState, jobState, seqOf } from './state.ts';
import { type TranslateContext, translate } from './translate.ts';
import { record, type World } from './world.ts';

/** Turns lines of events into entries, each event exactly once, and records them. */
export async function ingest(
  world: World,
  job: Job,
  attempt: AttemptState,
  node: Node,
  lines: readonly string[],
): Promise<void> {
  const { plan, ledger } = world;
  const made = new Set(attempt.outputs.map(({ name }) => name));
  const putBlob = (text: string): Promise<string> => ledger.putBlob(text);
  const context: TranslateContext = {
    study: plan.study,
    node: node.name,
    job,
    attempt,
    putBlob,
    made,
    spoiled: null,
  };
  const bodies: EntryBody[] = [];
  let seen = seqOf(attempt, node.name);
  for (const line of lines) {
    const event = parseEvent(line);
    // The last event in the ledger is asked for again: of several entries that it becomes, not all may be written.
    if (event.seq < seen || (event.seq === seen && event.type !== 'seeds')) continue;
    if (event.seq > seen + 1) {
      throw new HerError(
        'AGENT_FAILED',
        `events ${seen + 1} to ${event.seq - 1} of ${attempt.id} on ${node.name} are missing`,
      );
    }
    seen = event.seq;
    if (event.type === 'ended' && job.kind === 'evaluate' && 'code' in event && event.code === 0) {
      bodies.push(...(await scoresOf(node, context)));
    }
    const translated = await translate(event, context);
    for (const body of translated) if (body.kind === 'artifact') made.add(body.name);
    bodies.push(...translated);
  }
  await record(world, bodies);
  attempt.seqs.set(node.name, Math.max(seqOf(attempt, node.name), seen));
  await recordProof(world, job, attempt);
  if (bodies.some((body) => body.kind === 'metric')) world.observer.progressed(job, attempt);
}

/** The scores of an evaluation; a file that cannot be read spoils the attempt, and is told as its cause. */
async function scoresOf(node: Node, context: TranslateContext): Promise<EntryBody[]> {
  try {
    return scoreEntries(await node.readFile(context.attempt.id, 'out/scores.json'), context);
  } catch (cause) {
    context.spoiled = `its scores cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    return [];
  }
}

/** Once the first step after a resume is logged, whether it is the step that the checkpoint leads to. */
async function recordProof(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const { firstStep, resumedFrom } = attempt;
  if (firstStep === null || resumedFrom === null || attempt.proof !== null) return;
  const earlier = jobState(world.state, job.id).attempts.filter((other) => other !== attempt);
  const logged = (step: number) =>
    earlier.map((other) => other.history.get(step)).find((entry) => entry !== undefined);
  const { status, checks } = proveResume({
    from: resumedFrom.step,
    first: firstStep,
    before: logged(firstStep.step) ?? null,
    at: logged(resumedFrom.step)?.values ?? null,
    start: logged(1)?.values ?? null,
    level: job.reproducibility.level,
  });
  await record(world, [
    { kind: 'resume.proved', study: world.plan.study, job: job.id, attempt: attempt.id, status, checks },
  ]);
}
