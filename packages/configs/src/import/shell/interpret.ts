import type {
  CommandNode,
  CompoundList,
  If,
  Pipeline,
  Redirected,
  Script,
  Statement,
  SyntaxNode,
} from 'unbash';
import { Notes } from '../note.ts';
import { compute } from './arithmetic.ts';
import { Budget } from './budget.ts';
import { not, testExpression, truth } from './conditions.ts';
import { type Branch, chooseBranch, mentioned, noteDecision } from './decide.ts';
import { type Flow, next } from './flow.ts';
import { readArithmeticFor, readCase, readFor, readWhile } from './loops.ts';
import { cleanSource, Lines, parseShell } from './parse.ts';
import { redirected } from './redirect.ts';
import { type Invocation, inSubshell, type Output, type Run } from './run.ts';
import { readCommand } from './simple-command.ts';
import { maybe, State, type Truth, yes } from './state.ts';
import { text, type Value } from './value.ts';

export type ShellReading = { commands: Invocation[]; notes: Notes; files: ReadonlyMap<string, Value> };
export type ShellOptions = {
  file: string;
  /** Variables of the environment the script is read in; `1`, `2`, … are its arguments. */
  set?: Readonly<Record<string, string>>;
  /** True for source text that holds what is looked for; it decides between branches that only running could. */
  wanted?: (source: string) => boolean;
};

/** Reads a script as Bash would run it, without running anything, and lists the commands it comes to. */
export function readShell(
  source: string,
  { file, set = {}, wanted = () => false }: ShellOptions,
): ShellReading {
  const lines = new Lines(cleanSource(source));
  const script = parseShell(lines, file);
  const commands: Invocation[] = [];
  const callers = functionsHolding(script, lines, wanted);
  const state = new State();
  const values: Value[] = [];
  for (const [name, value] of Object.entries(set)) {
    if (/^[1-9]\d?$/.test(name)) values[Number(name) - 1] = text(value, 0);
    else state.assign(name, { kind: 'scalar', value: text(value, 0) }, 0, { exported: true });
  }
  if (values.length > 0)
    state.arguments = { values: Array.from(values, (value) => value ?? []), open: false, shifted: 0 };
  const run: Run = {
    file,
    budget: new Budget(file),
    notes: new Notes(),
    wanted: (part) => wanted(part) || callers.some((name) => part.includes(name)),
    emit: (invocation) => {
      run.budget.spend('commands', 1, invocation.line);
      commands.push(invocation);
    },
    files: new Map(),
    parked: [],
    given: new Map(
      Object.keys(set)
        .filter((name) => !/^\d+$/.test(name))
        .map((name) => [name, false]),
    ),
    state,
    lines,
    output: undefined,
    input: undefined,
    via: [],
    captured: false,
    capture: (inner) => captureScript(run, inner),
  };
  readScript(run, script);
  for (const [name, used] of run.given) {
    if (!used)
      run.notes.add({
        line: 1,
        code: 'set-unused',
        message: `the script never reads ${name}, given with \`--set\`.`,
      });
  }
  return { commands, notes: run.notes, files: run.files };
}

/** Names of functions that hold what is looked for, or call one that does. */
function functionsHolding(script: Script, lines: Lines, wanted: (source: string) => boolean): string[] {
  const calledBy = new Map<string, string[]>();
  const found: string[] = [];
  for (const { command } of script.commands) {
    if (command.type !== 'Function') continue;
    const name = command.name.text;
    const body = lines.source.slice(command.body.pos, command.body.end);
    if (wanted(body)) found.push(name);
    for (const word of new Set(body.match(/[\w-]+/g)))
      calledBy.set(word, [...(calledBy.get(word) ?? []), name].slice(-100));
  }
  const names = new Set(found);
  for (const name of names) for (const caller of calledBy.get(name) ?? []) names.add(caller);
  return [...names].slice(0, 100);
}

export function readScript(run: Run, script: { commands: readonly Statement[] }): Flow {
  for (const statement of script.commands) {
    const flow = readStatement(run, statement);
    if (flow !== next) return flow;
  }
  return next;
}

export const readList = (run: Run, list: CompoundList): Flow => readScript(run, list);

