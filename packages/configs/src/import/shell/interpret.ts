import type { CommandNode, CompoundList, Pipeline, Redirected, Statement } from 'unbash';
import { compute } from './arithmetic.ts';
import { readAndOr, readIf } from './branches.ts';
import { not, testExpression, truth } from './conditions.ts';
import { mentioned } from './decide.ts';
import { type Flow, next } from './flow.ts';
import { readArithmeticFor, readCase, readFor, readWhile } from './loops.ts';
import { redirected } from './redirect.ts';
import { inSubshell, type Run } from './run.ts';
import { readCommand } from './simple-command.ts';
import { maybe, State, type Truth, yes } from './state.ts';

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
