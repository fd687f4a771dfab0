import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@her/configs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bed, bed as bedCommand, bedlessReason, computeHosts, openBed } from './support/bed.ts';
import { entriesOf, her, main, until } from './support/her.ts';

const why = bedlessReason('Logs over a bad link');
const study = join(import.meta.dirname, 'support', 'stand-in-study.ts');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-watching-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A home with the plan of a stand-in. */
async function homeFor(name: string, plan: Partial<Plan> & { argv: string[] }): Promise<string> {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'plan.json'), JSON.stringify(plan));
  return home;
}

function runStudy(home: string, env: Record<string, string> = {}) {
  return execa('node', [study, home, join(home, 'plan.json')], { env, reject: false });
}

test('a failure and an end are told by webhook and command, once, also when it is run again', async () => {
  const got: { event: string; headline: string; text: string }[] = [];
  let refusals = 1;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      refusals -= 1;
      response.statusCode = refusals >= 0 ? 503 : 200;
      if (refusals < 0) got.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const path = randomBytes(8).toString('hex');
  const env = { HOOK: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}` };
  const out = join(folder, 'told.jsonl');
  const home = await homeFor('notices', {
    argv: ['fail'],
    notify: [
      { webhook: { env: 'HOOK' }, on: ['end', 'failure'] },
      { command: ['sh', '-c', `cat >> ${out}`], on: ['failure'] },
      { command: ['false'], on: ['end'] },
    ],
  });
  try {
    const first = await runStudy(home, env);
    expect(first.stdout, first.stderr).toBe('["failed"]');
    expect(first.stderr).toContain('command 3 of `notify` could not be told: `false` ended with exit code 1');
    expect(got.map(({ event }) => event)).toEqual(['failure', 'end']);
    expect(got[0]?.headline).toMatch(/^job\/1 failed: /);
    expect(got[0]?.text).toMatch(/^standin: job\/1 failed: .*\n→ .*her logs job\/1 --study standin/);
    expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(1);
    const again = await runStudy(home, env);
    expect(again.stdout, again.stderr).toBe('["failed"]');
    expect(got).toHaveLength(2);
    expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(1);
    const notices = await entriesOf(home, '--kind', 'notice');
    // What was not delivered is tried again by the next run.
    expect(notices.map(({ to, of, delivered }) => [to, of, delivered]).sort()).toEqual([
      ['command 2', ['failure'], true],
      ['command 3', ['end'], false],
      ['command 3', ['end'], false],
      ['webhook 1', ['end'], true],
      ['webhook 1', ['failure'], true],
    ]);
    expect(JSON.stringify([notices, first.stderr, again.stderr])).not.toContain(path);
    expect((await her(home, ['ledger', 'verify'])).exitCode).toBe(0);
  } finally {
    server.close();
  }
}, 180_000);

test('a log that was let go goes on at the byte that it names', async () => {
  const home = await homeFor('local', { argv: ['lines', '40000', '0.1'] });
  const running = runStudy(home);
  await until('lines', 60, async () => {
    const shown = await her(home, ['logs', 'job/1']);
    return String(shown.stdout).includes('line 000020') ? true : undefined;
  });
  const first = execa('node', [main, 'logs', 'job/1', '-f'], {
    env: { HER_HOME: home },
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  await new Promise((resolve) => first.stdout.once('data', resolve));
  await sleep(1_500);
  first.kill('SIGINT');
  const part = await first;
  expect(part.exitCode).toBe(130);
  const [, byte = ''] =
    /stopped at byte (\d+): her logs 1{16}-1 --study standin --node local --rank 0 -f --from \1$/m.exec(
      Buffer.from(part.stderr).toString(),
    ) ?? [];
  expect(Number(byte)).toBe(part.stdout.length);
  const words = ['logs', '1111111111111111-1', '--node', 'local', '--rank', '0', '-f', '--from', byte];
  const attempt = join(home, 'studies/standin/node/attempts/1111111111111111-1');
  await writeFile(join(attempt, 'out/enough'), '');
  const rest = await execa('node', [main, ...words], {
    env: { HER_HOME: home },
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  await running;
  const whole = await readFile(
    join(home, 'studies/standin/node/attempts/1111111111111111-1/logs/rank-0.log'),
  );
  expect(Buffer.concat([part.stdout, rest.stdout]).equals(whole)).toBe(true);

  const lines = (await her(home, ['logs', 'job/1', '--all', '--tail', '3'])).stdout;
  expect(String(lines).split('\n').at(-1)).toMatch(/^r0 \| last line$/);
  const json = String((await her(home, ['logs', 'job/1', '--json'])).stdout).split('\n');
  const last = JSON.parse(json.at(-1) ?? '');
  expect(last).toMatchObject({ node: 'local', rank: 0, text: 'last line' });
  expect(whole.subarray(last.byte).toString()).toBe('last line\n');
}, 240_000);

describe.skipIf(why !== null)('on a host of the bed', () => {
  let bed: Bed;
  let host = '';
  const root = `/tmp/her-watching-${randomBytes(4).toString('hex')}`;
  beforeAll(async () => {
    bed = await openBed();
    [host = ''] = computeHosts(bed, 1);
  }, 900_000);
  afterAll(async () => {
    await bedCommand(['restore', host], false);
    await bedCommand(['exec', host, '--', 'rm', '-rf', root], false);
    await bed.close();
  });

  test('a log comes whole over a link that is cut and connections that break', async () => {
    const env = { HER_SSH_CONFIG: bed.ssh.config };
    const runsOn: Plan['runsOn'] = {
      ...{ kind: 'ssh', hosts: [host], addresses: {}, root, storage: 'own', python: 'python3' },
      ...{ environments: 'locked', cores: 2, memory_gb: 4 },
    };
    const home = await homeFor('ssh', { argv: ['lines', '200000', '0.03'], runsOn });
    const running = runStudy(home, env);
    await until('a start', 60, async () => {
      const entries = await entriesOf(home, '--kind', 'attempt.started').catch(() => []);
      return entries.length > 0 ? true : undefined;
    });
    const received = createHash('sha256');
    const follow = execa('node', [main, 'logs', '-f'], {
      env: { ...env, HER_HOME: home },
      reject: false,
      buffer: { stdout: false },
    });
    let bytes = 0;
    follow.stdout?.on('data', (chunk: Buffer) => {
      received.update(chunk);
      bytes += chunk.length;
    });
    await until('bytes', 30, async () => (bytes > 0 ? true : undefined));
    for (const seconds of [4, 6]) {
      await bedCommand(['cut', host]);
      await sleep(seconds * 1000);
      await bedCommand(['restore', host]);
      await sleep(3_000);
      // The sessions that serve us end there: what was under way breaks off.
      await bedCommand(['exec', host, '--', 'pkill', '-KILL', '-f', 'sshd.*root'], false);
    }
    // What runs is shown, with its node.
    const top = await her(home, ['top', '--json'], { env: { ...env, HER_HOME: home } });
    expect(JSON.parse(String(top.stdout))).toMatchObject({
      nodes: [{ name: host, unknown: null, load: { gpuTool: null } }],
      jobs: [{ job: { name: 'job/1' }, nodes: [host] }],
    });
    const attempt = `${root}/studies/*/attempts/1111111111111111-1`;
    await onHost(host, `for out in ${attempt}/out; do touch "$out/enough"; done`);
    const { exitCode, stderr } = await follow;
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(new RegExp(`${host}/r0: unknown since`));
    expect(stderr).toMatch(new RegExp(`${host}/r0: reached again`));
    const ended = await running;
    expect(ended.stdout, ended.stderr).toBe('["done"]');
    const there = await onHost(host, `sha256sum ${attempt}/logs/rank-0.log`);
    expect(received.digest('hex')).toBe(there?.split(' ')[0]);
    process.stderr.write(`logs: ${bytes} bytes, as they are on ${host}\n`);

    const run = await her(home, ['exec', 'standin', '--', 'sh', '-c', 'hostname; exit 4'], {
      env: { ...env, HER_HOME: home },
    });
    expect([run.stdout, run.exitCode], String(run.stderr)).toEqual([host, 4]);
  }, 240_000);
});

/** A line of shell on the host: its `*` stands for what only the host knows. */
async function onHost(host: string, line: string): Promise<string | undefined> {
  return bedCommand(['exec', host, '--', 'sh', '-c', line]);
}
