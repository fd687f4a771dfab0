import type { StudyProblem } from '../errors.ts';
import { jobMachine } from '../stages/contexts.ts';
import { trainerNodes } from '../stages/rl/study-words.ts';
import { dataParallel } from '../stages/swift/study-words.ts';
import type { Doubt } from '../study/repair.ts';
import type { Study } from '../study/schema.ts';
import type { StudySource } from '../study/source.ts';
import { groupAlgorithms, type Stage, type StageOf, type SwiftStage } from '../study/stage-schemas.ts';
import { type Machine, machineOf, worldSize } from '../study/target-schema.ts';

/** A number of a stage that does not go with the others; the first key is shown. */
type Broken = { keys: [string, ...string[]]; message: string; hint?: string };

/** What must hold between the numbers of one stage, and between them and the nodes it runs on. */
export function arithmeticProblems(study: Study, source: StudySource, doubt: Doubt): StudyProblem[] {
  const whole = machineOf(study.target);
  return Object.entries(study.stages).flatMap(([name, stage]): StudyProblem[] => {
    const machine = jobMachine(whole, stage);
    return (
      [...nodeProblems(stage, whole), ...stageProblems(stage, machine), ...needsProblems(stage, whole)]
        // A number that stands in for a wrong one proves nothing.
        .filter(
          ({ keys }) => !keys.some((key) => doubt(key.startsWith('target') ? key : `stages.${name}.${key}`)),
        )
        .map(({ keys: [key], message, hint }): StudyProblem => {
          const path = ['stages', name, ...key.split('.')];
          const place = source.place(key === '' ? path.slice(0, 2) : path, key === '' ? 'key' : 'value');
          return { code: 'STUDY_ARITHMETIC', message, ...(hint === undefined ? {} : { hint }), place };
        })
    );
  });
}

function stageProblems(stage: Stage, machine: Machine): Broken[] {
  switch (stage.kind) {
    case 'sft':
    case 'rlhf':
      return [...howLong(stage), ...dataProblems(stage), ...swiftProblems(stage, machine)];
    case 'rl':
      return [...howLong(stage), ...rlProblems(stage, machine), ...dapoProblems(stage)];
    default:
      return [];
  }
}

function howLong({ steps, epochs }: { steps?: number | undefined; epochs?: number | undefined }): Broken[] {
  if ((steps === undefined) !== (epochs === undefined)) return [];
  if (steps === undefined)
    return [{ keys: ['', 'steps', 'epochs'], message: '`steps` or `epochs` is required.' }];
  return [{ keys: ['steps', 'epochs'], message: '`steps` and `epochs` say the same thing: give one.' }];
}

function dataProblems({ data, options }: SwiftStage): Broken[] {
  const cached = options['cached_dataset'] !== undefined;
  return data !== undefined || cached ? [] : [{ keys: ['', 'data'], message: '`data` is required.' }];
}

function divides(keys: Broken['keys'], whole: number, part: number, words: string): Broken[] {
  return whole % part === 0 ? [] : [{ keys, message: `${words}: ${whole} is not a multiple of ${part}.` }];
}

function swiftProblems(stage: SwiftStage, machine: Machine): Broken[] {
  const { batch } = stage;
  const ranks = worldSize(machine);
  const replicas = dataParallel(stage, machine);
  if (!Number.isInteger(replicas)) {
    const [key, words] =
      stage.trainer === 'megatron-swift'
        ? (['parallel.tensor', 'tensor × pipeline × context'] as const)
        : (['parallel.sequence', 'sequence parallel'] as const);
    return divides([key], ranks, ranks / replicas, `ranks / ${words}`);
  }
  if (replicas === 1)
    return divides(
      ['batch.global', 'batch.per_device'],
      batch.global,
      batch.per_device,
      'batch.global / batch.per_device',
    );
  const shared = ranks / replicas;
  const how = `${batch.per_device} a device × ${replicas} replicas (${ranks} ranks${shared === 1 ? '' : ` / ${shared} that share a row`})`;
  const part = batch.per_device * replicas;
  return batch.global % part === 0
    ? []
    : [
        {
          keys: ['batch.global', 'batch.per_device'],
          message: `batch.global ${batch.global} is not a multiple of ${part}: ${how}.`,
          hint:
            stage.trainer === 'ms-swift'
              ? 'Raise `parallel.sequence`, or change the batch.'
              : 'Change the batch.',
        },
      ];
}

