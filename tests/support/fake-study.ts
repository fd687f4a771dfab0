import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Job, JobId, Plan } from '@her/configs';
import { type Ledger, openLedger } from '@her/ledger';
import { openHome } from '../../packages/orchestrator/src/home.ts';
import { reconcile } from '../../packages/orchestrator/src/reconcile/loop.ts';
import { here } from '../../packages/orchestrator/src/reconcile/testing.ts';
import { foldLedger } from '../../packages/orchestrator/src/session.ts';
import { openLocalTarget } from '../../packages/orchestrator/src/targets/local/local-target.ts';
import { startEach } from '../../packages/orchestrator/src/targets/places.ts';
import type { Node } from '../../packages/orchestrator/src/targets/target.ts';

/**
 * The loop with the real ledger, the real agent and the local target, over a plan whose trainer is the stand-in
 * `counting-trainer.py`. Run as a program, so that it can be killed: `node fake-study.ts HOME STEPS PAUSE [KILL_AT]`.
 * With KILL_AT it kills itself with SIGKILL at that point: points are counted before and after each append to the
 * ledger and each start.
 */
const [root = '', steps = '20', pause = '0.05', killAt = '0'] = process.argv.slice(2);
let points = 0;

async function betweenPoints<T>(act: () => Promise<T>): Promise<T> {
  point();
  const result = await act();
  point();
  return result;
}

function point(): void {
  points += 1;
  if (points === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}
const home = openHome(root);
const places = home.study('counting');
const trainer = join(import.meta.dirname, 'counting-trainer.py');

const ids = ['1', '2', '3', '4'].map((digit) => digit.repeat(16) as JobId);
const [first, second, third, last] = ids;
if (first === undefined || second === undefined || third === undefined || last === undefined)
  throw new Error('four ids');

function job(id: JobId, name: string, needs: JobId[]): Job {
  return {
    id,
    name,
    stage: name,
    kind: 'prepare',
    arm: 'main',
    seed: null,
    needs,
    environment: 'swift',
    files: {},
    inputs: needs.map((need) => ({
      name: `from-${need}`,
      from: { kind: 'output', job: need, output: 'result' },
    })),
    argv: ['python3', trainer, steps, pause, root],
    env: {},
    gang: null,
    metrics: [{ format: 'plain', path: 'out/metrics.jsonl' }],
    checkpoints: null,
    seedRecord: 'plain',
    outputs: [{ name: 'result', path: 'out/result.txt' }],
    resume: null,
    seeds: [{ source: 'data_seed', value: 7, drives: '', effect: 'effective' }],
    reproducibility: { level: 'bitwise', why: '' },
    settings: {},
    resources: { cores: 1, memoryGb: 1, nodes: 1, gpus: 0 },
    limits: { firstStep: 60, silence: 60, grace: 2 },
    steps: null,
  };
}

const jobs = [
  job(first, 'one', []),
  job(second, 'two', [first]),
  job(third, 'three', [first]),
  job(last, 'four', [second, third]),
];
const plan: Plan = {
  study: 'counting',
  digest: '0'.repeat(64),
  primary: null,
  target: 'target',
  jobs,
  ...here,
};
const keyFile = home.keyFile('her.local/counting');
await mkdir(dirname(keyFile), { recursive: true });
const ledger = await openLedger({
  dir: places.ledger,
  origin: 'her.local/counting',
  keyFile: keyFile,
});
const state = await foldLedger(places.ledger);
const watched: Ledger = new Proxy(ledger, {
  get(opened, name) {
    if (name === 'append')
      return (bodies: Parameters<Ledger['append']>[0]) => betweenPoints(() => opened.append(bodies));
    const value = Reflect.get(opened, name, opened);
    return typeof value === 'function' ? value.bind(opened) : value;
  },
});
const silent = () => undefined;
const target = openLocalTarget(home, places);
const node: Node = {
  ...target.node('local'),
  baseEnv: async () => ({ PATH: process.env['PATH'] ?? '' }),
  inEnvironment: async (_, request) => request,
  fingerprint: async () => ({ digest: '0'.repeat(64), facts: {} }),
};
const outcome = await reconcile(
  {
    plan,
    ledger: watched,
    state,
    target: {
      ...target,
      node: () => node,
      startGang: (requests) => betweenPoints(() => startEach(() => node)(requests)),
    },
    capacity: [{ node: 'local', cores: 2, memoryGb: 4, gpus: 0 }],
    secrets: async () => ({}),
    gangKey: async () => '00',
    policy: { retries: 2 },
    until: null,
    observer: {
      started: silent,
      progressed: silent,
      ended: silent,
      note: silent,
      unknown: silent,
      known: silent,
    },
    locate: (path) => path,
    signal: new AbortController().signal,
  },
  { folder: places.requests },
);
await ledger.close();
process.stdout.write(
  `${JSON.stringify(outcome.map(({ job: { name }, standing }) => [name, standing.is]))}\n`,
);
