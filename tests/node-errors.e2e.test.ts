import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Bed,
  bed as bedCommand,
  bedlessReason,
  computeHosts,
  openBed,
  visibleEnvironments,
} from './support/bed.ts';
import { environmentPaths, writeBedStudy } from './support/bed-study.ts';
import { freshHome, her } from './support/her.ts';

const why = bedlessReason('What is wrong with nodes');

let bed: Bed;
let folder = '';
let root = '';
let small = '';
let host = '';
let given: Record<string, { path: string }>;

type Case = {
  name: string;
  target: () => Record<string, unknown>;
  /** Of `run`; doctor's is 5 whatever it is that must be mended. */
  exitCode: number;
  says: RegExp;
};

const cases: Case[] = [
  {
    name: 'an unknown host key',
    target: () => on('h1-unknown'),
    exitCode: 5,
    says: /h1-unknown.*SHA256:.*HOST_KEY_UNKNOWN/,
  },
  {
    name: 'a changed host key',
    target: () => on('h1-changed'),
    exitCode: 5,
    says: /h1-changed.*HOST_KEY_CHANGED/,
  },
  {
    name: 'a revoked host key',
    target: () => on('h1-revoked'),
    exitCode: 5,
    says: /h1-revoked.*HOST_KEY_REVOKED/,
  },
  {
    name: 'a wrong user',
    target: () => on('h1-wrong-user'),
    exitCode: 5,
    says: /h1-wrong-user.*SSH_AUTH_FAILED/,
  },
  {
    name: 'a dead host',
    target: () => on('dead-behind-j'),
    exitCode: 7,
    says: /dead-behind-j.*AGENT_UNREACHABLE/,
  },
  { name: 'a full disk', target: () => ({ ...on(host), root: small }), exitCode: 5, says: /disk.*free/ },
  {
    name: 'a missing GPU',
    target: () => ({ ...on(host), gpus: { per_node: 1, memory_gb: 80 } }),
    exitCode: 5,
    says: /gpus: none of 1/,
  },
  {
    name: 'another trainer than the locked one',
    target: () => ({ ...on(host), environments: { swift: given['verl'], verl: given['verl'] } }),
    exitCode: 5,
    says: /trainer: no ms-swift/,
  },
];

describe.skipIf(why !== null)('what is wrong with a node', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    bed = await openBed();
    [host = ''] = computeHosts(bed, 1);
    folder = await mkdtemp(join(tmpdir(), 'her-node-errors-'));
    root = await mkdtemp(join(bed.shared, 'node-errors-'));
    given = await environmentPaths(await visibleEnvironments());
    small = `${bed.privateOnHost}/small`;
    await bedCommand([
      'exec',
      host,
      '--',
      'sh',
      '-c',
      `mkdir -p ${small} && mount -t tmpfs -o size=3m tmpfs ${small}`,
    ]);
  }, 600_000);
  afterAll(async () => {
    if (folder === '') return;
    await bedCommand(['exec', host, '--', 'umount', small], false);
    await rm(folder, { recursive: true, force: true });
    await rm(root, { recursive: true, force: true });
    await bed.close();
  });

  test.each(cases)(
    '$name: one clear line by doctor and by run, and nothing was started',
    async ({ name, target, exitCode, says }) => {
      const study = `e-${cases.findIndex((one) => one.name === name)}`;
      const file = await writeBedStudy(folder, study, target(), { only: ['prepare', 'sft'] });
      const home = await freshHome();
      const env = { HER_HOME: home, INIT_CWD: folder, HER_SSH_CONFIG: bed.ssh.config };

      const looked = await her(home, ['doctor', file, '--limit', '20'], { env });
      expect(looked.exitCode, String(looked.stdout)).toBe(5);
      const failures = lines(looked.stdout).filter((line) => /^fail /.test(line));
      expect(failures.length, String(looked.stdout)).toBeGreaterThan(0);

      const ran = await her(home, ['run', file], { env });
      expect(ran.exitCode, String(ran.stderr)).toBe(exitCode);
      const said = lines(ran.stderr).filter((line) => says.test(line));
      expect(said.length, String(ran.stderr)).toBe(1);

      const entries = await her(home, ['ledger', 'show', '--study', study], { env });
      expect(String(entries.stdout)).not.toContain('attempt.started');
      expect(String(entries.stdout)).not.toContain('"decision"');
      await expect(readdir(join(root, 'studies'))).rejects.toThrow('ENOENT');
      await rm(home, { recursive: true, force: true });
    },
  );
});

function on(name: string): Record<string, unknown> {
  return { kind: 'ssh', hosts: [name], root, environments: given, cores: 2, memory_gb: 20 };
}

function lines(text: unknown): string[] {
  return String(text).split('\n');
}
