import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeDeadBeds } from './dead-beds.ts';
import { readMarker } from './marker.ts';
import { taggedProcesses } from './ownership.ts';
import { placesIn } from './places.ts';
import { kill } from './processes.ts';
import { missing, storeIsBuilt } from './programs.ts';
import type { Report } from './report.ts';
import { attempt } from './run.ts';
import { type StoreCredentials, storeRequest } from './store-request.ts';

const main = join(import.meta.dirname, 'main.ts');
const lacking = await whyNot();
if (lacking !== null && process.env['CI'] === 'true')
  throw new Error(`the test bed cannot be tested: ${lacking}`);
if (lacking !== null) process.stderr.write(`The test bed is not tested: ${lacking}.\n`);

let dir = '';
let bed: Report;
let before: string[];

describe.skipIf(lacking !== null)('a bed of two hosts, Slurm and S3', () => {
  beforeAll(async () => {
    dir = await mkdtemp('/var/lib/her-bed-');
    await removeDeadBeds((text) => process.stderr.write(`${text}\n`));
    before = await traces();
    bed = JSON.parse(await command('up', '--hosts', '2', '--delay', '0', '--slurm', '--s3', '--json'));
  }, 900_000);

  afterAll(async () => {
    const { code } = await attempt([process.execPath, main, 'down', '--dir', dir]);
    // An `up` that was refused leaves the folder that was made for it.
    if (code === 0) await rm(dir, { recursive: true, force: true });
  }, 60_000);

  test('every host answers through the jump host alone, by its own name', async () => {
    for (const host of ['j', 'h1', 'h2', 'login'])
      expect(await ssh(host, 'hostname')).toMatchObject({ code: 0, stdout: `${host}\n` });
    const around = await attempt([
      'ssh',
      '-F',
      bed.ssh.config,
      '-J',
      'none',
      '-o',
      'ConnectTimeout=2',
      'h1',
      'true',
    ]);
    expect(around.code).toBe(255);
  });

  test('a host key that is unknown, changed or revoked is refused', async () => {
    for (const [host, why] of [
      ['h1-unknown', 'No ED25519 host key is known'],
      ['h1-changed', 'Host key for 10.77.0.1 has changed'],
      ['h1-revoked', 'revoked'],
      ['h1-wrong-user', 'Permission denied'],
      ['h1-locked', 'Permission denied'],
    ] as const) {
      const { code, stderr } = await ssh(host, 'true');
      expect([host, code]).toEqual([host, 255]);
      expect(stderr).toContain(why);
    }
    for (const host of ['h1-ca', 'h1-hashed', 'h1-her']) expect((await ssh(host, 'true')).code).toBe(0);
  });

  test('hosts reach each other, share one folder and keep another to themselves', async () => {
    expect((await ssh('h1', 'exec 3<>/dev/tcp/10.77.0.2/22 && head -c 4 <&3')).stdout).toBe('SSH-');
    await ssh('h1', `echo one > ${bed.shared}/a; echo one > ${bed.privateOnHost}/a; echo one > /tmp/only-h1`);
    const { stdout } = await ssh('h2', `cat ${bed.shared}/a; ls ${bed.privateOnHost} /tmp/only-h1`);
    expect(stdout).toBe(`one\n${bed.privateOnHost}:\n`);
  });

  test('a cut link is silence, and mends', async () => {
    await command('cut', 'h1');
    expect((await ssh('h1', 'true')).code).toBe(255);
    await command('restore', 'h1');
    expect((await ssh('h1', 'true')).code).toBe(0);
  });

  test('an address that never answers does not refuse either', async () => {
    const start = performance.now();
    expect((await ssh('dead', 'true')).stderr).toContain('timed out');
    expect(performance.now() - start).toBeGreaterThan(1900);
  });

  test('a delay holds both ways', async () => {
    await command('delay', 'h1', '0');
    expect(await roundTrip('h1')).toBeLessThan(100);
    await command('delay', 'h1', '100');
    const slow = await roundTrip('h1');
    await command('delay', 'h1', '0');
    expect(slow).toBeGreaterThanOrEqual(200);
    expect(slow).toBeLessThan(400);
  });

  test('a crashed host loses all its processes and comes back with another boot id', async () => {
    const bootId = async () => (await ssh('h2', 'cat /proc/sys/kernel/random/boot_id')).stdout;
    const first = await bootId();
    await ssh('h2', 'setsid sleep 98765 > /dev/null 2>&1 < /dev/null &');
    expect(sleepers()).toBe(1);
    await command('crash', 'h2');
    expect(sleepers()).toBe(0);
    await command('boot', 'h2');
    await expect.poll(bootId, { timeout: 10_000 }).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(await bootId()).not.toBe(first);
  });

  test('Slurm runs over both hosts and accounts for it', async () => {
    await expect
      .poll(async () => (await ssh('login', 'sinfo -h -p main -o "%D %T"')).stdout, {
        timeout: 30_000,
        interval: 500,
      })
      .toBe('2 idle\n');
    const { stdout } = await ssh('login', 'srun -N2 hostname');
    expect(stdout.split('\n').sort()).toEqual(['', 'h1', 'h2']);
    const batch = `cd ${bed.shared} && sbatch --wait -N2 --gres=gpu:2 -o out --wrap 'srun printenv CUDA_VISIBLE_DEVICES' && cat out`;
    expect((await ssh('her@login', batch)).stdout).toContain('0,1\n0,1\n');
    // The controller hands its records on a moment later.
    await expect
      .poll(async () => (await ssh('login', 'sacct -a -n -X -P --format=state,user')).stdout, {
        timeout: 20_000,
        interval: 500,
      })
      .toContain('COMPLETED|her\n');
  });

  test('the store refuses to write a key twice, and hosts see it at the same address', async () => {
    const file = bed.s3?.credentialsFile ?? '';
    const credentials: StoreCredentials = JSON.parse(readFileSync(file, 'utf8'));
    const put = () =>
      storeRequest(credentials, { method: 'PUT', key: 'once', body: 'x', headers: { 'if-none-match': '*' } });
    expect([(await put()).status, (await put()).status]).toEqual([200, 412]);
    const { host } = new URL(credentials.endpoint);
    expect((await ssh('h1', `exec 3<>/dev/tcp/${host.replace(':', '/')}`)).code).toBe(0);
  });

  test('`up` again changes nothing; with other options it refuses', async () => {
    const again: Report = JSON.parse(
      await command('up', '--hosts', '2', '--delay', '0', '--slurm', '--s3', '--json'),
    );
    expect(again).toEqual(bed);
    const other = await attempt([process.execPath, main, 'up', '--hosts', '3', '--dir', dir]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('BED_OTHER_OPTIONS') });
  });

  test('a second bed is refused, and told where the first one is', async () => {
    const beside = await mkdtemp('/var/lib/her-bed-');
    const second = await attempt([process.execPath, main, 'up', '--hosts', '1', '--dir', beside]);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('BED_NAME_TAKEN') });
    expect(second.stderr).toContain(`\`down --dir ${dir}\` removes it`);
    expect(JSON.parse(await command('status', '--json'))).toEqual(bed);
    await rmdir(beside);
  });

  test('`down` leaves nothing', async () => {
    expect(await traces()).not.toEqual(before);
    await command('down');
    expect(await traces()).toEqual(before);
    expect(readdirSync('/var/lib')).not.toContain(dir.split('/').at(-1));
  });

  test('what a killed bed left is removed by the next, wherever that is, and also when its folder is gone', async () => {
    const [first, second] = [await mkdtemp('/var/lib/her-bed-'), await mkdtemp('/var/lib/her-bed-')];
    await attempt([process.execPath, main, 'up', '--hosts', '1', '--dir', first]);
    await killAllIn(first);
    const next = await attempt([process.execPath, main, 'up', '--hosts', '1', '--dir', second]);
    expect(next).toMatchObject({
      code: 0,
      stderr: `The bed in ${first} has no process left; it is removed first.\n`,
    });
    expect(existsSync(first)).toBe(false);

    await killAllIn(second);
    await rm(second, { recursive: true });
    const said: string[] = [];
    expect(await removeDeadBeds((text) => said.push(text))).toEqual([]);
    expect(said).toEqual([`The bed in ${second} has no process left; it is removed first.`]);
    expect(await traces()).toEqual(before);
  }, 60_000);
});

