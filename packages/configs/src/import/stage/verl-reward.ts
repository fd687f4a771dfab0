import type { OptionValue } from '../../study/settings.ts';
import type { StageDraft } from './draft.ts';
import { takeSize } from './machine.ts';
import { type Taken, whereabouts } from './take.ts';

const branch = 'reward.custom_reward_function';
const served = 'reward.reward_model';

type Words = Record<string, OptionValue>;

/** What scores the replies of a launch, in the study's words; and the nodes that a reward model of its own takes. */
export function verlReward(taken: Taken, models: StageDraft['models']): { words: Words; nodes: number } {
  const scorer = takeFunction(taken);
  const { nodes, words } = takeServed(taken, models);
  return { words: { ...scorer, ...words }, nodes };
}

function takeFunction(taken: Taken): Words {
  const path = taken.take(`${branch}.path`);
  const name = taken.take(`${branch}.name`);
  const named = typeof name === 'string' ? name : 'compute_score';
  if (typeof path !== 'string') return { by: 'data_source' };
  return path.startsWith('pkg://') ? { python: `${path.slice(6)}:${named}` } : { file: `${path}:${named}` };
}

/** A reward model with GPUs of its own; one that shares the actor's stays a matter of options. */
function takeServed(taken: Taken, models: StageDraft['models']): { words: Words; nodes: number } {
  const own =
    taken.peek(`${served}.enable`) === true && taken.peek(`${served}.enable_resource_pool`) === true;
  if (!own) return { nodes: 0, words: {} };
  const path = taken.take(`${served}.model_path`);
  const nodes = takeSize(taken, `${served}.nnodes`, 'nodes', 1);
  const gpus = takeSize(taken, `${served}.n_gpus_per_node`, 'GPUs', 8);
  const tensor = taken.takeNumber(`${served}.rollout.tensor_model_parallel_size`) ?? 2;
  for (const name of ['enable', 'enable_resource_pool']) taken.take(`${served}.${name}`);
  if (taken.peek(`${served}.rollout.name`) === 'vllm') taken.take(`${served}.rollout.name`);
  models['reward'] = whereabouts(String(path ?? './reward-model'), 'model');
  return { nodes, words: { model: 'reward', serve: { nodes, gpus_per_node: gpus, tensor } } };
}
