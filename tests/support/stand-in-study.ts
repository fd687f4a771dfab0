import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, JobId, Plan } from '@her/configs';
import { openHome } from '../../packages/orchestrator/src/home.ts';
import { openNotices } from '../../packages/orchestrator/src/notify/open-notices.ts';
import { reconcile } from '../../packages/orchestrator/src/reconcile/loop.ts';
import { here } from '../../packages/orchestrator/src/reconcile/testing.ts';
import { registerStudy } from '../../packages/orchestrator/src/register.ts';
import { resolveSecrets } from '../../packages/orchestrator/src/secrets/resolve.ts';
import { withholdSecrets } from '../../packages/orchestrator/src/secrets/withhold.ts';
import { foldLedger, openStudyLedger } from '../../packages/orchestrator/src/session.ts';
import type { PlannedStudy } from '../../packages/orchestrator/src/study-file.ts';
import { once } from '../../packages/orchestrator/src/targets/once.ts';
import { capacityOf, openTarget } from '../../packages/orchestrator/src/targets/open-target.ts';
import { startEach } from '../../packages/orchestrator/src/targets/places.ts';
import type { Node } from '../../packages/orchestrator/src/targets/target.ts';

/**
 * What `her run` does, over a plan of one job whose trainer is `stand-in-program.py`: the real loop, ledger, agent,
 * target, secrets and notices, without the minutes that a trainer takes. Run as a program, whose environment and words
 * are its own: `node stand-in-study.ts HOME PLAN.json`.
 */
const [root = '', planFile = ''] = process.argv.slice(2);
const given = JSON.parse(await readFile(planFile, 'utf8')) as Partial<Plan> & {
  argv: string[];
  limits?: Job['limits'];
};
const { argv, limits = { firstStep: 60, silence: 60, grace: 2 }, ...site } = given;
const program = await readFile(join(import.meta.dirname, 'stand-in-program.py'), 'utf8');

const job: Job = {
  id: '1'.repeat(16) as JobId,
  name: 'job/1',
  stage: 'job',
  kind: 'sft',
  arm: 'main',
  seed: 1,
  needs: [],
  environment: 'swift',
  files: { 'program.py': program },
  inputs: [],
  argv: ['python3', 'program.py', ...argv],
  env: {},
  gang: null,
  metrics: argv[0] === 'leak' ? [{ format: 'plain', path: 'out/metrics.jsonl' }] : [],
  checkpoints: null,
  seedRecord: 'plain',
  outputs: [],
  resume: null,
  seeds: [],
  reproducibility: { level: 'bitwise', why: '' },
  settings: {},
  resources: { cores: 1, memoryGb: 1, nodes: 1, gpus: 0 },
  limits,
  steps: null,
};
const plan: Plan = {
  ...here,
  study: 'standin',
  digest: '0'.repeat(64),
  primary: null,
  target: 'target',
  jobs: [job],
  ...site,
};
const variables = withholdSecrets(plan, process.env);
const home = openHome(root);
const places = home.study(plan.study);
const ledger = await openStudyLedger(home, plan.study);
const state = await foldLedger(places.ledger);
await registerStudy(ledger, state, { plan, text: 'a stand-in' } as PlannedStudy);
const letGo = new AbortController();
process.on('SIGINT', () => letGo.abort());
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const locate = (path: string): string => path;
const sources = { env: variables, locate, say, signal: letGo.signal };
const target = openTarget(home, places, plan, { say });
const node = (name: string): Node => ({
  ...target.node(name),
  baseEnv: async () => ({ PATH: '/usr/local/bin:/usr/bin:/bin' }),
  inEnvironment: async (_, request) => request,
  fingerprint: async () => ({ digest: '0'.repeat(64), facts: {} }),
});
const policy = { retries: 0 };
const inner = {
  started: () => say('started'),
  progressed: () => undefined,
  ended: () => say('ended'),
  note: (_job: unknown, text: string) => say(text),
  unknown: (_job: unknown, since: Date, why: string) => say(`unknown since ${since.toISOString()}: ${why}`),
  known: () => say('known'),
};
const notices = await openNotices({ plan, state, policy, ledger, sources, inner });
const outcome = await notices.until(
  reconcile(
    {
      plan,
      ledger,
      state,
      target: { ...target, node, startGang: startEach(node) },
      capacity: capacityOf(plan, target),
      secrets: once(() => resolveSecrets(plan.secrets, sources)),
      gangKey: async () => '00',
      policy,
      until: null,
      observer: notices.observer,
      locate,
      signal: letGo.signal,
    },
    { folder: places.requests },
  ),
);
await ledger.close();
await target.close();
process.stdout.write(`${JSON.stringify(outcome.map(({ standing }) => standing.is))}\n`);