/** As a machine does that runs out of memory, or whoever ends all that a session has started. */
async function killAllIn(folder: string): Promise<void> {
  const marker = await readMarker(placesIn(folder));
  if (marker === null) throw new Error(`no bed in ${folder}`);
  for (const process of await taggedProcesses(marker.tag)) await kill(process);
  expect(await taggedProcesses(marker.tag)).toEqual([]);
}

/** What a bed could leave: namespaces, links, addresses, routes, mounts, and processes of it. */
async function traces(): Promise<string[]> {
  const said = await Promise.all(
    [
      ['ip', 'netns', 'list'],
      ['ip', '-brief', 'link'],
      ['ip', '-4', 'route'],
    ].map(async ([file = '', ...args]) => (await attempt([file, ...args])).stdout),
  );
  const processes = commandLines().filter(
    (line) => line.includes(dir) || /sshd|slurm|munged|mariadbd|versitygw/.test(line),
  );
  return [...said, readFileSync('/proc/self/mounts', 'utf8'), ...processes];
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        // It has ended since the folder was read.
        return '';
      }
    });
}

function sleepers(): number {
  return commandLines().filter((line) => line.trim() === 'sleep 98765').length;
}

async function command(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await attempt([process.execPath, main, ...args, '--dir', dir], {
    timeoutMs: 110_000,
  });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

function ssh(host: string, ...argv: string[]) {
  return attempt(['ssh', '-F', bed.ssh.config, '-o', 'ConnectTimeout=2', host, ...argv]);
}

/** The shortest of five round trips over a session that stands, in milliseconds. */
async function roundTrip(host: string): Promise<number> {
  const child = spawn('ssh', ['-F', bed.ssh.config, host, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const times: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    const start = performance.now();
    child.stdin.write('x\n');
    await once(lines, 'line');
    times.push(performance.now() - start);
  }
  child.stdin.end();
  await once(child, 'close');
  // The first one waits for the session to stand.
  return Math.min(...times.slice(1));
}

/** In CI what is missing is installed by `up`, as a person would have it. */
async function whyNot(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'it needs root';
  if (process.env['CI'] === 'true') return null;
  const found = await attempt([process.execPath, main, 'status', '--json']);
  if (found.code === 0 && JSON.parse(found.stdout).state === 'up')
    return 'a bed is up, and there is one at a time';
  const programs = (await missing({ slurm: true })).map(({ program }) => program);
  if (programs.length > 0) return `missing: ${programs.join(', ')}; \`up --slurm\` installs them`;
  return (await storeIsBuilt()) ? null : '`up --s3` has not built the S3 server yet';
}
