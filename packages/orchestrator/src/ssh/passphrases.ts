import { readFile, stat } from 'node:fs/promises';
import { HerError } from '../errors.ts';
import { absolute, callerDirectory } from '../home.ts';
import { systemWords } from '../system-error.ts';
import { askSecret, canAsk } from './terminal.ts';

/** Where the passphrase of a locked key comes from. `opens` says whether it is the right one. */
export type Passphrases = {
  /** Undefined where nobody can be asked, or nobody knew it. */
  get(path: string, batch: boolean, opens: (passphrase: string) => boolean): Promise<string | undefined>;
};

const triesAtTerminal = 3;

/**
 * Passphrases from HER_SSH_PASSPHRASE_FILE, else from the person at the terminal: asked once for each key, however
 * many hosts want it, and kept in memory alone.
 */
export function openPassphrases(
  env: NodeJS.ProcessEnv = process.env,
  ask: (prompt: string) => Promise<string | undefined> = askSecret,
  mayAsk: () => boolean = canAsk,
): Passphrases {
  const asked = new Map<string, Promise<string | undefined>>();
  let turn: Promise<unknown> = Promise.resolve();
  const fetch = async (path: string, batch: boolean, opens: (passphrase: string) => boolean) => {
    const file = env['HER_SSH_PASSPHRASE_FILE'];
    if (file !== undefined && file !== '') {
      const written = await readPassphrase(absolute(file, callerDirectory(env)));
      if (opens(written)) return written;
    }
    if (batch || !mayAsk()) return undefined;
    for (let tries = 0; tries < triesAtTerminal; tries += 1) {
      const typed = await ask(`Passphrase of ${path}: `);
      if (typed === undefined) return undefined;
      if (opens(typed)) return typed;
    }
    return undefined;
  };
  return {
    get: (path, batch, opens) => {
      const known = asked.get(path);
      if (known !== undefined) return known;
      // One question at a time.
      const answer = turn.then(() => fetch(path, batch, opens));
      turn = answer.catch(() => undefined);
      asked.set(path, answer);
      // What nobody knew may be known the next time.
      void answer.then(
        (passphrase) => passphrase === undefined && asked.delete(path),
        () => asked.delete(path),
      );
      return answer;
    },
  };
}

async function readPassphrase(file: string): Promise<string> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw new Error('others may read it (chmod 600)');
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (cause) {
    throw new HerError('SSH_SETUP', `HER_SSH_PASSPHRASE_FILE ${file}: ${systemWords(cause)}`, {
      hint: 'Mend that, or unset HER_SSH_PASSPHRASE_FILE.',
      cause,
    });
  }
}
