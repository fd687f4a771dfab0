import { describe, expect, it } from 'vitest';
import { zero3Needs } from './deepspeed-estimator.ts';
import { KNOWN_SHAPES } from './known-shapes.ts';
import type { RlJob } from './rl-job.ts';
import { rlNeeds } from './rl-needs.ts';
import { judgeTraining, megatron, rlJob, trainingJob } from './testing-jobs.ts';
import type { TrainingJob } from './training-job.ts';
import { estimateTrainingMemory } from './training-memory.ts';
import { GB, GIB } from './units.ts';
import { judge, type VerdictOrUnknown } from './verdict.ts';

/** A job that ran: that it fits or nearly does is what may be said of it, that it does not is wrong. */
const RAN: VerdictOrUnknown[] = ['fits', 'uncertain'];

const peakGib = (job: TrainingJob): number => estimateTrainingMemory(job).peak.total / GIB;
const onCard = (job: TrainingJob, cardGb: number): VerdictOrUnknown =>
  judgeTraining(job, { cardGb }).needs[0].verdict;
const rlVerdict = (job: RlJob, cardGb: number): VerdictOrUnknown =>
  judge(rlNeeds(job, { cardGb, hostMemory: 2000 * GIB })).verdict;

describe('supervised fine-tuning, as published', () => {
  const expandableSegments = true;
  const seven = trainingJob({ shape: KNOWN_SHAPES['qwen2.5-7b'], gpus: 4, accumulation: 2 });

  it('V1 ran: 32B ZeRO-3 on 8 × 80 GB, packs of 8192, Liger (ms-swift examples/train/full/qwen2_5_32b.sh)', () => {
    expect(RAN).toContain(onCard(trainingJob({ accumulation: 2, expandableSegments }), 80));
  });

  it('V2 ran: 32B Megatron TP 8 on 8 × 80 GB (ms-swift examples/megatron/dense/qwen3_32b.sh)', () => {
    const job = trainingJob({ shape: KNOWN_SHAPES['qwen3-32b'], sharding: megatron(8), expandableSegments });
    expect(RAN).toContain(onCard(job, 80));
  });

  it('V3 within 15 %: 7B ZeRO-3 on 4, Liger: 44 GiB (ms-swift examples/train/cached_dataset/sft.sh)', () => {
    const gib = peakGib({ ...seven, accumulation: 4, expandableSegments });
    expect(gib).toBeGreaterThan(44 * 0.85);
    expect(gib).toBeLessThan(44 * 1.15);
  });

  it('V3 and V4 within 15 %: 42 GB with Liger, 54 GB without (ms-swift examples/train/liger/sft.sh)', () => {
    const fused = estimateTrainingMemory(seven).peak.total;
    const plain = estimateTrainingMemory({ ...seven, fusedLoss: false }).peak.total;
    // The header says GB and means either unit: both readings must hold.
    for (const unit of [GB, GIB]) {
      expect(Math.abs(fused / (42 * unit) - 1)).toBeLessThan(0.15);
      expect(Math.abs(plain / (54 * unit) - 1)).toBeLessThan(0.15);
      expect(Math.abs((plain - fused) / (12 * unit) - 1)).toBeLessThan(0.15);
    }
  });

  it('V5 ran, within 15 %: 72B Megatron TP 8, optimizer on the host: 65 GiB (ms-swift examples/megatron/dense/72b_offload.sh)', () => {
    const shape = KNOWN_SHAPES['qwen2.5-72b'];
    const job = trainingJob({ shape, sharding: megatron(8), offload: 'optimizer', expandableSegments });
    expect(RAN).toContain(onCard(job, 80));
    expect(Math.abs(peakGib(job) / 65 - 1)).toBeLessThan(0.15);
  });

  it('V6 ran: 30B-A3B on 16 × 80 GB, ZeRO-3 and Megatron PP 2 EP 8 (ms-swift examples/megatron/moe/qwen3_moe.sh)', () => {
    const job = trainingJob({ shape: KNOWN_SHAPES['qwen3-30b-a3b'], gpus: 16, expandableSegments });
    expect(RAN).toContain(onCard(job, 80));
    const sharded = { ...job, sharding: megatron(1, { pp: 2, ep: 8 }) };
    expect(RAN).toContain(onCard(sharded, 80));
    // Megatron's header says 60 GiB; unevenly loaded experts are not in the estimate.
    expect(peakGib(sharded)).toBeGreaterThan(60 * 0.75);
    expect(peakGib(sharded)).toBeLessThan(60 * 1.15);
  });

  it('V7 between the 14.3 GiB after the start and the 20.8 GiB later: 6.8B ZeRO-3, all on the host, where DeepSpeed says 0.49 (DeepSpeed issue 4527)', () => {
    const shape = { ...KNOWN_SHAPES['llama-33b'], layers: 32, hidden: 4096, heads: 32, kvHeads: 32 };
    const job = trainingJob({
      shape: { ...shape, intermediate: 11_008 },
      gpus: 4,
      offload: 'all',
      wholeModelAtStart: true,
      fusedLoss: false,
      sequenceLength: 2048,
    });
    expect(peakGib(job)).toBeGreaterThan(14_678 / 1024);
    expect(peakGib(job)).toBeLessThan(21_272 / 1024);
    const theirs = zero3Needs(6805e6, 131.1e6, 'all', { gpusPerNode: 4, nodes: 1 });
    expect(theirs.perGpu / GIB).toBeCloseTo(0.49, 2);
  });

  it('V8 exactly: the estimator on t5-3b, 8 GPUs: 71.71 and 0.12, 63.74 and 0.79 (DeepSpeed pull requests 965, 1536)', () => {
    const on = { gpusPerNode: 8, nodes: 1 };
    const printed = (offload: 'optimizer' | 'all'): string[] => {
      const { hostPerNode, perGpu } = zero3Needs(2_851_598_336, 32_899_072, offload, on);
      return [(hostPerNode / GIB).toFixed(2), (perGpu / GIB).toFixed(2)];
    };
    expect(printed('all')).toEqual(['71.71', '0.12']);
    expect(printed('optimizer')).toEqual(['63.74', '0.79']);
  });

  it('V9 out of memory on 8, ran on 16 up to 20,000 tokens, out of memory on 16 at 32,768: 32B FSDP (simplescaling/s1 issues 13, 25, 106)', () => {
    const job = trainingJob({ sharding: { kind: 'fsdp' }, fusedLoss: false, sequenceLength: 32_768 });
    expect(onCard(job, 80)).toBe('out-of-memory');
    expect(onCard({ ...job, sequenceLength: 20_000 }, 80)).toBe('out-of-memory');
    expect(RAN).toContain(onCard({ ...job, gpus: 16, sequenceLength: 20_000 }, 80));
    expect(onCard({ ...job, gpus: 16 }, 80)).toBe('out-of-memory');
  });

  it('V10 out of memory on 7 × 80 GB, and on 8 not promised: 32B ZeRO-3, 1024 tokens (LlamaFactory issue 6999)', () => {
    const job = trainingJob({ gpus: 7, sequenceLength: 1024, fusedLoss: false, accumulation: 2 });
    expect(onCard(job, 80)).toBe('out-of-memory');
    expect(onCard({ ...job, gpus: 8 }, 80)).not.toBe('fits');
  });

  it('V11 out of memory on 8 × 24 GB, fits with everything on the host (there 13 GB a card, here 9): 8B ZeRO-3 (LlamaFactory issue 5977)', () => {
    const shape = KNOWN_SHAPES['llama-3-8b'];
    const job = trainingJob({ shape, sequenceLength: 1024, fusedLoss: false, accumulation: 2 });
    expect(onCard(job, 24)).toBe('out-of-memory');
    expect(onCard({ ...job, offload: 'all' }, 24)).toBe('fits');
  });

  it('V12 ran on 8 × 40 GB with 750 to 800 GB of host memory in use, not with 600: 33B ZeRO-3 (DeepSpeed issue 3448)', () => {
    const shape = KNOWN_SHAPES['llama-33b'];
    const job = trainingJob({ shape, offload: 'all', fusedLoss: false, sequenceLength: 2048 });
    expect(onCard(job, 40)).toBe('fits');
    const host = estimateTrainingMemory(job).hostPerNode.total;
    for (const unit of [GB, GIB]) expect(Math.abs(host / (775 * unit) - 1)).toBeLessThan(0.15);
    expect(RAN).toContain(judgeTraining(job, { cardGb: 40, hostMemory: 800 * GIB }).verdict);
    expect(judgeTraining(job, { cardGb: 40, hostMemory: 600 * GIB }).verdict).toBe('out-of-memory');
  });

  it('V13 the host is out of memory at 744 GB, the GPU is not: 32B ZeRO-3 with offload on one GPU (LlamaFactory issue 6755)', () => {
    const job = trainingJob({
      gpus: 1,
      gpusPerNode: 1,
      offload: 'all',
      fusedLoss: false,
      sequenceLength: 2048,
    });
    const judgement = judgeTraining(job, { cardGb: 96, hostMemory: 744 * GIB });
    expect(judgement.needs.map((need) => need.verdict)).toEqual(['fits', 'out-of-memory']);
    expect(judgement.decides.where).toBe('host');
  });

  it('V16 in part: 32B, 20,000 tokens on 4 × 80 GB: FSDP out of memory, FSDP2 with offload and a loss in chunks ran; which savings the first run had is not published (accelerate issue 3647)', () => {
    const job = trainingJob({
      gpus: 4,
      sharding: { kind: 'fsdp' },
      sequenceLength: 20_000,
      fusedLoss: false,
    });
    expect(onCard(job, 80)).toBe('out-of-memory');
    const second = { ...job, sharding: { kind: 'fsdp2' as const }, offload: 'all' as const, fusedLoss: true };
    expect(RAN).toContain(onCard(second, 80));
  });
});

