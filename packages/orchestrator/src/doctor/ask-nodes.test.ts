import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import type { RunResult } from '../targets/runner.ts';
import { askNode, type DoctorNode } from './ask-nodes.ts';
import { facts, needs, swiftNeed } from './testing.ts';
import { stubNode, stubRunner } from './testing-runner.ts';

let folder = '';
let archive = '';
let lines: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-ask-'));
  archive = join(folder, 'stub-agent.pyz');
  await writeFile(archive, 'stub agent');
});
afterAll(() => rm(folder, { recursive: true }));

const ask = (node: DoctorNode, want = needs(), more: { quick?: boolean; limit?: number } = {}) => {
  lines = [];
  return askNode(node, want, { quick: false, limit: 5, archive, say: (line) => lines.push(line), ...more });
};
const failing = (error: unknown) => ask({ name: 'n0', address: null, open: () => Promise.reject(error) });
const answering = (result: Partial<RunResult>) =>
  ask(stubNode('n0', stubRunner({ probe: () => ({ exitCode: 0, stdout: '', stderr: '', ...result }) })));
const saying = (value: unknown, exitCode = 0) => answering({ stdout: JSON.stringify(value), exitCode });

test('a node that answers is a report of what it said, with its clock and the time that it took', async () => {
  const runner = stubRunner();
  const { report, close } = await ask(stubNode('n0', runner));
  expect(report).toMatchObject({ node: 'n0', address: '10.0.0.1', reached: true, facts: facts() });
  expect(lines).toEqual([expect.stringMatching(/^n0: reached in \d+ ms$/)]);
  expect(runner.closed).toBe(0);
  await close();
  expect(runner.closed).toBe(1);
});

test('its clock is read from when it was asked and when it answered', async () => {
  const behind = () => {
    const now = `${BigInt(Date.now() - 90_000) * 1_000_000n}`;
    return { ...facts(), received: now, answered: now };
  };
  const { report } = await ask(stubNode('n0', stubRunner({ probe: behind })));
  if (!report.reached) throw new Error(report.obstacle.what);
  expect(Math.abs(report.clock.offset + 90_000)).toBeLessThanOrEqual(report.clock.bound + 2);
  expect(report.clock.bound).toBeLessThan(5_000);
});

test('the agent goes to the Python of the target on standard input, and is asked for what the study needs', async () => {
  const runner = stubRunner();
  const want = needs({
    python: '/opt/py/bin/python3',
    environments: [swiftNeed()],
    image: { name: 'docker://x', with: 'apptainer' },
    inputs: [
      { name: '/m', path: '/m', model: true },
      { name: '/rows', path: '/rows', model: false },
    ],
    servers: [{ name: 'hub', host: 'hub', port: 443, tls: true, why: 'stub', onlyToSetUp: false }],
  });
  await ask(stubNode('n0', runner), want);
  const [asked] = runner.asked;
  expect(asked).toMatchObject({ verb: 'probe', python: '/opt/py/bin/python3', agent: 'stub agent' });
  expect(asked?.request).toMatchObject({
    protocol: 1,
    quick: false,
    seconds: 3,
    folders: [
      { name: 'root', path: '/data/her', write: true },
      { name: 'tmp', path: '/tmp', write: true },
    ],
    environments: [{ name: 'swift', packages: expect.arrayContaining(['ms-swift', 'torch', 'flash-attn']) }],
    programs: ['apptainer'],
    models: [{ name: '/m', path: '/m' }],
    paths: [{ name: '/rows', path: '/rows' }],
    reach: [{ name: 'hub', host: 'hub', port: 443, tls: true }],
  });
  await ask(stubNode('n0', runner), want, { quick: true });
  expect(Object.keys(runner.asked[1]?.request ?? {})).not.toEqual(expect.arrayContaining(['reach']));
});

test.each([
  ['HOST_KEY_UNKNOWN', 'host key'],
  ['HOST_KEY_CHANGED', 'host key'],
  ['HOST_KEY_REVOKED', 'host key'],
  ['KNOWN_HOSTS_UNREADABLE', 'host key'],
  ['SSH_AUTH_FAILED', 'login'],
  ['AGENT_UNREACHABLE', 'reach'],
  ['SSH_SETUP', 'reach'],
] as const)('%s is an obstacle at %s, with the code and what to do', async (code, check) => {
  const { report } = await failing(new HerError(code, 'stub: refused'));
  if (report.reached) throw new Error('it was reached');
  expect(report.obstacle).toMatchObject({ check, what: 'stub: refused', code });
  expect(report.obstacle.remedy).toMatch(/\w/);
  expect(lines).toEqual(['n0: stub: refused']);
});

test('a Python that is too old, missing, or no Python is an obstacle at python', async () => {
  const found = [
    await saying({ error: { code: 'old-python', message: '3.6.8', hint: '' } }, 2),
    await answering({ exitCode: 127, stderr: 'sh: python3: command not found' }),
    await answering({ originalMessage: 'spawn python3 ENOENT', exitCode: undefined }),
    await saying({ hello: 'there' }),
    await answering({ stdout: 'Welcome to n0!' }),
  ];
  expect(
    found.map(({ report }) =>
      report.reached ? 'reached' : `${report.obstacle.check}: ${report.obstacle.what}`,
    ),
  ).toEqual([
    'python: Python 3.6.8 is older than 3.9',
    'python: there is no `python3`',
    'python: there is no `python3`',
    'python: `python3` answered something else than was asked for',
    'python: `python3` answered something else than was asked for',
  ]);
  for (const { report } of found)
    expect(report.reached || report.obstacle.remedy).toMatch(/`python` of the target/);
});

test('an agent that ends without an answer says why it is not reached', async () => {
  const { report } = await answering({ exitCode: 1, stderr: 'Traceback\nMemoryError: stub' });
  expect(report).toMatchObject({ reached: false, obstacle: { check: 'reach', code: 'AGENT_UNREACHABLE' } });
  expect(report.reached || report.obstacle.what).toContain('MemoryError: stub');
});

test('a login that runs no commands is not reached', async () => {
  const runner = stubRunner({
    true: { exitCode: 1, stdout: '', stderr: 'This account is not available.\n' },
  });
  const { report } = await ask(stubNode('n0', runner));
  expect(report.reached || report.obstacle.what).toBe(
    'a command that does nothing failed: This account is not available.',
  );
});

test('a node that hangs is not waited for longer than was said, and one that opens too late is closed', async () => {
  const runner = stubRunner();
  const late = Promise.withResolvers<typeof runner>();
  const { report, close } = await ask({ name: 'n0', address: null, open: () => late.promise }, needs(), {
    limit: 0.05,
  });
  expect(report.reached || report.obstacle.what).toBe('no answer within 0.05 s');
  await close();
  late.resolve(runner);
  await expect.poll(() => runner.closed).toBe(1);
});

test('a mistake of ours is thrown, not told as one of the node', async () => {
  await expect(failing(new TypeError('stub mistake'))).rejects.toThrow('stub mistake');
});
