import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { secretFindings } from './secrets.ts';

const value = 'a-value-that-nobody-may-see';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-doctor-secrets-'));
  await mkdir(join(folder, 'tree'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function file(name: string, text: string, mode = 0o600) {
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), mode);
  return { file: name };
}

async function of(secrets: Parameters<typeof secretFindings>[0], seconds?: number) {
  const found = await secretFindings(secrets, (path) => join(folder, path), seconds);
  expect(JSON.stringify(found)).not.toContain(value);
  for (const { status, remedy } of found) expect(status === 'ok' || remedy !== undefined).toBe(true);
  return found.map(({ check, node, status, what }) => {
    expect([check, node]).toEqual(['secrets', null]);
    return [status, what];
  });
}

test('secrets that can be had pass, and no value is shown', async () => {
  vi.stubEnv('HER_TEST_TOKEN', value);
  expect(
    await of({
      A: { env: 'HER_TEST_TOKEN' },
      B: await file('token', `${value}\n`),
      C: { command: ['printf', '%s', value] },
    }),
  ).toEqual([
    ['ok', 'A: in the environment (HER_TEST_TOKEN)'],
    ['ok', 'B: in token'],
    ['ok', 'C: by `printf`'],
  ]);
});

test('a variable that is not set, or empty, fails', async () => {
  vi.stubEnv('HER_TEST_EMPTY', '');
  expect(await of({ A: { env: 'HER_TEST_NONE' }, B: { env: 'HER_TEST_EMPTY' } })).toEqual([
    ['fail', 'A: HER_TEST_NONE is not set here'],
    ['fail', 'B: HER_TEST_EMPTY is not set here'],
  ]);
});

test('a file fails where a run could not take it: missing, a folder, empty, or with an empty line alone', async () => {
  const found = await of({
    A: { file: 'none' },
    B: { file: 'tree' },
    C: await file('empty', ''),
    D: await file('newline', '\n'),
    E: await file('nul', `${value}\0`),
  });
  expect(found.map(([status]) => status)).toEqual(['fail', 'fail', 'fail', 'fail', 'fail']);
  expect(found.map(([, what]) => what).join('\n')).toMatch(
    /A: none cannot be read.*\nB: tree .*\nC: empty is empty\nD: newline is empty\nE: nul holds a NUL/,
  );
});

test('a file that others may read is told', async () => {
  expect(await of({ A: await file('open', value, 0o644) })).toEqual([
    ['warn', 'A: open may be read by others'],
  ]);
});

test('a command fails where it is missing, ends badly or prints nothing; what it says is not shown', async () => {
  const found = await of({
    A: { command: ['her-no-such-program'] },
    B: { command: ['sh', '-c', `echo ${value} >&2; exit 3`] },
    C: { command: ['true'] },
  });
  expect(found).toEqual([
    ['fail', 'A: `her-no-such-program` is not there'],
    ['fail', 'B: `sh` ended with exit code 3'],
    ['fail', 'C: what `true` printed is empty'],
  ]);
});

test('a command that waits for a person is not waited for', async () => {
  expect(await of({ A: { command: ['sleep', '60'] } }, 0.2)).toEqual([
    ['fail', 'A: `sleep` did not end within 0.2 s'],
  ]);
});

test('a study without secrets has no finding of them', async () => {
  expect(await of({})).toEqual([]);
});
