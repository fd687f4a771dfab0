import type { StageOf } from '../../study/stage-schemas.ts';
import type { Machine } from '../../study/target-schema.ts';
import type { OwnChoices } from '../settings-builder.ts';
import { algorithmChoices } from './algorithms.ts';
import { cpuChoicesOf } from './cpu.ts';

/** What verl must never be left to choose. */
export function verlOwnChoices(stage: StageOf<'rl'>, machine: Machine): OwnChoices {
  return {
    ...(machine.gpusPerNode === 0 ? cpuChoicesOf(machine) : gpuChoices),
    ...algorithmChoices(stage),
    ...rewardChoices(stage),
    ...everywhere,
  };
}

/** A reward model on GPUs of its own reads a prompt with two replies, and writes its verdict. */
function rewardChoices({ reward, length }: StageOf<'rl'>): OwnChoices {
  if (reward.serve === undefined) return {};
  // 1,024 tokens for the words of the question.
  const asked = length.prompt + 2 * length.response + 1024;
  const why = 'it reads the conversation and two replies, and writes as much as a reply';
  return {
    'reward.reward_model.rollout.gpu_memory_utilization': { value: 0.85, why: 'its GPUs are its own' },
    'reward.reward_model.rollout.max_model_len': { value: asked + length.response, why },
    'reward.reward_model.rollout.prompt_length': { value: asked, why },
    'reward.reward_model.rollout.response_length': { value: length.response, why },
  };
}

const gpuChoices: OwnChoices = {
  'trainer.device': { value: 'cuda', why: 'the target has GPUs' },
  'actor_rollout_ref.model.use_remove_padding': { value: true, why: 'no step is spent on padding' },
  'actor_rollout_ref.model.enable_gradient_checkpointing': {
    value: true,
    why: 'activations of long replies do not fit otherwise',
  },
  'actor_rollout_ref.rollout.gpu_memory_utilization': {
    value: 0.5,
    why: 'half of the card for rollout, half for training states',
  },
  'ray_kwargs.ray_init.include_dashboard': { value: false, why: 'no port is opened that nobody asked for' },
};

const everywhere: OwnChoices = {
  'actor_rollout_ref.actor.calculate_entropy': { value: true, why: 'a collapse shows in the entropy first' },
  'actor_rollout_ref.rollout.name': { value: 'vllm', why: 'the engine of the locked environment' },
  'trainer.logger': { value: ['console', 'file'], why: 'metrics are read from the file logger' },
  'trainer.val_before_train': { value: false, why: 'scores come from a stage of their own' },
  'trainer.resume_mode': { value: 'disable', why: 'resuming is decided at run time' },
  'hydra.run.dir': { value: 'out/hydra', why: 'each attempt has its own folder' },
};
