import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadStudy } from '../load/load.ts';
import type { PlanHashes } from '../plan/hashes.ts';
import { planStudy } from '../plan/plan.ts';
import { describeStudy } from './describe.ts';
import type { StudyDescription } from './description.ts';
import { type KitMaterials, renderKit } from './render-kit.ts';

/** Two nodes of eight GPUs, a path in the study's folder, an awkward one, a hub id, and a reward function. */
export const gangText = `her: 1
name: gang
seeds: [1, 2]
trainers: { ms-swift: 4.6.0, verl: 0.9.1 }
target: { kind: ssh, hosts: [n0, n1], gpus: { per_node: 8, memory_gb: 80 }, cores: 96, memory_gb: 2000 }
models:
  base:
    path: { value: models/base, origin: card, evidence: as its card says, deviates_from_paper: true }
    type: qwen3
    template: qwen3_nothinking
    shape: qwen3-32b
data:
  rows: { path: "/data/it's $HOME rows.jsonl", rows: 320 }
  prompts: { path: prompts.parquet, rows: 320 }
  held: { hub: someone/held, rows: 16 }
questions:
  which: { ask: Which rows?, facts: [Two sets are known.], settles: [data.rows.path] }
stages:
  sft:
    kind: sft
    model: base
    data: rows
    validation: held
    epochs: 1
    batch: { global: 16, per_device: 1 }
    max_length: 2048
    parallel: { sharding: zero3 }
    save_every: 10
  rl:
    kind: rl
    algorithm: grpo
    model: sft
    prompts: prompts
    reward: { file: "rewards/mine.py:score" }
    steps: 4
    batch: { prompts: 16, samples: 8, mini: 8, micro_per_device: 1 }
    length: { prompt: 128, response: 64 }
    save_every: 2
`;

const materials: KitMaterials = {
  studyText: 'her: 1\n',
  workers: { 'workers/python/src/her_workers/__init__.py': '' },
  locks: { swift: { 'infra/envs/swift/uv.lock': '\nname = "torch"\n' }, verl: {} },
  rewards: {},
  uv: '0.0.0',
};

const noHashes: PlanHashes = { path: () => null, code: (name) => name };

export function kitOf(
  text: string,
  more: Partial<Omit<KitMaterials, 'rewards'>> & { rewards?: Record<string, string> } = {},
  hashes: PlanHashes = noHashes,
): Record<string, string> {
  const loaded = loadStudy(text, 'study.yaml', { exists: () => true });
  const rewards = Object.entries(more.rewards ?? {}).map(([path, source]) => [path, Buffer.from(source)]);
  const given = { ...materials, studyText: text, ...more, rewards: Object.fromEntries(rewards) };
  const files = renderKit(loaded, planStudy(loaded, hashes), given);
  return Object.fromEntries(Object.entries(files).map(([path, one]) => [path, Buffer.from(one).toString()]));
}

export function descriptionOf(text: string): StudyDescription {
  const loaded = loadStudy(text, 'study.yaml', { exists: () => true });
  return describeStudy(loaded, planStudy(loaded, noHashes), materials.workers);
}

/** A kit on disk, and programs that stand in for the trainers: each writes what it was given, and nothing is trained. */
export function placeKit(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'her kit-')));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    if (path.endsWith('.sh') || path.includes('bin/')) chmodSync(join(root, path), 0o755);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const run = (script: string, env: Record<string, string> = {}, args: string[] = [], cwd = root) => {
    const PATH = `${join(root, 'bin')}:${process.env['PATH']}`;
    try {
      const out = execFileSync(join(root, script), args, {
        cwd,
        env: { PATH, ...env },
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return { code: 0, out, said: '' };
    } catch (error) {
      const { status, stderr, stdout } = error as { status: number; stderr: string; stdout: string };
      return { code: status, out: stdout, said: stderr };
    }
  };
  return { root, put, run, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

/** Stands in for `swift`, `ray` and `python`: prints its words and what tells a node which one it is. */
export const standIn = `#!/bin/bash
if [ "\${1:-}" = -c ]; then case "$2" in *ms-swift*) echo 4.6.0 ;; *) echo 0.9.1 ;; esac; exit; fi
[ "\${1:-}" != health-check ] || exit 0
printf '%s NODE_RANK=%s MASTER_ADDR=%s MASTER_PORT=%s NNODES=%s NPROC=%s RAY=%s\\n' "$(basename "$0") $*" \\
  "\${NODE_RANK:-}" "\${MASTER_ADDR:-}" "\${MASTER_PORT:-}" "\${NNODES:-}" "\${NPROC_PER_NODE:-}" "\${RAY_ADDRESS:-}"
`;
