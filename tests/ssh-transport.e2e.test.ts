import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EntryOf, openLedger, readEntries } from '@her/ledger';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openHome } from '../packages/orchestrator/src/home.ts';
import { foldLedger } from '../packages/orchestrator/src/session.ts';
import { hostKeyRecorder, type SeenHostKey } from '../packages/orchestrator/src/ssh/seen-host-key.ts';
import { type Bed, openBed, whyNoBed } from './support/bed.ts';
import { her } from './support/her.ts';
import { bytesOf, openRunners, type Runners, refused } from './support/ssh-runners.ts';

const why = whyNoBed();
if (why !== null) process.stderr.write(`SSH is not tested: ${why}.\n`);

let bed: Bed;
let folder = '';
let runners: Runners;
const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/;

/** The whole of an ssh_config beside the bed's, which stays in force where this says nothing. */
async function useConfig(...lines: string[]): Promise<void> {
  const file = join(folder, 'ssh_config');
  await writeFile(file, [...lines, 'Match all', `  Include ${bed.ssh.config}`, ''].join('\n'));
  process.env['HER_SSH_CONFIG'] = file;
}

async function keysIn(dir: string): Promise<EntryOf<'host.key'>[]> {
  const keys: EntryOf<'host.key'>[] = [];
  for await (const entry of readEntries(dir)) if (entry.kind === 'host.key') keys.push(entry);
  return keys;
}

