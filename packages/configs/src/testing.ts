import { InvalidStudyError } from './errors.ts';
import { loadStudy } from './load/load.ts';
import type { StudyArm } from './load/study-arm.ts';
import type { Plan } from './plan/job.ts';
import { planStudy } from './plan/plan.ts';

/** A study of our own for the tests, so that tuning `studies/` does not change what they say. Line 1 is `her: 1`. */
export const studyText = `her: 1
name: fixture
seeds: [11, 23]
trainers: { ms-swift: 4.6.0, verl: 0.9.1 }
target: { kind: local, device: cpu, cores: 2, memory_gb: 12 }

models:
  start: { output: prepare.model, type: qwen3, template: qwen3_nothinking }
data:
  sft: { output: prepare.sft }
  rl: { output: prepare.rl }
  heldout: { output: prepare.heldout }

stages:
  prepare:
    kind: prepare
    seed: 11
    vocab: 768
    rows: { sft: 1000, rl: 256, heldout: 256 }
    books: { sft: 24, rl: 8, heldout: 8 }
    model: { hidden: 128, layers: 3, heads: 2, kv_heads: 1, head_dim: 64, intermediate: 384 }
  sft:
    kind: sft
    model: start
    data: sft
    epochs: 3
    batch: { global: 16, per_device: 16 }
    max_length: 512
    save_every: 40
    options:
      learning_rate: 3.0e-3
      lr_scheduler_type: cosine
      warmup_ratio: 0.05
      weight_decay: 0.0
      optim: adamw_torch
      gradient_checkpointing: false
  rl:
    kind: rl
    algorithm: grpo
    model: sft
    prompts: rl
    reward: { python: "her_workers.rewards.format:score" }
    steps: 20
    batch: { prompts: 16, samples: 8, mini: 8, micro_per_device: 16 }
    length: { prompt: 384, response: 128 }
    save_every: 10
    options:
      actor_rollout_ref.actor.optim.lr: 3.0e-4
      actor_rollout_ref.rollout.max_num_seqs: 128
      actor_rollout_ref.rollout.max_num_batched_tokens: 4096
  evaluate:
    kind: evaluate
    models: [start, sft, rl]
    data: heldout
    samples: 256
    max_new_tokens: 128

measure:
  primary: { metric: well_formed, of: evaluate, direction: up }
`;

/** The study with one piece of its text replaced; the piece must be there, once. */
export function edited(...edits: [from: string, to: string][]): string {
  return edits.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`not there exactly once: ${from}`);
    return text.replace(from, () => to);
  }, studyText);
}

/** Every problem as a person sees it, without the file's name. */
export function problemsOf(text: string, exists: (path: string) => boolean = () => true): string[] {
  try {
    loadStudy(text, 'study.yaml', { exists });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidStudyError)) throw error;
    return error.message.split('\n').map((line) => line.replace('study.yaml:', ''));
  }
}

/** Hashes that depend on what is hashed and on nothing else. */
export const hashes = {
  path: (path: string) => `path of ${path}`,
  code: (name: string) => `code of ${name}`,
};

export function planOf(text: string, target?: string): Plan {
  const world = { exists: () => true, ...(target === undefined ? {} : { target }) };
  return planStudy(loadStudy(text, 'study.yaml', world), hashes);
}

/** The only arm of a study that has one. */
export function armOf(text: string): StudyArm {
  const [arm] = loadStudy(text, 'study.yaml', { exists: () => true }).arms;
  if (arm === undefined) throw new TypeError('a study has one arm at least');
  return arm;
}
