import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** The folder that this program was installed to: it holds `infra`, `workers` and `packages`. */
export const installation = resolve(import.meta.dirname, '..', '..', '..');

/** Where a person stands: pnpm changes the working directory to the workspace and keeps the first one here. */
export function callerDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return env['INIT_CWD'] ?? process.cwd();
}

/**
 * Paths that `her` writes to. Nothing is written outside of them.
 * `keyFile` signs the ledger of that origin and lies outside of it; a new ledger has a new origin and so a new key.
 */
export type Home = {
  root: string;
  environments: string;
  keyFile(origin: string): string;
  /** What the agents of gangs know each other by is derived from it. */
  gangKeyFile: string;
  /** Host keys that were accepted for this home's targets. */
  knownHosts: string;
  study(name: string): StudyHome;
};
export type StudyHome = { root: string; ledger: string; node: string; requests: string };

/** `--home`, else $HER_HOME, else `.her` where the person stands. */
export function openHome(chosen: string | undefined, env: NodeJS.ProcessEnv = process.env): Home {
  const root = absolute(chosen ?? env['HER_HOME'] ?? '.her', callerDirectory(env));
  return {
    root,
    environments:
      env['HER_ENVIRONMENTS'] === undefined
        ? join(root, 'envs')
        : absolute(env['HER_ENVIRONMENTS'], callerDirectory(env)),
    gangKeyFile: join(root, 'keys', 'gang.key'),
    knownHosts: join(root, 'known_hosts'),
    keyFile: (origin) => join(root, 'keys', `${basename(origin)}.key`),
    study: (name) => {
      const study = join(root, 'studies', name);
      return {
        root: study,
        ledger: join(study, 'ledger'),
        node: join(study, 'node'),
        requests: join(study, 'requests'),
      };
    },
  };
}

export function absolute(path: string, from: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : resolve(from, path);
}

export function folderOf(file: string): string {
  return dirname(file);
}
