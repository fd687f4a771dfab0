import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import { type Batch, batchScript } from './batch-script.ts';
import type { SlurmSettings } from './settings.ts';

const settings: SlurmSettings = { nodes: 2, signal_seconds: 120, options: {}, cores: 8, memory_gb: 16 };
const batch = (more: Partial<Batch> = {}, set: Partial<SlurmSettings> = {}): Batch => ({
  name: 'her-0123-1',
  attempts: ['0123-1'],
  nodes: 1,
  root: '/shared/her',
  python: 'python3',
  agent: '/shared/her/bundles/b/agent.pyz',
  secretSeconds: 600,
  ...more,
  settings: { ...settings, ...set },
});
const directives = (script: string): string[] =>
  script.split('\n').flatMap((line) => (line.startsWith('#SBATCH ') ? [line.slice(8)] : []));

test('asks for the nodes that the attempt takes, its share of each, and the signal before the limit', () => {
  const asked = directives(
    batchScript(batch({}, { time: '12:00:00', partition: 'main', gpus: { per_node: 4 } })),
  );
  expect(asked).toEqual([
    '--job-name=her-0123-1',
    '--nodes=1',
    '--ntasks=1',
    '--ntasks-per-node=1',
    '--cpus-per-task=8',
    '--mem=15258M',
    '--gres=gpu:4',
    '--partition=main',
    '--time=12:00:00',
    '--signal=B:USR2@120',
    '--no-requeue',
    '--open-mode=append',
    '--output=/shared/her/slurm/batches/her-0123-1/0.out',
    '--export=NIL',
  ]);
});

test('a word of the study replaces what would be asked for by itself', () => {
  const options = { 'mem-per-cpu': '2G', 'cpus-per-task': 3, gpus: 2 };
  const asked = directives(batchScript(batch({}, { options, gpus: { per_node: 4 } })));
  expect(asked.filter((one) => /mem|cpus|g(re|pu)s/.test(one))).toEqual([
    '--mem-per-cpu=2G',
    '--cpus-per-task=3',
    '--gpus=2',
  ]);
});

test('several attempts are tasks of one array, each with its own output', () => {
  const script = batchScript(batch({ name: 'her-a-x2', attempts: ['a-1', 'b-1'] }));
  expect(directives(script)).toContain('--array=0-1');
  expect(directives(script)).toContain('--output=/shared/her/slurm/batches/her-a-x2/%a.out');
  expect(script).toContain('0) attempt=a-1 ;;\n1) attempt=b-1 ;;');
});

test.each([
  ['requeue', true, /set by her itself/],
  ['partition', 'other', /given twice/],
  ['comment', 'a "quoted" word', /cannot stand in a line/],
  ['comment', 'two\nlines', /cannot stand in a line/],
] as [string, string | true, RegExp][])(
  'the option %s is refused where it cannot be given',
  (name, value, why) => {
    const call = () => batchScript(batch({}, { partition: 'main', options: { [name]: value } }));
    expect(call).toThrow(why);
  },
);

test('is a script that a POSIX shell understands, whatever the names of folders', () => {
  const script = batchScript(batch({ root: '/shared/here $HOME %j', agent: "/it's/agent.pyz" }));
  expect(execaSync('sh', ['-n'], { input: script }).exitCode).toBe(0);
  expect(script).toContain(`'/it'\\''s/agent.pyz'`);
});

test('the output path of a folder that sbatch could not read is refused rather than guessed', () => {
  expect(() => batchScript(batch({ root: '/shared/"her"' }))).toThrow(/cannot stand/);
});
