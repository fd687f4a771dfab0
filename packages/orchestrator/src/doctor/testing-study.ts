import { type LoadedStudy, loadStudy, type Plan, planStudy, type Study } from '@her/configs';

/** For tests: a study of one stage over two hosts with GPUs, and what a test writes instead or below. */
type Parts = { target?: string; base?: string; stage?: string };

const ssh =
  '{ kind: ssh, hosts: [n0, n1], root: /data/her, gpus: { per_node: 8, kind: H100-80 }, cores: 96, memory_gb: 2000 }';

export function loadedStudy(
  below = '',
  { target = ssh, base = '/models/qwen', stage = '    parallel: { sharding: zero3 }' }: Parts = {},
): LoadedStudy {
  const text = `her: 1
name: looked-at
seeds: [1]
trainers: { ms-swift: 4.6.0 }
target: ${target}
models:
  base: { path: ${base}, type: qwen3, template: qwen3_nothinking, shape: qwen3-32b }
data:
  rows: { path: /data/rows.jsonl, rows: 320 }
stages:
  sft:
    kind: sft
    model: base
    data: rows
    epochs: 1
    batch: { global: 16, per_device: 1 }
    max_length: 2048
    save_every: 10
${stage}
${below}`;
  return loadStudy(text, 'study.yaml', { exists: () => true });
}

export type Looked = { loaded: LoadedStudy; study: Study; plan: Plan; locate: (path: string) => string };

export function plannedStudy(below = '', parts: Parts = {}): Looked {
  const loaded = loadedStudy(below, parts);
  const plan = planStudy(loaded, { path: () => null, code: (name) => name });
  return { loaded, study: loaded.study, plan, locate: (path) => `/here/${path}` };
}
