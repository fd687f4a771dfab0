import type { Entry, EntryOf } from '@her/ledger';
import { type LoggedStep, StepHistory } from './step-history.ts';

/** What the ledger says of one attempt. */
export type AttemptState = {
  id: string;
  number: number;
  token: string;
  decidedAt: string;
  /** Where it runs: node 0 of a gang first. */
  nodes: string[];
  /** When the last of its nodes had started it; null while one has not. */
  startedAt: string | null;
  startedOn: Set<string>;
  /** By node, the number of its last event in the ledger; the next one to ask for is one more. */
  seqs: Map<string, number>;
  /** Since when a node has not been reached, which says nothing of the attempt. */
  unknownSince: Map<string, string>;
  /** How the nodes of a gang ended. */
  nodeEnds: Map<string, EntryOf<'node.ended'>>;
  lastStep: number | null;
  maxSteps: number | null;
  lastValues: EntryOf<'metric'>['values'];
  firstStep: LoggedStep | null;
  /** Steps as they were logged, for the proof of a resume. */
  history: StepHistory;
  /** Time of the first and the latest step, for the time left. */
  stepTimes: { first: { step: number; time: string }; last: { step: number; time: string } } | null;
  checkpoints: { step: number; path: string; digest: string }[];
  outputs: { name: string; path: string; digest: string }[];
  /** The checkpoint that the decision named. */
  decidedFrom: NonNullable<EntryOf<'decision'>['resumeFrom']> | null;
  resumedFrom: NonNullable<EntryOf<'attempt.started'>['resumedFrom']> | null;
  seedsSeen: string[];
  ended: EntryOf<'attempt.ended'> | null;
  proof: EntryOf<'resume.proved'>['status'] | null;
  /** `metric of model`, for each score in the ledger. */
  scores: string[];
};

export type JobState = {
  id: string;
  attempts: AttemptState[];
  stopped: boolean;
  gaveUp: string | null;
  /** How many attempts there were when a person last lifted a stop; that allows one more. */
  lifted: number;
};

/** Everything that is known of a study, folded from its ledger. There is no other state. */
export type StudyState = {
  registered: EntryOf<'study.registered'> | EntryOf<'study.amended'> | null;
  jobs: Map<string, JobState>;
  /** How many entries were folded; the next one to read. */
  size: number;
  setAside: Set<string>;
  /** How each key of a host stands, by `fingerprint host`. */
  hostKeys: Map<string, EntryOf<'host.key'>['how']>;
  /** Notices that were delivered. */
  told: Set<string>;
};

export function emptyState(): StudyState {
  return {
    registered: null,
    jobs: new Map(),
    size: 0,
    setAside: new Set(),
    hostKeys: new Map(),
    told: new Set(),
  };
}

/** Folds one entry into the state, in place. Entries that say nothing of jobs only count. */
export function fold(state: StudyState, entry: Entry): void {
  state.size = Math.max(state.size, entry.i + 1);
  switch (entry.kind) {
    case 'study.registered':
    case 'study.amended':
      state.registered = entry;
      return;
    case 'host.key':
      state.hostKeys.set(`${entry.fingerprint} ${entry.host}`, entry.how);
      return;
    case 'notice':
      if (entry.delivered) state.told.add(entry.id);
      return;
    case 'decision':
      foldDecision(state, entry);
      return;
    case 'checkpoint.set-aside':
      state.setAside.add(checkpointKey(entry.attempt, entry.path));
      return;
    default:
      if ('attempt' in entry && entry.attempt !== undefined)
        foldAttempt(attemptOf(state, entry.attempt), entry);
  }
}

/** Number of the last event of a node in the ledger, 0 where there is none. */
export function seqOf(attempt: AttemptState, node: string): number {
  return attempt.seqs.get(node) ?? 0;
}

export function checkpointKey(attempt: string, path: string): string {
  return `${attempt} ${path}`;
}

export function jobState(state: StudyState, job: string): JobState {
  let found = state.jobs.get(job);
  if (found === undefined) {
    found = { id: job, attempts: [], stopped: false, gaveUp: null, lifted: 0 };
    state.jobs.set(job, found);
  }
  return found;
}

