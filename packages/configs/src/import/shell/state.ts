import type { Function as FunctionNode } from 'unbash';
import type { Lines } from './parse.ts';
import type { Value } from './value.ts';

export type Scalar = { kind: 'scalar'; value: Value };
export type Items = { kind: 'list' | 'map'; items: Map<string, Value> };
export type Held = Scalar | Items;
/** A variable: `held` is missing after `declare X` and `unset X`. */
export type Variable = { held: Held | undefined; exported: boolean; line: number };

/** What a condition or a command's status is known to be. `unset`: only if these variables are not set. */
export type Truth = { value: boolean | undefined; unset: readonly string[] };
export const yes: Truth = { value: true, unset: [] };
export const no: Truth = { value: false, unset: [] };
export const maybe: Truth = { value: undefined, unset: [] };

/** A function, and the text that its positions count in. */
export type ShellFunction = { node: FunctionNode; lines: Lines };

/** `$1`, `$2`, …; those of the script itself are not known, and `shifted` counts how many were dropped. */
export type Arguments = { values: readonly Value[]; open: boolean; shifted: number };

/** Everything a shell remembers. */
export class State {
  readonly #scopes: Map<string, Variable>[];
  readonly functions: Map<string, ShellFunction>;
  arguments: Arguments;
  status: Truth = yes;
  /** Where `cd` went, relative to where the script starts; undefined before it, or when that is not known. */
  directory: Value | undefined;
  /** `set -a`: whatever is assigned is exported. */
  exportsAll = false;

  constructor(from?: State) {
    this.#scopes = from ? from.#scopes.map((scope) => new Map(scope)) : [new Map()];
    this.functions = new Map(from?.functions);
    this.arguments = from?.arguments ?? { values: [], open: true, shifted: 0 };
    this.status = from?.status ?? yes;
    this.directory = from?.directory;
    this.exportsAll = from?.exportsAll ?? false;
  }

  find(name: string): Variable | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const found = this.#scopes[i]?.get(name);
      if (found) return found;
    }
    return undefined;
  }

  /** Assigns in the innermost scope that has the name; `local` puts it into the innermost of all. */
  assign(
    name: string,
    held: Held | undefined,
    line: number,
    how: { local?: boolean; exported?: boolean } = {},
  ) {
    const before = this.find(name);
    const exported = how.exported ?? (how.local ? false : (before?.exported ?? this.exportsAll));
    const scope = how.local
      ? this.#scopes.at(-1)
      : (this.#scopes.findLast((each) => each.has(name)) ?? this.#scopes[0]);
    scope?.set(name, { held, exported, line });
  }

  unset(name: string): void {
    for (const scope of this.#scopes.toReversed()) if (scope.delete(name)) return;
  }

  /** Runs `inner` with a scope of its own, as a function call does. */
  scoped<T>(inner: () => T): T {
    this.#scopes.push(new Map());
    try {
      return inner();
    } finally {
      this.#scopes.pop();
    }
  }

  get size(): number {
    return this.#scopes.reduce((sum, scope) => sum + scope.size, 0);
  }

  get isLocal(): boolean {
    return this.#scopes.length > 1;
  }

  /** What a command started here would find in its environment. */
  environment(): Map<string, { value: Value; line: number }> {
    const all = new Map<string, { value: Value; line: number }>();
    for (const scope of this.#scopes) {
      for (const [name, { held, exported, line }] of scope) {
        if (exported && held?.kind === 'scalar') all.set(name, { value: held.value, line });
        else all.delete(name);
      }
    }
    return all;
  }

  /** A new shell started here: it inherits what is exported. */
  child(values: readonly Value[]): State {
    const state = new State();
    for (const [name, { value, line }] of this.environment()) {
      state.assign(name, { kind: 'scalar', value }, line, { exported: true });
    }
    state.arguments = { values, open: false, shifted: 0 };
    state.directory = this.directory;
    return state;
  }
}
