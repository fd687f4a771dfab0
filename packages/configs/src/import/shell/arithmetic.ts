import type { ArithmeticExpression } from 'unbash';
import { expandValue } from './expand.ts';
import { readName } from './parameter.ts';
import type { Run } from './run.ts';
import { asUnset, known, onlyUnset, text } from './value.ts';

/** A number, or why there is none: `unset` when only variables that nobody set are missing. */
export type Computed = { value: bigint } | { value: undefined; unset: boolean };

const unknown: Computed = { value: undefined, unset: false };

/** `$(( … ))` and `(( … ))`, in the 64 bits that Bash counts with. */
export function compute(run: Run, node: ArithmeticExpression, line: number): Computed {
  return run.budget.nested(line, () => computeNode(run, node, line));
}

function computeNode(run: Run, node: ArithmeticExpression, line: number): Computed {
  switch (node.type) {
    case 'ArithmeticGroup':
      return compute(run, node.expression, line);
    case 'ArithmeticWord':
      return computeWord(run, node, line);
    case 'ArithmeticCommandExpansion': {
      const output = node.script && run.capture(node.script);
      return output ? numberOf(run, known(output), line) : unknown;
    }
    case 'ArithmeticTernary': {
      const test = compute(run, node.test, line);
      if (test.value === undefined) return test;
      return compute(run, test.value !== 0n ? node.consequent : node.alternate, line);
    }
    case 'ArithmeticUnary':
      return computeUnary(run, node, line);
    case 'ArithmeticBinary':
      return computeBinary(run, node, line);
  }
}

type Node<T extends ArithmeticExpression['type']> = Extract<ArithmeticExpression, { type: T }>;

function computeWord(run: Run, node: Node<'ArithmeticWord'>, line: number): Computed {
  if (!node.parts) return numberOf(run, node.value.trim(), line);
  const value = expandValue(run, node.parts, line);
  const whole = known(value);
  if (whole === undefined) return { value: undefined, unset: onlyUnset(value) };
  return numberOf(run, whole.trim(), line);
}

/** A literal, or a name whose value is a number or another name. */
function numberOf(run: Run, written: string | undefined, line: number): Computed {
  if (written === undefined) return unknown;
  run.budget.spend('characters', written.length, line);
  if (written === '') return { value: 0n };
  const literal = integer(written);
  if (literal !== undefined) return { value: literal };
  const name = /^([A-Za-z_]\w*)(?:\[(\w+)\])?$/.exec(written);
  if (!name?.[1]) return unknown;
  const [, variable, index] = name;
  return run.budget.nested(line, () => {
    const value = readName(run, variable, line, index);
    const whole = known(value);
    if (whole !== undefined) return numberOf(run, whole.trim(), line);
    return { value: undefined, unset: onlyUnset(value) };
  });
}

export function integer(written: string): bigint | undefined {
  const digits = written.replace(/^[+-]/, '');
  if (digits.length > 40) return undefined;
  const sign = written.startsWith('-') ? -1n : 1n;
  if (/^0[xX][\da-fA-F]+$/.test(digits)) return sign * BigInt(digits);
  if (/^0[0-7]+$/.test(digits)) return sign * BigInt(`0o${digits.slice(1)}`);
  if (/^\d+$/.test(digits)) return sign * BigInt(digits);
  const based = /^10#(\d+)$/.exec(digits);
  return based?.[1] ? sign * BigInt(based[1]) : undefined;
}

function computeUnary(run: Run, node: Node<'ArithmeticUnary'>, line: number): Computed {
  const operand = compute(run, node.operand, line);
  if (operand.value === undefined) return operand;
  const { value } = operand;
  switch (node.operator) {
    case '-':
      return wrap(-value);
    case '!':
      return { value: value === 0n ? 1n : 0n };
    case '~':
      return wrap(~value);
    case '++':
    case '--': {
      const after = wrap(node.operator === '++' ? value + 1n : value - 1n);
      store(run, node.operand, after, line);
      return node.prefix ? after : operand;
    }
    default:
      return operand;
  }
}

function computeBinary(run: Run, node: Node<'ArithmeticBinary'>, line: number): Computed {
  const { operator } = node;
  const assignment = /^(<<|>>|[-+*/%&|^])?=$/.exec(operator);
  if (assignment) {
    const right = compute(run, node.right, line);
    const result = assignment[1] ? apply(assignment[1], compute(run, node.left, line), right) : right;
    store(run, node.left, result, line);
    return result;
  }
  const left = compute(run, node.left, line);
  if (operator === '&&' || operator === '||') {
    if (left.value === undefined) return left;
    if ((left.value !== 0n) === (operator === '||')) return { value: operator === '||' ? 1n : 0n };
    const right = compute(run, node.right, line);
    return right.value === undefined ? right : { value: right.value !== 0n ? 1n : 0n };
  }
  return apply(operator, left, compute(run, node.right, line));
}

function apply(operator: string, left: Computed, right: Computed): Computed {
  if (left.value === undefined || right.value === undefined) {
    const missing = [left, right].filter((each) => each.value === undefined);
    return { value: undefined, unset: missing.every((each) => 'unset' in each && each.unset) };
  }
  const [a, b] = [left.value, right.value];
  const truth = (value: boolean): Computed => ({ value: value ? 1n : 0n });
  switch (operator) {
    case '+':
      return wrap(a + b);
    case '-':
      return wrap(a - b);
    case '*':
      return wrap(a * b);
    case '/':
      return b === 0n ? unknown : wrap(a / b);
    case '%':
      return b === 0n ? unknown : wrap(a % b);
    case '**':
      return b < 0n || b > 64n ? unknown : wrap(a ** b);
    case '<<':
      return wrap(a << (b & 63n));
    case '>>':
      return wrap(a >> (b & 63n));
    case '&':
      return wrap(a & b);
    case '|':
      return wrap(a | b);
    case '^':
      return wrap(a ^ b);
    case ',':
      return right;
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '>':
      return truth(a > b);
    case '<=':
      return truth(a <= b);
    case '>=':
      return truth(a >= b);
    default:
      return unknown;
  }
}

const wrap = (value: bigint): Computed => ({ value: BigInt.asIntN(64, value) });

function store(run: Run, target: ArithmeticExpression, { value }: Computed, line: number): void {
  if (target.type !== 'ArithmeticWord' || !/^[A-Za-z_]\w*$/.test(target.value.trim())) return;
  const name = target.value.trim();
  const held =
    value === undefined
      ? [{ unknown: `\${${name}}`, line, why: 'expression' as const, name }]
      : text(String(value), line);
  run.state.assign(name, { kind: 'scalar', value: held }, line);
}

/** A number for `test`'s comparisons; `soft`: as if variables that nobody set were empty. */
export function comparable(value: ReturnType<typeof text>): bigint | undefined {
  const whole = asUnset(value)?.trim();
  return whole === undefined || whole === '' ? undefined : integer(whole);
}
