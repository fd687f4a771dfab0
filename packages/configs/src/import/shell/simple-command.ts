import type { Assignment, Command } from 'unbash';
import { assign, noteGiven } from './assign.ts';
import { builtins } from './builtins.ts';
import { declare, declares } from './declare.ts';
import { expandOne, expandWord } from './expand.ts';
import { type Flow, next } from './flow.ts';
import { readNode, readScript } from './interpret.ts';
import { redirected } from './redirect.ts';
import { inSubshell, type Run } from './run.ts';
import { readText } from './script-text.ts';
import { maybe, type ShellFunction, yes } from './state.ts';
import { printf, textOutput } from './text-commands.ts';
import { join, known, lengthOf, text, type Value, type Word } from './value.ts';
import { type Setting, unwrap } from './wrappers.ts';

export type Place = { line: number; column: number };

/** A command with its words: assignments, a builtin, a function, or a program, which is listed and not run. */
export function readCommand(run: Run, node: Command): Flow {
  const place = run.lines.at(node.pos);
  const assignments = node.prefix.filter((each): each is Assignment => each.type === 'Assignment');
  if (!node.name) {
    run.state.status = yes;
    for (const each of assignments) assign(run, each);
    return redirected(run, node.redirects, () => {
      // `$(< file)`
      if (run.captured && run.input) write(run, run.input);
      else if (run.output && node.redirects.length > 0) run.output.unknown = true;
      return next;
    });
  }
  if (declares(node.name.text)) {
    declare(run, node);
    return next;
  }
  const at = run.lines.at(node.name.pos);
  const words = [node.name, ...node.args].flatMap((each): Word[] => {
    if (each.type === 'Word') return expandWord(run, each);
    const value = each.value.type === 'Word' ? expandOne(run, each.value) : [];
    return [{ value: [{ text: `${each.name}=`, line: at.line }, ...value], ...run.lines.at(each.pos) }];
  });
  run.budget.check('items', words.length, place.line);
  const settings = assignments.flatMap((each): Setting[] => {
    const line = run.lines.lineAt(each.pos);
    return each.value.type === 'Word' ? [{ name: each.name, value: expandOne(run, each.value), line }] : [];
  });
  return redirected(run, node.redirects, () => withSettings(run, settings, () => dispatch(run, words, at)));
}

/** `A=1 command`: variables that only this command finds in its environment. */
function withSettings<T>(run: Run, settings: readonly Setting[], inner: () => T): T {
  if (settings.length === 0) return inner();
  return run.state.scoped(() => {
    for (const { name, value, line } of settings) {
      noteGiven(run, name, line);
      run.state.assign(name, { kind: 'scalar', value }, line, { local: true, exported: true });
    }
    return inner();
  });
}

/** Finds out what a command is and follows it. */
export function dispatch(run: Run, words: readonly Word[], place: Place): Flow {
  return run.budget.nested(place.line, () => {
    const [first, ...args] = words;
    const name = first && known(first.value);
    if (!first) {
      run.state.status = yes;
      return next;
    }
    if (name !== undefined) {
      const defined = run.state.functions.get(name);
      if (defined) return call(run, defined, args, place);
      const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
      if (builtin) return builtin(run, args, place) ?? next;
      if (name === 'command' && /^-[vV]$/.test(known(args[0]?.value ?? []) ?? '')) return undecided(run);
      const wrapped = unwrap(words, run.input);
      if (wrapped) return follow(run, wrapped, words, place);
      const output =
        name === 'printf'
          ? printf(args)
          : textOutput(name.replace(/^\/(usr\/)?bin\//, ''), args, run.input, place.line);
      if (output) {
        write(run, output);
        run.state.status = yes;
        return next;
      }
    }
    listed(run, words, place);
    return undecided(run);
  });
}

function undecided(run: Run): Flow {
  if (run.output) run.output.unknown = true;
  run.state.status = maybe;
  return next;
}

function listed(run: Run, words: readonly Word[], place: Place): void {
  run.emit({ words, env: run.state.environment(), ...place, via: run.via, captured: run.captured });
}

/** Adds to what the surrounding substitution, pipe or file receives. */
export function write(run: Run, value: Value): void {
  if (!run.output) return;
  const line = value[0]?.line ?? 1;
  run.budget.spend('characters', lengthOf(value), line);
  for (const piece of value) run.output.value.push(piece);
  run.budget.check('value', run.output.value.length, line);
}

function call(run: Run, { node, lines }: ShellFunction, args: readonly Word[], place: Place): Flow {
  const { arguments: outer } = run.state;
  const { lines: caller } = run;
  if (node.body.type === 'CompoundList') return next;
  const { body } = node;
  return run.budget.nested(place.line, () => {
    run.state.arguments = { values: args.map(({ value }) => value), open: false, shifted: 0 };
    run.lines = lines;
    const flow = run.state.scoped(() => readNode(run, body));
    run.state.arguments = outer;
    run.lines = caller;
    return flow.kind === 'exit' ? flow : next;
  });
}

function follow(
  run: Run,
  wrapped: NonNullable<ReturnType<typeof unwrap>>,
  words: readonly Word[],
  place: Place,
): Flow {
  if (wrapped.kind === 'other-script') {
    const source = run.files.get(wrapped.path);
    if (source) {
      inSubshell(run, run.state.child([]), () =>
        readText(run, source, source[0]?.line ?? place.line, readScript),
      );
      return undecided(run);
    }
    run.notes.add({
      line: place.line,
      code: 'other-script',
      message: `\`${wrapped.path}\` is another script, which was not read.`,
      hint: 'If it launches the trainer, import it.',
    });
    listed(run, words, place);
    return undecided(run);
  }
  const { via } = run;
  try {
    run.via = [...via, wrapped.name];
    if (wrapped.kind === 'words') {
      const flow = withSettings(run, wrapped.env, () => dispatch(run, wrapped.words, place));
      return wrapped.name === 'exec' ? { kind: 'exit' } : flow;
    }
    const { script, line, args } = wrapped;
    const child = run.state.child(args.map(({ value }) => value));
    inSubshell(run, child, () => readText(run, script, line, readScript));
    return undecided(run);
  } finally {
    run.via = via;
  }
}

/** The words of a command as one text, as `echo` and `eval` join them. */
export const joined = (words: readonly Word[]): Value =>
  join(
    words.map(({ value }) => (value.length > 0 ? value : text('', 1))),
    ' ',
  );
