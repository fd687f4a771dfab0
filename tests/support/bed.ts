import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Report } from '../../infra/testbed/report.ts';
import { checkout, environments } from './her.ts';

const bedMain = join(checkout, 'infra', 'testbed', 'main.ts');
const dir = process.env['HER_TESTBED_DIR'] ?? '/var/lib/her-testbed';

export type Bed = Report & { close: () => Promise<void> };

/** Why there can be no bed here, or null. Where CI runs, that is a failure and not a reason to skip. */
export function whyNoBed(): string | null {
  const why =
    process.platform !== 'linux'
      ? 'it needs Linux'
      : process.getuid?.() === 0
        ? null
        : 'namespaces and links need root';
  if (why !== null && process.env['CI'] === 'true') throw new Error(`the test bed cannot be started: ${why}`);
  return why;
}

/** The same, for a file of tests: what it skips is said on stderr. */
export function bedlessReason(what: string): string | null {
  const why = whyNoBed();
  if (why !== null) process.stderr.write(`${what} not tested: ${why}.\n`);
  return why;
}

/** A bed with four hosts, Slurm and S3: the one that is up, else a new one, which is taken down again. */
export async function openBed(): Promise<Bed> {
  const status = await bed(['status', '--json'], false);
  const found = status === undefined ? undefined : (JSON.parse(status) as Report);
  if (found?.state === 'up') return { ...found, close: async () => undefined };
  await bed(['up', '--hosts', '4', '--slurm', '--s3']);
  const report = JSON.parse((await bed(['status', '--json'])) ?? '') as Report;
  return { ...report, close: async () => void (await bed(['down'])) };
}

/** Runs a command of the bed: `cut h1`, `restore h1`, `exec h1 -- …`. */
export async function bed(args: readonly string[], must = true): Promise<string | undefined> {
  const done = await execa('node', [bedMain, '--dir', dir, ...args], { reject: false });
  if (done.exitCode === 0) return done.stdout;
  if (must) throw new Error(`the test bed: ${done.stderr}`);
  return undefined;
}

/** Hosts have folders of their own in some places: an environment there is not seen on them. */
export async function visibleEnvironments(): Promise<string> {
  if (!/^\/(tmp|run|var\/run|var\/log|dev)\//.test(`${environments}/`)) return environments;
  const folder = '/var/cache/her-testbed/envs';
  await execa('node', [join(checkout, 'packages', 'orchestrator', 'src', 'main.ts'), 'environments'], {
    env: { HER_ENVIRONMENTS: folder },
  });
  await access(folder);
  return folder;
}

/** Names of that many hosts of the bed that can compute; `HER_TESTBED_NODES=h5,h6` says which are free. */
export function computeHosts({ hosts }: Report, count: number): string[] {
  const all = hosts.filter(({ role }) => role === 'compute').map(({ name }) => name);
  const free = process.env['HER_TESTBED_NODES']?.split(',') ?? all;
  if (free.length < count) throw new Error(`the bed has ${free.length} free hosts, ${count} are needed`);
  return free.slice(0, count);
}
