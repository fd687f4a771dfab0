import { describe, expect, test } from 'vitest';
import { DelayLine } from './delay-line.ts';
import { etcFiles, groupFile } from './host-files.ts';
import { initScript } from './init-script.ts';
import { linkCommands, networkCommands } from './network-commands.ts';
import { type BedOptions, parseCommandLine } from './options.ts';
import { folderOf, isOurs, newTag } from './ownership.ts';
import { checkedDir, placesIn } from './places.ts';
import { parseStat } from './processes.ts';
import { knownHostsFiles, sshConfig } from './ssh-files.ts';
import { signed } from './store-request.ts';
import { callerLinksOf, namespacesOf, topologyOf } from './topology.ts';

const plain: BedOptions = { hosts: 2, delayMs: null, rateMbit: null, slurm: false, s3: false, direct: false };
const full: BedOptions = { hosts: 8, delayMs: 50, rateMbit: 100, slurm: true, s3: true, direct: true };
const places = placesIn('/var/lib/bed');
const commandsOf = (options: BedOptions) =>
  networkCommands(topologyOf(options), 'her-testbed:x').map((argv) => argv.join(' '));

describe('the command line', () => {
  test('says what it is not, with a hint', () => {
    for (const args of [
      ['up', '--hosts', '9'],
      ['up', '--hosts', 'two'],
      ['cut'],
      ['exec', 'h1'],
      ['fly'],
      ['up', '-x'],
    ])
      expect(() => parseCommandLine(args)).toThrow(expect.objectContaining({ code: 'BED_USAGE' }));
  });

  test('leaves everything after the dashes to the host', () => {
    const { command } = parseCommandLine(['exec', 'h2', '--', 'ls', '--json', '--']);
    expect(command).toEqual({ do: 'exec', host: 'h2', argv: ['ls', '--json', '--'] });
  });

  test('takes no folder that a host would not see, or that would break a configuration file', () => {
    for (const dir of ['/tmp/bed', '/run/bed', 'bed', '/var/lib/a b', '/var/lib/$(x)', '/var/../tmp/x'])
      expect(() => checkedDir(dir)).toThrow(expect.objectContaining({ code: 'BED_FOLDER' }));
    expect(checkedDir('/srv/bed/')).toBe('/srv/bed');
  });
});

describe('the network', () => {
  test('gives the caller no way to the hosts but the jump host', () => {
    const caller = commandsOf(plain).filter((line) => !/^ip -n|netns add/.test(line));
    expect(caller.filter((line) => line.includes('her-h'))).toEqual([]);
    expect(caller.some((line) => line.includes('addr add 10.77.0.'))).toBe(false);
    expect(commandsOf({ ...plain, direct: true })).toContain('ip addr add 10.77.0.254/24 dev her-direct');
  });

  test('tags all that it makes where the marker looks for it', () => {
    const topology = topologyOf(full);
    const lines = commandsOf(full);
    for (const link of callerLinksOf(topology))
      expect(lines).toContain(`ip link set ${link} alias her-testbed:x`);
    for (const name of namespacesOf(topology))
      expect(lines).toContain(`ip -n ${name} link set lo alias her-testbed:x`);
    const made = lines.flatMap((line) => /^ip link add (\S+)/.exec(line)?.[1] ?? []);
    expect(made.filter((name) => !callerLinksOf(topology).includes(name))).toEqual([]);
  });

  test('has names and addresses that Linux takes, each once', () => {
    const links = topologyOf(full).hosts.flatMap((host) => host.links);
    expect(new Set(links.map(({ address }) => address)).size).toBe(links.length);
    expect(links.every(({ port }) => port.length <= 15)).toBe(true);
  });

  test('cuts every link of a host', () => {
    const [jump] = topologyOf(plain).hosts;
    if (jump === undefined) throw new Error('no jump host');
    expect(linkCommands(jump, 'down').map((argv) => argv.join(' '))).toEqual([
      'ip -n her-switch link set her-j down',
      'ip link set her-j-out down',
    ]);
  });
});

