import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, and says which it made, the uppermost first. Node's own recursive `mkdir` never
 * ends where a folder is there and none can be made in it (/proc), and hides why (a read-only file system).
 */
export async function makeFolder(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = resolve(folder); !(await isFolder(at)); at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  const made: string[] = [];
  try {
    for (const path of missing) if (await makeOne(path)) made.push(path);
  } catch (cause) {
    await removeFolders(made);
    throw cause;
  }
  return made;
}

/** Takes folders away again, as far as nobody has put anything into them. */
export async function removeFolders(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed())
    await rmdir(path).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error;
    });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is no folder`), { code: 'NOT_A_FOLDER' });
}

async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(path))) return false;
    if (code !== 'ENOENT') throw error;
    throw Object.assign(new Error(`no folder can be made in ${dirname(path)}`), { cause: error });
  }
}
