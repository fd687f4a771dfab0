/** How a script goes on after a command. `levels`: how many loops `break` and `continue` still have to leave. */
export type Flow = { kind: 'next' | 'exit' | 'return' } | { kind: 'break' | 'continue'; levels: number };

export const next: Flow = { kind: 'next' };
