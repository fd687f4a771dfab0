import { join } from 'node:path';
import type { Job, JobId, Plan } from '@her/configs';
import { openLedger } from '@her/ledger';
import { reconcile } from '../../packages/orchestrator/src/reconcile/loop.ts';
import { emptyState, type JobState, jobState } from '../../packages/orchestrator/src/reconcile/state.ts';
import { here } from '../../packages/orchestrator/src/reconcile/testing.ts';
import type { SlurmTarget } from '../../packages/orchestrator/src/targets/slurm/slurm-target.ts';
import type { SlurmBed } from './slurm-bed.ts';

/** The loop over one job whose first attempt would never end, and whose next one is short. */
export async function runThrough(
  { root, folder, requestOf }: SlurmBed,
  target: SlurmTarget,
  ends: string[],
): Promise<JobState> {
  const plan: Plan = {
    study: 'limited',
    digest: '0'.repeat(64),
    primary: null,
    target: 'cluster',
    jobs: [],
    ...here,
  };
  const id = 'fedcba9876543210' as JobId;
  const { files, ranks } = requestOf(id, 3, 0.2);
  const marker = join(root, `${id}.once`);
  const once = `import os\nagain = os.path.exists(${JSON.stringify(marker)})\nopen(${JSON.stringify(marker)}, "w").close()\n`;
  const program = files['trainer.py']?.replace('int(sys.argv[1])', '(3 if again else 6000)');
  const job: Job = {
    id,
    ...{ name: 'limited', stage: 'limited', kind: 'prepare', arm: 'main', seed: null, needs: [] },
    environment: 'swift',
    files: { 'trainer.py': `${once}${program}` },
    inputs: [],
    argv: ranks[0]?.argv ?? [],
    ...{ env: {}, gang: null, checkpoints: null, seedRecord: 'plain', outputs: [], resume: null, seeds: [] },
    metrics: [{ format: 'plain', path: 'out/metrics.jsonl' }],
    reproducibility: { level: 'bitwise', why: '' },
    settings: {},
    resources: { cores: 1, memoryGb: 1, nodes: 1, gpus: 0 },
    limits: { firstStep: 60, silence: 60, grace: 10 },
    steps: null,
  };
  const ledger = await openLedger({
    dir: join(folder, 'ledger'),
    origin: 'her.local/limited',
    keyFile: join(folder, 'key'),
  });
  const state = emptyState();
  const silent = () => undefined;
  const observer = { started: silent, progressed: silent, note: silent, unknown: silent, known: silent };
  await reconcile(
    {
      plan: { ...plan, jobs: [job] },
      ...{ ledger, state, target, policy: { retries: 2 }, until: null, signal: AbortSignal.timeout(170_000) },
      capacity: [{ node: 'n0', cores: 1, memoryGb: 1, gpus: 0 }],
      secrets: async () => ({}),
      gangKey: async () => '00',
      observer: { ...observer, ended: (_, attempt) => ends.push(attempt.ended?.cause ?? '') },
      locate: (path) => path,
    },
    { folder: join(folder, 'requests') },
  );
  await ledger.close();
  return jobState(state, id);
}