describe('what is the bed’s own', () => {
  test('carries its tag, or none while the bed is being made', () => {
    expect(isOurs('t', { tag: 't', state: 'up' })).toBe(true);
    expect(isOurs('', { tag: 't', state: 'making' })).toBe(true);
    expect(isOurs('', { tag: 't', state: 'up' })).toBe(false);
    expect(isOurs('u', { tag: 't', state: 'making' })).toBe(false);
  });

  test('says in which folder the bed is', () => {
    expect(folderOf(newTag('/var/lib/bed'))).toBe('/var/lib/bed');
    expect(newTag('/var/lib/bed')).not.toBe(newTag('/var/lib/bed'));
    // The kernel takes an alias of 255 bytes, and a bed a folder of 60 characters.
    expect(newTag(checkedDir(`/${'d'.repeat(59)}`)).length).toBeLessThan(255);
    for (const alias of [
      '',
      'uplink',
      'her-testbed:x',
      'her-testbed:bed:00000000-0000-0000-0000-000000000000',
    ])
      expect(folderOf(alias)).toBe(null);
  });

  test('a process is known by its start time, whatever its name is', () => {
    const rest = `S ${Array.from({ length: 18 }, (_, index) => index).join(' ')} 4242 0`;
    expect(parseStat(`12 (a) b (c) ${rest}`)).toEqual({ state: 'S', startTime: '4242' });
  });
});

describe('a host’s files', () => {
  const machine =
    'root:x:0:0:root:/root:/bin/sh\nher:x:1000:1000::/home/her:/bin/sh\nx:x:20077:1::/:/bin/sh\n';
  const topology = topologyOf(full);
  const [jump] = topology.hosts;
  if (jump === undefined) throw new Error('no jump host');

  test('hold no password, and one user of each name and number', () => {
    const files = etcFiles(jump, topology, places, machine);
    expect(files.find(({ path }) => path.endsWith('passwd'))?.text).toBe(
      'root:x:0:0:root:/var/lib/bed/self/home/root:/bin/bash\nher:x:20077:20077::/var/lib/bed/self/home/her:/bin/bash\n',
    );
    expect(files.find(({ path }) => path.endsWith('shadow'))?.text).toBe(
      'root:*:19000::::::\nher:*:19000::::::\n',
    );
    expect(groupFile('root:x:0:\nher:x:5:\n')).toBe('root:x:0:\nher:x:20077:\n');
  });

  test('a relay and a store run only where they belong', () => {
    const programs = { node: 'NODE', relay: 'RELAY', versitygw: 'STORE' };
    const with_ = (word: string, options: BedOptions) =>
      topologyOf(options)
        .hosts.filter((host) => initScript(host, topologyOf(options), places, programs).includes(word))
        .map(({ name }) => name);
    expect(with_('RELAY', { ...plain, delayMs: 0 })).toEqual(['h1', 'h2']);
    expect(with_('RELAY', plain)).toEqual([]);
    expect(with_('STORE', full)).toEqual(['s3']);
    expect(with_('slurmctld', full)).toEqual(['login']);
  });
});

describe('the client’s files', () => {
  const topology = topologyOf(plain);
  const keys = new Map([
    ['j', 'K j'],
    ['h1', 'K 1'],
    ['h2', 'K 2'],
  ]);

  test('know h1 rightly, not at all, wrongly, as revoked, and by an authority', () => {
    const known = knownHostsFiles(topology, keys, 'K other', 'K authority');
    expect(known['']).toContain('h1,10.77.0.1 K 1\n');
    expect(known.unknown).not.toContain('h1');
    expect(known.changed).toContain('h1,10.77.0.1 K other\n');
    expect(known.revoked).toContain('@revoked * K 1\n');
    expect(known.ca).toContain('@cert-authority * K authority\n');
  });

  test('go through the jump host, unless there is a link', () => {
    expect(sshConfig(topology, places)).toContain('Host h2\n  HostName 10.77.0.2\n  ProxyJump j\n');
    expect(sshConfig(topologyOf({ ...plain, direct: true }), places)).toContain(
      'Host h2\n  HostName 10.77.0.2\n#',
    );
  });
});

test('what is delayed keeps its order when the delay shrinks', () => {
  const line = new DelayLine<string>();
  line.push('a', 0, 100);
  line.push('b', 10, 0);
  expect(line.take(99)).toEqual([]);
  expect(line.next).toBe(100);
  expect(line.take(100)).toEqual(['a', 'b']);
});

test('a signature covers every header that is sent', () => {
  const credentials = {
    endpoint: 'https://s3.amazonaws.com',
    region: 'us-east-1',
    bucket: 'b',
    accessKeyId: 'AKID',
    secretAccessKey: 'secret',
  };
  const at = new Date('2013-05-24T00:00:00Z');
  const { headers } = signed(
    credentials,
    { method: 'PUT', key: 'k', body: 'x', headers: { 'if-none-match': '*' } },
    at,
  );
  expect(headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKID\/20130524\/us-east-1\/s3\/aws4_request, SignedHeaders=host;if-none-match;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
  );
});