function foldDecision(state: StudyState, entry: EntryOf<'decision'>): void {
  const job = jobState(state, entry.job);
  switch (entry.action) {
    case 'start':
    case 'resume': {
      if (entry.attempt === null) return;
      job.gaveUp = null;
      if (job.attempts.some((attempt) => attempt.id === entry.attempt)) return;
      job.attempts.push({
        ...newAttempt(entry.attempt, job.attempts.length + 1, entry.token, entry.time),
        nodes: entry.nodes ?? [],
        decidedFrom: entry.resumeFrom ?? null,
      });
      return;
    }
    case 'stop':
      job.stopped = true;
      return;
    case 'lift-stop':
      job.stopped = false;
      job.gaveUp = null;
      job.lifted = job.attempts.length;
      return;
    case 'give-up':
      job.gaveUp = entry.why;
      return;
    case 'reap':
    case 'skip':
      return;
  }
}

function newAttempt(id: string, number: number, token: string, time: string): AttemptState {
  return {
    id,
    number,
    token,
    decidedAt: time,
    nodes: [],
    startedAt: null,
    startedOn: new Set(),
    seqs: new Map(),
    unknownSince: new Map(),
    nodeEnds: new Map(),
    lastStep: null,
    maxSteps: null,
    lastValues: {},
    firstStep: null,
    history: new StepHistory(),
    stepTimes: null,
    checkpoints: [],
    outputs: [],
    decidedFrom: null,
    resumedFrom: null,
    seedsSeen: [],
    ended: null,
    proof: null,
    scores: [],
  };
}

function attemptOf(state: StudyState, id: string): AttemptState {
  const job = jobState(state, id.slice(0, id.lastIndexOf('-')));
  const found = job.attempts.find((attempt) => attempt.id === id);
  if (found !== undefined) return found;
  const added = newAttempt(id, job.attempts.length + 1, '', '');
  job.attempts.push(added);
  return added;
}

function foldAttempt(attempt: AttemptState, entry: Entry): void {
  if ('seq' in entry && typeof entry.seq === 'number')
    attempt.seqs.set(entry.node, Math.max(seqOf(attempt, entry.node), entry.seq));
  switch (entry.kind) {
    case 'attempt.started':
      attempt.startedOn.add(entry.node);
      if (attempt.nodes.every((node) => attempt.startedOn.has(node))) attempt.startedAt ??= entry.time;
      attempt.resumedFrom = entry.resumedFrom ?? null;
      return;
    case 'metric':
      foldMetric(attempt, entry);
      return;
    case 'checkpoint.saved':
      attempt.checkpoints.push({ step: entry.step, path: entry.path, digest: entry.digest });
      attempt.history.keepAround(entry.step);
      return;
    case 'artifact':
      attempt.outputs.push({ name: entry.name, path: entry.path, digest: entry.digest });
      return;
    case 'seed.used':
      attempt.seedsSeen.push(entry.source);
      return;
    case 'resume.proved':
      attempt.proof = entry.status;
      return;
    case 'score':
      attempt.scores.push(`${entry.metric} ${entry.of}`);
      return;
    case 'node.reach':
      if (entry.reached) attempt.unknownSince.delete(entry.node);
      else attempt.unknownSince.set(entry.node, entry.since);
      return;
    case 'node.ended':
      attempt.nodeEnds.set(entry.node, entry);
      return;
    case 'attempt.ended':
      attempt.ended = entry;
      return;
    default:
      return;
  }
}

function foldMetric(attempt: AttemptState, entry: EntryOf<'metric'>): void {
  const at = { step: entry.step, time: entry.at ?? entry.time };
  const { step, maxSteps, values } = entry;
  const logged = attempt.history.add({ step, maxSteps, values });
  attempt.firstStep ??= logged;
  attempt.lastStep = entry.step;
  attempt.maxSteps = entry.maxSteps ?? attempt.maxSteps;
  Object.assign(attempt.lastValues, values);
  attempt.stepTimes =
    attempt.stepTimes === null ? { first: at, last: at } : { ...attempt.stepTimes, last: at };
}

/** Whether an attempt did all that was asked. */
export function succeeded(attempt: AttemptState): boolean {
  const { ended } = attempt;
  return ended !== null && ended.code === 0 && ended.reason === 'exited' && ended.class === null;
}

export function latestAttempt(job: JobState | undefined): AttemptState | undefined {
  return job?.attempts.at(-1);
}

export function isDone(job: JobState | undefined): boolean {
  return job?.attempts.some(succeeded) ?? false;
}
