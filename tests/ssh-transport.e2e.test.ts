import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bedlessReason } from './support/bed.ts';
import { fingerprint, openSshBed, type SshBed } from './support/ssh-bed.ts';
import { bytesOf, refused } from './support/ssh-runners.ts';

const why = bedlessReason('SSH');

let bed: SshBed;

describe.skipIf(why !== null)('ssh', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    bed = await openSshBed();
  }, 900_000);
  afterEach(() => bed.reset());
  afterAll(() => bed?.close());

  test('what is wrong with a host is one line each, with its code and what to do', async () => {
    await bed.useConfig('Host dead*', '  ConnectTimeout 4');
    const [unknown, changed, revoked, user, dead, behind, nowhere] = await Promise.all(
      [
        'h1-unknown',
        'h1-changed',
        'h1-revoked',
        'h1-wrong-user',
        'dead',
        'dead-behind-j',
        'no-such.invalid',
      ].map((host) => bed.runners.refusal(host)),
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
    const runner = await bed.runners.open('h1-hashed');
    expect(await runner.run(['hostname'])).toMatchObject({ exitCode: 0, stdout: 'h1\n' });
    expect(runner).toMatchObject({ via: 'ssh2', why: null, address: '10.77.0.1' });
    expect(runner.hostKey).toMatch(fingerprint);
  });

  test('a key with a passphrase is opened by the file that is named, and else said to be locked', async () => {
    const locked = await bed.runners.refusal('h1-locked');
    expect(locked).toMatchObject({
      code: 'SSH_AUTH_FAILED',
      message: expect.stringContaining('locked by a passphrase'),
    });
    expect(locked.hint).toContain('HER_SSH_PASSPHRASE_FILE');
    process.env['HER_SSH_PASSPHRASE_FILE'] = bed.ssh.passphraseFile;
    await bed.runners.close();
    const runner = await bed.runners.open('h1-locked');
    expect((await runner.run(['id', '-un'])).stdout).toBe('root\n');
  });

  test('a key that only the agent holds', async () => {
    const socket = join(bed.folder, 'agent.sock');
    const agent = execa('ssh-agent', ['-D', '-a', socket], { reject: false });
    try {
      await expect
        .poll(
          async () =>
            (await execa('ssh-add', ['-L'], { reject: false, env: { SSH_AUTH_SOCK: socket } })).exitCode,
        )
        .toBe(1);
      await execa('ssh-add', [bed.ssh.key], { env: { SSH_AUTH_SOCK: socket } });
      const file = join(bed.folder, 'agent_config');
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
      const runner = await bed.runners.open('h1');
      expect((await runner.run(['hostname'])).stdout).toBe('h1\n');
      expect(runner.via).toBe('ssh2');
    } finally {
      agent.kill();
      await agent;
    }
  });

  test("the system's ssh serves a certificate of an authority, and a ProxyCommand", async () => {
    await bed.useConfig(
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
      const runner = await bed.runners.open(host, { say: (line) => said.push(line) });
      expect((await runner.run(['cat'], { input: 'through\n' })).stdout).toBe('through\n');
      expect(runner).toMatchObject({ via: 'system ssh', why: expect.stringContaining(reason) });
      expect(runner.hostKey).toMatch(fingerprint);
      expect((await runner.run(['sh', '-c', 'exit 255'])).exitCode).toBe(255);
    }
    expect(said).toHaveLength(2);
    expect(await bed.runners.refusal('h1-command-changed')).toMatchObject({ code: 'HOST_KEY_CHANGED' });
  });

  test('words and bytes arrive as they were', async () => {
    const runner = await bed.runners.open('h1');
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
    const runner = await bed.runners.open('h1');
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
      await bed.useConfig(
        'Host narrow',
        '  HostName 10.77.0.1',
        '  Port 2299',
        '  ProxyJump j',
        '  HostKeyAlias 10.77.0.1',
      );
      const narrow = await bed.runners.open('narrow');
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
      await bed.runners.close();
      over.abort();
      await drained.catch(() => undefined);
    }
  });

  test('a session that is killed at the server says nothing of the command, and the next one runs', async () => {
    const runner = await bed.runners.open('h1');
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
});