describe.skipIf(why !== null)('ssh', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    bed = await openBed();
    folder = await mkdtemp(join(tmpdir(), 'her-ssh-test-'));
    process.env['HER_SSH_CONFIG'] = bed.ssh.config;
    runners = openRunners(folder);
  }, 900_000);
  afterEach(async () => {
    await runners.close();
    process.env['HER_SSH_CONFIG'] = bed.ssh.config;
    delete process.env['HER_SSH_PASSPHRASE_FILE'];
    delete process.env['SSH_AUTH_SOCK'];
  });
  afterAll(async () => {
    if (folder === '') return;
    await rm(folder, { recursive: true, force: true });
    await bed.close();
  });

  test('what is wrong with a host is one line each, with its code and what to do', async () => {
    await useConfig('Host dead*', '  ConnectTimeout 4');
    const [unknown, changed, revoked, user, dead, behind, nowhere] = await Promise.all(
      [
        'h1-unknown',
        'h1-changed',
        'h1-revoked',
        'h1-wrong-user',
        'dead',
        'dead-behind-j',
        'no-such.invalid',
      ].map((host) => runners.refusal(host)),
    );
    expect(unknown).toMatchObject({ code: 'HOST_KEY_UNKNOWN', message: expect.stringMatching(fingerprint) });
    expect(unknown?.hint).toContain('her host add h1-unknown');
    expect(changed).toMatchObject({
      code: 'HOST_KEY_CHANGED',
      message: expect.stringMatching(/known_hosts\.changed:\d+/),
    });
    expect(changed?.hint).toMatch(/her host add h1-changed --replace --fingerprint SHA256:/);
    expect(revoked).toMatchObject({
      code: 'HOST_KEY_REVOKED',
      message: expect.stringMatching(/known_hosts\.revoked:\d+/),
    });
    expect(user).toMatchObject({
      code: 'SSH_AUTH_FAILED',
      message: expect.stringContaining('nobody-here at'),
    });
    expect(user?.hint).toContain('ssh h1-wrong-user true');
    for (const lost of [dead, behind, nowhere])
      expect(lost).toMatchObject({
        code: 'AGENT_UNREACHABLE',
        message: expect.stringContaining('cannot be reached'),
      });
    for (const told of [unknown, changed, revoked, user, dead, behind, nowhere])
      expect(told?.message).not.toContain('\n');
  });

  test('known by a hashed name, over a jump host', async () => {
    const runner = await runners.open('h1-hashed');
    expect(await runner.run(['hostname'])).toMatchObject({ exitCode: 0, stdout: 'h1\n' });
    expect(runner).toMatchObject({ via: 'ssh2', why: null, address: '10.77.0.1' });
    expect(runner.hostKey).toMatch(fingerprint);
  });

  test('a key with a passphrase is opened by the file that is named, and else said to be locked', async () => {
    const locked = await runners.refusal('h1-locked');
    expect(locked).toMatchObject({
      code: 'SSH_AUTH_FAILED',
      message: expect.stringContaining('locked by a passphrase'),
    });
    expect(locked.hint).toContain('HER_SSH_PASSPHRASE_FILE');
    process.env['HER_SSH_PASSPHRASE_FILE'] = bed.ssh.passphraseFile;
    await runners.close();
    const runner = await runners.open('h1-locked');
    expect((await runner.run(['id', '-un'])).stdout).toBe('root\n');
  });

  test('a key that only the agent holds', async () => {
    const socket = join(folder, 'agent.sock');
    const agent = execa('ssh-agent', ['-D', '-a', socket], { reject: false });
    try {
      await expect
        .poll(
          async () =>
            (await execa('ssh-add', ['-L'], { reject: false, env: { SSH_AUTH_SOCK: socket } })).exitCode,
        )
        .toBe(1);
      await execa('ssh-add', [bed.ssh.key], { env: { SSH_AUTH_SOCK: socket } });
      const file = join(folder, 'agent_config');
      const common = [
        '  User root',
        '  IdentityFile none',
        `  UserKnownHostsFile ${bed.ssh.knownHosts['right']}`,
      ];
      await writeFile(
        file,
        [
          'Host j',
          '  HostName 10.77.1.250',
          ...common,
          'Host h1',
          '  HostName 10.77.0.1',
          '  ProxyJump j',
          ...common,
          '',
        ].join('\n'),
      );
      process.env['HER_SSH_CONFIG'] = file;
      process.env['SSH_AUTH_SOCK'] = socket;
      const runner = await runners.open('h1');
      expect((await runner.run(['hostname'])).stdout).toBe('h1\n');
      expect(runner.via).toBe('ssh2');
    } finally {
      agent.kill();
      await agent;
    }
  });

  test("the system's ssh serves a certificate of an authority, and a ProxyCommand", async () => {
    await useConfig(
      'Host h1-command',
      '  HostName 10.77.0.1',
      '  ProxyJump none',
      `  ProxyCommand ssh -F ${bed.ssh.config} -W %h:%p j`,
      'Host h1-command-changed',
      '  HostName 10.77.0.1',
      `  UserKnownHostsFile ${bed.ssh.knownHosts['changed']}`,
      `  ProxyCommand ssh -F ${bed.ssh.config} -W %h:%p j`,
    );
    const said: string[] = [];
    for (const [host, reason] of [
      ['h1-ca', '@cert-authority'],
      ['h1-command', 'ProxyCommand'],
    ] as const) {
      const runner = await runners.open(host, { say: (line) => said.push(line) });
      expect((await runner.run(['cat'], { input: 'through\n' })).stdout).toBe('through\n');
      expect(runner).toMatchObject({ via: 'system ssh', why: expect.stringContaining(reason) });
      expect(runner.hostKey).toMatch(fingerprint);
      expect((await runner.run(['sh', '-c', 'exit 255'])).exitCode).toBe(255);
    }
    expect(said).toHaveLength(2);
    expect(await runners.refusal('h1-command-changed')).toMatchObject({ code: 'HOST_KEY_CHANGED' });
  });

  test('words and bytes arrive as they were', async () => {
    const runner = await runners.open('h1');
    const words = [
      '',
      ' ',
      "it's",
      '"',
      '$HOME',
      '`id`',
      '\\',
      '!',
      '*',
      '-n',
      '\n\ttab',
      '~root',
      'ä€😀',
      ';&|<>()',
      '%s',
      '#',
    ];
    const { stdout } = await runner.run(['printf', '%s\\0', ...words]);
    expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    const bytes = randomBytes(1_000_000);
    const path = `/tmp/her-bytes-${process.pid}`;
    const { stdout: sum } = await runner.run(['sh', '-c', 'cat > "$1"; sha256sum < "$1"', 'sh', path], {
      input: bytes,
    });
    expect(sum.slice(0, 64)).toBe(createHash('sha256').update(bytes).digest('hex'));
    const { chunks, ended } = runner.stream(
      ['sh', '-c', 'cat "$1"; rm "$1"', 'sh', path],
      new AbortController().signal,
    );
    expect((await bytesOf(chunks)).equals(bytes)).toBe(true);
    expect((await ended).exitCode).toBe(0);
  });

  test('forty commands at once on a server of ten sessions, and on one of a single session', async () => {
    const runner = await runners.open('h1');
    const echo = (on: typeof runner, count: number) =>
      Promise.all(
        Array.from(
          { length: count },
          async (_, at) => (await on.run(['sh', '-c', `sleep 0.1; echo ${at}`])).stdout,
        ),
      );
    expect(await echo(runner, 40)).toEqual(Array.from({ length: 40 }, (_, at) => `${at}\n`));
    // Ends with its own standard input.
    const program =
      '/usr/sbin/sshd -D -f /var/lib/her-testbed/self/etc/sshd_config -o MaxSessions=1 -p 2299 -o PidFile=none & cat >/dev/null; kill $!';
    const over = new AbortController();
    const server = runner.stream(['sh', '-c', program], over.signal);
    const drained = bytesOf(server.chunks);
    try {
      await useConfig(
        'Host narrow',
        '  HostName 10.77.0.1',
        '  Port 2299',
        '  ProxyJump j',
        '  HostKeyAlias 10.77.0.1',
      );
      const narrow = await runners.open('narrow');
      await expect
        .poll(
          async () =>
            narrow.connect().then(
              () => true,
              () => false,
            ),
          { timeout: 15_000 },
        )
        .toBe(true);
      expect(await echo(narrow, 5)).toHaveLength(5);
      const letGo = new AbortController();
      const stream = narrow.stream(['sh', '-c', 'echo begun; cat >/dev/null'], letGo.signal);
      const reading = stream.chunks[Symbol.asyncIterator]();
      await reading.next();
      // The one session is the stream's: a command has to come over another connection.
      expect((await narrow.run(['echo', 'beside'])).stdout).toBe('beside\n');
      letGo.abort();
      await reading.next();
    } finally {
      await runners.close();
      over.abort();
      await drained.catch(() => undefined);
    }
  });

  test('a session that is killed at the server says nothing of the command, and the next one runs', async () => {
    const runner = await runners.open('h1');
    const killed = await refused(() => runner.run(['sh', '-c', 'kill -9 $PPID; sleep 5']));
    expect(killed.code).toBe('AGENT_UNREACHABLE');
    expect((await runner.run(['echo', 'again'])).stdout).toBe('again\n');
    const stream = runner.stream(
      ['sh', '-c', 'echo begun; sleep 0.2; kill -9 $PPID; sleep 5'],
      new AbortController().signal,
    );
    expect((await refused(() => bytesOf(stream.chunks))).code).toBe('AGENT_UNREACHABLE');
    await expect(stream.ended).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
    expect((await runner.run(['echo', 'again'])).stdout).toBe('again\n');
  });

  test('her host add accepts what is right, on both sides of a jump host, once, and into the ledger', async () => {
    const root = await mkdtemp(join(folder, 'home-'));
    const nothing = join(root, 'nothing-known');
    await useConfig('Host *', `  UserKnownHostsFile ${nothing}`);
    const config = String(process.env['HER_SSH_CONFIG']);
    const add = (...args: string[]) =>
      her(root, ['host', 'add', ...args], {
        env: { HER_HOME: root, HER_SSH_CONFIG: config },
        stdin: 'ignore',
      });
    const key = async (host: string) =>
      fingerprint.exec(
        (await execa('ssh-keygen', ['-lF', host, '-f', String(bed.ssh.knownHosts['right'])])).stdout,
      )?.[0] ?? '';
    const [jump, first] = [await key('j'), await key('h1')];

    const alone = await add('h1');
    expect(alone).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('[HOST_KEY_NOT_ACCEPTED]') });
    expect(String(alone.stderr)).toContain(jump);
    // The way to h1 is not taken before j is known.
    expect(String(alone.stderr)).not.toContain(first);
    expect(await add('h1', '--fingerprint', first)).toMatchObject({ exitCode: 5 });

    const home = openHome(root);
    const dir = home.study('s').ledger;
    await (
      await openLedger({ dir, origin: 'her.local/s-1', keyFile: home.keyFile('her.local/s-1') })
    ).close();
    const both = ['--fingerprint', jump, '--fingerprint', first];
    const accepted = await Promise.all([add('h1', ...both), add('h1', ...both, '--study', 's')]);
    expect(accepted.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect((await readFile(join(root, 'known_hosts'), 'utf8')).split('\n')).toHaveLength(3);
    const recorded = await keysIn(dir);
    expect(recorded.map(({ host, fingerprint: is, how }) => [host, is, how])).toEqual([
      ['j', jump, 'accepted'],
      ['h1', first, 'accepted'],
    ]);

    const { stdout } = await her(root, ['host', 'list', '--json'], {
      env: { HER_HOME: root, HER_SSH_CONFIG: config },
    });
    expect(JSON.parse(String(stdout))).toMatchObject([
      { host: 'h1', at: 'root@10.77.0.1:22', way: ['j'], by: 'ssh2', keys: [{ fingerprint: first }] },
      { host: 'j', way: [], keys: [{ fingerprint: jump }] },
    ]);
    // What a run does with the keys that it meets.
    const own = openRunners(root);
    const seen: SeenHostKey[] = [];
    const runner = await own.open('h1', { onHostKeys: (keys) => seen.push(...keys) });
    await runner.connect();
    await own.close();
    const ledger = await openLedger({ dir, origin: 'her.local/s-1', keyFile: home.keyFile('her.local/s-1') });
    await hostKeyRecorder(ledger, 's', (await foldLedger(dir)).hostKeys)(seen);
    await ledger.close();
    expect(seen.map(({ host, how }) => [host, how])).toEqual([
      ['j', 'accepted'],
      ['h1', 'accepted'],
    ]);
    expect(await keysIn(dir)).toHaveLength(2);
  });

  test('her host add takes a changed key only where it is told to, and a revoked one never', async () => {
    const root = await mkdtemp(join(folder, 'home-'));
    const add = (...args: string[]) =>
      her(root, ['host', 'add', ...args], {
        env: { HER_HOME: root, HER_SSH_CONFIG: bed.ssh.config },
        stdin: 'ignore',
      });
    const changed = await add('h1-changed', '--yes');
    expect(changed).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('[HOST_KEY_CHANGED]') });
    expect(await add('h1-revoked', '--yes', '--replace')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('[HOST_KEY_REVOKED]'),
    });
    await expect(readFile(join(root, 'known_hosts'))).rejects.toThrow();
    expect(await add('h1-changed', '--yes', '--replace')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('known until now'),
    });
    const own = openRunners(root);
    expect((await (await own.open('h1-changed')).run(['hostname'])).stdout).toBe('h1\n');
    await own.close();
  });
});
