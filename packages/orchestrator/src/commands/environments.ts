import { rm } from 'node:fs/promises';
import { type EnvironmentName, environmentLabels, readEnvironmentLock } from '../environments/lock-file.ts';
import { ensureEnvironments, environmentFolder, findEnvironment } from '../environments/sync.ts';
import { exitCodes } from '../errors.ts';
import { openHome } from '../home.ts';

export type EnvironmentsOptions = { home?: string; repair: boolean; check: boolean };

const names: readonly EnvironmentName[] = ['swift', 'verl'];

/** `her environments`: sets up the trainers' environments, or says what is there. */
export async function environments(options: EnvironmentsOptions): Promise<number> {
  const { environments: root } = openHome(options.home);
  if (options.check) {
    const found = await Promise.all(names.map((name) => findEnvironment(root, name)));
    for (const [i, name] of names.entries())
      process.stdout.write(`${environmentLabels[name]}: ${found[i]?.folder ?? 'not set up'}\n`);
    return found.every((ready) => ready !== undefined) ? exitCodes.done : exitCodes.setup;
  }
  if (options.repair) {
    for (const name of names)
      await rm(environmentFolder(root, await readEnvironmentLock(name)), { recursive: true, force: true });
  }
  const say = (line: string): boolean => process.stderr.write(`${line}\n`);
  const ready = await ensureEnvironments(root, names, say, interruption());
  for (const { name, folder } of ready.values())
    process.stdout.write(`${environmentLabels[name]}: ${folder}\n`);
  return exitCodes.done;
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
