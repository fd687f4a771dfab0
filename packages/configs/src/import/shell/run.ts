import type { Script } from 'unbash';
import type { Notes } from '../note.ts';
import type { Budget } from './budget.ts';
import type { Lines } from './parse.ts';
import type { State } from './state.ts';
import type { Piece, Value, Word } from './value.ts';

/** A command that the script would run, after every expansion. */
export type Invocation = {
  words: readonly Word[];
  env: ReadonlyMap<string, { value: Value; line: number }>;
  line: number;
  column: number;
  /** The commands that run this one: `nohup`, `srun`, `ray`. */
  via: readonly string[];
  /** Within `$( … )`. */
  captured: boolean;
};

/** What the standard output of commands comes to, as far as it is known. */
export type Output = { value: Piece[]; unknown: boolean };

/** One reading of a script: its state and everything around it. */
export type Run = {
  readonly file: string;
  readonly budget: Budget;
  readonly notes: Notes;
  /** True for source text that holds, or calls, what is looked for. */
  readonly wanted: (source: string) => boolean;
  readonly emit: (invocation: Invocation) => void;
  /** Text that the script writes to files of known names. */
  readonly files: Map<string, Value>;
  /** Unknown pieces within text that is parsed as a script (`bash -c`, `eval`), by index. */
  readonly parked: Value[];
  /** Names given with `--set`, and whether the script read them. */
  readonly given: Map<string, boolean>;
  state: State;
  lines: Lines;
  output: Output | undefined;
  input: Value | undefined;
  via: readonly string[];
  captured: boolean;
  /** True once the script has read another one: what it set is not known, arrays included. */
  sourced: boolean;
  /** Within the condition of `if` or a loop, which notes what it decides itself. */
  inCondition: boolean;
  /** Reads a substitution; its output, or undefined when it cannot be known. */
  readonly capture: (script: Script) => Value | undefined;
};

/** Runs `inner` in a copy of the shell, as `( … )` and `$( … )` do. */
export function inSubshell<T>(run: Run, state: State, inner: () => T): T {
  const { state: before, lines, output, input, via, captured } = run;
  run.budget.spend('steps', Math.ceil(state.size / 32), 1);
  run.state = state;
  try {
    return inner();
  } finally {
    Object.assign(run, { state: before, lines, output, input, via, captured });
  }
}
