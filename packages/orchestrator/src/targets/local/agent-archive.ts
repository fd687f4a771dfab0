import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { isThere } from '../../environments/uv.ts';
import { exitCodes, HerError } from '../../errors.ts';
import { installation } from '../../home.ts';

const python = join(installation, 'workers', 'python');

/** The agent as one file, built from its source when that has changed since. */
export async function buildAgent(folder: string): Promise<string> {
  const archive = join(folder, `agent-${(await sourceDigest()).slice(0, 16)}.pyz`);
  if (await isThere(archive)) return archive;
  await mkdir(folder, { recursive: true });
  const draft = `${archive}.${process.pid}.tmp`;
  const built = await execa('python3', [join(python, 'build_agent.py'), draft], { reject: false });
  if (built.exitCode !== 0) {
    throw new HerError(
      'AGENT_FAILED',
      `the agent could not be built: ${built.stderr || built.originalMessage || ''}`,
      {
        hint: 'Needed: Python 3.9 or newer as `python3`.',
        exitCode: exitCodes.setup,
      },
    );
  }
  await rename(draft, archive);
  return archive;
}

async function sourceDigest(): Promise<string> {
  const source = join(python, 'src', 'her_agent');
  const names = (await readdir(source))
    .filter((name) => name.endsWith('.py') && !name.startsWith('test_'))
    .sort();
  const digest = createHash('sha256').update(await readFile(join(python, 'build_agent.py')));
  for (const name of names) digest.update(`\0${name}\0`).update(await readFile(join(source, name)));
  return digest.digest('hex');
}
