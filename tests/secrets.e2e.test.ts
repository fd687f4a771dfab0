import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '@her/configs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bed, bed as bedCommand, bedlessReason, computeHosts, openBed } from './support/bed.ts';
import { entriesOf, her, until } from './support/her.ts';
import { filesWith, formsOf, newFilesWith, processesWith, type Trace } from './support/traces.ts';

/** A value is where it is meant to be, in the ranks' environment, and nowhere else: on this machine and on a node. */
const why = bedlessReason('Secrets over SSH');
const study = join(import.meta.dirname, 'support', 'stand-in-study.ts');

let bed: Bed | undefined;
let folder = '';
/** Where the values come from: not searched. */
let origin = '';

beforeAll(async () => {
  bed = why === null ? await openBed() : undefined;
  folder = await mkdtemp(join(tmpdir(), 'her-secrets-'));
  origin = await mkdtemp(join(tmpdir(), 'her-origin-'));
}, 900_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(origin, { recursive: true, force: true });
  await bed?.close();
});

type Values = { variable: string; file: string; command: string };

/** Characters that JSON, shells, URLs and Python each spell in their own way. */
function newValue(): string {
  return `k"'\\ &=%+/ä${randomBytes(12).toString('hex')}`;
}

async function plant(home: string, runsOn?: Plan['runsOn']): Promise<{ plan: string; values: Values }> {
  const values = { variable: newValue(), file: newValue(), command: newValue() };
  await writeFile(join(origin, 'file'), `${values.file}\n`, { mode: 0o600 });
  await writeFile(join(origin, 'printed'), `${values.command}\n`, { mode: 0o600 });
  const plan = join(home, 'plan.json');
  const secrets = {
    ONE: { env: 'OF_THE_CALLER' },
    TWO: { file: join(origin, 'file') },
    THREE: { command: ['cat', join(origin, 'printed')] },
  };
  const parts = {
    argv: ['leak', 'ONE,TWO,THREE', '6'],
    secrets,
    ...(runsOn === undefined ? {} : { runsOn }),
  };
  await writeFile(plan, JSON.stringify(parts));
  return { plan, values };
}

/** Runs the study; while it waits with all that it has leaked, looks at every process. */
async function runAndLook(home: string, runsOn?: Plan['runsOn']) {
  const { plan, values } = await plant(home, runsOn);
  const forms = Object.values(values).flatMap(formsOf);
  const env = {
    OF_THE_CALLER: values.variable,
    ...(bed === undefined ? {} : { HER_SSH_CONFIG: bed.ssh.config }),
  };
  const running = execa('node', [study, home, plan], { env, reject: false });
  const traces = await until('the values in the ranks', 120, async () => {
    const found = await processesWith(forms);
    return found.some(({ command }) => command.includes('program.py')) ? found : undefined;
  });
  // Once more at the end of what it does: agents, masks and connections are all there then.
  await new Promise((wake) => setTimeout(wake, 4_000));
  traces.push(...(await processesWith(forms)));
  const { stdout, stderr } = await running;
  expect(stdout, stderr).toBe('["failed"]');
  expect(forms.filter((form) => stderr.includes(form))).toEqual([]);
  return { forms, traces, own: running.pid };
}

function ssh(): Record<string, string> {
  return bed === undefined ? {} : { HER_SSH_CONFIG: bed.ssh.config };
}

/** All but the ranks, and the `her` that a person started with the variable. */
function strangers(traces: readonly Trace[], own: number | undefined): Trace[] {
  return traces.filter(
    ({ pid, where, command }) =>
      where === 'cmdline' || !(pid === own || /^python3 program\.py leak/.test(command)),
  );
}

async function expectMasked(home: string): Promise<void> {
  const { stdout, stderr } = await her(home, ['logs', 'job/1'], { env: { HER_HOME: home, ...ssh() } });
  const log = String(stdout);
  expect(log, String(stderr)).not.toBe('');
  expect(log).toContain('has ONE,TWO,THREE');
  expect(log.match(/^whole \*\*\*$/gm)).toHaveLength(3);
  expect(log.match(/^in pieces \*\*\*$/gm)).toHaveLength(3);
  expect(log).toContain('RuntimeError: refused with *** *** ***');
  const metrics = await entriesOf(home, '--kind', 'metric');
  expect(metrics.map(({ values }) => Object.keys(values as object).sort())).toEqual(
    [1, 2, 3].map(() => ['loss', 'loss of ***']),
  );
  expect((await her(home, ['ledger', 'verify'])).exitCode).toBe(0);
}

