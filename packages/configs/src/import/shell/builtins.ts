import { testWords } from './conditions.ts';
import type { Flow } from './flow.ts';
import { readScript } from './interpret.ts';
import { readName } from './parameter.ts';
import { readInput, readLines } from './read-input.ts';
import type { Run } from './run.ts';
import { readText } from './script-text.ts';
import { dispatch, joined, type Place, write } from './simple-command.ts';
import { maybe, no, yes } from './state.ts';
import { printf } from './text-commands.ts';
import { known, spell, text, type Value, type Word } from './value.ts';

type Builtin = (run: Run, args: readonly Word[], place: Place) => Flow | undefined;

const levels = (args: readonly Word[]): number => Math.max(1, Number(known(args[0]?.value ?? []) ?? 1) || 1);

const succeeds: Builtin = (run) => {
  run.state.status = yes;
  return undefined;
};

const echo: Builtin = (run, args, { line }) => {
  let rest = args;
  let end = '\n';
  while (/^-[neE]+$/.test(known(rest[0]?.value ?? []) ?? '')) {
    if (known(rest[0]?.value ?? [])?.includes('n')) end = '';
    rest = rest.slice(1);
  }
  write(run, [...joined(rest), ...(end === '' ? [] : text(end, line))]);
  run.state.status = yes;
  return undefined;
};

const test: Builtin = (run, args, { line }) => {
  run.state.status = testWords(
    run,
    args.map(({ value }) => value),
    line,
  );
  return undefined;
};

const bracket: Builtin = (run, args, place) =>
  test(run, known(args.at(-1)?.value ?? []) === ']' ? args.slice(0, -1) : args, place);

const source: Builtin = (run, args, { line }) => {
  const path = args[0] ? spell(args[0].value) : '';
  const written = run.files.get(path);
  run.state.status = yes;
  if (written) return readText(run, written, written[0]?.line ?? line, readScript);
  run.sourced = true;
  run.notes.add({
    line,
    code: 'other-script',
    message: `\`${path}\` is read by the script but was not read here; what it sets is not known.`,
    hint: 'Give what it sets with `--set NAME=VALUE`.',
  });
  return undefined;
};

const shift: Builtin = (run, args) => {
  const { values, open, shifted } = run.state.arguments;
  const count = Number(known(args[0]?.value ?? text('1', 1)) ?? 1) || 0;
  run.state.status = open ? yes : count > values.length ? no : yes;
  run.state.arguments = {
    values: count > values.length ? (open ? [] : values) : values.slice(count),
    open,
    shifted: shifted + count,
  };
  return undefined;
};

const set: Builtin = (run, args) => {
  run.state.status = yes;
  const words = args.map(({ value }) => known(value));
  for (const [i, word] of words.entries()) {
    const all =
      /^[-+][a-z]*a[a-z]*$/.test(word ?? '') || (word === 'allexport' && /^[-+]o$/.test(words[i - 1] ?? ''));
    if (all) run.state.exportsAll = !(word === 'allexport' ? words[i - 1] : word)?.startsWith('+');
  }
  const dashes = words.indexOf('--');
  const first =
    dashes >= 0
      ? dashes + 1
      : words.findIndex(
          (word, i) =>
            !/^[-+]/.test(word ?? 'x') && words[i - 1] !== '-o' && !/^-[a-z]*o$/.test(words[i - 1] ?? ''),
        );
  if (first < 0) return undefined;
  run.state.arguments = { values: args.slice(first).map(({ value }) => value), open: false, shifted: 0 };
  return undefined;
};

const unset: Builtin = (run, args, { line }) => {
  for (const { value } of args) {
    const name = known(value) ?? '';
    if (!/^[A-Za-z_]\w*$/.test(name)) continue;
    // A variable that is known not to be set is not the same as one nobody has set yet.
    if (run.state.functions.has(name) && !run.state.find(name)) run.state.functions.delete(name);
    else run.state.assign(name, undefined, line, { exported: false });
  }
  run.state.status = yes;
  return undefined;
};

