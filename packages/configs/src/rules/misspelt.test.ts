import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optionTable } from '../options/tables.ts';
import { edited, problemsOf, studyText } from '../testing.ts';

const slips = ['deleted', 'doubled', 'swapped', 'replaced'] as const;
type Slip = (typeof slips)[number];

/** One slip of the hand at `at`. */
function misspell(name: string, slip: Slip, at: number, letter: string): string {
  const [before, here, after] = [name.slice(0, at), name.slice(at, at + 1), name.slice(at + 1)];
  switch (slip) {
    case 'deleted':
      return before + after;
    case 'doubled':
      return before + here + here + after;
    case 'swapped':
      return before + after.slice(0, 1) + here + after.slice(1);
    case 'replaced':
      return before + letter + after;
  }
}

const anySlip = fc.record({
  slip: fc.constantFrom(...slips),
  where: fc.double({ min: 0, max: 0.999, noNaN: true }),
  letter: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
});

/** The names with one slip in each, each beside its right name; slips that give a name again are left out. */
function wrongNames(names: string[], hands: { slip: Slip; where: number; letter: string }[]) {
  const valid = new Set(names);
  const wrong = names.map((right, i) => {
    const { slip, where, letter } = hands[i % hands.length] ?? { slip: 'doubled', where: 0, letter: 'x' };
    return { right, written: misspell(right, slip, Math.floor(where * right.length), letter) };
  });
  return wrong.filter(
    ({ written }, i) =>
      !valid.has(written) && written !== '' && wrong.findIndex((other) => other.written === written) === i,
  );
}

const sftOptions = studyText.slice(studyText.indexOf('learning_rate'), studyText.lastIndexOf('\n  rl:'));
const rlOptions = studyText.slice(studyText.indexOf('actor_rollout'), studyText.indexOf('\n  evaluate:'));
const swift = (command: 'sft' | 'rlhf' | 'megatron-sft' | 'megatron-rlhf', kind: string) => ({
  table: optionTable({ trainer: 'ms-swift', command }),
  from: sftOptions,
  kind: ['kind: sft', kind] as [string, string],
});

describe.each([
  swift('sft', 'kind: sft'),
  swift('rlhf', 'kind: rlhf\n    method: dpo'),
  swift('megatron-sft', 'kind: sft\n    trainer: megatron-swift'),
  swift('megatron-rlhf', 'kind: rlhf\n    method: dpo\n    trainer: megatron-swift'),
  ...(['fsdp', 'megatron'] as const).map((command) => ({
    table: optionTable({ trainer: 'verl', command }),
    from: rlOptions,
    kind: ['kind: rl', `kind: rl\n    engine: ${command}`] as [string, string],
  })),
])('a slip in the name of an option of $table.trainer $table.command', ({ table, from, kind }) => {
  const names = Object.keys(table.options);
  it('is an error on its line that suggests the right name, for every option', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(anySlip, { minLength: 41, maxLength: 97 }), (hands) => {
        const wrong = wrongNames(names, hands);
        expect(wrong.length).toBeGreaterThan(names.length * 0.9);
        const lines = wrong.map(({ written }) => `${JSON.stringify(written)}: 1`);
        const text = edited([from, lines.join('\n      ')], kind);
        const first = text.split('\n').findIndex((line) => line.includes(lines[0] ?? '')) + 1;
        const found = problemsOf(text);
        expect(found).toHaveLength(wrong.length);
        for (const [i, { right, written }] of wrong.entries()) {
          expect(found[i]).toContain(`${first + i}:7  `);
          expect(found[i]).toMatch(/ Did you mean .*\? \[STUDY_UNKNOWN_OPTION\]$/);
          expect(found[i], written).toContain(`\`${right}\``);
        }
      }),
      { numRuns: 3, seed: 20261130 },
    );
  });
});

describe('a slip in a key of the study', () => {
  const keys = studyKeys();
  it('is an error at its place that suggests the right key, and the only one', { timeout: 60_000 }, () => {
    expect(keys.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.nat(keys.length - 1), anySlip, (which, { slip, where, letter }) => {
        const key = keys[which] ?? { name: '', line: 0, column: 0 };
        const written = misspell(key.name, slip, Math.floor(where * key.name.length), letter);
        fc.pre(written !== '' && !keys.some(({ name }) => name === written));
        const lines = studyText.split('\n');
        const line = lines[key.line - 1] ?? '';
        lines[key.line - 1] =
          line.slice(0, key.column - 1) + written + line.slice(key.column - 1 + key.name.length);
        const [problem, ...others] = problemsOf(lines.join('\n'));
        expect(problem?.startsWith(`${key.line}:${key.column}  `), problem).toBe(true);
        expect(problem).toContain('[STUDY_UNKNOWN_KEY]');
        expect(problem, written).toContain(`\`${key.name}\``);
        expect(others).toEqual([]);
      }),
      { numRuns: 400, seed: 20261130 },
    );
  });
});

/** Every key of the study's own language in the text, with its place; names that people give and options are not. */
function studyKeys(): { name: string; line: number; column: number }[] {
  const givenName = /^ {2}(start|sft|rl|heldout|prepare|evaluate):/;
  return studyText.split('\n').flatMap((text, i) => {
    const isOption = /^ {6}/.test(text);
    return [...text.matchAll(/([\w-]+):(?= |$)/g)]
      .filter(({ index }) => !isOption && !(givenName.test(text) && index === 2))
      .map((match) => ({ name: match[1] ?? '', line: i + 1, column: match.index + 1 }));
  });
}
