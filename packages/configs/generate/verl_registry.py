"""What verl takes from a closed set of names although its configuration calls it a text: from its own registries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import verl
from source_choices import compared, registered, sought
from verl.experimental.reward_loop.reward_manager.registry import REWARD_MANAGER
from verl.trainer.distillation.losses import DISTILLATION_LOSS_REGISTRY
from verl.trainer.ppo import core_algos, rollout_corr_helper
from verl.trainer.ppo.v1 import trainer_base
from verl.utils.checkpoint.checkpoint_manager import BaseCheckpointManager
from verl.utils.profiler import profile
from verl.utils.rollout_trace import RolloutTraceConfig
from verl.utils.tracking import Tracking
from verl.workers.config.reward import RewardManagerConfig
from verl.workers.reward_manager.registry import REWARD_MANAGER_REGISTRY
from verl.workers.rollout.base import _ROLLOUT_REGISTRY

folder = Path(verl.__file__).parent


def registry() -> dict[str, Any]:
    """Every closed set, by name. Those that would want CUDA to be imported are read from the source."""
    penalties = compared(core_algos.kl_penalty_forward, "kl_penalty")
    return {
        "advantageEstimators": sorted(core_algos.ADV_ESTIMATOR_REGISTRY),
        "policyLosses": sorted(core_algos.POLICY_LOSS_REGISTRY),
        "lossAggregations": compared(core_algos.agg_loss, "loss_agg_mode"),
        # A trailing `+` asks for the other gradient of the same estimate.
        "klPenalties": [*penalties, *(f"{name}+" for name in penalties)],
        "klControllers": compared(core_algos.get_kl_controller, "type"),
        "rolloutCorrectionWeights": compared(rollout_corr_helper.compute_rollout_correction_weights, "rollout_is"),
        "rolloutCorrectionRejections": sorted(rollout_corr_helper.SUPPORTED_ROLLOUT_RS_OPTIONS),
        "rolloutCorrectionLosses": compared(core_algos.compute_policy_loss_bypass_mode, "loss_type"),
        "sampleReweightings": compared(core_algos.compute_pf_ppo_reweight_data, "reweight_method"),
        "distillationLosses": sorted(DISTILLATION_LOSS_REGISTRY),
        "trainerModes": registered(folder / "trainer" / "ppo" / "v1", "register_trainer"),
        "resumeModes": compared(trainer_base.PPOTrainer, "resume_mode"),
        "offPolicyStrategies": compared(
            folder / "trainer" / "ppo" / "v1" / "replay_buffer.py", "max_off_policy_strategy"
        ),
        "loggers": list(Tracking.supported_backend),
        "rollouts": sorted({name for name, _ in _ROLLOUT_REGISTRY}),
        "rolloutModes": sorted({mode for _, mode in _ROLLOUT_REGISTRY}),
        "engines": {
            name: registered(folder / "workers" / "engine" / name, "EngineRegistry.register", "backend")
            for name in ("fsdp", "megatron", "torchtitan", "veomni", "automodel")
        },
        "checkpointContents": sought(BaseCheckpointManager, "checkpoint_save_contents"),
        "checkpointEngines": registered(folder / "checkpoint_engine", "CheckpointEngineRegistry.register"),
        "rewardManagerSources": compared(RewardManagerConfig.__post_init__, "source"),
        "rewardManagers": sorted(REWARD_MANAGER),
        "legacyRewardManagers": sorted(REWARD_MANAGER_REGISTRY),
        "agentLoops": registered(folder / "experimental" / "agent_loop", "register"),
        "toolParsers": registered(folder / "experimental" / "agent_loop", "ToolParser.register"),
        "traceBackends": compared(RolloutTraceConfig.init, "backend"),
        "truncations": compared(folder / "utils" / "torch_functional.py", "truncation"),
        "profilers": compared(profile.DistProfiler.__init__, "_tool"),
        "torchOptimizers": optimizers(),
    }


def optimizers() -> list[str]:
    """The classes of torch.optim, which verl looks in unless it is told of another module."""
    base = torch.optim.Optimizer
    found = [each for each in vars(torch.optim).values() if isinstance(each, type) and issubclass(each, base)]
    return sorted(each.__name__ for each in found if each is not base)


def choices_of(table: str, names: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Which key takes its value from which set; `extendedBy` is the key that names other places to look in."""
    reward_manager = {"choices": names["rewardManagers"], "extendedBy": "reward.reward_manager.source"}
    agent_loop = {
        "choices": names["agentLoops"],
        "extendedBy": "actor_rollout_ref.rollout.agent.agent_loop_config_path",
    }
    checkpoint_engine = {
        "choices": names["checkpointEngines"],
        "extendedBy": "actor_rollout_ref.rollout.checkpoint_engine.custom_backend_module",
    }
    found = {
        "algorithm.adv_estimator": names["advantageEstimators"],
        "algorithm.kl_ctrl.type": names["klControllers"],
        "algorithm.kl_penalty": names["klPenalties"],
        "algorithm.pf_ppo.reweight_method": names["sampleReweightings"],
        "algorithm.rollout_correction.loss_type": names["rolloutCorrectionLosses"],
        "algorithm.rollout_correction.rollout_is": names["rolloutCorrectionWeights"],
        "actor_rollout_ref.actor.kl_loss_type": names["klPenalties"],
        "actor_rollout_ref.actor.loss_agg_mode": names["lossAggregations"],
        "actor_rollout_ref.actor.policy_loss.loss_mode": names["policyLosses"],
        "actor_rollout_ref.actor.strategy": names["engines"][table],
        "actor_rollout_ref.ref.strategy": names["engines"][table],
        "actor_rollout_ref.rollout.mode": names["rolloutModes"],
        "actor_rollout_ref.rollout.multi_turn.format": names["toolParsers"],
        "actor_rollout_ref.rollout.name": names["rollouts"],
        "actor_rollout_ref.rollout.trace.backend": names["traceBackends"],
        "critic.strategy": names["engines"][table],
        "data.truncation": names["truncations"],
        "distillation.distillation_loss.loss_mode": names["distillationLosses"],
        "distillation.distillation_loss.policy_loss_mode": names["policyLosses"],
        "global_profiler.tool": names["profilers"],
        "reward.reward_manager.source": names["rewardManagerSources"],
        "reward.reward_model.rollout.name": names["rollouts"],
        "trainer.resume_mode": names["resumeModes"],
        "trainer.v1.sampler.max_off_policy_strategy": names["offPolicyStrategies"],
        "trainer.v1.trainer_mode": names["trainerModes"],
    }
    options: dict[str, dict[str, Any]] = {key: {"choices": choices} for key, choices in found.items()}
    options["trainer.logger"] = {"choices": names["loggers"], "list": True}
    for part in ("actor_rollout_ref.actor", "critic"):
        options[f"{part}.checkpoint.save_contents"] = {"choices": names["checkpointContents"], "list": True}
    # One file or several.
    options.update({f"data.{part}_files": {"list": True} for part in ("train", "val")})
    options["reward.reward_manager.name"] = reward_manager
    options["actor_rollout_ref.rollout.agent.default_agent_loop"] = agent_loop
    options["actor_rollout_ref.rollout.checkpoint_engine.backend"] = checkpoint_engine
    if table == "fsdp":
        for optim in ("actor_rollout_ref.actor.optim", "critic.optim"):
            other = f"{optim}.optimizer_impl"
            options[f"{optim}.optimizer"] = {"choices": names["torchOptimizers"], "extendedBy": other}
    return options
