import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { importScripts } from './import.ts';
import { plan } from './plan.ts';
import { render } from './render.ts';

const folder = await mkdtemp(join(tmpdir(), 'her-import-'));
const script = join(folder, 'run.sh');
await writeFile(
  script,
  "swift sft --model Qwen/Qwen3-8B --dataset './a\\u001b[2J.jsonl' --max_length 9\n".replace(
    '\\u001b',
    '\u001b',
  ),
);

async function said(work: () => Promise<number>): Promise<string> {
  const spies = [process.stdout, process.stderr].map((to) => vi.spyOn(to, 'write').mockReturnValue(true));
  try {
    await work();
    return spies.flatMap((spy) => spy.mock.calls.map(([piece]) => String(piece))).join('');
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
const importing = (more: { out?: string; name?: string; json?: boolean }): Promise<string> =>
  said(() => importScripts([script], { name: 'imported', set: {}, json: false, ...more }));

test.each([{ out: '' }, { name: 'A B' }, { name: '' }, { name: 'x'.repeat(32) }])(
  'a word that cannot be what it is for is refused, and nothing is written: %j',
  async (more) => {
    const error = { code: 'ARGUMENT_INVALID', exitCode: 2, message: expect.stringMatching(/^--(out|name) /) };
    await expect(importing({ out: join(folder, 'none.yaml'), ...more })).rejects.toMatchObject(error);
    expect(await readdir(folder)).not.toContain('none.yaml');
  },
);

test('what the script says reaches the terminal as text, on its line', async () => {
  const text = await importing({});
  expect(text).toContain('a\\e[2J.jsonl');
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
});

test('a study is written whole or not at all, and over nothing', async () => {
  const out = join(folder, 'made.yaml');
  await importing({ out });
  const text = await readFile(out, 'utf8');
  expect(text).toContain('name: imported');
  await expect(importing({ out })).rejects.toMatchObject({ code: 'FILE_TAKEN' });
  expect(await readFile(out, 'utf8')).toBe(text);
  expect((await readdir(folder)).sort()).toEqual(['made.yaml', 'run.sh']);
  const nowhere = {
    code: 'FILE_UNWRITABLE',
    exitCode: 5,
    message: expect.stringContaining('no such file or folder'),
  };
  await expect(importing({ out: join(folder, 'none', 'x.yaml') })).rejects.toMatchObject(nowhere);
});

test('an empty target or folder is refused, and not taken for the default', async () => {
  const study = join(import.meta.dirname, '..', '..', '..', '..', 'studies', 'tiny.yaml');
  const target = { problems: [expect.objectContaining({ code: 'STUDY_UNKNOWN_NAME' })] };
  await expect(said(() => plan(study, { target: '', origins: false, json: false }))).rejects.toMatchObject(
    target,
  );
  const options = { out: join(folder, 'kit'), target: '', json: false };
  await expect(said(() => render(study, options))).rejects.toMatchObject(target);
  await expect(said(() => render(study, { out: '', json: false }))).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
  });
});