function rlProblems(stage: StageOf<'rl'>, machine: Machine): Broken[] {
  const { prompts, mini, samples, micro_per_device: micro } = stage.batch;
  const { parallel, reward } = stage;
  const nodes = trainerNodes(stage, machine);
  if (reward.serve !== undefined && nodes < 1) {
    const message = `the reward model takes ${reward.serve.nodes} of ${machine.nodes} nodes, and none is left to train.`;
    return [{ keys: ['reward.serve'], message }];
  }
  const ranks = nodes * Math.max(1, machine.gpusPerNode);
  const shared =
    stage.engine === 'megatron' ? parallel.tensor * parallel.pipeline * parallel.context : parallel.sequence;
  const spread = divides(
    stage.engine === 'megatron' ? ['parallel.tensor'] : ['parallel.sequence'],
    ranks,
    shared,
    'ranks / ranks that share a reply',
  );
  const replicas = ranks / shared;
  // A student of a teacher's probabilities needs no group.
  const taught = stage.options['distillation.enabled'] === true;
  const group = samples >= 2 || taught || !groupAlgorithms.includes(stage.algorithm);
  return [
    ...spread,
    ...(group
      ? []
      : [
          {
            keys: ['batch.samples'] as [string],
            message: 'at least 2: the advantage compares the replies of one prompt.',
          },
        ]),
    ...divides(['batch.prompts', 'batch.mini'], prompts, mini, 'batch.prompts / batch.mini'),
    ...divides(
      ['parallel.rollout_tensor'],
      ranks,
      parallel.rollout_tensor,
      'ranks / rollout tensor parallel',
    ),
    ...(reward.serve === undefined
      ? []
      : [
          ...divides(
            ['reward.serve.tensor'],
            reward.serve.nodes * reward.serve.gpus_per_node,
            reward.serve.tensor,
            'GPUs of the reward model / tensor parallel',
          ),
          ...(reward.serve.gpus_per_node > machine.gpusPerNode
            ? [
                {
                  keys: ['reward.serve.gpus_per_node'] as [string],
                  message: `a node has ${machine.gpusPerNode} GPUs.`,
                },
              ]
            : []),
        ]),
    ...(spread.length > 0
      ? []
      : [
          ...divides(
            ['batch.mini', 'batch.samples'],
            mini * samples,
            replicas,
            'replies of a mini-batch / replicas of the actor',
          ),
          ...(micro === undefined || !group || (mini * samples) % replicas !== 0
            ? []
            : divides(
                ['batch.micro_per_device', 'batch.mini', 'batch.samples'],
                (mini * samples) / replicas,
                micro,
                'replies of a mini-batch / batch.micro_per_device',
              )),
        ]),
    ...(micro !== undefined || stage.options['actor_rollout_ref.actor.use_dynamic_bsz'] === true
      ? []
      : [
          {
            keys: ['batch', 'batch.micro_per_device'] as [string, string],
            message: '`micro_per_device` is required, unless `use_dynamic_bsz` packs by tokens.',
          },
        ]),
  ];
}

function dapoProblems({ algorithm, overlong, filter, length }: StageOf<'rl'>): Broken[] {
  const only = (key: string): Broken => ({
    keys: [key],
    message: `belongs to \`algorithm: dapo\`, not to ${algorithm}.`,
  });
  if (algorithm !== 'dapo')
    return [
      ...(overlong === undefined ? [] : [only('overlong')]),
      ...(filter === undefined ? [] : [only('filter')]),
    ];
  if (overlong === undefined) {
    const message = 'dapo needs `overlong`: the buffer before the limit in which a reply is punished.';
    return [{ keys: [''], message, hint: 'For example: overlong: { buffer: 512, penalty: 1.0 }.' }];
  }
  if (overlong.buffer < length.response) return [];
  const message = `the buffer of ${overlong.buffer} tokens is no shorter than a reply (${length.response}).`;
  return [{ keys: ['overlong.buffer', 'length.response'], message }];
}

function nodeProblems(stage: Stage, machine: Machine): Broken[] {
  if (!('nodes' in stage) || stage.nodes === undefined) return [];
  if (stage.nodes > machine.nodes)
    return [{ keys: ['nodes'], message: `the target has ${machine.nodes} nodes.` }];
  if (stage.nodes === 1 || machine.sharedStorage) return [];
  const message =
    'the hosts of the target have storage of their own, and one job over several needs one folder for all.';
  return [
    {
      keys: ['nodes', 'target.storage'],
      message,
      hint: 'Put `root` on storage that all hosts see and say `storage: shared`.',
    },
  ];
}

/** Jobs without GPUs share their node. */
function needsProblems({ needs }: Stage, machine: Machine): Broken[] {
  const has = { cores: machine.coresPerNode, memory_gb: machine.memoryGbPerNode };
  const scarce = (['cores', 'memory_gb'] as const).filter((key) => needs[key] > has[key]);
  if (scarce.length === 0) return [];
  return [
    {
      keys: ['', ...scarce.flatMap((key) => [`needs.${key}`, `target.${key}`])],
      message: `the stage needs ${needs.cores} cores and ${needs.memory_gb} GB; a node of the target has ${has.cores} and ${has.memory_gb}.`,
      hint: 'Raise `target` or lower `needs`.',
    },
  ];
}
