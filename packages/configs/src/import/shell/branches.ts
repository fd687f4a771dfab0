import type { CommandNode, CompoundList, If, SyntaxNode } from 'unbash';
import { type Branch, chooseBranch, mentioned, noteDecision } from './decide.ts';
import { type Flow, next } from './flow.ts';
import { readList, readNode } from './interpret.ts';
import type { Run } from './run.ts';
import { type Truth, yes } from './state.ts';

/** `a && b || c`. Where only running could tell the status of `a`, it is taken to hold; in `$(a && b || c)`, to fail. */
export function readAndOr(
  run: Run,
  commands: readonly SyntaxNode[],
  operators: readonly ('&&' | '||')[],
): Flow {
  let status: Truth = yes;
  let silent = true;
  for (const [i, command] of commands.entries()) {
    const operator = i === 0 ? undefined : operators[i - 1];
    if (operator) {
      if (status.value !== undefined && status.unset.length > 0 && !run.inCondition) {
        noteUnset(run, commands[i - 1], status);
        status = { value: status.value, unset: [] };
      }
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

/** `[ "$X" = 1 ] && …` where nobody set X: decided as it stands, and said. */
function noteUnset(run: Run, node: SyntaxNode | undefined, { value, unset }: Truth): void {
  if (!node) return;
  const source = run.lines.source.slice(node.pos, node.end);
  noteDecision(run, run.lines.lineAt(node.pos), source, value ? 'as if it held' : 'as if it failed', {
    value,
    unset,
  });
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

/** `if`: the branch whose condition is known to hold, or the choice of `chooseBranch`. */
export function readIf(run: Run, node: If): Flow {
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
    const flow = readCondition(run, clause);
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

/** The commands of a condition, which decide by their status. */
export function readCondition(run: Run, clause: CompoundList): Flow {
  const { inCondition } = run;
  run.inCondition = true;
  try {
    return readList(run, clause);
  } finally {
    run.inCondition = inCondition;
  }
}

function readBranch(run: Run, body: SyntaxNode | undefined): Flow {
  run.state.status = yes;
  return body?.type === 'CompoundList' ? readList(run, body) : next;
}
