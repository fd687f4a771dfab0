import { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';

/** What the tokens of a path in ssh_config stand for. */
export type TokenValues = {
  name: string;
  hostname: string;
  port: number;
  user: string;
  hostKeyAlias: string | null;
};

/**
 * A path of ssh_config with `~`, `${NAME}` and its tokens replaced, as OpenSSH does when it opens the file.
 * Undefined where it holds something that only OpenSSH knows.
 */
export function expandPath(
  path: string,
  values: TokenValues,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  let unknown = false;
  const known: Record<string, string> = {
    '%': '%',
    d: homedir(),
    h: values.hostname,
    i: String(userInfo().uid),
    k: values.hostKeyAlias ?? values.name,
    L: hostname().split('.')[0] ?? '',
    l: hostname(),
    n: values.name,
    p: String(values.port),
    r: values.user,
    u: userInfo().username,
  };
  const home = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  if (home.startsWith('~')) return undefined;
  const expanded = home.replace(/%(.?)|\$\{([^}]*)\}/gs, (whole, token?: string, name?: string) => {
    const value = name === undefined ? known[token ?? ''] : env[name];
    if (value === undefined) unknown = true;
    return value ?? whole;
  });
  return unknown ? undefined : expanded;
}
