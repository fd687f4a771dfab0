import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadStudy } from '../../load/load.ts';
import type { OptionTable, TrainerOption } from '../../options/option.ts';
import { optionTable } from '../../options/tables.ts';
import type { Job } from '../../plan/job.ts';
import { planStudy } from '../../plan/plan.ts';
import { allSwiftRules } from '../../rules/ms-swift/rules.ts';
import { unsayable } from '../../rules/unsayable.ts';
import { verlRules } from '../../rules/verl.ts';
import { quote } from '../../stages/launch-script.ts';
import { overrideText } from '../../stages/rl/overrides.ts';
import type { SwiftCommand } from '../../stages/swift/command.ts';
import { swiftOwnedOptions } from '../../stages/swift/study-words.ts';
import type { OptionValue } from '../../study/settings.ts';
import { hashes } from '../../testing.ts';
import { importConfig, importScript } from '../index.ts';
import type { TrainerCommand } from '../trainer-command.ts';
import { type ImportedStudy, importStudy, withConfig } from './import-study.ts';

const ruled = new Set([...allSwiftRules, ...verlRules].flatMap(({ options }) => options));

/** Any value that an option takes and its trainer can be told. */
function anyValueOf(option: TrainerOption, trainer: string): fc.Arbitrary<OptionValue> {
  const scalar = scalarOf(option);
  const value =
    option.list === true && trainer === 'ms-swift'
      ? fc.array(scalar, { minLength: 1, maxLength: 3 })
      : scalar;
  return value.filter((written) => unsayable(written, trainer) === undefined);
}

function scalarOf({ type, choices }: TrainerOption): fc.Arbitrary<OptionValue> {
  if (choices !== undefined) return fc.constantFrom(...choices.filter((choice) => choice !== 'None'));
  switch (type) {
    case 'bool':
      return fc.boolean();
    case 'int':
      return fc.integer({ min: 1, max: 100_000 });
    case 'float':
      return fc.oneof(fc.integer({ min: 1, max: 4096 }), fc.double({ min: 1e-8, max: 1, noNaN: true }));
    default:
      return fc.oneof(
        fc.stringMatching(/^[a-z][a-z0-9_./-]{0,12}$/),
        fc.string({ unit: fc.constantFrom(...'ab \'"\\$`#=,:{}[]*?!') }).filter((text) => text.trim() !== ''),
      );
  }
}

/** Some of a table's options that no rule and no word of the study is about. */
function someOptions(
  table: OptionTable,
  owned: (name: string) => boolean,
): fc.Arbitrary<Record<string, OptionValue>> {
  const free = Object.entries(table.options).filter(
    ([name, { type, choices }]) =>
      !owned(name) &&
      !ruled.has(name) &&
      !['list', 'dict', 'any'].includes(type) &&
      (choices === undefined || choices.some((choice) => choice !== 'None')),
  );
  return fc
    .subarray(free, { minLength: 1, maxLength: 12 })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(chosen.map(([name, option]) => [name, anyValueOf(option, table.trainer)])),
      ),
    );
}

function firstJob(imported: ImportedStudy, kind: RegExp): Job {
  const loaded = loadStudy(JSON.stringify(imported.study), 'imported.yaml', { exists: () => true });
  const job = planStudy(loaded, hashes).jobs.find((candidate) => kind.test(candidate.kind));
  if (job === undefined) throw new TypeError('the study has no such job');
  return job;
}

function onlyLaunch(launches: readonly TrainerCommand[]): TrainerCommand {
  const [launch, ...others] = launches;
  if (launch === undefined || others.length > 0) throw new TypeError(`${launches.length} launches`);
  return launch;
}

const machines = fc.constantFrom([1, 1] as const, [1, 8] as const, [2, 8] as const, [4, 4] as const);
const perDevice = fc.constantFrom(1, 2, 4);

