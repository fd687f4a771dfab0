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

async function scriptOf(name: string, text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'her-import-')), name);
  await writeFile(file, text);
  return file;
}
const reading = (file: string, more: { out?: string; json?: boolean } = {}): Promise<string> =>
  said(() => importScripts([file], { name: 'imported', set: {}, json: false, ...more }));

test('what was left out is one row where it is one thing, within 120 columns, and summed up', async () => {
  const file = await scriptOf(
    'run.sh',
    'swift sft --model $HOME/m --dataset $HOME/a.jsonl $HOME/b.jsonl --val_dataset $HOME/c.jsonl \\\n  --no_such_option 1 --output_dir $HOME/out\n',
  );
  const text = await reading(file);
  const table = text.slice(text.indexOf('not in the study'));
  expect(table).toMatch(/^run\.sh:1 +unknown-value +--model, --dataset, --val_dataset +3 values/m);
  expect(table).not.toContain(file);
  const rows = table.slice(0, table.indexOf('to settle')).split('\n');
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(120);
  expect(text).toMatch(/^ {2}\(the study above\):\d+:\d+ {2}stages\.sft/m);
  expect(text.trimEnd().split('\n').at(-1)).toBe('3 of 5 settings of the script are in the study.');
});

test('a launch that no study can say is an error, with the list, and nothing is written', async () => {
  const file = await scriptOf('run.sh', 'torchrun -m verl.trainer.sft_trainer a.b=1\n');
  const out = join(folder, 'never.yaml');
  await expect(reading(file, { out })).rejects.toMatchObject({
    code: 'IMPORT_FAILED',
    exitCode: 2,
    hint: expect.stringContaining('verl.trainer.sft_trainer'),
  });
  expect(await readdir(folder)).not.toContain('never.yaml');
});

test("the file of accelerate's launcher is read when it is beside the script", async () => {
  const file = await scriptOf(
    'run.sh',
    'accelerate launch --config_file acc.yaml swift/cli/sft.py --model Qwen/Qwen3-8B --dataset a.jsonl\n',
  );
  expect(await reading(file)).toMatch(/--config_file +`acc\.yaml` was not read/);
  const config = 'distributed_type: FSDP\nnum_processes: 4\nfsdp_config:\n  fsdp_version: 2\n';
  await writeFile(join(file, '..', 'acc.yaml'), config);
  const text = await reading(file);
  expect(text).toMatch(/per_node: 4/);
  expect(text).toMatch(/sharding: fsdp2/);
});

test("a config file that is another program's is refused, with the way to force it", async () => {
  const file = await scriptOf('task.yaml', 'resources: { accelerators: A100 }\nrun: swift sft\n');
  await expect(reading(file)).rejects.toMatchObject({
    code: 'IMPORT_FAILED',
    message: expect.stringContaining('SkyPilot'),
    hint: expect.stringContaining('--command sft'),
  });
});

test('what stands in a config file is listed with its line there', async () => {
  const file = await scriptOf('run.sh', 'swift sft conf.yaml --seed 1\n');
  await writeFile(
    join(file, '..', 'conf.yaml'),
    'model: Qwen/Qwen3-8B\ndataset: a.jsonl\nno_such_option: 1\n',
  );
  expect(await reading(file)).toMatch(/^conf\.yaml:3 +gone +no_such_option/m);
});
