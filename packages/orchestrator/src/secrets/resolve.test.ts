import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import type { Sources } from './read-secret.ts';
import { resolveSecrets } from './resolve.ts';
import { withholdSecrets } from './withhold.ts';

let folder = '';
let said: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'her-secrets-'));
});
afterAll(() => rm(folder, { recursive: true }));

function sources(env: Record<string, string> = {}, signal = new AbortController().signal): Sources {
  said = [];
  return { env, locate: (path) => join(folder, path), say: (line) => said.push(line), signal };
}

async function file(name: string, text: string | Uint8Array, mode = 0o600): Promise<{ file: string }> {
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), mode);
  return { file: name };
}

async function failing(specs: Parameters<typeof resolveSecrets>[0], from = sources()): Promise<HerError> {
  const error = await resolveSecrets(specs, from).catch((caught: unknown) => caught);
  if (error instanceof HerError) return error;
  throw new Error('it was resolved');
}

test('values come from a variable, a file and a command, without the newline at the end', async () => {
  const specs = {
    A: { env: 'TOKEN' },
    B: await file('b', 'two\nlines\r\n'),
    C: { command: ['printf', '%s\n\n', 'with spaces; $HOME'] },
  };
  expect(await resolveSecrets(specs, sources({ TOKEN: ' kept ' }))).toEqual({
    A: ' kept ',
    B: 'two\nlines',
    C: 'with spaces; $HOME\n',
  });
  expect(said).toEqual([]);
});

test('everything that is missing is told in one error, without any value', async () => {
  const error = await failing(
    {
      A: { env: 'NOT_SET' },
      B: { file: 'nowhere' },
      C: { command: ['sh', '-c', 'echo hidden-value; echo why >&2; exit 3'] },
      D: { command: ['no-such-program-of-ours'] },
      E: await file('empty', '\n'),
      F: await file('bytes', new Uint8Array([0x68, 0xff, 0xfe])),
      G: await file('nul', 'hidden-value\0more'),
      H: { file: '.' },
      I: { env: 'THERE' },
    },
    sources({ THERE: 'hidden-value' }),
  );
  expect(error).toMatchObject({ code: 'SECRET_MISSING', exitCode: 5 });
  expect(error.message).toBe(
    [
      '8 secrets of the study cannot be had: A: NOT_SET is not set here',
      'B: nowhere cannot be read: there is no such file or folder',
      'C: `sh` ended with exit code 3',
      'D: `no-such-program-of-ours` is not there',
      'E: empty is empty',
      'F: bytes is no UTF-8 text',
      'G: nul holds a NUL, which no variable can',
      'H: . cannot be read: it is a folder',
    ].join('; '),
  );
  expect(said).toEqual(['secret C: `sh` says: why']);
  expect(JSON.stringify([error, error.message, error.stack, said])).not.toContain('hidden-value');
});

test('a value that no variable can hold is refused, from a file and from a command', async () => {
  const error = await failing({
    A: await file('large', 'x'.repeat(200_000)),
    B: { command: ['head', '-c', '200000', '/dev/zero'] },
  });
  expect(error.message).toMatch(/A: large cannot be read: it has more than .*; B: `head` printed more than/);
});

test('a file that others may read, and a value too short to be masked, are said', async () => {
  await resolveSecrets({ A: await file('open', 'abcdef', 0o644), B: { env: 'B' } }, sources({ B: 'abc' }));
  expect(said).toEqual([
    'secret A: open may be read by others: chmod 600 open',
    'secret B has fewer than 4 characters: it is not masked in logs',
  ]);
});

test('a command that is let go ends at once', async () => {
  const letGo = new AbortController();
  setTimeout(() => letGo.abort(), 200);
  const began = Date.now();
  const error = await failing({ A: { command: ['sleep', '30'] } }, sources({}, letGo.signal));
  expect(error.message).toContain('`sleep` was let go');
  expect(Date.now() - began).toBeLessThan(10_000);
});

test('variables of secrets are withheld from the programs that are started, and kept for those who ask', () => {
  const env: Record<string, string | undefined> = { HF: 'one', HOOK: 'two', PATH: '/bin' };
  const kept = withholdSecrets(
    {
      secrets: { HF_TOKEN: { env: 'HF' }, OTHER: { file: 'x' } },
      notify: [
        { webhook: { env: 'HOOK' }, on: ['end'] },
        { webhook: 'https://example.org/x', on: ['end'] },
      ],
    },
    env,
  );
  expect(env).toEqual({ PATH: '/bin' });
  expect(kept).toEqual({ HF: 'one', HOOK: 'two', PATH: '/bin' });
});
