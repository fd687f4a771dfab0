import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * What the agents of one gang know each other by, in hex. It follows from a key of this home, the attempt and its
 * token, so that a start which was cut short is repeated with the same one, and no node has to keep it.
 */
export async function gangKey(keyFile: string, attempt: string, token: string): Promise<string> {
  const key = await ownKey(keyFile);
  return createHmac('sha256', key).update(`her/gang/v1 ${attempt} ${token}`).digest('hex');
}

async function ownKey(file: string): Promise<Buffer> {
  const found = await readFile(file).catch(absent);
  if (found !== undefined) return found;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(32));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(draft, 0o600);
  // A link fails where another `her` was first; its key stands then.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  return readFile(file);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