describe.each([
  { command: 'sft', words: 'swift sft', more: '' },
  { command: 'rlhf', words: 'swift rlhf', more: '--rlhf_type dpo' },
  { command: 'megatron-sft', words: 'megatron sft', more: '--num_train_epochs 2 --finetune true' },
  { command: 'megatron-rlhf', words: 'megatron rlhf', more: '--rlhf_type dpo --train_iters 50' },
] as const)('a launch of $words', ({ command, words, more }) => {
  const table = optionTable({ trainer: 'ms-swift', command });
  const owned = swiftOwnedOptions(command as SwiftCommand);
  const scripts = fc
    .record({
      machine: machines,
      perDevice,
      options: someOptions(table, (name) => Object.hasOwn(owned, name) || name === 'report_to'),
      length: fc.constantFrom('', '--max_length 2048'),
      save: fc.constantFrom('', '--save_steps 50 --save_total_limit 3', '--save_total_limit 1'),
      data: fc.constantFrom('/data/a.jsonl', 'AI/alpaca#500 /data/b.jsonl'),
      seed: fc.constantFrom('', '--seed 7'),
    })
    .map(({ machine: [nodes, gpus], perDevice: rows, options, length, save, data, seed }) => {
      const flags = Object.entries(options).map(([name, value]) => {
        const values = Array.isArray(value) ? value : [value];
        return `--${name} ${values.map((one) => quote(String(one))).join(' ')}`;
      });
      const batch = command.startsWith('megatron')
        ? `--micro_batch_size ${rows} --global_batch_size ${rows * nodes * gpus * 2}`
        : `--per_device_train_batch_size ${rows} --gradient_accumulation_steps 2`;
      const head = `export NPROC_PER_NODE=${gpus} NNODES=${nodes} NODE_RANK=0 MASTER_ADDR=a MASTER_PORT=1\n`;
      const lines = [
        words,
        '--model Qwen/Qwen3-8B',
        `--dataset ${data}`,
        batch,
        length,
        save,
        seed,
        more,
        ...flags,
      ];
      return `${head}${lines.filter((line) => line !== '').join(' \\\n  ')}\n`;
    });

  it('gives the same stage again when its rendered job is imported', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const first = importStudy(importScript(script, { file: 'run.sh' }).launches, 'study');
        const { files } = firstJob(first, /^(sft|rlhf)$/);
        const launch = onlyLaunch(importScript(files['launch.sh'] ?? '', { file: 'launch.sh' }).launches);
        const [trainer, name] = command.startsWith('megatron-')
          ? (['megatron-swift', command.slice(9)] as const)
          : (['ms-swift', command] as const);
        const config = importConfig(files[`${command}.yaml`] ?? '', {
          file: `${command}.yaml`,
          trainer,
          command: name,
        });
        const again = importStudy([withConfig(launch, onlyLaunch(config.launches))], 'study');
        expect(again.study['stages']).toEqual(first.study['stages']);
        expect(again.study['target']).toEqual(first.study['target']);
      }),
      { numRuns: 60, seed: 20261130 },
    );
  });
});

describe.each(['fsdp', 'megatron'] as const)('a launch of verl over %s', (engine) => {
  const table = optionTable({ trainer: 'verl', command: engine });
  const head = engine === 'megatron' ? ['model_engine=megatron'] : [];
  const left =
    /^(model_engine$|trainer\.(nnodes|n_gpus|device|logger|default|rollout_data|project|experiment|resume|total|save|test|max_actor)|data\.(train|val|max|gen|seed)|reward|custom_reward|hydra|algorithm\.(adv|filter)|critic|actor_rollout_ref\.(model\.path|rollout\.(n$|seed|name|tensor)|actor\.(ppo|strategy|checkpoint|.*seed)|.*(parallel_size|offload|micro_batch|strategy|seed)))|_target_/;
  const scripts = fc
    .record({
      options: someOptions(table, (name) => left.test(name)),
      nodes: fc.constantFrom(1, 2, 4),
      algorithm: fc.constantFrom('grpo', 'rloo', 'gae'),
      tensor: fc.constantFrom(1, 2, 4),
      offload: fc.constantFrom('none', 'optimizer', 'all', 'reference'),
      reward: fc.constantFrom('', 'inputs/reward/reward.py', 'pkg://my.rewards'),
      steps: fc.constantFrom('trainer.total_epochs=3', 'trainer.total_training_steps=200'),
    })
    .map(({ options, nodes, algorithm, tensor, offload, reward, steps }) => {
      const branch = engine === 'megatron' ? 'megatron' : 'fsdp_config';
      const rests = [
        ...(offload === 'all' ? [`actor.${branch}.param_offload`] : []),
        ...(offload === 'all' || offload === 'optimizer' ? [`actor.${branch}.optimizer_offload`] : []),
        ...(offload === 'reference' || offload === 'all' ? [`ref.${branch}.param_offload`] : []),
      ].map((key) => `actor_rollout_ref.${key}=True`);
      return [
        ...head,
        `algorithm.adv_estimator=${algorithm}`,
        ...(algorithm === 'gae' ? ['critic.model.path=/models/critic'] : []),
        'actor_rollout_ref.model.path=/models/m',
        'data.train_files=/data/train.parquet',
        `trainer.nnodes=${nodes}`,
        'trainer.n_gpus_per_node=8',
        'data.train_batch_size=64',
        'actor_rollout_ref.actor.ppo_mini_batch_size=32',
        'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1',
        'actor_rollout_ref.rollout.n=8',
        'actor_rollout_ref.rollout.name=vllm',
        `actor_rollout_ref.rollout.tensor_model_parallel_size=${tensor}`,
        'trainer.save_freq=10',
        steps,
        ...rests,
        ...(reward === ''
          ? []
          : [`reward.custom_reward_function.path='${reward}'`, 'reward.custom_reward_function.name=score']),
        ...Object.entries(options).map(([key, value]) => overrideText({ key, value })),
      ];
    });

  it('gives the same stage again when its rendered job is imported', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(scripts, (lines) => {
        const script = `python3 -m verl.trainer.main_ppo \\\n  ${lines.map(quote).join(' \\\n  ')}\n`;
        const first = importStudy(importScript(script, { file: 'run.sh' }).launches, 'study');
        const { files } = firstJob(first, /^rl$/);
        const config = importConfig(files['verl.overrides'] ?? '', { file: 'verl.overrides' });
        const again = importStudy(config.launches, 'study');
        expect(again.study['stages']).toEqual(first.study['stages']);
        expect(again.study['target']).toEqual(first.study['target']);
      }),
      { numRuns: 60, seed: 20261130 },
    );
  });
});
