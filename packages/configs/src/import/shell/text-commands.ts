import { integer } from './arithmetic.ts';
import { asUnset, known, text, type Value, type Word } from './value.ts';

/** What a command writes, where its words alone say so: `basename`, `expr`, `tr`, … Undefined: it has to run. */
export function textOutput(
  name: string,
  args: readonly Word[],
  input: Value | undefined,
  line: number,
): Value | undefined {
  if (name === 'basename' || name === 'dirname') return pathPart(name, args, line);
  const words = args.map(({ value }) => known(value));
  if (words.some((word) => word === undefined)) return undefined;
  const given = words.map((word) => word ?? '');
  const read = input && known(input);
  const output = computed(name, given, read);
  return output === undefined ? undefined : text(output, line);
}

function pathPart(name: 'basename' | 'dirname', args: readonly Word[], line: number): Value | undefined {
  const words = args.filter(({ value }) => known(value) !== '--');
  const path = words[0]?.value ?? [];
  const last = path.at(-1);
  if (!last || 'unknown' in last) return undefined;
  const whole = known(path);
  const trimmed = last.text.replace(/(?<=[^/])\/+$/, '');
  const slash = trimmed.lastIndexOf('/');
  if (whole === undefined && slash < 0) return undefined;
  if (name === 'dirname') {
    if (whole !== undefined && slash < 0) return text('.\n', line);
    const before = slash === 0 && path.length === 1 ? '/' : trimmed.slice(0, slash);
    return [...path.slice(0, -1), { text: `${before}\n`, line }];
  }
  const base = (whole ?? trimmed).replace(/(?<=[^/])\/+$/, '').replace(/^.*\/(?=[^/])/s, '');
  const suffix = words[1] ? known(words[1].value) : '';
  if (suffix === undefined) return undefined;
  return text(
    `${suffix !== '' && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base}\n`,
    line,
  );
}

function computed(name: string, args: readonly string[], input: string | undefined): string | undefined {
  switch (name) {
    case 'expr': {
      const result = expression(args);
      return result === undefined ? undefined : `${result}\n`;
    }
    case 'seq':
      return sequence(args);
    case 'cat':
      return args.length === 0 || (args.length === 1 && args[0] === '-') ? input : undefined;
    case 'bc':
      return args.length === 0 && input !== undefined ? bc(input) : undefined;
    case 'tr':
      return input === undefined ? undefined : translate(args, input);
    case 'wc':
      return input === undefined ? undefined : count(args, input);
    case 'cut':
      return input === undefined ? undefined : cut(args, input);
    case 'awk':
      return input === undefined ? undefined : fields(args, input);
    case 'head':
    case 'tail':
    case 'sort':
    case 'uniq':
      return input === undefined ? undefined : lines(name, args, input);
    default:
      return undefined;
  }
}

/** `expr 16 / 4 \* 2`: integers, left to right by precedence, and the comparisons. */
function expression(args: readonly string[]): string | undefined {
  let at = 0;
  const operand = (): bigint | undefined => {
    if (args[at] === '(') {
      at += 1;
      const inner = sum();
      if (args[at++] !== ')') return undefined;
      return inner;
    }
    return integer(args[at++] ?? 'x');
  };
  const chain = (inner: () => bigint | undefined, operators: string): bigint | undefined => {
    let result = inner();
    while (result !== undefined && args[at]?.length === 1 && operators.includes(args[at] ?? '?')) {
      const operator = args[at++];
      const right = inner();
      if (right === undefined || (right === 0n && (operator === '/' || operator === '%'))) return undefined;
      if (operator === '*') result *= right;
      else if (operator === '/') result /= right;
      else if (operator === '%') result %= right;
      else if (operator === '+') result += right;
      else result -= right;
      result = BigInt.asIntN(64, result);
    }
    return result;
  };
  const product = () => chain(operand, '*/%');
  const sum = (): bigint | undefined => chain(product, '+-');
  // Parentheses are the only nesting, and a command has a bounded number of words.
  if (args.filter((each) => each === '(').length > 50) return undefined;
  const result = sum();
  return result === undefined || at < args.length ? undefined : String(result);
}

/** `echo "16 / 4" | bc`, for whole numbers, as `bc` without a scale divides them. */
function bc(input: string): string | undefined {
  const tokens = input.trim().match(/\d+|[-+*/%()]|\S/g) ?? [];
  const result = tokens.length < 200 ? expression(tokens) : undefined;
  return result === undefined ? undefined : `${result}\n`;
}

function sequence(args: readonly string[]): string | undefined {
  const numbers = args.map((each) => (/^-?\d{1,9}$/.test(each) ? Number(each) : Number.NaN));
  if (numbers.length < 1 || numbers.length > 3 || numbers.some(Number.isNaN)) return undefined;
  const [first, step, last] =
    numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  if (first === undefined || last === undefined || !step || Math.abs(last - first) / Math.abs(step) > 10_000)
    return undefined;
  let made = '';
  for (let n = first; step > 0 ? n <= last : n >= last; n += step) made += `${n}\n`;
  return made;
}

