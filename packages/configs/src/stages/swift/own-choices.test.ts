import { expect, test } from 'vitest';
import { loadStudy } from '../../load/load.ts';
import { planStudy } from '../../plan/plan.ts';
import { edited, hashes } from '../../testing.ts';

const local = 'target: { kind: local, device: cpu, cores: 2, memory_gb: 12 }';

function savesOnSignal(...edits: [from: string, to: string][]): unknown {
  const { jobs } = planStudy(loadStudy(edited(...edits), 'study.yaml', { exists: () => true }), hashes);
  return jobs.find(({ stage }) => stage === 'sft')?.settings['enable_jit_checkpoint']?.value;
}

test('where a scheduler ends jobs, ms-swift saves on its signal; the study may say otherwise', () => {
  const slurm: [string, string] = [
    local,
    'target: { kind: slurm, nodes: 1, root: /shared, cores: 2, memory_gb: 12 }',
  ];
  expect(savesOnSignal()).toBeUndefined();
  expect(savesOnSignal(slurm)).toBe(true);
  const off: [string, string] = [
    'weight_decay: 0.0',
    'weight_decay: 0.0\n      enable_jit_checkpoint: false',
  ];
  expect(savesOnSignal(slurm, off)).toBe(false);
});