function readStatement(run: Run, { command, background }: Statement): Flow {
  if (!background) return readNode(run, command);
  // `command &` runs in a shell of its own.
  inSubshell(run, new State(run.state), () => readNode(run, command));
  run.state.status = yes;
  return next;
}

export function readNode(run: Run, node: Statement['command'] | CommandNode): Flow {
  const line = run.lines.lineAt(node.pos);
  return run.budget.nested(line, (): Flow => {
    switch (node.type) {
      case 'AndOr':
        return readAndOr(run, node.commands, node.operators);
      case 'Pipeline':
        return readPipeline(run, node);
      case 'Command':
        return readCommand(run, node);
      case 'Redirected':
        return readRedirected(run, node);
      case 'Function':
        run.state.functions.set(node.name.text, { node, lines: run.lines });
        return next;
      case 'Subshell':
        inSubshell(run, new State(run.state), () => readList(run, node.body));
        run.state.status = yes;
        return next;
      case 'BraceGroup':
        return readList(run, node.body);
      case 'If':
        return readIf(run, node);
      case 'Case':
        return readCase(run, node);
      case 'For':
        return readFor(run, node);
      case 'ArithmeticFor':
        return readArithmeticFor(run, node);
      case 'While':
        return readWhile(run, node);
      case 'TestCommand':
        run.state.status = testExpression(run, node.expression);
        return next;
      case 'ArithmeticCommand': {
        const result = node.expression ? compute(run, node.expression, line) : { value: 0n };
        if (result.value !== undefined) run.state.status = truth(result.value !== 0n);
        else
          run.state.status =
            'unset' in result && result.unset ? { value: undefined, unset: mentioned(node.body) } : maybe;
        return next;
      }
      default:
        run.notes.add({ line, code: 'not-read', message: `\`${node.type.toLowerCase()}\` is not read.` });
        run.state.status = maybe;
        return next;
    }
  });
}

/** `a && b || c`. Where only running could tell the status of `a`, it is taken to hold; in `$(a && b || c)`, to fail. */
function readAndOr(run: Run, commands: readonly SyntaxNode[], operators: readonly ('&&' | '||')[]): Flow {
  let status: Truth = yes;
  let silent = true;
  for (const [i, command] of commands.entries()) {
    const operator = i === 0 ? undefined : operators[i - 1];
    if (operator) {
      if (status.value === undefined) {
        const probe = run.captured && operators.slice(i - 1).includes('||');
        status = assumed(run, commands[i - 1], status, !probe);
        // What failed has written nothing that counts.
        if (probe && run.output && silent) run.output.unknown = false;
      }
      if (status.value !== (operator === '&&')) continue;
    }
    silent = run.output?.unknown !== true;
    const flow = readNode(run, command as CommandNode);
    status = run.state.status;
    if (flow !== next) return flow;
  }
  run.state.status = status;
  return next;
}

