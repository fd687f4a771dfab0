// Made by `pnpm generate` from verl 0.9.1; not to be edited.
import type { OptionTable } from './option.ts';

export const verl091: OptionTable = {
 "trainer": "verl",
 "version": "0.9.1",
 "options": {
  "actor_rollout_ref": {
   "type": "dict"
  },
  "actor_rollout_ref.actor": {
   "type": "dict"
  },
  "actor_rollout_ref.actor._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPActorConfig"
  },
  "actor_rollout_ref.actor.calculate_entropy": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.calculate_sum_pi_squared": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.checkpoint": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.checkpoint._target_": {
   "type": "str",
   "default": "verl.trainer.config.CheckpointConfig"
  },
  "actor_rollout_ref.actor.checkpoint.async_save": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.checkpoint.load_contents": {
   "type": "any"
  },
  "actor_rollout_ref.actor.checkpoint.save_contents": {
   "type": "list",
   "default": [
    "model",
    "optimizer",
    "extra"
   ]
  },
  "actor_rollout_ref.actor.checkpoint.strict": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.actor.clip_ratio": {
   "type": "float",
   "default": 0.2
  },
  "actor_rollout_ref.actor.clip_ratio_c": {
   "type": "float",
   "default": 3
  },
  "actor_rollout_ref.actor.clip_ratio_high": {
   "type": "float",
   "default": 0.2
  },
  "actor_rollout_ref.actor.clip_ratio_low": {
   "type": "float",
   "default": 0.2
  },
  "actor_rollout_ref.actor.data_loader_seed": {
   "type": "float",
   "default": 42
  },
  "actor_rollout_ref.actor.entropy_checkpointing": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.entropy_coeff": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.entropy_from_logits_chunk_size": {
   "type": "float",
   "default": 2048
  },
  "actor_rollout_ref.actor.entropy_from_logits_with_chunking": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.freeze_vision_tower": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.fsdp_config._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPEngineConfig"
  },
  "actor_rollout_ref.actor.fsdp_config.dtype": {
   "type": "str",
   "default": "bfloat16"
  },
  "actor_rollout_ref.actor.fsdp_config.entropy_checkpointing": {
   "type": "any"
  },
  "actor_rollout_ref.actor.fsdp_config.entropy_from_logits_chunk_size": {
   "type": "any"
  },
  "actor_rollout_ref.actor.fsdp_config.entropy_from_logits_with_chunking": {
   "type": "any"
  },
  "actor_rollout_ref.actor.fsdp_config.forward_only": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.forward_prefetch": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.fsdp_size": {
   "type": "float",
   "default": -1
  },
  "actor_rollout_ref.actor.fsdp_config.full_determinism": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.model_dtype": {
   "type": "str",
   "default": "fp32"
  },
  "actor_rollout_ref.actor.fsdp_config.offload_policy": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.optimizer_offload": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.pad_to_length": {
   "type": "any"
  },
  "actor_rollout_ref.actor.fsdp_config.pad_to_length_bucket": {
   "type": "float",
   "default": 1024
  },
  "actor_rollout_ref.actor.fsdp_config.param_offload": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.qat": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.fsdp_config.qat._target_": {
   "type": "str",
   "default": "verl.workers.config.QATEngineConfig"
  },
  "actor_rollout_ref.actor.fsdp_config.qat.activation_observer": {
   "type": "str",
   "default": "static_minmax"
  },
  "actor_rollout_ref.actor.fsdp_config.qat.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.qat.group_size": {
   "type": "float",
   "default": 16
  },
  "actor_rollout_ref.actor.fsdp_config.qat.ignore_patterns": {
   "type": "list",
   "default": [
    "lm_head",
    "embed_tokens",
    "re:.*mlp.gate$"
   ]
  },
  "actor_rollout_ref.actor.fsdp_config.qat.mode": {
   "type": "str",
   "default": "w4a16"
  },
  "actor_rollout_ref.actor.fsdp_config.qat.quantization_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.actor.fsdp_config.reshard_after_forward": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.actor.fsdp_config.seed": {
   "type": "float",
   "default": 42
  },
  "actor_rollout_ref.actor.fsdp_config.strategy": {
   "type": "str",
   "default": "fsdp"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.expert_fully_shard_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.expert_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan.fsdp_implementation": {
   "type": "str",
   "default": "native"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan.num_to_backward_prefetch": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan.num_to_forward_prefetch": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan.output_dtype": {
   "type": "str",
   "default": "bf16"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan.param_dtype": {
   "type": "str",
   "default": "bf16"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fsdp_plan.reduce_dtype": {
   "type": "str",
   "default": "fp32"
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.fully_shard_parallel_size": {
   "type": "float",
   "default": 16
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.tensor_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.turbo_config.distributed.ulysses_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.fsdp_config.use_no_sync_for_gradient_accumulation": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.use_orig_params": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.fsdp_config.use_torch_compile": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.actor.fsdp_config.wrap_policy": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.fsdp_config.wrap_policy.min_num_params": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.grad_clip": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.kl_loss_coef": {
   "type": "float",
   "default": 0.001
  },
  "actor_rollout_ref.actor.kl_loss_type": {
   "type": "str",
   "default": "low_var_kl"
  },
  "actor_rollout_ref.actor.loss_agg_mode": {
   "type": "str",
   "default": "token-mean"
  },
  "actor_rollout_ref.actor.loss_scale_factor": {
   "type": "any"
  },
  "actor_rollout_ref.actor.optim": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.optim._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPOptimizerConfig"
  },
  "actor_rollout_ref.actor.optim.betas": {
   "type": "list",
   "default": [
    0.9,
    0.999
   ]
  },
  "actor_rollout_ref.actor.optim.clip_grad": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.optim.lr": {
   "type": "float",
   "default": 0.000001
  },
  "actor_rollout_ref.actor.optim.lr_scheduler_type": {
   "type": "str",
   "default": "constant"
  },
  "actor_rollout_ref.actor.optim.lr_warmup_steps": {
   "type": "float",
   "default": -1
  },
  "actor_rollout_ref.actor.optim.lr_warmup_steps_ratio": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.optim.min_lr_ratio": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.optim.num_cycles": {
   "type": "float",
   "default": 0.5
  },
  "actor_rollout_ref.actor.optim.optimizer": {
   "type": "str",
   "default": "AdamW"
  },
  "actor_rollout_ref.actor.optim.optimizer_impl": {
   "type": "str",
   "default": "torch.optim"
  },
  "actor_rollout_ref.actor.optim.override_optimizer_config": {
   "type": "any"
  },
  "actor_rollout_ref.actor.optim.total_training_steps": {
   "type": "float",
   "default": -1
  },
  "actor_rollout_ref.actor.optim.warmup_style": {
   "type": "any"
  },
  "actor_rollout_ref.actor.optim.weight_decay": {
   "type": "float",
   "default": 0.01
  },
  "actor_rollout_ref.actor.optim.zero_indexed_step": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.actor.pad_to_length": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.policy_loss": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.policy_loss._target_": {
   "type": "str",
   "default": "verl.workers.config.PolicyLossConfig"
  },
  "actor_rollout_ref.actor.policy_loss.clip_cov_lb": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.policy_loss.clip_cov_ratio": {
   "type": "float",
   "default": 0.0002
  },
  "actor_rollout_ref.actor.policy_loss.clip_cov_ub": {
   "type": "float",
   "default": 5
  },
  "actor_rollout_ref.actor.policy_loss.dro_beta": {
   "type": "any"
  },
  "actor_rollout_ref.actor.policy_loss.kl_cov_ratio": {
   "type": "float",
   "default": 0.0002
  },
  "actor_rollout_ref.actor.policy_loss.loss_mode": {
   "type": "str",
   "default": "vanilla"
  },
  "actor_rollout_ref.actor.policy_loss.ppo_kl_coef": {
   "type": "float",
   "default": 0.1
  },
  "actor_rollout_ref.actor.ppo_epochs": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.ppo_max_token_len_per_gpu": {
   "type": "float",
   "default": 16384
  },
  "actor_rollout_ref.actor.ppo_micro_batch_size": {
   "type": "any"
  },
  "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": {
   "type": "any"
  },
  "actor_rollout_ref.actor.ppo_mini_batch_size": {
   "type": "float",
   "default": 256
  },
  "actor_rollout_ref.actor.profiler": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler._target_": {
   "type": "str",
   "default": "verl.utils.profiler.ProfilerConfig"
  },
  "actor_rollout_ref.actor.profiler.all_ranks": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.profiler.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.profiler.finish_hook_all_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.finish_hook_cmd": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.finish_hook_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.ranks": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.actor.profiler.relocate_results": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.save_path": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.npu": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.npu._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NPUToolConfig"
  },
  "actor_rollout_ref.actor.profiler.tool_config.npu.analysis": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.actor.profiler.tool_config.npu.contents": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.actor.profiler.tool_config.npu.discrete": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.profiler.tool_config.npu.level": {
   "type": "str",
   "default": "level0"
  },
  "actor_rollout_ref.actor.profiler.tool_config.nsys": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.nsys._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NsightToolConfig"
  },
  "actor_rollout_ref.actor.profiler.tool_config.nsys.discrete": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.precision_debugger": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.precision_debugger._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.PrecisionDebuggerToolConfig"
  },
  "actor_rollout_ref.actor.profiler.tool_config.precision_debugger.config_path": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.precision_debugger.stages": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.precision_debugger.steps": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.precision_debugger.strict": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerToolConfig"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.contents": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.discrete": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerScheduleConfig"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule.active": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule.repeat": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule.skip_first": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule.wait": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch.schedule.warmup": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch_memory": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch_memory._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchMemoryToolConfig"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch_memory.memory_snapshot_num_steps": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch_memory.stack_depth": {
   "type": "any"
  },
  "actor_rollout_ref.actor.profiler.tool_config.torch_memory.trace_alloc_max_entries": {
   "type": "any"
  },
  "actor_rollout_ref.actor.qat": {
   "type": "dict"
  },
  "actor_rollout_ref.actor.qat.activation_observer": {
   "type": "str",
   "default": "static_minmax"
  },
  "actor_rollout_ref.actor.qat.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.qat.group_size": {
   "type": "float",
   "default": 16
  },
  "actor_rollout_ref.actor.qat.ignore_patterns": {
   "type": "list",
   "default": [
    "lm_head",
    "embed_tokens",
    "re:.*mlp.gate$"
   ]
  },
  "actor_rollout_ref.actor.qat.mode": {
   "type": "str",
   "default": "w4a16"
  },
  "actor_rollout_ref.actor.qat.quantization_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.actor.rollout_n": {
   "type": "any"
  },
  "actor_rollout_ref.actor.shuffle": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.strategy": {
   "type": "str",
   "default": "fsdp"
  },
  "actor_rollout_ref.actor.tau_neg": {
   "type": "float",
   "default": 1.05
  },
  "actor_rollout_ref.actor.tau_pos": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.ulysses_sequence_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.actor.use_dynamic_bsz": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.use_fused_kernels": {
   "type": "any"
  },
  "actor_rollout_ref.actor.use_kl_loss": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.use_prefix_grouper": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.actor.use_remove_padding": {
   "type": "any"
  },
  "actor_rollout_ref.actor.use_torch_compile": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.hybrid_engine": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.model": {
   "type": "dict"
  },
  "actor_rollout_ref.model._target_": {
   "type": "str",
   "default": "verl.workers.config.HFModelConfig"
  },
  "actor_rollout_ref.model.custom_chat_template": {
   "type": "any"
  },
  "actor_rollout_ref.model.enable_activation_offload": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.enable_gradient_checkpointing": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.model.exclude_modules": {
   "type": "any"
  },
  "actor_rollout_ref.model.external_lib": {
   "type": "any"
  },
  "actor_rollout_ref.model.fused_kernel_options": {
   "type": "dict"
  },
  "actor_rollout_ref.model.fused_kernel_options.impl_backend": {
   "type": "str",
   "default": "torch"
  },
  "actor_rollout_ref.model.hf_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.model.lora": {
   "type": "dict"
  },
  "actor_rollout_ref.model.lora.a2a_experimental": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.lora.adapter_path": {
   "type": "any"
  },
  "actor_rollout_ref.model.lora.alpha": {
   "type": "float",
   "default": 32
  },
  "actor_rollout_ref.model.lora.dropout": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.model.lora.dropout_position": {
   "type": "str",
   "default": "pre"
  },
  "actor_rollout_ref.model.lora.dtype": {
   "type": "any"
  },
  "actor_rollout_ref.model.lora.exclude_modules": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.model.lora.freeze_language_model": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.model.lora.freeze_vision_model": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.model.lora.freeze_vision_projection": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.model.lora.lora_A_init_method": {
   "type": "str",
   "default": "xavier"
  },
  "actor_rollout_ref.model.lora.lora_B_init_method": {
   "type": "str",
   "default": "zero"
  },
  "actor_rollout_ref.model.lora.merge": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.lora.rank": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.model.lora.target_modules": {
   "type": "list",
   "default": [
    "linear_qkv",
    "linear_proj",
    "linear_fc1",
    "linear_fc2"
   ]
  },
  "actor_rollout_ref.model.lora.type": {
   "type": "str",
   "default": "lora"
  },
  "actor_rollout_ref.model.lora_adapter_path": {
   "type": "any"
  },
  "actor_rollout_ref.model.lora_alpha": {
   "type": "float",
   "default": 16
  },
  "actor_rollout_ref.model.lora_rank": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.model.mtp": {
   "type": "dict"
  },
  "actor_rollout_ref.model.mtp._target_": {
   "type": "str",
   "default": "verl.workers.config.MtpConfig"
  },
  "actor_rollout_ref.model.mtp.detach_encoder": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.mtp.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.mtp.enable_rollout": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.mtp.enable_train": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.mtp.method": {
   "type": "str",
   "default": "mtp"
  },
  "actor_rollout_ref.model.mtp.mtp_loss_scaling_factor": {
   "type": "float",
   "default": 0.1
  },
  "actor_rollout_ref.model.mtp.num_speculative_tokens": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.model.mtp.speculative_algorithm": {
   "type": "str",
   "default": "EAGLE"
  },
  "actor_rollout_ref.model.mtp.speculative_eagle_topk": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.model.mtp.speculative_num_draft_tokens": {
   "type": "float",
   "default": 4
  },
  "actor_rollout_ref.model.mtp.speculative_num_steps": {
   "type": "float",
   "default": 3
  },
  "actor_rollout_ref.model.override_config": {
   "type": "dict"
  },
  "actor_rollout_ref.model.path": {
   "type": "str",
   "default": "~/models/deepseek-llm-7b-chat"
  },
  "actor_rollout_ref.model.target_modules": {
   "type": "str",
   "default": "all-linear"
  },
  "actor_rollout_ref.model.tiled_mlp": {
   "type": "dict"
  },
  "actor_rollout_ref.model.tiled_mlp.enabled": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.tiled_mlp.num_shards": {
   "type": "float",
   "default": 4
  },
  "actor_rollout_ref.model.tokenizer_path": {
   "type": "any"
  },
  "actor_rollout_ref.model.trust_remote_code": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.use_fused_kernels": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.use_liger": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.model.use_remove_padding": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.model.use_shm": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.nccl_timeout": {
   "type": "float",
   "default": 600
  },
  "actor_rollout_ref.ref": {
   "type": "dict"
  },
  "actor_rollout_ref.ref._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPActorConfig"
  },
  "actor_rollout_ref.ref.entropy_checkpointing": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.entropy_from_logits_chunk_size": {
   "type": "float",
   "default": 2048
  },
  "actor_rollout_ref.ref.entropy_from_logits_with_chunking": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.fsdp_config._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPEngineConfig"
  },
  "actor_rollout_ref.ref.fsdp_config.dtype": {
   "type": "str",
   "default": "bfloat16"
  },
  "actor_rollout_ref.ref.fsdp_config.entropy_checkpointing": {
   "type": "any"
  },
  "actor_rollout_ref.ref.fsdp_config.entropy_from_logits_chunk_size": {
   "type": "any"
  },
  "actor_rollout_ref.ref.fsdp_config.entropy_from_logits_with_chunking": {
   "type": "any"
  },
  "actor_rollout_ref.ref.fsdp_config.forward_only": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.ref.fsdp_config.forward_prefetch": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.fsdp_size": {
   "type": "float",
   "default": -1
  },
  "actor_rollout_ref.ref.fsdp_config.full_determinism": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.model_dtype": {
   "type": "str",
   "default": "fp32"
  },
  "actor_rollout_ref.ref.fsdp_config.offload_policy": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.optimizer_offload": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.pad_to_length": {
   "type": "any"
  },
  "actor_rollout_ref.ref.fsdp_config.pad_to_length_bucket": {
   "type": "any"
  },
  "actor_rollout_ref.ref.fsdp_config.param_offload": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.qat": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.fsdp_config.qat._target_": {
   "type": "str",
   "default": "verl.workers.config.QATEngineConfig"
  },
  "actor_rollout_ref.ref.fsdp_config.qat.activation_observer": {
   "type": "str",
   "default": "static_minmax"
  },
  "actor_rollout_ref.ref.fsdp_config.qat.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.qat.group_size": {
   "type": "float",
   "default": 16
  },
  "actor_rollout_ref.ref.fsdp_config.qat.ignore_patterns": {
   "type": "list",
   "default": [
    "lm_head",
    "embed_tokens",
    "re:.*mlp.gate$"
   ]
  },
  "actor_rollout_ref.ref.fsdp_config.qat.mode": {
   "type": "str",
   "default": "w4a16"
  },
  "actor_rollout_ref.ref.fsdp_config.qat.quantization_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.ref.fsdp_config.reshard_after_forward": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.ref.fsdp_config.seed": {
   "type": "float",
   "default": 42
  },
  "actor_rollout_ref.ref.fsdp_config.strategy": {
   "type": "str",
   "default": "fsdp"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.expert_fully_shard_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.expert_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan.fsdp_implementation": {
   "type": "str",
   "default": "native"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan.num_to_backward_prefetch": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan.num_to_forward_prefetch": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan.output_dtype": {
   "type": "str",
   "default": "bf16"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan.param_dtype": {
   "type": "str",
   "default": "bf16"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fsdp_plan.reduce_dtype": {
   "type": "str",
   "default": "fp32"
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.fully_shard_parallel_size": {
   "type": "float",
   "default": 16
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.tensor_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.turbo_config.distributed.ulysses_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.ulysses_sequence_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.ref.fsdp_config.use_no_sync_for_gradient_accumulation": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.use_orig_params": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.fsdp_config.use_torch_compile": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.ref.fsdp_config.wrap_policy": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.fsdp_config.wrap_policy.min_num_params": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu": {
   "type": "any"
  },
  "actor_rollout_ref.ref.log_prob_micro_batch_size": {
   "type": "any"
  },
  "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": {
   "type": "any"
  },
  "actor_rollout_ref.ref.log_prob_use_dynamic_bsz": {
   "type": "any"
  },
  "actor_rollout_ref.ref.pad_to_length": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler._target_": {
   "type": "str",
   "default": "verl.utils.profiler.ProfilerConfig"
  },
  "actor_rollout_ref.ref.profiler.all_ranks": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.profiler.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.profiler.finish_hook_all_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.finish_hook_cmd": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.finish_hook_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.ranks": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.ref.profiler.relocate_results": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.save_path": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.npu": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.npu._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NPUToolConfig"
  },
  "actor_rollout_ref.ref.profiler.tool_config.npu.analysis": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.ref.profiler.tool_config.npu.contents": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.ref.profiler.tool_config.npu.discrete": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.profiler.tool_config.npu.level": {
   "type": "str",
   "default": "level0"
  },
  "actor_rollout_ref.ref.profiler.tool_config.nsys": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.nsys._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NsightToolConfig"
  },
  "actor_rollout_ref.ref.profiler.tool_config.nsys.discrete": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.precision_debugger": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.precision_debugger._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.PrecisionDebuggerToolConfig"
  },
  "actor_rollout_ref.ref.profiler.tool_config.precision_debugger.config_path": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.precision_debugger.stages": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.precision_debugger.steps": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.precision_debugger.strict": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerToolConfig"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.contents": {
   "type": "list",
   "default": []
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.discrete": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerScheduleConfig"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule.active": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule.repeat": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule.skip_first": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule.wait": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch.schedule.warmup": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch_memory": {
   "type": "dict"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch_memory._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchMemoryToolConfig"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch_memory.memory_snapshot_num_steps": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch_memory.stack_depth": {
   "type": "any"
  },
  "actor_rollout_ref.ref.profiler.tool_config.torch_memory.trace_alloc_max_entries": {
   "type": "any"
  },
  "actor_rollout_ref.ref.rollout_n": {
   "type": "any"
  },
  "actor_rollout_ref.ref.strategy": {
   "type": "any"
  },
  "actor_rollout_ref.ref.ulysses_sequence_parallel_size": {
   "type": "any"
  },
  "actor_rollout_ref.ref.use_torch_compile": {
   "type": "any"
  },
  "actor_rollout_ref.rollout": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout._target_": {
   "type": "str",
   "default": "verl.workers.config.RolloutConfig"
  },
  "actor_rollout_ref.rollout.agent": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.agent._target_": {
   "type": "str",
   "default": "verl.workers.config.AgentLoopConfig"
  },
  "actor_rollout_ref.rollout.agent.agent_loop_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.agent.custom_async_server": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.agent.custom_async_server._target_": {
   "type": "str",
   "default": "verl.workers.config.CustomAsyncServerConfig"
  },
  "actor_rollout_ref.rollout.agent.custom_async_server.name": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.agent.custom_async_server.path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.agent.default_agent_loop": {
   "type": "str",
   "default": "single_turn_agent"
  },
  "actor_rollout_ref.rollout.agent.num_workers": {
   "type": "float",
   "default": 8
  },
  "actor_rollout_ref.rollout.calculate_log_probs": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.checkpoint_engine": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.checkpoint_engine._target_": {
   "type": "str",
   "default": "verl.workers.config.CheckpointEngineConfig"
  },
  "actor_rollout_ref.rollout.checkpoint_engine.backend": {
   "type": "str",
   "default": "naive"
  },
  "actor_rollout_ref.rollout.checkpoint_engine.custom_backend_module": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.checkpoint_engine.engine_kwargs": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes": {
   "type": "float",
   "default": 2048
  },
  "actor_rollout_ref.rollout.cudagraph_capture_sizes": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.data_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.disable_log_stats": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.disaggregation": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.disaggregation.bootstrap_port": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.disaggregation.decode_replicas": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.disaggregation.decode_tensor_model_parallel_size": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.disaggregation.enabled": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.disaggregation.ib_device": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.disaggregation.prefill_replicas": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.disaggregation.transfer_backend": {
   "type": "str",
   "default": "nixl"
  },
  "actor_rollout_ref.rollout.do_sample": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.dtype": {
   "type": "str",
   "default": "bfloat16"
  },
  "actor_rollout_ref.rollout.enable_chunked_prefill": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.enable_prefix_caching": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.enable_rollout_routing_replay": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.enforce_eager": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.engine_kwargs": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.engine_kwargs.sglang": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.engine_kwargs.trtllm": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.engine_kwargs.vllm": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.expert_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.free_cache_engine": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.full_determinism": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.gpu_memory_utilization": {
   "type": "float",
   "default": 0.5
  },
  "actor_rollout_ref.rollout.ignore_eos": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.layered_summon": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.load_format": {
   "type": "str",
   "default": "dummy"
  },
  "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.log_prob_micro_batch_size": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.logprobs_mode": {
   "type": "str",
   "default": "processed_logprobs"
  },
  "actor_rollout_ref.rollout.max_model_len": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.max_num_batched_tokens": {
   "type": "float",
   "default": 8192
  },
  "actor_rollout_ref.rollout.max_num_seqs": {
   "type": "float",
   "default": 256
  },
  "actor_rollout_ref.rollout.mode": {
   "type": "str",
   "default": "async"
  },
  "actor_rollout_ref.rollout.moe_load_balance_metrics_interval": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.rollout.mtp": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.multi_stage_wake_up": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.multi_turn": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.multi_turn._target_": {
   "type": "str",
   "default": "verl.workers.config.MultiTurnConfig"
  },
  "actor_rollout_ref.rollout.multi_turn.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.multi_turn.format": {
   "type": "str",
   "default": "hermes"
  },
  "actor_rollout_ref.rollout.multi_turn.function_tool_path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.multi_turn.max_assistant_turns": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.multi_turn.max_parallel_calls": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.multi_turn.max_tool_response_length": {
   "type": "float",
   "default": 256
  },
  "actor_rollout_ref.rollout.multi_turn.max_user_turns": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.multi_turn.num_repeat_rollouts": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.multi_turn.tokenization_sanity_check_mode": {
   "type": "str",
   "default": "strict"
  },
  "actor_rollout_ref.rollout.multi_turn.tool_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.multi_turn.tool_response_truncate_side": {
   "type": "str",
   "default": "middle"
  },
  "actor_rollout_ref.rollout.multi_turn.use_inference_chat_template": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.n": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.n_gpus_per_node": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.name": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.nnodes": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.rollout.over_sample_rate": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.rollout.pipeline_model_parallel_size": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.profiler": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.profiler._target_": {
   "type": "str",
   "default": "verl.utils.profiler.ProfilerConfig"
  },
  "actor_rollout_ref.rollout.profiler.all_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.enable": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.finish_hook_all_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.finish_hook_cmd": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.finish_hook_ranks": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.ranks": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.relocate_results": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.save_path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NPUToolConfig"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu.analysis": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu.contents": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu.discrete": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu.level": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu.profile_token_end": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.npu.profile_token_start": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.precision_debugger": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.precision_debugger._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.PrecisionDebuggerToolConfig"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.precision_debugger.config_path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.precision_debugger.stages": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.precision_debugger.steps": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.precision_debugger.strict": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.torch": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.torch._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerToolConfig"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.torch.contents": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.torch.discrete": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.torch.profile_token_end": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.profiler.tool_config.torch.profile_token_start": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.prometheus": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.prometheus._target_": {
   "type": "str",
   "default": "verl.workers.config.PrometheusConfig"
  },
  "actor_rollout_ref.rollout.prometheus.enable": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.prometheus.file": {
   "type": "str",
   "default": "/tmp/ray/session_latest/metrics/prometheus/prometheus.yml"
  },
  "actor_rollout_ref.rollout.prometheus.port": {
   "type": "float",
   "default": 9090
  },
  "actor_rollout_ref.rollout.prometheus.served_model_name": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.prompt_length": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.qat": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.quantization": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.quantization_config_file": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.response_length": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.router_config_path": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.scheduling_policy": {
   "type": "str",
   "default": "fcfs"
  },
  "actor_rollout_ref.rollout.seed": {
   "type": "float",
   "default": 42
  },
  "actor_rollout_ref.rollout.skip_tokenizer_init": {
   "type": "bool",
   "default": true
  },
  "actor_rollout_ref.rollout.temperature": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.tensor_model_parallel_size": {
   "type": "float",
   "default": 2
  },
  "actor_rollout_ref.rollout.top_k": {
   "type": "float",
   "default": -1
  },
  "actor_rollout_ref.rollout.top_p": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.trace": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.trace._target_": {
   "type": "str",
   "default": "verl.workers.config.TraceConfig"
  },
  "actor_rollout_ref.rollout.trace.backend": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.trace.experiment_name": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.trace.max_samples_per_step_per_worker": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.trace.project_name": {
   "type": "any"
  },
  "actor_rollout_ref.rollout.trace.token2text": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.val_kwargs": {
   "type": "dict"
  },
  "actor_rollout_ref.rollout.val_kwargs._target_": {
   "type": "str",
   "default": "verl.workers.config.SamplingConfig"
  },
  "actor_rollout_ref.rollout.val_kwargs.do_sample": {
   "type": "bool",
   "default": false
  },
  "actor_rollout_ref.rollout.val_kwargs.n": {
   "type": "float",
   "default": 1
  },
  "actor_rollout_ref.rollout.val_kwargs.temperature": {
   "type": "float",
   "default": 0
  },
  "actor_rollout_ref.rollout.val_kwargs.top_k": {
   "type": "float",
   "default": -1
  },
  "actor_rollout_ref.rollout.val_kwargs.top_p": {
   "type": "float",
   "default": 1
  },
  "algorithm": {
   "type": "dict"
  },
  "algorithm._target_": {
   "type": "str",
   "default": "verl.trainer.config.AlgoConfig"
  },
  "algorithm.adv_estimator": {
   "type": "str",
   "default": "gae"
  },
  "algorithm.filter_groups": {
   "type": "dict"
  },
  "algorithm.filter_groups._target_": {
   "type": "str",
   "default": "verl.trainer.config.FilterGroupsConfig"
  },
  "algorithm.filter_groups.enable": {
   "type": "bool",
   "default": false
  },
  "algorithm.filter_groups.max_inflight_gen_batches": {
   "type": "float",
   "default": 1
  },
  "algorithm.filter_groups.max_num_gen_batches": {
   "type": "float",
   "default": 0
  },
  "algorithm.filter_groups.metric": {
   "type": "str",
   "default": "reward"
  },
  "algorithm.gamma": {
   "type": "float",
   "default": 1
  },
  "algorithm.kl_ctrl": {
   "type": "dict"
  },
  "algorithm.kl_ctrl._target_": {
   "type": "str",
   "default": "verl.trainer.config.KLControlConfig"
  },
  "algorithm.kl_ctrl.horizon": {
   "type": "float",
   "default": 10000
  },
  "algorithm.kl_ctrl.kl_coef": {
   "type": "float",
   "default": 0.001
  },
  "algorithm.kl_ctrl.target_kl": {
   "type": "float",
   "default": 0.1
  },
  "algorithm.kl_ctrl.type": {
   "type": "str",
   "default": "fixed"
  },
  "algorithm.kl_penalty": {
   "type": "str",
   "default": "kl"
  },
  "algorithm.lam": {
   "type": "float",
   "default": 1
  },
  "algorithm.norm_adv_by_std_in_grpo": {
   "type": "bool",
   "default": true
  },
  "algorithm.pf_ppo": {
   "type": "dict"
  },
  "algorithm.pf_ppo.reweight_method": {
   "type": "str",
   "default": "pow"
  },
  "algorithm.pf_ppo.weight_pow": {
   "type": "float",
   "default": 2
  },
  "algorithm.rollout_correction": {
   "type": "dict"
  },
  "algorithm.rollout_correction.bypass_mode": {
   "type": "bool",
   "default": false
  },
  "algorithm.rollout_correction.loss_type": {
   "type": "str",
   "default": "ppo_clip"
  },
  "algorithm.rollout_correction.rollout_is": {
   "type": "any"
  },
  "algorithm.rollout_correction.rollout_is_batch_normalize": {
   "type": "bool",
   "default": false
  },
  "algorithm.rollout_correction.rollout_is_threshold": {
   "type": "float",
   "default": 2
  },
  "algorithm.rollout_correction.rollout_rs": {
   "type": "any"
  },
  "algorithm.rollout_correction.rollout_rs_threshold": {
   "type": "any"
  },
  "algorithm.use_kl_in_reward": {
   "type": "bool",
   "default": false
  },
  "algorithm.use_pf_ppo": {
   "type": "bool",
   "default": false
  },
  "critic": {
   "type": "dict"
  },
  "critic._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPCriticConfig"
  },
  "critic.checkpoint": {
   "type": "dict"
  },
  "critic.checkpoint._target_": {
   "type": "str",
   "default": "verl.trainer.config.CheckpointConfig"
  },
  "critic.checkpoint.async_save": {
   "type": "bool",
   "default": false
  },
  "critic.checkpoint.load_contents": {
   "type": "any"
  },
  "critic.checkpoint.save_contents": {
   "type": "list",
   "default": [
    "model",
    "optimizer",
    "extra"
   ]
  },
  "critic.cliprange_value": {
   "type": "float",
   "default": 0.5
  },
  "critic.data_loader_seed": {
   "type": "float",
   "default": 42
  },
  "critic.enable": {
   "type": "any"
  },
  "critic.forward_max_token_len_per_gpu": {
   "type": "any"
  },
  "critic.forward_micro_batch_size": {
   "type": "any"
  },
  "critic.forward_micro_batch_size_per_gpu": {
   "type": "any"
  },
  "critic.fsdp": {
   "type": "dict"
  },
  "critic.fsdp._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPEngineConfig"
  },
  "critic.fsdp.dtype": {
   "type": "str",
   "default": "bfloat16"
  },
  "critic.fsdp.entropy_checkpointing": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.entropy_from_logits_chunk_size": {
   "type": "float",
   "default": 2048
  },
  "critic.fsdp.entropy_from_logits_with_chunking": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.forward_only": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.forward_prefetch": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.fsdp_size": {
   "type": "float",
   "default": -1
  },
  "critic.fsdp.full_determinism": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.model_dtype": {
   "type": "str",
   "default": "fp32"
  },
  "critic.fsdp.offload_policy": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.optimizer_offload": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.pad_to_length": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.pad_to_length_bucket": {
   "type": "float",
   "default": 1024
  },
  "critic.fsdp.param_offload": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.qat": {
   "type": "dict"
  },
  "critic.fsdp.qat._target_": {
   "type": "str",
   "default": "verl.workers.config.QATEngineConfig"
  },
  "critic.fsdp.qat.activation_observer": {
   "type": "str",
   "default": "static_minmax"
  },
  "critic.fsdp.qat.enable": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.qat.group_size": {
   "type": "float",
   "default": 16
  },
  "critic.fsdp.qat.ignore_patterns": {
   "type": "list",
   "default": [
    "lm_head",
    "embed_tokens",
    "re:.*mlp.gate$"
   ]
  },
  "critic.fsdp.qat.mode": {
   "type": "str",
   "default": "w4a16"
  },
  "critic.fsdp.qat.quantization_config_path": {
   "type": "any"
  },
  "critic.fsdp.reshard_after_forward": {
   "type": "bool",
   "default": true
  },
  "critic.fsdp.seed": {
   "type": "float",
   "default": 42
  },
  "critic.fsdp.strategy": {
   "type": "str",
   "default": "fsdp"
  },
  "critic.fsdp.turbo_config": {
   "type": "dict"
  },
  "critic.fsdp.turbo_config.distributed": {
   "type": "dict"
  },
  "critic.fsdp.turbo_config.distributed.expert_fully_shard_parallel_size": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.turbo_config.distributed.expert_parallel_size": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan": {
   "type": "dict"
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan.fsdp_implementation": {
   "type": "str",
   "default": "native"
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan.num_to_backward_prefetch": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan.num_to_forward_prefetch": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan.output_dtype": {
   "type": "str",
   "default": "bf16"
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan.param_dtype": {
   "type": "str",
   "default": "bf16"
  },
  "critic.fsdp.turbo_config.distributed.fsdp_plan.reduce_dtype": {
   "type": "str",
   "default": "fp32"
  },
  "critic.fsdp.turbo_config.distributed.fully_shard_parallel_size": {
   "type": "float",
   "default": 16
  },
  "critic.fsdp.turbo_config.distributed.tensor_parallel_size": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.turbo_config.distributed.ulysses_parallel_size": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.ulysses_sequence_parallel_size": {
   "type": "float",
   "default": 1
  },
  "critic.fsdp.use_no_sync_for_gradient_accumulation": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.use_orig_params": {
   "type": "bool",
   "default": false
  },
  "critic.fsdp.use_torch_compile": {
   "type": "bool",
   "default": true
  },
  "critic.fsdp.wrap_policy": {
   "type": "dict"
  },
  "critic.fsdp.wrap_policy.min_num_params": {
   "type": "float",
   "default": 0
  },
  "critic.grad_clip": {
   "type": "float",
   "default": 1
  },
  "critic.loss_agg_mode": {
   "type": "any"
  },
  "critic.loss_scale_factor": {
   "type": "any"
  },
  "critic.model": {
   "type": "dict"
  },
  "critic.model._target_": {
   "type": "str",
   "default": "verl.workers.config.HFModelConfig"
  },
  "critic.model.custom_chat_template": {
   "type": "any"
  },
  "critic.model.enable_activation_offload": {
   "type": "bool",
   "default": false
  },
  "critic.model.enable_gradient_checkpointing": {
   "type": "bool",
   "default": true
  },
  "critic.model.exclude_modules": {
   "type": "any"
  },
  "critic.model.external_lib": {
   "type": "any"
  },
  "critic.model.fused_kernel_options": {
   "type": "dict"
  },
  "critic.model.fused_kernel_options.impl_backend": {
   "type": "str",
   "default": "torch"
  },
  "critic.model.hf_config_path": {
   "type": "any"
  },
  "critic.model.lora": {
   "type": "dict"
  },
  "critic.model.lora.a2a_experimental": {
   "type": "bool",
   "default": false
  },
  "critic.model.lora.adapter_path": {
   "type": "any"
  },
  "critic.model.lora.alpha": {
   "type": "float",
   "default": 32
  },
  "critic.model.lora.dropout": {
   "type": "float",
   "default": 0
  },
  "critic.model.lora.dropout_position": {
   "type": "str",
   "default": "pre"
  },
  "critic.model.lora.dtype": {
   "type": "any"
  },
  "critic.model.lora.exclude_modules": {
   "type": "list",
   "default": []
  },
  "critic.model.lora.freeze_language_model": {
   "type": "bool",
   "default": true
  },
  "critic.model.lora.freeze_vision_model": {
   "type": "bool",
   "default": true
  },
  "critic.model.lora.freeze_vision_projection": {
   "type": "bool",
   "default": true
  },
  "critic.model.lora.lora_A_init_method": {
   "type": "str",
   "default": "xavier"
  },
  "critic.model.lora.lora_B_init_method": {
   "type": "str",
   "default": "zero"
  },
  "critic.model.lora.merge": {
   "type": "bool",
   "default": false
  },
  "critic.model.lora.rank": {
   "type": "float",
   "default": 0
  },
  "critic.model.lora.target_modules": {
   "type": "list",
   "default": [
    "linear_qkv",
    "linear_proj",
    "linear_fc1",
    "linear_fc2"
   ]
  },
  "critic.model.lora.type": {
   "type": "str",
   "default": "lora"
  },
  "critic.model.lora_adapter_path": {
   "type": "any"
  },
  "critic.model.lora_alpha": {
   "type": "float",
   "default": 16
  },
  "critic.model.lora_rank": {
   "type": "float",
   "default": 0
  },
  "critic.model.mtp": {
   "type": "dict"
  },
  "critic.model.mtp._target_": {
   "type": "str",
   "default": "verl.workers.config.MtpConfig"
  },
  "critic.model.mtp.detach_encoder": {
   "type": "bool",
   "default": false
  },
  "critic.model.mtp.enable": {
   "type": "bool",
   "default": false
  },
  "critic.model.mtp.enable_rollout": {
   "type": "bool",
   "default": false
  },
  "critic.model.mtp.enable_train": {
   "type": "bool",
   "default": false
  },
  "critic.model.mtp.method": {
   "type": "str",
   "default": "mtp"
  },
  "critic.model.mtp.mtp_loss_scaling_factor": {
   "type": "float",
   "default": 0.1
  },
  "critic.model.mtp.num_speculative_tokens": {
   "type": "float",
   "default": 1
  },
  "critic.model.mtp.speculative_algorithm": {
   "type": "str",
   "default": "EAGLE"
  },
  "critic.model.mtp.speculative_eagle_topk": {
   "type": "float",
   "default": 1
  },
  "critic.model.mtp.speculative_num_draft_tokens": {
   "type": "float",
   "default": 4
  },
  "critic.model.mtp.speculative_num_steps": {
   "type": "float",
   "default": 3
  },
  "critic.model.override_config": {
   "type": "dict"
  },
  "critic.model.path": {
   "type": "str",
   "default": "~/models/deepseek-llm-7b-chat"
  },
  "critic.model.target_modules": {
   "type": "str",
   "default": "all-linear"
  },
  "critic.model.tiled_mlp": {
   "type": "dict"
  },
  "critic.model.tiled_mlp.enabled": {
   "type": "bool",
   "default": false
  },
  "critic.model.tiled_mlp.num_shards": {
   "type": "float",
   "default": 4
  },
  "critic.model.tokenizer_path": {
   "type": "any"
  },
  "critic.model.trust_remote_code": {
   "type": "bool",
   "default": false
  },
  "critic.model.use_fused_kernels": {
   "type": "bool",
   "default": false
  },
  "critic.model.use_liger": {
   "type": "bool",
   "default": false
  },
  "critic.model.use_remove_padding": {
   "type": "bool",
   "default": true
  },
  "critic.model.use_shm": {
   "type": "bool",
   "default": false
  },
  "critic.optim": {
   "type": "dict"
  },
  "critic.optim._target_": {
   "type": "str",
   "default": "verl.workers.config.FSDPOptimizerConfig"
  },
  "critic.optim.betas": {
   "type": "list",
   "default": [
    0.9,
    0.999
   ]
  },
  "critic.optim.clip_grad": {
   "type": "float",
   "default": 1
  },
  "critic.optim.lr": {
   "type": "float",
   "default": 0.00001
  },
  "critic.optim.lr_scheduler_type": {
   "type": "str",
   "default": "constant"
  },
  "critic.optim.lr_warmup_steps": {
   "type": "float",
   "default": -1
  },
  "critic.optim.lr_warmup_steps_ratio": {
   "type": "float",
   "default": 0
  },
  "critic.optim.min_lr_ratio": {
   "type": "float",
   "default": 0
  },
  "critic.optim.num_cycles": {
   "type": "float",
   "default": 0.5
  },
  "critic.optim.optimizer": {
   "type": "str",
   "default": "AdamW"
  },
  "critic.optim.optimizer_impl": {
   "type": "str",
   "default": "torch.optim"
  },
  "critic.optim.override_optimizer_config": {
   "type": "any"
  },
  "critic.optim.total_training_steps": {
   "type": "float",
   "default": -1
  },
  "critic.optim.warmup_style": {
   "type": "any"
  },
  "critic.optim.weight_decay": {
   "type": "float",
   "default": 0.01
  },
  "critic.optim.zero_indexed_step": {
   "type": "bool",
   "default": true
  },
  "critic.ppo_epochs": {
   "type": "any"
  },
  "critic.ppo_max_token_len_per_gpu": {
   "type": "float",
   "default": 32768
  },
  "critic.ppo_micro_batch_size": {
   "type": "any"
  },
  "critic.ppo_micro_batch_size_per_gpu": {
   "type": "any"
  },
  "critic.ppo_mini_batch_size": {
   "type": "any"
  },
  "critic.profiler": {
   "type": "dict"
  },
  "critic.profiler._target_": {
   "type": "str",
   "default": "verl.utils.profiler.ProfilerConfig"
  },
  "critic.profiler.all_ranks": {
   "type": "bool",
   "default": false
  },
  "critic.profiler.enable": {
   "type": "bool",
   "default": false
  },
  "critic.profiler.finish_hook_all_ranks": {
   "type": "any"
  },
  "critic.profiler.finish_hook_cmd": {
   "type": "any"
  },
  "critic.profiler.finish_hook_ranks": {
   "type": "any"
  },
  "critic.profiler.ranks": {
   "type": "list",
   "default": []
  },
  "critic.profiler.relocate_results": {
   "type": "any"
  },
  "critic.profiler.save_path": {
   "type": "any"
  },
  "critic.profiler.tool": {
   "type": "any"
  },
  "critic.profiler.tool_config": {
   "type": "dict"
  },
  "critic.profiler.tool_config.npu": {
   "type": "dict"
  },
  "critic.profiler.tool_config.npu._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NPUToolConfig"
  },
  "critic.profiler.tool_config.npu.analysis": {
   "type": "bool",
   "default": true
  },
  "critic.profiler.tool_config.npu.contents": {
   "type": "list",
   "default": []
  },
  "critic.profiler.tool_config.npu.discrete": {
   "type": "bool",
   "default": false
  },
  "critic.profiler.tool_config.npu.level": {
   "type": "str",
   "default": "level0"
  },
  "critic.profiler.tool_config.nsys": {
   "type": "dict"
  },
  "critic.profiler.tool_config.nsys._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NsightToolConfig"
  },
  "critic.profiler.tool_config.nsys.discrete": {
   "type": "any"
  },
  "critic.profiler.tool_config.precision_debugger": {
   "type": "dict"
  },
  "critic.profiler.tool_config.precision_debugger._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.PrecisionDebuggerToolConfig"
  },
  "critic.profiler.tool_config.precision_debugger.config_path": {
   "type": "any"
  },
  "critic.profiler.tool_config.precision_debugger.stages": {
   "type": "any"
  },
  "critic.profiler.tool_config.precision_debugger.steps": {
   "type": "any"
  },
  "critic.profiler.tool_config.precision_debugger.strict": {
   "type": "any"
  },
  "critic.profiler.tool_config.torch": {
   "type": "dict"
  },
  "critic.profiler.tool_config.torch._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerToolConfig"
  },
  "critic.profiler.tool_config.torch.contents": {
   "type": "list",
   "default": []
  },
  "critic.profiler.tool_config.torch.discrete": {
   "type": "bool",
   "default": false
  },
  "critic.profiler.tool_config.torch.schedule": {
   "type": "dict"
  },
  "critic.profiler.tool_config.torch.schedule._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchProfilerScheduleConfig"
  },
  "critic.profiler.tool_config.torch.schedule.active": {
   "type": "float",
   "default": 0
  },
  "critic.profiler.tool_config.torch.schedule.repeat": {
   "type": "float",
   "default": 0
  },
  "critic.profiler.tool_config.torch.schedule.skip_first": {
   "type": "float",
   "default": 0
  },
  "critic.profiler.tool_config.torch.schedule.wait": {
   "type": "float",
   "default": 0
  },
  "critic.profiler.tool_config.torch.schedule.warmup": {
   "type": "float",
   "default": 0
  },
  "critic.profiler.tool_config.torch_memory": {
   "type": "dict"
  },
  "critic.profiler.tool_config.torch_memory._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.TorchMemoryToolConfig"
  },
  "critic.profiler.tool_config.torch_memory.memory_snapshot_num_steps": {
   "type": "any"
  },
  "critic.profiler.tool_config.torch_memory.stack_depth": {
   "type": "any"
  },
  "critic.profiler.tool_config.torch_memory.trace_alloc_max_entries": {
   "type": "any"
  },
  "critic.rollout_n": {
   "type": "any"
  },
  "critic.shuffle": {
   "type": "any"
  },
  "critic.strategy": {
   "type": "str",
   "default": "fsdp"
  },
  "critic.ulysses_sequence_parallel_size": {
   "type": "float",
   "default": 1
  },
  "critic.use_dynamic_bsz": {
   "type": "any"
  },
  "custom_reward_function": {
   "type": "dict"
  },
  "custom_reward_function.name": {
   "type": "any"
  },
  "custom_reward_function.path": {
   "type": "any"
  },
  "data": {
   "type": "dict"
  },
  "data.apply_chat_template_kwargs": {
   "type": "dict"
  },
  "data.audio_key": {
   "type": "str",
   "default": "audios"
  },
  "data.custom_cls": {
   "type": "dict"
  },
  "data.custom_cls.name": {
   "type": "any"
  },
  "data.custom_cls.path": {
   "type": "any"
  },
  "data.dataloader_num_workers": {
   "type": "float",
   "default": 8
  },
  "data.filter_overlong_prompts": {
   "type": "bool",
   "default": false
  },
  "data.filter_overlong_prompts_workers": {
   "type": "float",
   "default": 1
  },
  "data.function_tool_path": {
   "type": "any"
  },
  "data.gen_batch_size": {
   "type": "any"
  },
  "data.image_key": {
   "type": "str",
   "default": "images"
  },
  "data.image_patch_size": {
   "type": "float",
   "default": 14
  },
  "data.max_prompt_length": {
   "type": "float",
   "default": 512
  },
  "data.max_response_length": {
   "type": "float",
   "default": 512
  },
  "data.mm_processor_kwargs": {
   "type": "dict"
  },
  "data.prompt_key": {
   "type": "str",
   "default": "prompt"
  },
  "data.return_full_prompt": {
   "type": "bool",
   "default": false
  },
  "data.return_multi_modal_inputs": {
   "type": "bool",
   "default": true
  },
  "data.return_raw_chat": {
   "type": "bool",
   "default": true
  },
  "data.return_raw_input_ids": {
   "type": "bool",
   "default": false
  },
  "data.reward_fn_key": {
   "type": "str",
   "default": "data_source"
  },
  "data.seed": {
   "type": "any"
  },
  "data.shuffle": {
   "type": "bool",
   "default": true
  },
  "data.tokenizer": {
   "type": "any"
  },
  "data.tool_config_path": {
   "type": "any"
  },
  "data.train_batch_size": {
   "type": "float",
   "default": 1024
  },
  "data.train_files": {
   "type": "str",
   "default": "~/data/rlhf/gsm8k/train.parquet"
  },
  "data.train_max_samples": {
   "type": "float",
   "default": -1
  },
  "data.truncation": {
   "type": "str",
   "default": "error"
  },
  "data.trust_remote_code": {
   "type": "bool",
   "default": false
  },
  "data.use_shm": {
   "type": "bool",
   "default": false
  },
  "data.val_batch_size": {
   "type": "any"
  },
  "data.val_files": {
   "type": "str",
   "default": "~/data/rlhf/gsm8k/test.parquet"
  },
  "data.val_max_samples": {
   "type": "float",
   "default": -1
  },
  "data.validation_shuffle": {
   "type": "bool",
   "default": false
  },
  "data.video_key": {
   "type": "str",
   "default": "videos"
  },
  "distillation": {
   "type": "dict"
  },
  "distillation._target_": {
   "type": "str",
   "default": "verl.workers.config.DistillationConfig"
  },
  "distillation.distillation_loss": {
   "type": "dict"
  },
  "distillation.distillation_loss._target_": {
   "type": "str",
   "default": "verl.workers.config.DistillationLossConfig"
  },
  "distillation.distillation_loss.clip_ratio": {
   "type": "float",
   "default": 0.2
  },
  "distillation.distillation_loss.clip_ratio_high": {
   "type": "float",
   "default": 0.2
  },
  "distillation.distillation_loss.clip_ratio_low": {
   "type": "float",
   "default": 0.2
  },
  "distillation.distillation_loss.distillation_loss_coef": {
   "type": "float",
   "default": 1
  },
  "distillation.distillation_loss.log_prob_min_clamp": {
   "type": "any"
  },
  "distillation.distillation_loss.loss_max_clamp": {
   "type": "any"
  },
  "distillation.distillation_loss.loss_mode": {
   "type": "str",
   "default": "k3"
  },
  "distillation.distillation_loss.policy_loss_mode": {
   "type": "str",
   "default": "vanilla"
  },
  "distillation.distillation_loss.topk": {
   "type": "float",
   "default": 32
  },
  "distillation.distillation_loss.use_policy_gradient": {
   "type": "bool",
   "default": false
  },
  "distillation.distillation_loss.use_task_rewards": {
   "type": "bool",
   "default": true
  },
  "distillation.enabled": {
   "type": "bool",
   "default": false
  },
  "distillation.n_gpus_per_node": {
   "type": "float",
   "default": 8
  },
  "distillation.nnodes": {
   "type": "float",
   "default": 0
  },
  "distillation.teacher_key": {
   "type": "str",
   "default": "data_source"
  },
  "distillation.teacher_models": {
   "type": "dict"
  },
  "distillation.teacher_models.teacher_model": {
   "type": "dict"
  },
  "distillation.teacher_models.teacher_model._target_": {
   "type": "str",
   "default": "verl.workers.config.DistillationTeacherModelConfig"
  },
  "distillation.teacher_models.teacher_model.inference": {
   "type": "dict"
  },
  "distillation.teacher_models.teacher_model.inference._target_": {
   "type": "str",
   "default": "verl.workers.config.RolloutConfig"
  },
  "distillation.teacher_models.teacher_model.inference.cudagraph_capture_sizes": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.data_parallel_size": {
   "type": "float",
   "default": 1
  },
  "distillation.teacher_models.teacher_model.inference.disable_log_stats": {
   "type": "bool",
   "default": true
  },
  "distillation.teacher_models.teacher_model.inference.dtype": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.enable_chunked_prefill": {
   "type": "bool",
   "default": true
  },
  "distillation.teacher_models.teacher_model.inference.enable_prefix_caching": {
   "type": "bool",
   "default": true
  },
  "distillation.teacher_models.teacher_model.inference.enforce_eager": {
   "type": "bool",
   "default": true
  },
  "distillation.teacher_models.teacher_model.inference.engine_kwargs": {
   "type": "dict"
  },
  "distillation.teacher_models.teacher_model.inference.expert_parallel_size": {
   "type": "float",
   "default": 1
  },
  "distillation.teacher_models.teacher_model.inference.free_cache_engine": {
   "type": "bool",
   "default": true
  },
  "distillation.teacher_models.teacher_model.inference.gpu_memory_utilization": {
   "type": "float",
   "default": 0.5
  },
  "distillation.teacher_models.teacher_model.inference.limit_images": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.load_format": {
   "type": "str",
   "default": "auto"
  },
  "distillation.teacher_models.teacher_model.inference.max_model_len": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.max_num_batched_tokens": {
   "type": "float",
   "default": 8192
  },
  "distillation.teacher_models.teacher_model.inference.max_num_seqs": {
   "type": "float",
   "default": 1024
  },
  "distillation.teacher_models.teacher_model.inference.name": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.prompt_length": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.response_length": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.skip_tokenizer_init": {
   "type": "bool",
   "default": true
  },
  "distillation.teacher_models.teacher_model.inference.temperature": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.inference.tensor_model_parallel_size": {
   "type": "float",
   "default": 2
  },
  "distillation.teacher_models.teacher_model.key": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.model_path": {
   "type": "any"
  },
  "distillation.teacher_models.teacher_model.num_replicas": {
   "type": "float",
   "default": 0
  },
  "global_profiler": {
   "type": "dict"
  },
  "global_profiler._target_": {
   "type": "str",
   "default": "verl.utils.profiler.ProfilerConfig"
  },
  "global_profiler.finish_hook_all_ranks": {
   "type": "bool",
   "default": false
  },
  "global_profiler.finish_hook_cmd": {
   "type": "any"
  },
  "global_profiler.finish_hook_ranks": {
   "type": "list",
   "default": []
  },
  "global_profiler.global_tool_config": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.nsys": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.nsys._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.NsightToolConfig"
  },
  "global_profiler.global_tool_config.nsys.controller_nsight_options": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.nsys.controller_nsight_options.cuda-graph-trace": {
   "type": "str",
   "default": "graph"
  },
  "global_profiler.global_tool_config.nsys.controller_nsight_options.cuda-memory-usage": {
   "type": "str",
   "default": "true"
  },
  "global_profiler.global_tool_config.nsys.controller_nsight_options.trace": {
   "type": "str",
   "default": "cuda,nvtx,cublas,ucx"
  },
  "global_profiler.global_tool_config.nsys.discrete": {
   "type": "bool",
   "default": false
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options.capture-range": {
   "type": "str",
   "default": "cudaProfilerApi"
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options.capture-range-end": {
   "type": "any"
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options.cuda-graph-trace": {
   "type": "str",
   "default": "graph"
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options.cuda-memory-usage": {
   "type": "str",
   "default": "true"
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options.kill": {
   "type": "str",
   "default": "none"
  },
  "global_profiler.global_tool_config.nsys.worker_nsight_options.trace": {
   "type": "str",
   "default": "cuda,nvtx,cublas,ucx"
  },
  "global_profiler.global_tool_config.precision_debugger": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.precision_debugger._target_": {
   "type": "str",
   "default": "verl.utils.profiler.config.PrecisionDebuggerToolConfig"
  },
  "global_profiler.global_tool_config.precision_debugger.config_path": {
   "type": "any"
  },
  "global_profiler.global_tool_config.precision_debugger.stages": {
   "type": "any"
  },
  "global_profiler.global_tool_config.precision_debugger.steps": {
   "type": "any"
  },
  "global_profiler.global_tool_config.precision_debugger.strict": {
   "type": "bool",
   "default": false
  },
  "global_profiler.global_tool_config.torch_memory": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.torch_memory.context": {
   "type": "str",
   "default": "all"
  },
  "global_profiler.global_tool_config.torch_memory.kw_args": {
   "type": "dict"
  },
  "global_profiler.global_tool_config.torch_memory.memory_snapshot_num_steps": {
   "type": "float",
   "default": 1
  },
  "global_profiler.global_tool_config.torch_memory.stack_depth": {
   "type": "float",
   "default": 32
  },
  "global_profiler.global_tool_config.torch_memory.stacks": {
   "type": "str",
   "default": "all"
  },
  "global_profiler.global_tool_config.torch_memory.trace_alloc_max_entries": {
   "type": "float",
   "default": 100000
  },
  "global_profiler.profile_continuous_steps": {
   "type": "bool",
   "default": false
  },
  "global_profiler.relocate_results": {
   "type": "bool",
   "default": false
  },
  "global_profiler.save_path": {
   "type": "str",
   "default": "outputs/profile"
  },
  "global_profiler.steps": {
   "type": "any"
  },
  "global_profiler.tool": {
   "type": "any"
  },
  "model_engine": {
   "type": "str",
   "default": "dp"
  },
  "ray_kwargs": {
   "type": "dict"
  },
  "ray_kwargs.ray_init": {
   "type": "dict"
  },
  "ray_kwargs.ray_init.num_cpus": {
   "type": "any"
  },
  "ray_kwargs.ray_init.runtime_env": {
   "type": "dict"
  },
  "ray_kwargs.ray_init.runtime_env.py_executable": {
   "type": "any"
  },
  "ray_kwargs.timeline_json_file": {
   "type": "any"
  },
  "reward": {
   "type": "dict"
  },
  "reward._target_": {
   "type": "str",
   "default": "verl.workers.config.RewardConfig"
  },
  "reward.custom_reward_function": {
   "type": "dict"
  },
  "reward.custom_reward_function.name": {
   "type": "str",
   "default": "compute_score"
  },
  "reward.custom_reward_function.path": {
   "type": "any"
  },
  "reward.num_workers": {
   "type": "float",
   "default": 8
  },
  "reward.reward_manager": {
   "type": "dict"
  },
  "reward.reward_manager._target_": {
   "type": "str",
   "default": "verl.workers.config.reward.RewardManagerConfig"
  },
  "reward.reward_manager.module": {
   "type": "dict"
  },
  "reward.reward_manager.module._target_": {
   "type": "str",
   "default": "verl.trainer.config.config.ModuleConfig"
  },
  "reward.reward_manager.module.name": {
   "type": "str",
   "default": "custom_reward_manager"
  },
  "reward.reward_manager.module.path": {
   "type": "any"
  },
  "reward.reward_manager.name": {
   "type": "str",
   "default": "naive"
  },
  "reward.reward_manager.source": {
   "type": "str",
   "default": "register"
  },
  "reward.reward_model": {
   "type": "dict"
  },
  "reward.reward_model._target_": {
   "type": "str",
   "default": "verl.workers.config.RewardModelConfig"
  },
  "reward.reward_model.enable": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.enable_resource_pool": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.model_path": {
   "type": "any"
  },
  "reward.reward_model.n_gpus_per_node": {
   "type": "float",
   "default": 8
  },
  "reward.reward_model.nnodes": {
   "type": "float",
   "default": 0
  },
  "reward.reward_model.rollout": {
   "type": "dict"
  },
  "reward.reward_model.rollout._target_": {
   "type": "str",
   "default": "verl.workers.config.RolloutConfig"
  },
  "reward.reward_model.rollout.cudagraph_capture_sizes": {
   "type": "any"
  },
  "reward.reward_model.rollout.data_parallel_size": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.disable_log_stats": {
   "type": "bool",
   "default": true
  },
  "reward.reward_model.rollout.disaggregation": {
   "type": "dict"
  },
  "reward.reward_model.rollout.disaggregation.bootstrap_port": {
   "type": "any"
  },
  "reward.reward_model.rollout.disaggregation.decode_replicas": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.disaggregation.decode_tensor_model_parallel_size": {
   "type": "any"
  },
  "reward.reward_model.rollout.disaggregation.enabled": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.rollout.disaggregation.ib_device": {
   "type": "any"
  },
  "reward.reward_model.rollout.disaggregation.prefill_replicas": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.disaggregation.transfer_backend": {
   "type": "str",
   "default": "nixl"
  },
  "reward.reward_model.rollout.do_sample": {
   "type": "bool",
   "default": true
  },
  "reward.reward_model.rollout.dtype": {
   "type": "str",
   "default": "bfloat16"
  },
  "reward.reward_model.rollout.enable_chunked_prefill": {
   "type": "bool",
   "default": true
  },
  "reward.reward_model.rollout.enable_prefix_caching": {
   "type": "bool",
   "default": true
  },
  "reward.reward_model.rollout.enforce_eager": {
   "type": "bool",
   "default": true
  },
  "reward.reward_model.rollout.engine_kwargs": {
   "type": "dict"
  },
  "reward.reward_model.rollout.expert_parallel_size": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.free_cache_engine": {
   "type": "bool",
   "default": true
  },
  "reward.reward_model.rollout.full_determinism": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.rollout.gpu_memory_utilization": {
   "type": "float",
   "default": 0.5
  },
  "reward.reward_model.rollout.ignore_eos": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.rollout.layered_summon": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.rollout.limit_images": {
   "type": "any"
  },
  "reward.reward_model.rollout.load_format": {
   "type": "str",
   "default": "auto"
  },
  "reward.reward_model.rollout.max_model_len": {
   "type": "any"
  },
  "reward.reward_model.rollout.max_num_batched_tokens": {
   "type": "float",
   "default": 8192
  },
  "reward.reward_model.rollout.max_num_seqs": {
   "type": "float",
   "default": 1024
  },
  "reward.reward_model.rollout.mtp": {
   "type": "any"
  },
  "reward.reward_model.rollout.multi_stage_wake_up": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.rollout.n": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.name": {
   "type": "any"
  },
  "reward.reward_model.rollout.pipeline_model_parallel_size": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.prompt_length": {
   "type": "float",
   "default": 2048
  },
  "reward.reward_model.rollout.quantization": {
   "type": "any"
  },
  "reward.reward_model.rollout.quantization_config_file": {
   "type": "any"
  },
  "reward.reward_model.rollout.response_length": {
   "type": "float",
   "default": 2048
  },
  "reward.reward_model.rollout.scheduling_policy": {
   "type": "str",
   "default": "fcfs"
  },
  "reward.reward_model.rollout.seed": {
   "type": "float",
   "default": 42
  },
  "reward.reward_model.rollout.skip_tokenizer_init": {
   "type": "bool",
   "default": false
  },
  "reward.reward_model.rollout.temperature": {
   "type": "float",
   "default": 1
  },
  "reward.reward_model.rollout.tensor_model_parallel_size": {
   "type": "float",
   "default": 2
  },
  "reward.reward_model.rollout.top_k": {
   "type": "float",
   "default": -1
  },
  "reward.reward_model.rollout.top_p": {
   "type": "float",
   "default": 1
  },
  "reward.sandbox_fusion": {
   "type": "dict"
  },
  "reward.sandbox_fusion._target_": {
   "type": "str",
   "default": "verl.workers.config.SandboxFusionConfig"
  },
  "reward.sandbox_fusion.max_concurrent": {
   "type": "float",
   "default": 64
  },
  "reward.sandbox_fusion.memory_limit_mb": {
   "type": "float",
   "default": 1024
  },
  "reward.sandbox_fusion.url": {
   "type": "any"
  },
  "reward_model": {
   "type": "dict"
  },
  "reward_model.enable": {
   "type": "any"
  },
  "reward_model.enable_resource_pool": {
   "type": "any"
  },
  "reward_model.model": {
   "type": "dict"
  },
  "reward_model.model.external_lib": {
   "type": "any"
  },
  "reward_model.model.path": {
   "type": "any"
  },
  "reward_model.model.trust_remote_code": {
   "type": "any"
  },
  "reward_model.n_gpus_per_node": {
   "type": "any"
  },
  "reward_model.nnodes": {
   "type": "any"
  },
  "reward_model.num_workers": {
   "type": "any"
  },
  "reward_model.reward_loop_class_name": {
   "type": "any"
  },
  "reward_model.reward_loop_module_path": {
   "type": "any"
  },
  "reward_model.reward_loop_source": {
   "type": "any"
  },
  "reward_model.reward_manager": {
   "type": "any"
  },
  "reward_model.rollout": {
   "type": "dict"
  },
  "reward_model.rollout.cudagraph_capture_sizes": {
   "type": "any"
  },
  "reward_model.rollout.data_parallel_size": {
   "type": "any"
  },
  "reward_model.rollout.disable_log_stats": {
   "type": "any"
  },
  "reward_model.rollout.dtype": {
   "type": "any"
  },
  "reward_model.rollout.enable_chunked_prefill": {
   "type": "any"
  },
  "reward_model.rollout.enable_prefix_caching": {
   "type": "any"
  },
  "reward_model.rollout.enforce_eager": {
   "type": "any"
  },
  "reward_model.rollout.engine_kwargs": {
   "type": "any"
  },
  "reward_model.rollout.expert_parallel_size": {
   "type": "any"
  },
  "reward_model.rollout.free_cache_engine": {
   "type": "any"
  },
  "reward_model.rollout.gpu_memory_utilization": {
   "type": "any"
  },
  "reward_model.rollout.limit_images": {
   "type": "any"
  },
  "reward_model.rollout.load_format": {
   "type": "any"
  },
  "reward_model.rollout.max_model_len": {
   "type": "any"
  },
  "reward_model.rollout.max_num_batched_tokens": {
   "type": "any"
  },
  "reward_model.rollout.max_num_seqs": {
   "type": "any"
  },
  "reward_model.rollout.name": {
   "type": "any"
  },
  "reward_model.rollout.prompt_length": {
   "type": "any"
  },
  "reward_model.rollout.response_length": {
   "type": "any"
  },
  "reward_model.rollout.skip_tokenizer_init": {
   "type": "any"
  },
  "reward_model.rollout.tensor_model_parallel_size": {
   "type": "any"
  },
  "sandbox_fusion": {
   "type": "dict"
  },
  "sandbox_fusion.max_concurrent": {
   "type": "any"
  },
  "sandbox_fusion.memory_limit_mb": {
   "type": "any"
  },
  "sandbox_fusion.url": {
   "type": "any"
  },
  "skip": {
   "type": "dict"
  },
  "skip._target_": {
   "type": "str",
   "default": "verl.utils.skip.SkipManagerConfig"
  },
  "skip.async_rollout": {
   "type": "dict"
  },
  "skip.async_rollout.action": {
   "type": "str",
   "default": "cache"
  },
  "skip.async_rollout.dump_dir": {
   "type": "str",
   "default": "~/.verl/rollout_dump"
  },
  "skip.async_rollout.enable": {
   "type": "bool",
   "default": false
  },
  "skip.async_rollout.steps": {
   "type": "list",
   "default": []
  },
  "skip.rollout": {
   "type": "dict"
  },
  "skip.rollout.action": {
   "type": "str",
   "default": "cache"
  },
  "skip.rollout.dump_dir": {
   "type": "str",
   "default": "~/.verl/rollout_dump"
  },
  "skip.rollout.enable": {
   "type": "bool",
   "default": false
  },
  "skip.rollout.steps": {
   "type": "list",
   "default": []
  },
  "skip.rollout_tq": {
   "type": "dict"
  },
  "skip.rollout_tq.action": {
   "type": "str",
   "default": "cache"
  },
  "skip.rollout_tq.dump_dir": {
   "type": "str",
   "default": "~/.verl/rollout_dump"
  },
  "skip.rollout_tq.enable": {
   "type": "bool",
   "default": false
  },
  "skip.rollout_tq.steps": {
   "type": "list",
   "default": []
  },
  "trainer": {
   "type": "dict"
  },
  "trainer.balance_batch": {
   "type": "bool",
   "default": true
  },
  "trainer.checkpoint_callback_class": {
   "type": "any"
  },
  "trainer.critic_warmup": {
   "type": "float",
   "default": 0
  },
  "trainer.default_hdfs_dir": {
   "type": "any"
  },
  "trainer.default_local_dir": {
   "type": "any"
  },
  "trainer.del_local_ckpt_after_load": {
   "type": "bool",
   "default": false
  },
  "trainer.device": {
   "type": "str",
   "default": "cuda"
  },
  "trainer.esi_redundant_time": {
   "type": "float",
   "default": 0
  },
  "trainer.experiment_name": {
   "type": "str",
   "default": "gsm8k"
  },
  "trainer.log_val_generations": {
   "type": "float",
   "default": 0
  },
  "trainer.logger": {
   "type": "list",
   "default": [
    "console",
    "wandb"
   ]
  },
  "trainer.max_actor_ckpt_to_keep": {
   "type": "any"
  },
  "trainer.max_critic_ckpt_to_keep": {
   "type": "any"
  },
  "trainer.n_gpus_per_node": {
   "type": "float",
   "default": 8
  },
  "trainer.nnodes": {
   "type": "float",
   "default": 1
  },
  "trainer.project_name": {
   "type": "str",
   "default": "verl_examples"
  },
  "trainer.ray_wait_register_center_timeout": {
   "type": "float",
   "default": 300
  },
  "trainer.resume_from_path": {
   "type": "any"
  },
  "trainer.resume_mode": {
   "type": "str",
   "default": "auto"
  },
  "trainer.rollout_data_dir": {
   "type": "any"
  },
  "trainer.save_freq": {
   "type": "float",
   "default": -1
  },
  "trainer.test_freq": {
   "type": "float",
   "default": -1
  },
  "trainer.total_epochs": {
   "type": "float",
   "default": 30
  },
  "trainer.total_training_steps": {
   "type": "any"
  },
  "trainer.use_v1": {
   "type": "bool",
   "default": true
  },
  "trainer.v1": {
   "type": "dict"
  },
  "trainer.v1.colocate_async": {
   "type": "dict"
  },
  "trainer.v1.colocate_async.num_warmup_batches": {
   "type": "float",
   "default": 1
  },
  "trainer.v1.sampler": {
   "type": "dict"
  },
  "trainer.v1.sampler.custom_sampler": {
   "type": "dict"
  },
  "trainer.v1.sampler.custom_sampler.name": {
   "type": "any"
  },
  "trainer.v1.sampler.custom_sampler.path": {
   "type": "any"
  },
  "trainer.v1.sampler.max_off_policy_strategy": {
   "type": "str",
   "default": "drop"
  },
  "trainer.v1.sampler.max_off_policy_threshold": {
   "type": "float",
   "default": 8
  },
  "trainer.v1.sampler.sampler_kwargs": {
   "type": "dict"
  },
  "trainer.v1.sampler.sync_refill_failed_groups": {
   "type": "bool",
   "default": false
  },
  "trainer.v1.separate_async": {
   "type": "dict"
  },
  "trainer.v1.separate_async.hybrid_rollout": {
   "type": "dict"
  },
  "trainer.v1.separate_async.hybrid_rollout._target_": {
   "type": "str",
   "default": "verl.trainer.config.HybridRolloutSwitchConfig"
  },
  "trainer.v1.separate_async.hybrid_rollout.adaptive_switch_threshold": {
   "type": "bool",
   "default": true
  },
  "trainer.v1.separate_async.hybrid_rollout.enable_switch": {
   "type": "bool",
   "default": false
  },
  "trainer.v1.separate_async.hybrid_rollout.switch_cost_window_size": {
   "type": "float",
   "default": 3
  },
  "trainer.v1.separate_async.hybrid_rollout.switch_threshold_ratio": {
   "type": "float",
   "default": 0.4
  },
  "trainer.v1.separate_async.hybrid_rollout.switch_threshold_release_steps": {
   "type": "float",
   "default": 2
  },
  "trainer.v1.separate_async.hybrid_rollout.switch_threshold_step_down": {
   "type": "float",
   "default": 0.03
  },
  "trainer.v1.separate_async.hybrid_rollout.switch_threshold_step_up": {
   "type": "float",
   "default": 0.05
  },
  "trainer.v1.separate_async.num_warmup_batches": {
   "type": "float",
   "default": 1
  },
  "trainer.v1.separate_async.parameter_sync_step": {
   "type": "float",
   "default": 4
  },
  "trainer.v1.sync": {
   "type": "dict"
  },
  "trainer.v1.trainer_mode": {
   "type": "str",
   "default": "sync"
  },
  "trainer.val_before_train": {
   "type": "bool",
   "default": true
  },
  "trainer.val_only": {
   "type": "bool",
   "default": false
  },
  "trainer.validation_data_dir": {
   "type": "any"
  },
  "transfer_queue": {
   "type": "dict"
  },
  "transfer_queue.backend": {
   "type": "dict"
  },
  "transfer_queue.backend.MooncakeStore": {
   "type": "dict"
  },
  "transfer_queue.backend.MooncakeStore.auto_init": {
   "type": "bool",
   "default": false
  },
  "transfer_queue.backend.MooncakeStore.device_name": {
   "type": "str",
   "default": ""
  },
  "transfer_queue.backend.MooncakeStore.global_segment_size": {
   "type": "float",
   "default": 4294967296
  },
  "transfer_queue.backend.MooncakeStore.local_buffer_size": {
   "type": "float",
   "default": 1073741824
  },
  "transfer_queue.backend.MooncakeStore.local_hostname": {
   "type": "str",
   "default": "localhost"
  },
  "transfer_queue.backend.MooncakeStore.master_server_address": {
   "type": "str",
   "default": "localhost:50124"
  },
  "transfer_queue.backend.MooncakeStore.metadata_server": {
   "type": "str",
   "default": "localhost:50123"
  },
  "transfer_queue.backend.MooncakeStore.protocol": {
   "type": "str",
   "default": "tcp"
  },
  "transfer_queue.backend.SimpleStorage": {
   "type": "dict"
  },
  "transfer_queue.backend.SimpleStorage.num_data_storage_units": {
   "type": "float",
   "default": 8
  },
  "transfer_queue.backend.SimpleStorage.total_storage_size": {
   "type": "float",
   "default": 100000
  },
  "transfer_queue.backend.storage_backend": {
   "type": "str",
   "default": "SimpleStorage"
  },
  "transfer_queue.enable": {
   "type": "bool",
   "default": false
  },
  "transfer_queue.metrics": {
   "type": "dict"
  },
  "transfer_queue.metrics.enabled": {
   "type": "bool",
   "default": false
  },
  "transfer_queue.metrics.port": {
   "type": "float",
   "default": 0
  }
 }
};
