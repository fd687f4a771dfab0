import { HerError } from '../errors.ts';

/** One host of a ProxyJump, as it was written; what is not written there is left to that host's own configuration. */
export type Hop = { name: string; user: string | null; port: number | null };

/** A ProxyJump in the order in which the hosts are passed. */
export function parseJump(text: string): Hop[] {
  return text.split(',').map((part) => parseHop(part.trim()));
}

/** The same as `ssh -J` takes it. */
export function jumpText(hops: readonly Hop[]): string {
  return hops
    .map(({ name, user, port }) => {
      const host = name.includes(':') ? `[${name}]` : name;
      return `${user === null ? '' : `${user}@`}${host}${port === null ? '' : `:${port}`}`;
    })
    .join(',');
}

function parseHop(text: string): Hop {
  const bare = text.replace(/^ssh:\/\//i, '').replace(/\/$/, '');
  // The name of a user may hold an @ itself.
  const [, user = null, bracketed, plain, port] =
    /^(?:(.+)@)?(?:\[([^\]]+)\]|([^[\]:@]+|[^[\]@]*:[^[\]@]*:[^[\]@]*))(?::(\d+))?$/.exec(bare) ?? [];
  const name = bracketed ?? plain;
  if (name === undefined || !isHostName(name) || Number(port ?? 1) > 65_535 || Number(port ?? 1) < 1)
    throw new HerError('SSH_SETUP', `ProxyJump names ${JSON.stringify(text)}, which is no host`);
  return { name, user, port: port === undefined ? null : Number(port) };
}

/** Nothing that `ssh` could take for an option or a pattern, or a shell for a word of its own. */
export function isHostName(name: string): boolean {
  return !name.startsWith('-') && /^[\p{L}\p{N}._:%+@=~-]{1,255}$/u.test(name);
}