test('on this machine, a secret of any source is in the environment of the ranks and nowhere else', async () => {
  const home = join(folder, 'local');
  await mkdir(home);
  const { forms, traces, own } = await runAndLook(home);
  expect(strangers(traces, own)).toEqual([]);
  expect(await filesWith(forms, home)).toEqual([]);
  expect(
    (await newFilesWith(forms, tmpdir(), join(home, 'plan.json'))).filter((file) => !file.startsWith(origin)),
  ).toEqual([]);
  await expectMasked(home);
}, 180_000);

test('what is searched would be found', async () => {
  const value = newValue();
  const forms = formsOf(value);
  expect(forms.length).toBeGreaterThanOrEqual(3);
  const home = join(folder, 'control');
  await mkdir(home);
  for (const [i, form] of forms.entries()) await writeFile(join(home, `${i}`), `before ${form} behind`);
  expect(await filesWith(forms, home)).toHaveLength(forms.length);
  await writeFile(join(home, 'mark'), '');
  await new Promise((wake) => setTimeout(wake, 100));
  await writeFile(join(home, 'after'), `${forms[0]}`);
  expect(await newFilesWith(forms, home, join(home, 'mark'))).toEqual([join(home, 'after')]);
  const letGo = new AbortController();
  const options = { reject: false, cancelSignal: letGo.signal } as const;
  const inWords = execa('python3', ['-c', 'import time; time.sleep(30)', value], options);
  const inVariables = execa('python3', ['-c', 'import time; time.sleep(30)'], {
    ...options,
    env: { ITS: value },
  });
  await new Promise((wake) => setTimeout(wake, 500));
  const found = strangers(await processesWith(forms), undefined);
  expect(found).toContainEqual(expect.objectContaining({ pid: inWords.pid, where: 'cmdline' }));
  expect(found).toContainEqual(expect.objectContaining({ pid: inVariables.pid, where: 'environ' }));
  letGo.abort();
  await Promise.all([inWords, inVariables]);
});

describe.skipIf(why !== null)('over ssh', () => {
  test('on a node, too', async () => {
    if (bed === undefined) throw new Error('no bed');
    const [host = ''] = computeHosts(bed, 1);
    const home = join(folder, 'ssh');
    await mkdir(home);
    const root = `/tmp/her-secrets-${randomBytes(4).toString('hex')}`;
    const onHost = [
      'node',
      join(import.meta.dirname, '..', 'infra', 'testbed', 'main.ts'),
      '--dir',
      bed.dir,
      'exec',
      host,
      '--',
    ];
    const runsOn: Plan['runsOn'] = {
      ...{ kind: 'ssh', hosts: [host], addresses: {}, root, storage: 'own', python: 'python3' },
      ...{ environments: 'locked', cores: 2, memory_gb: 4 },
    };
    try {
      const { forms, traces, own } = await runAndLook(home, runsOn);
      expect(strangers(traces, own)).toEqual([]);
      expect(await filesWith(forms, home)).toEqual([]);
      for (const place of [root, '/tmp', '/run', '/dev/shm', '/var/log'])
        expect(
          (await filesWith(forms, place, ...onHost)).filter((file) => !file.startsWith(origin)),
          place,
        ).toEqual([]);
      // The search there can find something.
      await bedCommand([
        'exec',
        host,
        '--',
        'sh',
        '-c',
        'echo "$1" > "$2/planted"',
        'sh',
        forms[0] ?? '',
        root,
      ]);
      expect(await filesWith(forms, root, ...onHost)).toEqual([`${root}/planted`]);
      await expectMasked(home);
    } finally {
      await bedCommand(['exec', host, '--', 'rm', '-rf', root], false);
    }
  }, 180_000);
});