/** A status that is not known, decided; of ordinary commands (`mkdir x && …`) it goes without saying that they work. */
function assumed(run: Run, node: SyntaxNode | undefined, { unset }: Truth, holds: boolean): Truth {
  if (!node) return yes;
  const source = run.lines.source.slice(node.pos, node.end);
  if (!holds || node.type === 'TestCommand' || /^\s*(\[|test\b)/.test(source)) {
    const names = [...unset, ...mentioned(source), ...enclosing(run, node.pos)];
    noteDecision(run, run.lines.lineAt(node.pos), source, holds ? 'as if it held' : 'as if it failed', {
      value: undefined,
      unset: names,
    });
  }
  return holds ? yes : { value: false, unset: [] };
}

/** The variable whose default a substitution computes: `X=${X:-$(probe && …)}` is decided by setting `X`. */
function enclosing(run: Run, at: number): string[] {
  const start = Math.max(run.lines.source.lastIndexOf('\n', at) + 1, at - 200);
  const name = /\b([A-Za-z_]\w{0,50})=[^=]{0,100}\$\{\1:?-/.exec(run.lines.source.slice(start, at))?.[1];
  return name ? [name] : [];
}

function readPipeline(run: Run, node: Pipeline): Flow {
  const [only, ...others] = node.commands;
  const negated = node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
  let flow: Flow = next;
  if (only && others.length === 0) flow = readNode(run, only);
  else {
    const { output: outer } = run;
    let input = run.input;
    let lastStatus: Truth = yes;
    for (const [i, command] of node.commands.entries()) {
      const last = i === node.commands.length - 1;
      inSubshell(run, new State(run.state), () => {
        run.output = last ? outer : { value: [], unknown: false };
        run.input = input;
        readNode(run, command);
        if (!last) input = run.output && !run.output.unknown ? run.output.value : undefined;
        lastStatus = run.state.status;
      });
    }
    run.state.status = lastStatus;
  }
  if (negated) run.state.status = not(run.state.status);
  return flow;
}

function readRedirected(run: Run, node: Redirected): Flow {
  return redirected(run, node.redirects, () => readNode(run, node.command));
}

function readIf(run: Run, node: If): Flow {
  const parts: { clause: CompoundList; body: CompoundList }[] = [
    { clause: node.clause, body: node.then },
    ...node.elif.map(({ clause, then: body }) => ({ clause, body })),
  ];
  const branches: Branch[] = [
    ...parts.map(({ body }, i) => ({
      body,
      label: i === 0 ? '`then`' : `\`elif\` on line ${run.lines.lineAt(body.pos)}`,
    })),
    { body: node.else, label: node.else ? '`else`' : 'without it' },
  ];
  // The branches that can still be the one, each with the condition that leaves it open.
  const open: number[] = [];
  const doubts: { clause: CompoundList; truth: Truth }[] = [];
  let likely: number | undefined;
  let sure = branches.length - 1;
  for (const [i, { clause }] of parts.entries()) {
    const flow = readList(run, clause);
    if (flow !== next) return flow;
    const truth = run.state.status;
    const firm = truth.value !== undefined && truth.unset.length === 0;
    if (firm && truth.value === true) {
      sure = i;
      break;
    }
    if (firm) continue;
    doubts.push({ clause, truth });
    open.push(i);
    if (truth.value === true) likely ??= i;
  }
  const [doubt] = doubts;
  if (!doubt) return readBranch(run, branches[sure]?.body);
  open.push(sure);
  const settled = doubts.every(({ truth: { value } }) => value !== undefined);
  const choice = chooseBranch(
    run,
    open.flatMap((i) => branches[i] ?? []),
    settled ? open.indexOf(likely ?? sure) : undefined,
  );
  const chosen = branches[open[choice] ?? sure];
  const source = run.lines.source.slice(doubt.clause.pos, doubt.clause.end);
  noteDecision(run, run.lines.lineAt(doubt.clause.pos), source, chosen?.label ?? '', {
    value: undefined,
    unset: [...doubt.truth.unset, ...mentioned(source)],
  });
  return readBranch(run, chosen?.body);
}

function readBranch(run: Run, body: SyntaxNode | undefined): Flow {
  run.state.status = yes;
  return body?.type === 'CompoundList' ? readList(run, body) : next;
}

/** What a substitution writes, trailing newlines dropped; undefined when a command in it has to run. */
function captureScript(run: Run, script: Script): Value | undefined {
  const line = run.lines.lineAt(script.pos);
  return run.budget.nested(line, () => {
    const output: Output = { value: [], unknown: false };
    const outer = run.lines;
    inSubshell(run, new State(run.state), () => {
      if (script.source !== undefined) run.lines = new Lines(script.source, outer.lineAt(script.pos));
      run.output = output;
      run.input = undefined;
      run.captured = true;
      readScript(run, script);
    });
    if (output.unknown) return undefined;
    return trimmed(output.value);
  });
}

function trimmed(value: Value): Value {
  const last = value.at(-1);
  if (!last || 'unknown' in last) return value;
  let end = last.text.length;
  while (end > 0 && last.text[end - 1] === '\n') end -= 1;
  if (end === last.text.length) return value;
  const rest = last.text.slice(0, end);
  return rest === '' ? trimmed(value.slice(0, -1)) : [...value.slice(0, -1), { ...last, text: rest }];
}