describe('reinforcement learning, as published; lengths and shares that the source leaves out are ours', () => {
  it('V14 ran: 32B GRPO, Megatron, on 8 × H20 of 96 GB; 70B GRPO, FSDP, on 32 × H800 (verl docs/perf/device_tuning.rst)', () => {
    const reference = { kind: 'sharded', bytesPerParameter: 2, offloaded: true } as const;
    const rollout = { placement: 'colocated', tp: 8, utilisation: 0.6, gpus: 8, sleeps: true } as const;
    expect(RAN).toContain(rlVerdict(rlJob({ reference, rollout }, { sharding: megatron(8) }), 96));
    const shape = KNOWN_SHAPES['qwen2.5-72b'];
    const large = rlJob({ reference, rollout: { ...rollout, gpus: 32 } }, { shape, gpus: 32 });
    expect(RAN).toContain(rlVerdict(large, 80));
  });

  it('V15 ran without a reference, not promised with one: 32B GRPO, ZeRO-3 on 8 × 80 GB, vLLM on 2 more (ms-swift examples/train/grpo/multi_node/Qwen2_5_32B_full.sh)', () => {
    const rollout = { placement: 'separate', tp: 2, utilisation: 0.9, gpus: 2, sleeps: false } as const;
    const between = { weights: false, optimizer: false };
    const actor = { sharding: { kind: 'zero3' }, sequenceLength: 2560 } as const;
    const job = rlJob({ rollout, between, prompt: 512, reply: 2048 }, actor);
    expect(RAN).toContain(rlVerdict(job, 80));
    const reference = { kind: 'sharded', bytesPerParameter: 2, offloaded: false } as const;
    expect(rlVerdict({ ...job, reference }, 80)).toBe('out-of-memory');
  });

  it('V17 ran: DAPO on 32B, FSDP, offload, TP 4, 0.8 of the card, 16 × 8 H800 (verl docs/algo/dapo.md)', () => {
    const rollout = { placement: 'colocated', tp: 4, utilisation: 0.8, gpus: 128, sleeps: true } as const;
    const actor = { gpus: 128, sequenceParallel: 8, microBatch: 8, sequenceLength: 22_528 };
    expect(RAN).toContain(rlVerdict(rlJob({ rollout, prompt: 2048, reply: 20_480 }, actor), 80));
  });
});
