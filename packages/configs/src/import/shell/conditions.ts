import type { TestExpression } from 'unbash';
import { integer } from './arithmetic.ts';
import { expandOne, expandPattern, spendMatch } from './expand.ts';
import { matchesWhole } from './pattern.ts';
import type { Run } from './run.ts';
import { maybe, no, type Truth, yes } from './state.ts';
import { asUnset, isUnknown, known, onlyUnset, spell, type Value } from './value.ts';

/** What a computed truth rests on: variables that nobody set. */
export const namesIn = (...values: Value[]): string[] => [
  ...new Set(
    values.flatMap((value) =>
      value.flatMap((piece) => (isUnknown(piece) ? [piece.name ?? piece.unknown] : [])),
    ),
  ),
];

export const truth = (value: boolean): Truth => (value ? yes : no);

export function not({ value, unset }: Truth): Truth {
  return { value: value === undefined ? undefined : !value, unset };
}

export function both(a: Truth, b: () => Truth): Truth {
  if (a.value === false) return a;
  const right = b();
  if (right.value === false) return right;
  return { value: a.value && right.value, unset: [...a.unset, ...right.unset] };
}

export const either = (a: Truth, b: () => Truth): Truth => not(both(not(a), () => not(b())));

/** Decides on texts; when only unset variables are missing, as if they were empty. */
function on(values: readonly Value[], decide: (...texts: string[]) => boolean | undefined): Truth {
  if (!values.every(onlyUnset)) return maybe;
  return { value: decide(...values.map((value) => asUnset(value) ?? '')), unset: namesIn(...values) };
}

/** `[[ … ]]`. */
export function testExpression(run: Run, node: TestExpression): Truth {
  const line = run.lines.lineAt(node.pos);
  return run.budget.nested(line, () => {
    switch (node.type) {
      case 'TestGroup':
        return testExpression(run, node.expression);
      case 'TestNot':
        return node.negations.length % 2 === 1
          ? not(testExpression(run, node.operand))
          : testExpression(run, node.operand);
      case 'TestLogical': {
        const combine = node.operator === '&&' ? both : either;
        return node.operands
          .slice(1)
          .reduce<Truth>(
            (before, operand) => combine(before, () => testExpression(run, operand)),
            node.operands[0] ? testExpression(run, node.operands[0]) : maybe,
          );
      }
      case 'TestUnary':
        return unary(run, node.operator, expandOne(run, node.operand));
      case 'TestBinary': {
        const left = expandOne(run, node.left);
        if (node.operator === '==' || node.operator === '=' || node.operator === '!=') {
          const pattern = expandPattern(run, node.right);
          if (!pattern) return binary(node.operator, left, expandOne(run, node.right));
          spendMatch(run, spell(left), pattern, line);
          const equal = on([left], (whole) => matchesWhole(pattern, whole));
          return node.operator === '!=' ? not(equal) : equal;
        }
        return binary(node.operator, left, expandOne(run, node.right));
      }
    }
  });
}

function unary(run: Run, operator: string, value: Value): Truth {
  switch (operator) {
    case '-n':
    case '-z': {
      // A word that holds any known text is not empty, whatever the rest of it is.
      const some = value.some((piece) => !isUnknown(piece) && piece.text !== '')
        ? yes
        : on([value], (whole) => whole !== '');
      return operator === '-n' ? some : not(some);
    }
    case '-v': {
      const name = known(value);
      if (name === undefined) return maybe;
      if (run.given.has(name)) run.given.set(name, true);
      const variable = run.state.find(name);
      return variable ? truth(variable.held !== undefined) : { value: false, unset: [name] };
    }
    case '-t':
      return no;
    default:
      return maybe;
  }
}

function binary(operator: string, left: Value, right: Value): Truth {
  const compare: Record<string, (a: bigint, b: bigint) => boolean> = {
    '-eq': (a, b) => a === b,
    '-ne': (a, b) => a !== b,
    '-lt': (a, b) => a < b,
    '-le': (a, b) => a <= b,
    '-gt': (a, b) => a > b,
    '-ge': (a, b) => a >= b,
  };
  const numeric = compare[operator];
  if (numeric) {
    return on([left, right], (a, b) => {
      const [x, y] = [integer((a ?? '').trim() || '0'), integer((b ?? '').trim() || '0')];
      return x === undefined || y === undefined ? undefined : numeric(x, y);
    });
  }
  switch (operator) {
    case '=':
    case '==':
      return on([left, right], (a, b) => a === b);
    case '!=':
      return on([left, right], (a, b) => a !== b);
    case '<':
      return on([left, right], (a = '', b = '') => a < b);
    case '>':
      return on([left, right], (a = '', b = '') => a > b);
    case '=~':
      return on([left, right], (a = '', b = '') => safeRegex(a, b));
    default:
      return maybe;
  }
}

/** Regular expressions that cannot run away: no repeated groups, few repetitions, short texts. */
function safeRegex(subject: string, pattern: string): boolean | undefined {
  const repeats = pattern.match(/[*+{?]/g)?.length ?? 0;
  const groups = pattern.match(/\(/g)?.length ?? 0;
  if (subject.length > 100 || pattern.length > 200 || repeats > 2 || groups > 1) return undefined;
  if (/\)[*+{?]|\\\d|\(\?|\[\[?[:.=]/.test(pattern)) return undefined;
  try {
    return new RegExp(pattern).test(subject);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `[ … ]` and `test …`, on words that are already expanded. */
export function testWords(run: Run, words: readonly Value[], line: number): Truth {
  let at = 0;
  const word = (offset = 0) => known(words[at + offset] ?? []);
  const binaries = /^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
  const disjunction = (): Truth => {
    let result = conjunction();
    while (at < words.length && word() === '-o') {
      at += 1;
      const right = conjunction();
      result = either(result, () => right);
    }
    return result;
  };
  const conjunction = (): Truth => {
    let result = negation();
    while (at < words.length && word() === '-a') {
      at += 1;
      const right = negation();
      result = both(result, () => right);
    }
    return result;
  };
  const negation = (): Truth => {
    if (at < words.length - 1 && word() === '!' && !binaries.test(word(1) ?? '')) {
      at += 1;
      return run.budget.nested(line, () => not(negation()));
    }
    return primary();
  };
  const primary = (): Truth => {
    const left = words[at];
    if (left === undefined) return no;
    const operator = at + 2 < words.length ? word(1) : undefined;
    if (operator !== undefined && binaries.test(operator)) {
      const right = words[at + 2] ?? [];
      at += 3;
      return binary(operator, left, right);
    }
    const first = word();
    if (first === '(' && at + 1 < words.length) {
      at += 1;
      const inner = run.budget.nested(line, disjunction);
      if (word() === ')') at += 1;
      return inner;
    }
    if (first !== undefined && /^-[a-zA-Z]$/.test(first) && at + 1 < words.length) {
      const operand = words[at + 1] ?? [];
      at += 2;
      return unary(run, first, operand);
    }
    at += 1;
    return on([left], (whole) => whole !== '');
  };
  // `[ -n $x ]` without quotes loses the word when it is empty; what is left is a text that is not.
  if (words.length === 0) return no;
  const result = disjunction();
  return at < words.length ? maybe : result;
}
