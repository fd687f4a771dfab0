// Made by `pnpm generate` from verl 0.9.1; not to be edited.
export const json = `{
"options":{
"actor":["actor","dp_actor","megatron_actor","torchtitan_actor","veomni_actor"],
"algorithm":["rollout_correction"],
"critic":["critic","dp_critic","megatron_critic","torchtitan_critic","veomni_critic"],
"data":["legacy_data"],
"distillation":["distillation"],
"engine":["automodel","fsdp","megatron","torchtitan","veomni"],
"model":["hf_model"],
"model_engine":["dp","megatron","torchtitan","veomni"],
"npu_profile":["npu_profile"],
"optim":["automodel","fsdp","megatron","torchtitan","veomni"],
"profiler":["profiler"],
"ref":["dp_ref","megatron_ref","ref","torchtitan_ref","veomni_ref"],
"reward":["reward"],
"rollout":["rollout"],
"transfer_queue":["transfer_queue"]},
"defaults":{
"fsdp":{"actor/../engine@actor_rollout_ref.actor.fsdp_config":{"group":"engine","key":"actor_rollout_ref.actor.fsdp_config","option":"fsdp"},"actor/../optim@actor_rollout_ref.actor.optim":{"group":"optim","key":"actor_rollout_ref.actor.optim","option":"fsdp"},"actor@actor_rollout_ref.actor":{"group":"actor","key":"actor_rollout_ref.actor","option":"dp_actor"},"algorithm@algorithm.rollout_correction":{"group":"algorithm","key":"algorithm.rollout_correction","option":"rollout_correction"},"critic":{"group":"critic","key":"critic","option":"dp_critic"},"critic/../engine@critic.fsdp":{"group":"engine","key":"critic.fsdp","option":"fsdp"},"critic/../optim@critic.optim":{"group":"optim","key":"critic.optim","option":"fsdp"},"data":{"group":"data","key":"data","option":"legacy_data"},"distillation":{"group":"distillation","key":"distillation","option":"distillation"},"model@actor_rollout_ref.model":{"group":"model","key":"actor_rollout_ref.model","option":"hf_model"},"model@critic.model":{"group":"model","key":"critic.model","option":"hf_model"},"model_engine":{"group":"model_engine","key":"model_engine","option":"dp"},"ref/../engine@actor_rollout_ref.ref.fsdp_config":{"group":"engine","key":"actor_rollout_ref.ref.fsdp_config","option":"fsdp"},"ref@actor_rollout_ref.ref":{"group":"ref","key":"actor_rollout_ref.ref","option":"dp_ref"},"reward":{"group":"reward","key":"reward","option":"reward"},"rollout@actor_rollout_ref.rollout":{"group":"rollout","key":"actor_rollout_ref.rollout","option":"rollout"},"transfer_queue":{"group":"transfer_queue","key":"transfer_queue","option":"transfer_queue"}},
"megatron":{"actor/../engine@actor_rollout_ref.actor.megatron":{"group":"engine","key":"actor_rollout_ref.actor.megatron","option":"megatron"},"actor/../optim@actor_rollout_ref.actor.optim":{"group":"optim","key":"actor_rollout_ref.actor.optim","option":"megatron"},"actor@actor_rollout_ref.actor":{"group":"actor","key":"actor_rollout_ref.actor","option":"megatron_actor"},"algorithm@algorithm.rollout_correction":{"group":"algorithm","key":"algorithm.rollout_correction","option":"rollout_correction"},"critic":{"group":"critic","key":"critic","option":"megatron_critic"},"critic/../engine@critic.megatron":{"group":"engine","key":"critic.megatron","option":"megatron"},"critic/../optim@critic.optim":{"group":"optim","key":"critic.optim","option":"megatron"},"data":{"group":"data","key":"data","option":"legacy_data"},"distillation":{"group":"distillation","key":"distillation","option":"distillation"},"model@actor_rollout_ref.model":{"group":"model","key":"actor_rollout_ref.model","option":"hf_model"},"model@critic.model":{"group":"model","key":"critic.model","option":"hf_model"},"model_engine":{"group":"model_engine","key":"model_engine","option":"megatron"},"ref/../engine@actor_rollout_ref.ref.megatron":{"group":"engine","key":"actor_rollout_ref.ref.megatron","option":"megatron"},"ref@actor_rollout_ref.ref":{"group":"ref","key":"actor_rollout_ref.ref","option":"megatron_ref"},"reward":{"group":"reward","key":"reward","option":"reward"},"rollout@actor_rollout_ref.rollout":{"group":"rollout","key":"actor_rollout_ref.rollout","option":"rollout"},"transfer_queue":{"group":"transfer_queue","key":"transfer_queue","option":"transfer_queue"}}}}`;
