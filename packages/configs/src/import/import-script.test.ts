// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are shell.
import { describe, expect, it } from 'vitest';
import { importScript } from './import-script.ts';
import { ImportError } from './problem.ts';
import type { TrainerCommand } from './trainer-command.ts';

const read = (text: string, set: Record<string, string> = {}) => importScript(text, { file: 'run.sh', set });
const launch = (text: string, set: Record<string, string> = {}): TrainerCommand => {
  const [first] = read(text, set).launches;
  if (!first) throw new Error('no launch');
  return first;
};
const options = (text: string, set: Record<string, string> = {}) =>
  Object.fromEntries(launch(text, set).options.map(({ name, values }) => [name, values]));

describe('launches', () => {
  it.each([
    ['swift sft --a 1', 'ms-swift', 'sft'],
    ['swift rlhf --a 1', 'ms-swift', 'rlhf'],
    ['megatron pt --a 1', 'megatron-swift', 'pt'],
    ['/opt/env/bin/swift pt --a 1', 'ms-swift', 'pt'],
    ['python swift/cli/sft.py --a 1', 'ms-swift', 'sft'],
    ['python -u -m swift.cli.rlhf --a 1', 'ms-swift', 'rlhf'],
    ['python -m swift.cli.main sft --a 1', 'ms-swift', 'sft'],
    ['python swift/cli/_megatron/sft.py --a 1', 'megatron-swift', 'sft'],
    ['torchrun --nproc_per_node=8 swift/cli/sft.py --a 1', 'ms-swift', 'sft'],
    ['accelerate launch --config_file f.json swift/cli/sft.py --a 1', 'ms-swift', 'sft'],
    ['deepspeed --num_gpus 2 swift/cli/pt.py --a 1', 'ms-swift', 'pt'],
    ['python3 -m verl.trainer.main_ppo a=1', 'verl', 'main_ppo'],
    ['python3 -X faulthandler verl/trainer/main_ppo.py a=1', 'verl', 'main_ppo'],
    ['$PYTHON -m verl.trainer.main_ppo_v0 a=1', 'verl', 'main_ppo_v0'],
    ['torchrun --standalone -m verl.trainer.sft_trainer a=1', 'verl', 'sft_trainer'],
    ['uv run --extra megatron python3 -m recipe.dapo.main_dapo a=1', 'verl', 'main_dapo'],
    ['torchrun $DISTRIBUTED -m verl.trainer.sft_trainer a=1', 'verl', 'sft_trainer'],
    ['ray job submit -- python3 -m verl.trainer.main_ppo a=1', 'verl', 'main_ppo'],
  ])('%s', (text, trainer, command) => {
    expect(launch(text)).toMatchObject({
      trainer,
      command,
      options: [{ name: 'a', values: [trainer === 'verl' ? 1 : '1'] }],
    });
  });

  it('several give several, a loop that repeats one gives it once', () => {
    expect(
      read('swift sft --a 1\nswift rlhf --b 2').launches.map(({ command, line }) => [command, line]),
    ).toEqual([
      ['sft', 1],
      ['rlhf', 2],
    ]);
    expect(read('while true; do swift sft --a 1; done').launches).toHaveLength(1);
    expect(read('for lr in 1 2; do swift sft --lr $lr; done').launches).toHaveLength(2);
  });

  it('none is one typed problem that says where to look', () => {
    const problem = (text: string) => {
      try {
        read(text);
      } catch (error) {
        if (error instanceof ImportError) return error;
      }
      return undefined;
    };
    expect(problem('echo hello')).toMatchObject({ code: 'IMPORT_NO_LAUNCH', place: { line: 1 } });
    expect(problem('\nbash inner.sh')).toMatchObject({ code: 'IMPORT_NO_LAUNCH', place: { line: 2 } });
    expect(problem('\n\n$COMMAND a.b=1')?.hint).toContain('${COMMAND}');
    expect(problem('swift export --model m')?.hint).toContain('swift export');
  });

  it('what a script does beside them is noted by line', () => {
    const text =
      '#SBATCH --nodes=2\npip install x\nmkdir -p out\nswift rollout --model m &\nsource env.sh\nswift sft --a 1';
    expect(
      read(text)
        .notes.map(({ line, code }) => `${line} ${code}`)
        .toSorted(),
    ).toEqual(['1 scheduler', '2 other-command', '4 not-training', '5 other-script']);
  });
});

describe('the environment and the launcher', () => {
  it('variables have the line they were set on; of those given, line 0', () => {
    const { env, launcher } = launch(
      'export A=$X\nNPROC_PER_NODE=4 \\\nMASTER_PORT=29500 \\\nswift sft --a 1',
      { Z: '1' },
    );
    expect(env).toEqual({
      Z: { value: '1', line: 0, unknown: [] },
      A: { value: '${X}', line: 1, unknown: [{ unknown: '${X}', line: 1, why: 'unset', name: 'X' }] },
      NPROC_PER_NODE: { value: '4', line: 2, unknown: [] },
      MASTER_PORT: { value: '29500', line: 3, unknown: [] },
    });
    expect(launcher).toEqual({ other: [], nprocPerNode: '4', masterPort: '29500' });
  });

  it('words of torchrun are read, and kept when they are none of ours', () => {
    const text =
      'torchrun --nnodes 2 --nproc-per-node=$N --node_rank 1 --master_addr h --rdzv_id x --standalone -m swift.cli.sft --a 1';
    expect(launch(text, { N: '8' }).launcher).toEqual({
      program: 'torchrun',
      nnodes: '2',
      nprocPerNode: '8',
      nodeRank: '1',
      masterAddr: 'h',
      other: ['--rdzv_id', 'x', '--standalone'],
    });
  });
});

