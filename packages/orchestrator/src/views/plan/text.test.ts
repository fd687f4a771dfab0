import { loadStudy, openQuestions, planCosts, planStudy } from '@her/configs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { originsText } from './origins.ts';
import type { ShownPlan } from './shown.ts';
import { planText } from './text.ts';

/** A study that says `text` wherever a study says what it likes. */
function shown(text: string): ShownPlan {
  const said = JSON.stringify(`x${text}x`).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const study = `her: 1
name: texts
about: ${said}
seeds: [1]
trainers: { ms-swift: 4.6.0 }
target: { kind: ssh, hosts: [n0], gpus: { per_node: 8, memory_gb: 80 }, cores: 96, memory_gb: 2000 }
models:
  base:
    path: { value: ${said}, origin: card, evidence: ${said}, deviates_from_paper: true }
    type: qwen3
    template: qwen3_nothinking
    shape: qwen3-32b
data:
  rows: { path: ${said}, rows: 320 }
questions:
  which: { ask: ${said}, facts: [${said}], settles: [data.rows.path] }
arms:
  one: { about: ${said} }
  two: { about: ${said}, change: { sft: { options: { learning_rate: { value: 1.0e-4, origin: user, evidence: ${said} } } } } }
stages:
  sft:
    kind: sft
    model: base
    data: rows
    epochs: 1
    batch: { global: 16, per_device: 1 }
    max_length: 2048
    parallel: { sharding: zero3 }
    save_every: 10
`;
  const loaded = loadStudy(study, 'study.yaml', { exists: () => true });
  const plan = planStudy(loaded, { path: () => null, code: (name) => name });
  return {
    file: `${text}.yaml`,
    text: study,
    loaded,
    study: loaded.study,
    plan,
    locate: (path) => path,
    costs: planCosts(loaded, plan),
    open: openQuestions(loaded.questions),
  };
}

const control = fc.integer({ min: 0, max: 0x9f }).filter((code) => code < 0x20 || code > 0x7e);
const bidi = fc.constantFrom(0x200e, 0x202e, 0x2066, 0x2028, 0x2029, 0xfeff, 0xad);
const steering = fc
  .array(fc.oneof(control, bidi, fc.integer({ min: 0x20, max: 0x7e })), { minLength: 1, maxLength: 12 })
  .map((codes) => String.fromCharCode(...codes));

test('what a study says neither steers the terminal nor breaks a line, wherever it says it', () => {
  const lines = (text: string): number => text.split('\n').length;
  const [plan, origins] = [planText(shown('a')), originsText(shown('a'))];
  expect(lines(plan)).toBeGreaterThan(40);
  fc.assert(
    fc.property(steering, (text) => {
      const one = shown(text);
      for (const [said, plain] of [
        [planText(one), plan],
        [originsText(one), origins],
      ] as const) {
        expect(said).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/u);
        expect(lines(said)).toBe(lines(plain));
      }
    }),
    { numRuns: 25, examples: [['\u001b[2J\u001b]0;mine\u0007'], ['\nstudy other\r']] },
  );
});

test('a plan without jobs says so, and nothing that is no number', () => {
  const one = shown('a');
  const said = planText({ ...one, plan: { ...one.plan, jobs: [] }, costs: new Map() });
  expect(said).toContain('no jobs: the study has no stages');
  expect(said).not.toMatch(/Infinity|NaN|undefined/);
});
