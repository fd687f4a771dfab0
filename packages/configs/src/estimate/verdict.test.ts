import { describe, expect, it } from 'vitest';
import { usableBytes } from './cards.ts';
import { KNOWN_SHAPES } from './known-shapes.ts';
import { rlRemedies, trainingRemedies } from './remedies.ts';
import { judgeTraining, megatron, rlJob, trainingJob } from './testing-jobs.ts';
import { estimateTrainingMemory } from './training-memory.ts';
import { GIB } from './units.ts';
import { judge, type Need, severityOf, verdictOn } from './verdict.ts';

it.each([
  [89.9, 'fits'],
  [90, 'uncertain'],
  [105, 'uncertain'],
  [105.1, 'out-of-memory'],
])('%d of 100 is %s', (needed, verdict) => {
  expect(verdictOn(needed, 100)).toBe(verdict);
});

it('knows what a card of 80 GB can give, and guesses the same way for others', () => {
  expect(usableBytes(80) / GIB).toBe(79.2);
  expect(usableBytes(32) / GIB).toBeCloseTo(31.68);
});

describe('the worst need decides', () => {
  const need = (where: string, needed: number, capacity?: number): Need => ({
    where,
    moment: 'x',
    terms: [
      { name: 'small', bytes: 1, why: '' },
      { name: 'large', bytes: needed - 1, why: '' },
    ],
    needed,
    capacity,
  });

  it('and its largest term is named', () => {
    const judgement = judge([need('gpu', 50, 100), need('host', 200, 100)]);
    expect(judgement.verdict).toBe('out-of-memory');
    expect(judgement.decides).toMatchObject({ where: 'host', term: { name: 'large' } });
  });

  it('an unknown host does not become a fit, nor hide what is worse', () => {
    expect(judge([need('gpu', 50, 100), need('host', 10)]).verdict).toBe('unknown');
    expect(judge([need('gpu', 120, 100), need('host', 10)]).verdict).toBe('out-of-memory');
  });

  it('a host that keeps nothing is not asked about', () => {
    expect(judgeTraining(trainingJob(), { cardGb: 80 }).needs.map((one) => one.where)).toEqual(['gpu']);
    const offloaded = judgeTraining(trainingJob({ offload: 'all' }), { cardGb: 80 });
    expect(offloaded.needs.map((one) => one.verdict)).toEqual(['fits', 'unknown']);
  });
});

describe('remedies', () => {
  const machine = { cardGb: 80, hostMemory: 2000 * GIB };

  it('are estimates of the changed job, sorted by verdict, then by what they save', () => {
    const job = trainingJob({ fusedLoss: false, sequenceLength: 32_768 });
    const remedies = trainingRemedies(job, machine);
    const before = estimateTrainingMemory(job).peak.total;
    const fused = remedies.find((one) => one.knob === 'fusedLoss');
    expect(fused?.total).toBe(estimateTrainingMemory({ ...job, fusedLoss: true }).peak.total);
    expect(fused?.saved).toBe(before - (fused?.total ?? 0));
    const order = remedies.map((one) => [severityOf(one.judgement.verdict), -one.saved]);
    expect(order).toEqual([...order].sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    expect(remedies.every((one) => one.saved > 0)).toBe(true);
  });

  it('leave out what changes nothing: a fused optimizer where the logits are the peak', () => {
    const job = trainingJob({
      gpus: 16,
      sharding: { kind: 'fsdp' },
      fusedLoss: false,
      sequenceLength: 20_000,
    });
    expect(trainingRemedies(job, machine).map((one) => one.knob)).not.toContain('adam');
    const short = { ...job, sequenceLength: 512 };
    expect(trainingRemedies(short, machine).map((one) => one.knob)).toContain('adam');
  });

  it('differ with what is large: logits, or states', () => {
    const best = (job: Parameters<typeof trainingRemedies>[0]) =>
      trainingRemedies(job, machine).find((one) => !['gpus', 'sequenceLength'].includes(one.knob))?.knob;
    const small = KNOWN_SHAPES['qwen2.5-0.5b'];
    expect(best(trainingJob({ shape: small, fusedLoss: false, sequenceLength: 65_536 }))).toBe('fusedLoss');
    expect(best(trainingJob({ sequenceLength: 1024 }))).toBe('offload');
  });

  it('count the host: an offload that it cannot hold comes last', () => {
    const remedies = trainingRemedies(trainingJob(), { cardGb: 80, hostMemory: 100 * GIB });
    expect(remedies.at(-1)).toMatchObject({ knob: 'offload', judgement: { verdict: 'out-of-memory' } });
  });

  it('of Megatron are its own sizes', () => {
    const knobs = trainingRemedies(trainingJob({ gpus: 16, sharding: megatron(4) }), machine).map(
      (one) => one.knob,
    );
    expect(knobs).toEqual(expect.arrayContaining(['tp', 'pp', 'cp']));
    expect(knobs).not.toContain('sharding');
  });

  it('of RL are its phases', () => {
    const reference = { kind: 'sharded', bytesPerParameter: 4, offloaded: false } as const;
    const job = rlJob({ reference, between: { weights: false, optimizer: false } }, { gpus: 16 });
    const knobs = rlRemedies(job, machine).map((one) => one.knob);
    expect(knobs).toEqual(
      expect.arrayContaining([
        'between.optimizer',
        'between.weights',
        'reference.offloaded',
        'rollout.utilisation',
      ]),
    );
  });
});
