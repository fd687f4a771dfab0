// Made by `pnpm generate` from ms-swift 4.6.0; not to be edited.
import type { OptionTable } from './option.ts';

export const msSwift460: OptionTable = {
 "trainer": "ms-swift",
 "version": "4.6.0",
 "options": {
  "acc_strategy": {
   "type": "str",
   "choices": [
    "token",
    "seq"
   ],
   "default": "token"
  },
  "accelerator_config": {
   "type": "str"
  },
  "adalora_beta1": {
   "type": "float",
   "default": 0.85
  },
  "adalora_beta2": {
   "type": "float",
   "default": 0.85
  },
  "adalora_deltaT": {
   "type": "int",
   "default": 1
  },
  "adalora_init_r": {
   "type": "int",
   "default": 12
  },
  "adalora_orth_reg_weight": {
   "type": "float",
   "default": 0.5
  },
  "adalora_target_r": {
   "type": "int",
   "default": 8
  },
  "adalora_tfinal": {
   "type": "int",
   "default": 0
  },
  "adalora_tinit": {
   "type": "int",
   "default": 0
  },
  "adam_beta1": {
   "type": "float",
   "default": 0.9
  },
  "adam_beta2": {
   "type": "float",
   "default": 0.95
  },
  "adam_epsilon": {
   "type": "float",
   "default": 1e-8
  },
  "adapter_act": {
   "type": "str",
   "default": "gelu"
  },
  "adapter_length": {
   "type": "int",
   "default": 128
  },
  "adapters": {
   "type": "str",
   "list": true,
   "default": []
  },
  "add_non_thinking_prefix": {
   "type": "bool",
   "default": true
  },
  "add_version": {
   "type": "bool",
   "default": true
  },
  "agent_template": {
   "type": "str"
  },
  "aligner_lr": {
   "type": "float"
  },
  "attn_impl": {
   "type": "str"
  },
  "auto_find_batch_size": {
   "type": "bool",
   "default": false
  },
  "average_tokens_across_devices": {
   "type": "bool",
   "default": true
  },
  "batch_eval_metrics": {
   "type": "bool",
   "default": false
  },
  "bf16": {
   "type": "bool"
  },
  "bf16_full_eval": {
   "type": "bool",
   "default": false
  },
  "bnb_4bit_compute_dtype": {
   "type": "str",
   "choices": [
    "float16",
    "bfloat16",
    "float32",
    "None"
   ]
  },
  "bnb_4bit_quant_storage": {
   "type": "str"
  },
  "bnb_4bit_quant_type": {
   "type": "str",
   "choices": [
    "fp4",
    "nf4"
   ],
   "default": "nf4"
  },
  "bnb_4bit_use_double_quant": {
   "type": "bool",
   "default": true
  },
  "boft_block_num": {
   "type": "int",
   "default": 0
  },
  "boft_block_size": {
   "type": "int",
   "default": 4
  },
  "boft_dropout": {
   "type": "float",
   "default": 0
  },
  "boft_n_butterfly_factor": {
   "type": "int",
   "default": 1
  },
  "cached_dataset": {
   "type": "str",
   "list": true,
   "default": []
  },
  "cached_val_dataset": {
   "type": "str",
   "list": true,
   "default": []
  },
  "callbacks": {
   "type": "str",
   "list": true,
   "default": []
  },
  "check_model": {
   "type": "bool",
   "default": true
  },
  "columns": {
   "type": "str"
  },
  "create_checkpoint_symlink": {
   "type": "bool",
   "default": false
  },
  "custom_dataset_info": {
   "type": "str",
   "list": true,
   "default": []
  },
  "custom_register_path": {
   "type": "str",
   "list": true,
   "default": []
  },
  "data_seed": {
   "type": "int",
   "default": 42
  },
  "dataloader_drop_last": {
   "type": "bool",
   "default": false
  },
  "dataloader_in_order": {
   "type": "bool",
   "default": true
  },
  "dataloader_multiprocessing_context": {
   "type": "str",
   "choices": [
    "fork",
    "spawn",
    "forkserver"
   ]
  },
  "dataloader_num_workers": {
   "type": "int"
  },
  "dataloader_persistent_workers": {
   "type": "bool",
   "default": true
  },
  "dataloader_pin_memory": {
   "type": "bool",
   "default": true
  },
  "dataloader_prefetch_factor": {
   "type": "int"
  },
  "dataset": {
   "type": "str",
   "list": true,
   "default": []
  },
  "dataset_num_proc": {
   "type": "int",
   "default": 1
  },
  "dataset_shuffle": {
   "type": "bool",
   "default": true
  },
  "ddp_backend": {
   "type": "str"
  },
  "ddp_broadcast_buffers": {
   "type": "bool"
  },
  "ddp_bucket_cap_mb": {
   "type": "int"
  },
  "ddp_find_unused_parameters": {
   "type": "bool"
  },
  "ddp_static_graph": {
   "type": "bool"
  },
  "ddp_timeout": {
   "type": "int",
   "default": 18000000
  },
  "debug": {
   "type": "any",
   "list": true
  },
  "decision_drop_instructions": {
   "type": "float",
   "default": 0
  },
  "decision_shuffle_fields": {
   "type": "bool",
   "default": false
  },
  "decision_state_as_text": {
   "type": "float",
   "default": 0
  },
  "decision_subsample_options": {
   "type": "int",
   "default": 0
  },
  "deepspeed": {
   "type": "str"
  },
  "deepspeed_autotp_size": {
   "type": "int"
  },
  "device_groups": {
   "type": "str"
  },
  "device_map": {
   "type": "str"
  },
  "disable_auto_column_mapping": {
   "type": "bool",
   "default": false
  },
  "disable_ignore_empty_think": {
   "type": "bool",
   "default": false
  },
  "disable_tqdm": {
   "type": "bool"
  },
  "do_eval": {
   "type": "bool",
   "default": false
  },
  "do_predict": {
   "type": "bool",
   "default": false
  },
  "do_train": {
   "type": "bool",
   "default": false
  },
  "download_mode": {
   "type": "str",
   "choices": [
    "force_redownload",
    "reuse_dataset_if_exists"
   ],
   "default": "reuse_dataset_if_exists"
  },
  "ds3_gather_for_generation": {
   "type": "bool",
   "default": true
  },
  "early_stop_interval": {
   "type": "int"
  },
  "enable_channel_loss": {
   "type": "bool",
   "default": false
  },
  "enable_dft_loss": {
   "type": "bool",
   "default": false
  },
  "enable_jit_checkpoint": {
   "type": "bool",
   "default": false
  },
  "enable_npu_model_patch": {
   "type": "bool",
   "default": true
  },
  "enable_thinking": {
   "type": "bool"
  },
  "eval_accumulation_steps": {
   "type": "int"
  },
  "eval_dataset": {
   "type": "str",
   "list": true,
   "default": []
  },
  "eval_dataset_args": {
   "type": "str"
  },
  "eval_delay": {
   "type": "float",
   "default": 0
  },
  "eval_do_concat_batches": {
   "type": "bool",
   "default": true
  },
  "eval_generation_config": {
   "type": "str"
  },
  "eval_limit": {
   "type": "int"
  },
  "eval_metric": {
   "type": "str"
  },
  "eval_on_start": {
   "type": "bool",
   "default": false
  },
  "eval_steps": {
   "type": "float"
  },
  "eval_strategy": {
   "type": "str"
  },
  "eval_use_evalscope": {
   "type": "bool",
   "default": false
  },
  "eval_use_gather_object": {
   "type": "bool",
   "default": false
  },
  "experts_impl": {
   "type": "str"
  },
  "external_plugins": {
   "type": "str",
   "list": true,
   "default": []
  },
  "extra_eval_args": {
   "type": "str"
  },
  "fourier_n_frequency": {
   "type": "int",
   "default": 2000
  },
  "fourier_scaling": {
   "type": "float",
   "default": 300
  },
  "fp16": {
   "type": "bool"
  },
  "fp16_full_eval": {
   "type": "bool",
   "default": false
  },
  "freeze_aligner": {
   "type": "bool",
   "default": true
  },
  "freeze_llm": {
   "type": "bool",
   "default": false
  },
  "freeze_parameters": {
   "type": "str",
   "list": true,
   "default": []
  },
  "freeze_parameters_ratio": {
   "type": "float",
   "default": 0
  },
  "freeze_parameters_regex": {
   "type": "str"
  },
  "freeze_vit": {
   "type": "bool",
   "default": true
  },
  "fsdp": {
   "type": "str"
  },
  "fsdp_config": {
   "type": "str"
  },
  "full_determinism": {
   "type": "bool",
   "default": false
  },
  "galore_cos_threshold": {
   "type": "float",
   "default": 0.4
  },
  "galore_gamma_proj": {
   "type": "int",
   "default": 2
  },
  "galore_optim_per_parameter": {
   "type": "bool",
   "default": false
  },
  "galore_proj_bits": {
   "type": "int",
   "default": 4
  },
  "galore_proj_group_size": {
   "type": "int",
   "default": 256
  },
  "galore_proj_quant": {
   "type": "bool",
   "default": false
  },
  "galore_proj_type": {
   "type": "str",
   "default": "std"
  },
  "galore_quantization": {
   "type": "bool",
   "default": false
  },
  "galore_queue_size": {
   "type": "int",
   "default": 5
  },
  "galore_rank": {
   "type": "int",
   "default": 128
  },
  "galore_scale": {
   "type": "float",
   "default": 1
  },
  "galore_target_modules": {
   "type": "str",
   "list": true
  },
  "galore_update_proj_gap": {
   "type": "int",
   "default": 50
  },
  "galore_with_embedding": {
   "type": "bool",
   "default": false
  },
  "generation_config": {
   "type": "any"
  },
  "generation_max_length": {
   "type": "int"
  },
  "generation_num_beams": {
   "type": "int"
  },
  "gradient_accumulation_steps": {
   "type": "int"
  },
  "gradient_checkpointing": {
   "type": "bool",
   "default": true
  },
  "gradient_checkpointing_kwargs": {
   "type": "str"
  },
  "greater_is_better": {
   "type": "bool"
  },
  "group_by_length": {
   "type": "bool",
   "default": false
  },
  "hqq_axis": {
   "type": "int"
  },
  "hub_always_push": {
   "type": "bool",
   "default": false
  },
  "hub_model_id": {
   "type": "str"
  },
  "hub_private_repo": {
   "type": "bool"
  },
  "hub_revision": {
   "type": "str"
  },
  "hub_strategy": {
   "type": "str",
   "choices": [
    "end",
    "every_save",
    "checkpoint",
    "all_checkpoints"
   ],
   "default": "every_save"
  },
  "hub_token": {
   "type": "str"
  },
  "ignore_args_error": {
   "type": "bool",
   "default": false
  },
  "ignore_data_skip": {
   "type": "bool",
   "default": false
  },
  "include_for_metrics": {
   "type": "str",
   "list": true,
   "default": []
  },
  "include_num_input_tokens_seen": {
   "type": "bool",
   "default": "no"
  },
  "init_strategy": {
   "type": "str",
   "choices": [
    "zero",
    "uniform",
    "normal",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal"
   ]
  },
  "init_weights": {
   "type": "str",
   "default": "true"
  },
  "interleave_prob": {
   "type": "float",
   "list": true
  },
  "is_binary_loss_scale": {
   "type": "bool"
  },
  "label_names": {
   "type": "str",
   "list": true
  },
  "label_smoothing_factor": {
   "type": "float",
   "default": 0
  },
  "lazy_tokenize": {
   "type": "bool"
  },
  "learning_rate": {
   "type": "float"
  },
  "length_column_name": {
   "type": "str",
   "default": "length"
  },
  "liger_kernel_config": {
   "type": "any"
  },
  "lisa_activated_layers": {
   "type": "int",
   "default": 0
  },
  "lisa_step_interval": {
   "type": "int",
   "default": 20
  },
  "llamapro_num_groups": {
   "type": "int"
  },
  "llamapro_num_new_blocks": {
   "type": "int",
   "default": 4
  },
  "load_args": {
   "type": "bool",
   "default": false
  },
  "load_best_model_at_end": {
   "type": "bool",
   "default": false
  },
  "load_data_args": {
   "type": "bool",
   "default": false
  },
  "load_from_cache_file": {
   "type": "bool",
   "default": false
  },
  "local_rank": {
   "type": "int",
   "default": -1
  },
  "local_repo_path": {
   "type": "str"
  },
  "log_level": {
   "type": "str",
   "choices": [
    "detail",
    "debug",
    "info",
    "warning",
    "error",
    "critical",
    "passive"
   ],
   "default": "passive"
  },
  "log_level_replica": {
   "type": "str",
   "choices": [
    "detail",
    "debug",
    "info",
    "warning",
    "error",
    "critical",
    "passive"
   ],
   "default": "warning"
  },
  "log_on_each_node": {
   "type": "bool",
   "default": true
  },
  "logging_dir": {
   "type": "str"
  },
  "logging_first_step": {
   "type": "bool",
   "default": true
  },
  "logging_nan_inf_filter": {
   "type": "bool",
   "default": true
  },
  "logging_steps": {
   "type": "int",
   "default": 5
  },
  "logging_strategy": {
   "type": "str",
   "choices": [
    "no",
    "steps",
    "epoch"
   ],
   "default": "steps"
  },
  "logprobs": {
   "type": "bool",
   "default": false
  },
  "lora_alpha": {
   "type": "float",
   "default": 32
  },
  "lora_bias": {
   "type": "str",
   "choices": [
    "none",
    "all"
   ],
   "default": "none"
  },
  "lora_dropout": {
   "type": "float",
   "default": 0.05
  },
  "lora_dtype": {
   "type": "str",
   "choices": [
    "float16",
    "bfloat16",
    "float32",
    "None"
   ]
  },
  "lora_ga_batch_size": {
   "type": "int",
   "default": 2
  },
  "lora_ga_direction": {
   "type": "str",
   "default": "ArB2r"
  },
  "lora_ga_iters": {
   "type": "int",
   "default": 2
  },
  "lora_ga_max_length": {
   "type": "int",
   "default": 1024
  },
  "lora_ga_scale": {
   "type": "str",
   "default": "stable"
  },
  "lora_ga_stable_gamma": {
   "type": "int",
   "default": 16
  },
  "lora_rank": {
   "type": "int",
   "default": 8
  },
  "lorap_lr_ratio": {
   "type": "float"
  },
  "loss_scale": {
   "type": "str",
   "default": "default"
  },
  "loss_type": {
   "type": "str"
  },
  "lr_scheduler_kwargs": {
   "type": "str"
  },
  "lr_scheduler_type": {
   "type": "str",
   "default": "cosine"
  },
  "max_epochs": {
   "type": "int"
  },
  "max_grad_norm": {
   "type": "float",
   "default": 1
  },
  "max_length": {
   "type": "int"
  },
  "max_memory": {
   "type": "str"
  },
  "max_model_len": {
   "type": "int"
  },
  "max_new_tokens": {
   "type": "int",
   "default": 64
  },
  "max_pixels": {
   "type": "int"
  },
  "max_shard_size": {
   "type": "str",
   "default": "5GB"
  },
  "max_steps": {
   "type": "int",
   "default": -1
  },
  "metric_for_best_model": {
   "type": "str"
  },
  "model": {
   "type": "str"
  },
  "model_author": {
   "type": "str",
   "list": true
  },
  "model_kwargs": {
   "type": "str"
  },
  "model_name": {
   "type": "str",
   "list": true
  },
  "model_revision": {
   "type": "str"
  },
  "model_type": {
   "type": "str"
  },
  "modules_to_save": {
   "type": "str",
   "list": true,
   "default": []
  },
  "mrl_dims": {
   "type": "str"
  },
  "neftune_noise_alpha": {
   "type": "float"
  },
  "new_special_tokens": {
   "type": "str",
   "list": true,
   "default": []
  },
  "norm_bbox": {
   "type": "str",
   "choices": [
    "norm1000",
    "none",
    "None"
   ]
  },
  "num_beams": {
   "type": "int",
   "default": 1
  },
  "num_labels": {
   "type": "int"
  },
  "num_train_epochs": {
   "type": "float",
   "default": 3
  },
  "optim": {
   "type": "str",
   "choices": [
    "adamw_torch",
    "adamw_torch_fused",
    "adamw_torch_xla",
    "adamw_torch_npu_fused",
    "adafactor",
    "adamw_anyprecision",
    "adamw_torch_4bit",
    "adamw_torch_8bit",
    "ademamix",
    "sgd",
    "adagrad",
    "adamw_bnb_8bit",
    "adamw_8bit",
    "ademamix_8bit",
    "lion_8bit",
    "lion_32bit",
    "paged_adamw_32bit",
    "paged_adamw_8bit",
    "paged_ademamix_32bit",
    "paged_ademamix_8bit",
    "paged_lion_32bit",
    "paged_lion_8bit",
    "rmsprop",
    "rmsprop_bnb",
    "rmsprop_bnb_8bit",
    "rmsprop_bnb_32bit",
    "galore_adamw",
    "galore_adamw_8bit",
    "galore_adafactor",
    "galore_adamw_layerwise",
    "galore_adamw_8bit_layerwise",
    "galore_adafactor_layerwise",
    "lomo",
    "adalomo",
    "grokadamw",
    "schedule_free_radam",
    "schedule_free_adamw",
    "schedule_free_sgd",
    "apollo_adamw",
    "apollo_adamw_layerwise",
    "stable_adamw"
   ],
   "default": "adamw_torch_fused"
  },
  "optim_args": {
   "type": "str"
  },
  "optim_target_modules": {
   "type": "str"
  },
  "optimizer": {
   "type": "str"
  },
  "output_dir": {
   "type": "str"
  },
  "packing": {
   "type": "bool",
   "default": false
  },
  "packing_length": {
   "type": "int"
  },
  "packing_num_proc": {
   "type": "int",
   "default": 1
  },
  "packing_strategy": {
   "type": "str",
   "choices": [
    "binpack",
    "sequential"
   ],
   "default": "binpack"
  },
  "padding_free": {
   "type": "bool",
   "default": false
  },
  "padding_side": {
   "type": "str",
   "choices": [
    "left",
    "right"
   ],
   "default": "right"
  },
  "parallelism_config": {
   "type": "any"
  },
  "per_device_eval_batch_size": {
   "type": "int",
   "default": 1
  },
  "per_device_train_batch_size": {
   "type": "int",
   "default": 1
  },
  "predict_with_generate": {
   "type": "bool",
   "default": false
  },
  "prediction_loss_only": {
   "type": "bool",
   "default": false
  },
  "preserve_thinking": {
   "type": "bool"
  },
  "problem_type": {
   "type": "str",
   "choices": [
    "regression",
    "single_label_classification",
    "multi_label_classification"
   ]
  },
  "project": {
   "type": "str",
   "default": "huggingface"
  },
  "push_to_hub": {
   "type": "bool",
   "default": false
  },
  "quant_bits": {
   "type": "str",
   "choices": [
    "1",
    "2",
    "3",
    "4",
    "8",
    "float8"
   ]
  },
  "quant_method": {
   "type": "str",
   "choices": [
    "bnb",
    "hqq",
    "eetq",
    "quanto",
    "fp8"
   ]
  },
  "ray_exp_name": {
   "type": "str"
  },
  "reft_args": {
   "type": "str"
  },
  "reft_intervention_type": {
   "type": "str",
   "choices": [
    "NoreftIntervention",
    "LoreftIntervention",
    "ConsreftIntervention",
    "LobireftIntervention",
    "DireftIntervention",
    "NodireftIntervention"
   ],
   "default": "LoreftIntervention"
  },
  "reft_layer_key": {
   "type": "str"
  },
  "reft_layers": {
   "type": "int",
   "list": true
  },
  "reft_rank": {
   "type": "int",
   "default": 4
  },
  "remove_unused_columns": {
   "type": "bool",
   "default": true
  },
  "repetition_penalty": {
   "type": "float"
  },
  "report_to": {
   "type": "str",
   "list": true,
   "default": [
    "tensorboard"
   ]
  },
  "response_prefix": {
   "type": "str"
  },
  "restore_callback_states_from_checkpoint": {
   "type": "bool",
   "default": false
  },
  "resume_from_checkpoint": {
   "type": "str"
  },
  "resume_only_model": {
   "type": "bool",
   "default": false
  },
  "rope_scaling": {
   "type": "str"
  },
  "router_aux_loss_coef": {
   "type": "float",
   "default": 0
  },
  "run_name": {
   "type": "str"
  },
  "safe_serialization": {
   "type": "bool",
   "default": true
  },
  "save_on_each_node": {
   "type": "bool",
   "default": false
  },
  "save_only_model": {
   "type": "bool",
   "default": false
  },
  "save_steps": {
   "type": "float",
   "default": 500
  },
  "save_strategy": {
   "type": "str",
   "choices": [
    "no",
    "steps",
    "epoch",
    "best"
   ],
   "default": "steps"
  },
  "save_total_limit": {
   "type": "int"
  },
  "seed": {
   "type": "int",
   "default": 42
  },
  "sequence_parallel_size": {
   "type": "int",
   "default": 1
  },
  "shuffle_buffer_size": {
   "type": "int",
   "default": 1000
  },
  "skip_memory_metrics": {
   "type": "bool",
   "default": true
  },
  "sortish_sampler": {
   "type": "bool",
   "default": false
  },
  "split_dataset_ratio": {
   "type": "float",
   "default": 0
  },
  "stop_words": {
   "type": "str",
   "list": true,
   "default": []
  },
  "stopping_strategy": {
   "type": "str",
   "choices": [
    "first_exhausted",
    "all_exhausted"
   ],
   "default": "first_exhausted"
  },
  "stream": {
   "type": "bool"
  },
  "streaming": {
   "type": "bool",
   "default": false
  },
  "strict": {
   "type": "bool",
   "default": false
  },
  "structured_outputs_regex": {
   "type": "str"
  },
  "swanlab_email_language": {
   "type": "str",
   "default": "zh"
  },
  "swanlab_exp_name": {
   "type": "str"
  },
  "swanlab_mode": {
   "type": "str",
   "choices": [
    "cloud",
    "local"
   ],
   "default": "cloud"
  },
  "swanlab_notification_method": {
   "type": "str"
  },
  "swanlab_project": {
   "type": "str",
   "default": "ms-swift"
  },
  "swanlab_receiver_email": {
   "type": "str"
  },
  "swanlab_secret": {
   "type": "str"
  },
  "swanlab_sender_email": {
   "type": "str"
  },
  "swanlab_smtp_port": {
   "type": "int"
  },
  "swanlab_smtp_server": {
   "type": "str"
  },
  "swanlab_token": {
   "type": "str"
  },
  "swanlab_webhook_url": {
   "type": "str"
  },
  "swanlab_workspace": {
   "type": "str"
  },
  "system": {
   "type": "str"
  },
  "target_modules": {
   "type": "str",
   "list": true,
   "default": [
    "all-linear"
   ]
  },
  "target_parameters": {
   "type": "str",
   "list": true
  },
  "target_regex": {
   "type": "str"
  },
  "task_type": {
   "type": "str",
   "choices": [
    "causal_lm",
    "seq_cls",
    "embedding",
    "reranker",
    "generative_reranker",
    "decision"
   ]
  },
  "temperature": {
   "type": "float",
   "default": 0
  },
  "template": {
   "type": "str"
  },
  "template_backend": {
   "type": "str",
   "choices": [
    "swift",
    "jinja"
   ],
   "default": "swift"
  },
  "tf32": {
   "type": "bool"
  },
  "top_k": {
   "type": "int"
  },
  "top_logprobs": {
   "type": "int"
  },
  "top_p": {
   "type": "float"
  },
  "torch_compile": {
   "type": "bool",
   "default": false
  },
  "torch_compile_backend": {
   "type": "str"
  },
  "torch_compile_mode": {
   "type": "str"
  },
  "torch_dtype": {
   "type": "str",
   "choices": [
    "bfloat16",
    "float16",
    "float32",
    "None"
   ]
  },
  "torch_empty_cache_steps": {
   "type": "int"
  },
  "trackio_bucket_id": {
   "type": "str"
  },
  "trackio_space_id": {
   "type": "str"
  },
  "trackio_static_space_id": {
   "type": "str"
  },
  "train_dataloader_shuffle": {
   "type": "bool",
   "default": true
  },
  "train_sampling_strategy": {
   "type": "str",
   "choices": [
    "random",
    "sequential",
    "group_by_length",
    "batch_rebalance"
   ],
   "default": "random"
  },
  "trainable_parameters": {
   "type": "str",
   "list": true,
   "default": []
  },
  "trainable_parameters_regex": {
   "type": "str"
  },
  "truncation_strategy": {
   "type": "str",
   "choices": [
    "delete",
    "left",
    "right",
    "split",
    "None"
   ]
  },
  "tuner_backend": {
   "type": "str",
   "choices": [
    "peft",
    "unsloth"
   ],
   "default": "peft"
  },
  "tuner_type": {
   "type": "str",
   "default": "lora"
  },
  "use_cache": {
   "type": "bool",
   "default": false
  },
  "use_chat_template": {
   "type": "bool"
  },
  "use_cpu": {
   "type": "bool",
   "default": false
  },
  "use_dora": {
   "type": "bool",
   "default": false
  },
  "use_flash_ckpt": {
   "type": "bool",
   "default": false
  },
  "use_galore": {
   "type": "bool",
   "default": false
  },
  "use_hf": {
   "type": "bool",
   "default": false
  },
  "use_liger_kernel": {
   "type": "bool",
   "default": false
  },
  "use_logits_to_keep": {
   "type": "bool"
  },
  "use_ray": {
   "type": "bool",
   "default": false
  },
  "use_rslora": {
   "type": "bool",
   "default": false
  },
  "use_swift_lora": {
   "type": "bool",
   "default": false
  },
  "val_dataset": {
   "type": "str",
   "list": true,
   "default": []
  },
  "val_dataset_shuffle": {
   "type": "bool",
   "default": false
  },
  "vera_d_initial": {
   "type": "float",
   "default": 0.1
  },
  "vera_dropout": {
   "type": "float",
   "default": 0
  },
  "vera_projection_prng_key": {
   "type": "int",
   "default": 0
  },
  "vera_rank": {
   "type": "int",
   "default": 256
  },
  "vit_gradient_checkpointing": {
   "type": "bool"
  },
  "vit_lr": {
   "type": "float"
  },
  "warmup_ratio": {
   "type": "float",
   "default": 0
  },
  "warmup_steps": {
   "type": "float",
   "default": 0
  },
  "weight_decay": {
   "type": "float",
   "default": 0.1
  },
  "zero_hpz_partition_size": {
   "type": "int"
  }
 }
};
