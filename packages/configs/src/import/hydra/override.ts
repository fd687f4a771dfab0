import type { OverrideAction } from '../trainer-command.ts';

/** The left side of an override, and where its value begins; `valueAt` is missing for a bare `~key`. */
export type OverrideKey = { name: string; action: OverrideAction; package?: string; valueAt?: number };

/** `key=`, `+key=`, `++key=`, `~key`, `group/choice@package=`. Undefined for what is no override. */
export function parseOverrideKey(source: string): OverrideKey | undefined {
  const match = /^(\+\+|\+|~)?([\w$.\-/\uE000\uE001]+)(?:@([\w.\-/]*))?(=|$)/.exec(source);
  if (!match?.[2]) return undefined;
  const [all, sign, name, at, equals] = match;
  if (equals === '' && sign !== '~') return undefined;
  return {
    name,
    action: actions[sign ?? ''] ?? 'set',
    ...(at === undefined ? {} : { package: at }),
    ...(equals === '=' ? { valueAt: all.length } : {}),
  };
}

const actions: Record<string, OverrideAction> = { '+': 'add', '++': 'add-or-set', '~': 'delete' };