function translate(args: readonly string[], input: string): string | undefined {
  const option = args[0]?.startsWith('-') ? args[0] : '';
  const [from, to] = (option ? args.slice(1) : args).map(charSet);
  if (!from || (option !== '' && option !== '-d')) return undefined;
  if (option === '-d') return [...input].filter((char) => !from.includes(char)).join('');
  if (!to || to.length === 0) return undefined;
  return [...input]
    .map((char) => {
      const at = from.lastIndexOf(char);
      return at < 0 ? char : (to[Math.min(at, to.length - 1)] ?? char);
    })
    .join('');
}

function charSet(written: string): string[] | undefined {
  const named: Record<string, string> = {
    '[:upper:]': 'A-Z',
    '[:lower:]': 'a-z',
    '[:space:]': ' \t\n',
    '[:digit:]': '0-9',
  };
  const plain = (named[written] ?? written).replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  if (plain.length > 200 || /[\\[\]]/.test(plain)) return undefined;
  return [
    ...plain.replaceAll(/([A-Za-z0-9])-([A-Za-z0-9])/g, (_, a: string, b: string) => {
      let range = '';
      for (let code = a.charCodeAt(0); code <= b.charCodeAt(0); code++) range += String.fromCharCode(code);
      return range;
    }),
  ];
}

function count(args: readonly string[], input: string): string | undefined {
  if (args[0] === '-l') return `${input.split('\n').length - 1}\n`;
  if (args[0] === '-w') return `${input.split(/\s+/).filter(Boolean).length}\n`;
  return args[0] === '-c' || args[0] === '-m' ? `${input.length}\n` : undefined;
}

function cut(args: readonly string[], input: string): string | undefined {
  const all = args.join(' ');
  const delimiter = /-d ?(['"]?)(.)\1/.exec(all)?.[2] ?? '\t';
  const field = /-f ?(\d+)(-)?(?:$| )/.exec(all);
  if (!field?.[1]) return undefined;
  const from = Number(field[1]) - 1;
  return perLine(input, (line) => {
    const parts = line.split(delimiter);
    if (parts.length === 1) return line;
    return (field[2] ? parts.slice(from) : parts.slice(from, from + 1)).join(delimiter);
  });
}

/** `awk -F, '{print NF}'` and `'{print $2}'`. */
function fields(args: readonly string[], input: string): string | undefined {
  const [, flag, apart] = /^(-F)?(.*)$/.exec(args[0] ?? '') ?? [];
  const separator = flag ? apart || args[1] : undefined;
  const program = args.at(-1)?.replaceAll(/\s+/g, '') ?? '';
  const wanted = /^\{print(NF|\$\d+|\$NF)\}$/.exec(program)?.[1];
  if (!wanted || (separator !== undefined && separator.length !== 1)) return undefined;
  return perLine(input, (line) => {
    const parts =
      separator === undefined ? line.split(/\s+/).filter(Boolean) : line === '' ? [] : line.split(separator);
    if (wanted === 'NF') return String(parts.length);
    return wanted === '$NF' ? (parts.at(-1) ?? '') : (parts[Number(wanted.slice(1)) - 1] ?? '');
  });
}

function perLine(input: string, change: (line: string) => string): string {
  const ended = input.endsWith('\n') ? input.slice(0, -1) : input;
  return `${ended.split('\n').map(change).join('\n')}\n`;
}

function lines(name: string, args: readonly string[], input: string): string | undefined {
  const all = input.split('\n').filter((_, i, each) => i < each.length - 1 || input.at(-1) !== '\n');
  const amount = /^-(?:n ?)?(\d+)$/.exec(args.join(' '))?.[1];
  const size = amount ? Number(amount) : args.length === 0 ? 10 : undefined;
  if (name === 'head' && size !== undefined) return `${all.slice(0, size).join('\n')}\n`;
  if (name === 'tail' && size !== undefined) return `${all.slice(-size).join('\n')}\n`;
  if (name === 'uniq' && args.length === 0)
    return `${all.filter((line, i) => line !== all[i - 1]).join('\n')}\n`;
  if (name === 'sort' && args.length === 0) return `${all.toSorted().join('\n')}\n`;
  return undefined;
}

/** `printf` with `%s`, `%d` and the usual escapes; other formats have to run. */
export function printf(args: readonly Word[]): Value | undefined {
  const [format, ...rest] = args;
  const pattern = format && asUnset(format.value);
  if (format === undefined || pattern === undefined || pattern === '' || known(format.value) === undefined)
    return undefined;
  const tokens: string[] = pattern.match(/%[sdq]|%%|%|\\[nt\\]|[^%\\]+|\\/g) ?? [];
  if (tokens.includes('%') || tokens.includes('%q')) return undefined;
  const made: Value[] = [];
  let next = 0;
  do {
    const before = next;
    for (const token of tokens) {
      if (token === '%s' || token === '%d')
        made.push(rest[next++]?.value ?? (token === '%d' ? text('0', format.line) : []));
      else
        made.push(text({ '%%': '%', '\\n': '\n', '\\t': '\t', '\\\\': '\\' }[token] ?? token, format.line));
    }
    if (next === before) break;
  } while (next < rest.length);
  return made.flat();
}