describe("ms-swift's options", () => {
  it('are read as argparse reads them', () => {
    const text = `swift sft --model m --dataset a b#100 'c d' --learning-rate=1e-5 --x -1 -0.5 --flag --y '{"a": 1}' --z= --w "--not an option"`;
    expect(options(text)).toEqual({
      model: ['m'],
      dataset: ['a', 'b#100', 'c d'],
      learning_rate: ['1e-5'],
      x: ['-1', '-0.5'],
      flag: [],
      y: ['{"a": 1}'],
      z: [''],
      w: ['--not an option'],
    });
    expect(launch('swift sft --learning-rate=1').options[0]).toMatchObject({
      spelling: '--learning-rate',
      line: 1,
      column: 11,
    });
  });

  it('the last of a repeated one counts, and a note tells of the first', () => {
    const { options: all, notes } = launch('swift sft \\\n --lr 1 \\\n --b 2 \\\n --lr 3');
    expect(all.map(({ name, values, line }) => [name, values, line])).toEqual([
      ['b', ['2'], 3],
      ['lr', ['3'], 4],
    ]);
    expect(notes).toEqual([expect.objectContaining({ line: 2, code: 'repeated' })]);
  });

  it('the first word may be a config file, also one the script writes', () => {
    expect(launch('swift sft conf/a.yaml --b 2')).toMatchObject({
      config: { kind: 'file', path: 'conf/a.yaml', line: 1 },
      options: [{ name: 'b' }],
    });
    expect(launch('cat > a.json <<EOF\n{"lr": $L}\nEOF\nswift sft a.json', { L: '1' }).config).toEqual({
      kind: 'file',
      path: 'a.json',
      line: 4,
      text: '{"lr": 1}\n',
    });
  });

  it('unknown pieces stay as spelled and are noted with the way to give them', () => {
    const { options: all, notes } = launch('swift sft \\\n --model "$ROOT/m" \\\n $EXTRA');
    expect(all[0]).toMatchObject({
      values: ['${ROOT}/m'],
      unknown: [{ unknown: '${ROOT}', name: 'ROOT', why: 'unset', line: 2 }],
    });
    expect(notes).toMatchObject([
      { line: 2, code: 'unknown-value', hint: 'Give `--set ROOT=…`.' },
      { line: 3, code: 'unknown-words', hint: 'Give `--set EXTRA=…`.' },
    ]);
    expect(options('swift sft --model "$ROOT/m" $EXTRA', { ROOT: '/r', EXTRA: '--b 2' })).toEqual({
      model: ['/r/m'],
      b: ['2'],
    });
  });

  it('options behind a comment that ends the command are not the trainer’s', () => {
    const { options: all, notes } = launch('swift sft \\\n --a 1 \\\n # --b 2 \\\n --c 3');
    expect(all.map(({ name }) => name)).toEqual(['a']);
    expect(notes).toEqual([expect.objectContaining({ line: 4, code: 'cut-by-comment' })]);
  });

  it('words that belong to no option are noted', () => {
    expect(launch('swift sft stray --a 1 -x').notes.map(({ code }) => code)).toEqual([
      'not-an-option',
      'not-an-option',
    ]);
    expect(launch('swift sft --dataset data/*.jsonl').notes).toMatchObject([{ code: 'file-names' }]);
  });
});

describe("verl's overrides", () => {
  it('are read as Hydra reads them, each with its line', () => {
    const text = `python3 -m verl.trainer.main_ppo --config-path=conf --config-name x \\
      data.files="['$D/a.parquet','b']" \\
      +a.b=1e-6 ++c.d=null ~e.f model_engine=megatron optim@actor.optim=adam \\
      trainer.logger='["console","wandb"]' x.y='a b' z.w=`;
    expect(launch(text, { D: '/d' })).toMatchObject({
      config: { kind: 'hydra', path: 'conf', name: 'x', line: 1 },
      options: [
        { name: 'data.files', action: 'set', values: [['/d/a.parquet', 'b']], line: 2 },
        { name: 'a.b', action: 'add', values: [1e-6], line: 3, spelling: '+a.b' },
        { name: 'c.d', action: 'add-or-set', values: [null] },
        { name: 'e.f', action: 'delete', values: [] },
        { name: 'model_engine', values: ['megatron'] },
        { name: 'optim', package: 'actor.optim', values: ['adam'] },
        { name: 'trainer.logger', values: [['console', 'wandb']], line: 4 },
        { name: 'x.y', values: ['a b'] },
        { name: 'z.w', values: [''] },
      ],
    });
  });

  it('an unknown piece stays text, also within a list', () => {
    const { options: all, notes } = launch('python -m verl.trainer.main_ppo a.b=[$X/p,1] c.d=$Y "$@"');
    expect(all.map(({ values }) => values)).toEqual([[['${X}/p', 1]], ['${Y}']]);
    expect(notes.map(({ code }) => code)).toEqual(['unknown-value', 'unknown-value']);
  });

  it('what Hydra refuses is kept as text and noted', () => {
    const { options: all, notes } = launch(
      "python -m verl.trainer.main_ppo 'a.b=[1' 'c.d=x,y' nonsense --help",
    );
    expect(all.map(({ values }) => values)).toEqual([['[1'], ['x,y']]);
    expect(notes.map(({ code }) => code)).toEqual([
      'not-an-option',
      'not-an-option',
      'not-an-option',
      'not-an-option',
    ]);
  });

  it('a key that is added and then set stays an added one', () => {
    expect(launch('python -m verl.trainer.main_ppo +a.b=1 a.b=2').options).toMatchObject([
      { action: 'add', values: [2] },
    ]);
  });
});