const letBuiltin: Builtin = (run, args, { line }) => {
  run.state.status = maybe;
  for (const word of args) {
    // The words of `let` are expressions; the parser reads them within `(( … ))`.
    readText(run, [{ text: '(( ', line }, ...word.value, { text: ' ))', line }], line, readScript);
  }
  return undefined;
};

const evaluate: Builtin = (run, args, { line }) =>
  readText(run, joined(args), args[0]?.line ?? line, readScript);

const getopts: Builtin = (run, args, { line }) => {
  const { values, open } = run.state.arguments;
  const options = known(args[0]?.value ?? []) ?? '';
  const name = known(args[1]?.value ?? []) ?? '';
  const held = run.state.find('OPTIND')?.held;
  const at = Number((held?.kind === 'scalar' ? known(held.value) : undefined) ?? 1) - 1;
  const word = known(values[at] ?? []) ?? '';
  const letter = word[1];
  if (open || !letter || !word.startsWith('-') || word === '--' || !/^[A-Za-z_]\w*$/.test(name)) {
    run.state.status = open ? { value: false, unset: ['@'] } : no;
    return undefined;
  }
  const scalar = (key: string, value: Value) => run.state.assign(key, { kind: 'scalar', value }, line);
  const isKnown = options.replace(/^:/, '').includes(letter);
  const valued = options.includes(`${letter}:`);
  scalar(name, text(isKnown ? letter : '?', line));
  if (valued) scalar('OPTARG', word.length > 2 ? text(word.slice(2), line) : (values[at + 1] ?? []));
  scalar('OPTIND', text(String(at + (valued && word.length === 2 ? 3 : 2)), line));
  run.state.status = yes;
  return undefined;
};

const changeDirectory: Builtin = (run, args, { line }) => {
  run.state.status = yes;
  const [to] = args.filter(({ value }) => !/^-[LPe-]?$/.test(known(value) ?? ''));
  const path = to?.value ?? [];
  const begins = path[0] && 'text' in path[0] ? path[0].text : undefined;
  const absolute = begins === undefined ? path.length > 0 : begins.startsWith('/');
  const from = run.state.directory;
  if (!to) run.state.directory = undefined;
  else if (spell(path) !== '.')
    run.state.directory = absolute || !from ? path : [...from, ...text('/', line), ...path];
  if (!run.captured && to) {
    run.notes.add({
      line,
      code: 'other-command',
      message: `\`cd ${spell(path)}\`: relative paths after it begin there.`,
    });
  }
  return undefined;
};

const workingDirectory: Builtin = (run, _, { line }) => {
  write(run, readName(run, 'PWD', line));
  run.state.status = yes;
  return undefined;
};

const print: Builtin = (run, args) => {
  const output = printf(args);
  if (output) write(run, output);
  else if (run.output) run.output.unknown = true;
  run.state.status = yes;
  return undefined;
};

const again: Builtin = (run, args, place) => dispatch(run, args, place);

/** The commands of the shell itself. */
export const builtins: Readonly<Record<string, Builtin>> = {
  ':': succeeds,
  true: succeeds,
  trap: succeeds,
  wait: succeeds,
  ulimit: succeeds,
  umask: succeeds,
  shopt: succeeds,
  alias: succeeds,
  hash: succeeds,
  sleep: succeeds,
  disown: succeeds,
  false: (run) => {
    run.state.status = no;
    return undefined;
  },
  echo,
  printf: print,
  test,
  '[': bracket,
  source,
  '.': source,
  shift,
  set,
  unset,
  let: letBuiltin,
  eval: evaluate,
  getopts,
  cd: changeDirectory,
  pushd: changeDirectory,
  popd: succeeds,
  pwd: workingDirectory,
  read: readInput,
  mapfile: readLines,
  readarray: readLines,
  builtin: again,
  exit: () => ({ kind: 'exit' }),
  return: (run, args) => {
    const code = known(args[0]?.value ?? text('0', 1));
    run.state.status = code === undefined ? maybe : Number(code) === 0 ? yes : no;
    return { kind: 'return' };
  },
  break: (_, args) => ({ kind: 'break', levels: levels(args) }),
  continue: (_, args) => ({ kind: 'continue', levels: levels(args) }),
};
