import type { SwiftStage } from '../../study/stage-schemas.ts';
import type { Machine } from '../../study/target-schema.ts';
import type { OwnChoices } from '../settings-builder.ts';
import { isMegatron, swiftCommand } from './command.ts';

/** What ms-swift must never be left to choose, because its default differs by version, machine or data. */
export function swiftOwnChoices(stage: SwiftStage, machine: Machine): OwnChoices {
  const command = swiftCommand(stage);
  return {
    ...everywhere,
    ...(isMegatron(command) ? megatronChoices(stage) : plainChoices(stage)),
    ...(machine.signalled && !isMegatron(command) ? onSignal : {}),
    ...(machine.gpusPerNode === 0 ? onCpu : onGpu),
  };
}

const everywhere: OwnChoices = {
  tuner_type: { value: 'full', why: "ms-swift's default is LoRA" },
  check_model: { value: false, why: 'the check asks a hub' },
  split_dataset_ratio: { value: 0, why: 'no row is taken from training unasked' },
  report_to: { value: 'none', why: 'metrics are read from logging.jsonl' },
  output_dir: { value: 'out', why: 'each attempt has its own folder' },
  add_version: { value: false, why: 'each attempt has its own folder' },
  logging_steps: { value: 1, why: 'every step is in the ledger' },
  save_strategy: { value: 'steps', why: 'checkpoints are counted in steps' },
};

function plainChoices(stage: SwiftStage): OwnChoices {
  return {
    eval_strategy:
      stage.validation === undefined
        ? { value: 'no', why: 'held-out rows are scored by a stage of their own' }
        : { value: 'steps', why: 'the study names rows to validate on' },
    logging_first_step: { value: true, why: 'every step is in the ledger' },
    // The default depends on the tuner, on the version and on the machine; here it is said.
    loss_scale: { value: stage.kind === 'sft' ? stage.loss : 'last_round', why: "the method's own default" },
  };
}

function megatronChoices(stage: SwiftStage): OwnChoices {
  return {
    finetune: { value: true, why: 'a start is a start; resuming is decided at run time' },
    save_safetensors: { value: true, why: 'the next stage reads safetensors' },
    ...(stage.parallel.tensor > 1
      ? {
          sequence_parallel: { value: true, why: 'shares the activations that tensor parallel leaves whole' },
        }
      : {}),
  };
}

/** Ranks notice the signal one by one; a checkpoint that they did not write together is not whole, and passed over. */
const onSignal: OwnChoices = {
  enable_jit_checkpoint: {
    value: true,
    why: 'Slurm signals before it ends a job: what was learnt is saved then',
  },
};

const onCpu: OwnChoices = {
  torch_dtype: { value: 'float32', why: 'a CPU trains in float32' },
  fp16: { value: false, why: 'ms-swift turns float32 models to fp16 autocast by itself' },
  bf16: { value: false, why: 'a CPU trains in float32' },
  attn_impl: { value: 'sdpa', why: 'flash attention needs a GPU' },
  use_cpu: { value: true, why: 'the target has no GPU' },
  dataset_num_proc: { value: 1, why: 'the order of rows must not depend on the machine' },
  dataloader_num_workers: { value: 0, why: 'the order of rows must not depend on the machine' },
};

const onGpu: OwnChoices = {
  torch_dtype: { value: 'bfloat16', why: 'weights are read and trained in bfloat16' },
};
