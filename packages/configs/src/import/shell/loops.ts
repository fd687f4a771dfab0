import type { ArithmeticFor, Case, CompoundList, For, While } from 'unbash';
import { compute } from './arithmetic.ts';
import { readCondition } from './branches.ts';
import { limits } from './budget.ts';
import { namesIn } from './conditions.ts';
import { type Branch, chooseBranch, mentioned, noteDecision } from './decide.ts';
import { expandOne, expandPattern, expandWord, spendMatch } from './expand.ts';
import { type Flow, next } from './flow.ts';
import { readList } from './interpret.ts';
import { matchesWhole } from './pattern.ts';
import type { Run } from './run.ts';
import { yes } from './state.ts';
import { asUnset, isUnknown, known, spell, text, type Value } from './value.ts';

/** `for x in …`: a round for each word; one round for words that are not known. */
export function readFor(run: Run, node: For): Flow {
  const line = run.lines.lineAt(node.pos);
  const words: Value[] = node.wordlist
    ? node.wordlist.flatMap((word) => expandWord(run, word).map(({ value }) => value))
    : [...run.state.arguments.values];
  const name = node.name.text;
  for (const word of words) {
    if (word.some((piece) => isUnknown(piece) && piece.splits)) {
      run.notes.add({
        line,
        code: 'loop',
        message: `the words of \`for ${name}\` are not known (${spell(word)}); one round was read.`,
      });
    }
    run.state.assign(name, { kind: 'scalar', value: word }, line);
    const flow = readList(run, node.body);
    const after = afterRound(flow);
    if (after === 'stop') break;
    if (after !== 'again') return after;
  }
  return next;
}

export function readArithmeticFor(run: Run, node: ArithmeticFor): Flow {
  const line = run.lines.lineAt(node.pos);
  if (node.initialize) compute(run, node.initialize, line);
  return rounds(
    run,
    node.body,
    line,
    'for',
    () => {
      const test = node.test ? compute(run, node.test, line) : { value: 1n };
      return test.value === undefined ? undefined : test.value !== 0n;
    },
    () => {
      if (node.update) compute(run, node.update, line);
    },
  );
}

export function readWhile(run: Run, node: While): Flow {
  const line = run.lines.lineAt(node.pos);
  let assumed = false;
  return rounds(run, node.body, line, node.kind, () => {
    const flow = readCondition(run, node.clause);
    if (flow !== next) return false;
    const { value, unset } = run.state.status;
    // A condition on the script's own arguments or unset variables: as they stand, not given.
    if (value === undefined) return undefined;
    const holding = (node.kind === 'until') !== value;
    if (!holding || unset.length === 0) return holding;
    // True only because nobody set a variable: one round, unless that round sets it.
    const again = assumed;
    assumed = true;
    return again ? undefined : true;
  });
}

/** Rounds while the condition is known to hold. When it is not known, one round. */
function rounds(
  run: Run,
  body: CompoundList,
  line: number,
  kind: string,
  condition: () => boolean | undefined,
  update: () => void = () => undefined,
): Flow {
  for (let round = 0; ; round++) {
    run.budget.spend('steps', 1, line);
    const holding = condition();
    if (holding === false) break;
    if (holding === undefined) {
      run.notes.add({
        line,
        code: 'loop',
        message: `how often \`${kind}\` repeats cannot be known; one round was read.`,
      });
    }
    if (holding === undefined && round > 0) break;
    if (round >= limits.rounds) {
      run.notes.add({ line, code: 'loop', message: `\`${kind}\` was read for ${limits.rounds} rounds.` });
      break;
    }
    const flow = readList(run, body);
    const after = afterRound(flow);
    if (after === 'stop') break;
    if (after !== 'again') return after;
    update();
    if (holding === undefined) break;
  }
  run.state.status = yes;
  return next;
}

function afterRound(flow: Flow): 'again' | 'stop' | Flow {
  if (flow.kind === 'break') return flow.levels > 1 ? { kind: 'break', levels: flow.levels - 1 } : 'stop';
  if (flow.kind === 'continue')
    return flow.levels > 1 ? { kind: 'continue', levels: flow.levels - 1 } : 'again';
  return flow.kind === 'next' ? 'again' : flow;
}

/** `case x in`: the first pattern that matches; for an unknown subject the choice of `chooseBranch`. */
export function readCase(run: Run, node: Case): Flow {
  const line = run.lines.lineAt(node.pos);
  const subject = expandOne(run, node.word);
  const whole = known(subject);
  const assumed = asUnset(subject);
  const patterns = node.items.map(({ pattern }) => pattern.map((each) => expandPattern(run, each)));
  for (const each of patterns.flat()) if (each) spendMatch(run, spell(subject), each, line);
  const matches = (written: string) =>
    patterns.findIndex((each) => each.some((pattern) => pattern && matchesWhole(pattern, written)));
  run.budget.spend('steps', 1 + node.items.length, line);
  if (whole !== undefined) return readItems(run, node, matches(whole));
  const branches: Branch[] = node.items.map(({ body, pattern }) => ({
    body,
    label: `\`${pattern.map(({ text: each }) => each).join('|')})\``,
  }));
  if (!node.items.some(({ pattern }) => pattern.some(({ text: each }) => each === '*'))) {
    branches.push({ body: undefined, label: 'none of its branches' });
  }
  const likely = assumed === undefined ? undefined : matches(assumed);
  const staying =
    likely === undefined ? firstStaying(run, branches) : likely < 0 ? branches.length - 1 : likely;
  const chosen = chooseBranch(run, branches, staying);
  const only =
    subject.length === 1 && subject[0] && isUnknown(subject[0])
      ? /^\$\{?(\w+)\}?$/.exec(node.word.text.replaceAll('"', ''))?.[1]
      : undefined;
  noteDecision(run, line, `case ${node.word.text}`, branches[chosen]?.label ?? '', {
    value: undefined,
    unset: [...namesIn(subject), ...mentioned(node.word.text)],
  });
  const literal = node.items[chosen]?.pattern[0]?.text.replaceAll(/["']/g, '') ?? '';
  // What was assumed here holds for the rest of the script.
  if (only && likely === undefined && /^[\w.-]+$/.test(literal)) {
    run.state.assign(only, { kind: 'scalar', value: text(literal, line) }, line);
  }
  return readItems(run, node, chosen < node.items.length ? chosen : -1);
}

function firstStaying(run: Run, branches: readonly Branch[]): number {
  const at = branches.findIndex((_, i) => chooseBranch(run, branches, i) === i);
  return Math.max(0, at);
}

function readItems(run: Run, node: Case, from: number): Flow {
  run.state.status = yes;
  for (let at = from; at >= 0 && at < node.items.length; at++) {
    const item = node.items[at];
    if (!item) break;
    const flow = readList(run, item.body);
    if (flow !== next) return flow;
    if (item.terminator !== ';&') break;
  }
  return next;
}
