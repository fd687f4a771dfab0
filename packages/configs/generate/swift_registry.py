"""What ms-swift takes from a closed set of names although its parser calls it a text: from its own registries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import swift
from source_choices import compared, keys
from swift.agent_template import agent_template_map
from swift.arguments import RLHFArguments, get_supported_tuners
from swift.callbacks import callbacks_map
from swift.loss import loss_map
from swift.loss_scale.base import ALL_BASE_STRATEGY
from swift.loss_scale.mapping import loss_scale_map
from swift.metrics import eval_metrics_map
from swift.model import MODEL_MAPPING
from swift.model.model_meta import get_matched_model_meta
from swift.optimizers import optimizers_map
from swift.rewards import orms, prms, rm_plugins
from swift.rollout.gym_env import envs
from swift.rollout.multi_turn import multi_turns
from swift.template import TEMPLATE_MAPPING
from transformers import SchedulerType
from transformers.integrations import INTEGRATION_TO_CALLBACK
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.training_args import OptimizerNames
from typing_extensions import get_type_hints

folder = Path(swift.__file__).parent

# The options whose names a file of `external_plugins` may add to.
extended = {
    "agent_template",
    "callbacks",
    "eval_metric",
    "gym_env",
    "loss_type",
    "model_type",
    "multi_turn_scheduler",
    "optimizer",
    "ref_model_type",
    "reward_funcs",
    "reward_model_plugin",
    "reward_model_type",
    "teacher_model_type",
    "template",
    "tuner_type",
}


def model_types() -> dict[str, Any]:
    """What each model type means: its templates, and the architectures that a `config.json` may name for it."""
    return {
        name: {
            "template": meta.template,
            "templates": meta.candidate_templates,
            "architectures": [arch for arch in meta.architectures if arch != "null"],
            **({"multimodal": True} if meta.is_multimodal else {}),
            **({"reward": True} if meta.is_reward else {}),
        }
        for name, meta in sorted(MODEL_MAPPING.items())
    }


def models() -> dict[str, Any]:
    """The type and template that ms-swift finds for each hub id it knows; `hubs` says where that id is."""
    hubs: dict[str, set[str]] = {}
    for meta in MODEL_MAPPING.values():
        for model in (model for group in meta.model_groups for model in group.models):
            for hub, name in (("modelscope", model.ms_model_id), ("huggingface", model.hf_model_id)):
                if name:
                    hubs.setdefault(name, set()).add(hub)
    found = {}
    for name, where in sorted(hubs.items()):
        meta = get_matched_model_meta(name)
        found[name] = {"type": meta.model_type, "template": meta.template, "hubs": sorted(where)}
    return found


def presets(pattern: str) -> list[str]:
    """The configurations that ms-swift carries."""
    return sorted(file.stem for file in (folder / "config").glob(pattern))


def losses() -> dict[str, list[str]]:
    """What `loss_type` may be, by what is trained."""
    from swift.rlhf_trainers.dpo_trainer import DPOTrainer
    from trl.experimental.cpo import CPOTrainer
    from trl.experimental.kto import KTOTrainer

    grpo = folder / "rlhf_trainers" / "grpo_trainer.py"
    return {
        "sft": sorted(loss_map),
        "dpo": compared(DPOTrainer.dpo_loss, "loss_type"),
        "kto": compared(KTOTrainer.kto_loss, "loss_type"),
        "cpo": compared(CPOTrainer.cpo_loss, "loss_type"),
        "grpo": compared(grpo, "loss_type"),
    }


def registry() -> dict[str, Any]:
    """Every closed set, by name."""
    return {
        "templates": sorted(TEMPLATE_MAPPING),
        "lossScaleStrategies": list(ALL_BASE_STRATEGY),
        "lossScales": sorted(loss_scale_map),
        "agentTemplates": sorted(agent_template_map),
        "tuners": sorted(get_supported_tuners()),
        "optimizers": sorted(optimizers_map),
        "optims": [name.value for name in OptimizerNames],
        "lrSchedulers": [name.value for name in SchedulerType],
        "callbacks": sorted(callbacks_map),
        "megatronCallbacks": sorted(keys(folder / "megatron" / "callbacks" / "mapping.py", "megatron_callbacks_map")),
        "reporters": ["all", "none", *sorted(INTEGRATION_TO_CALLBACK)],
        "evalMetrics": sorted(eval_metrics_map),
        "losses": losses(),
        "rlhfTypes": list(get_type_hints(RLHFArguments)["rlhf_type"].__args__),
        "rewardFunctions": sorted(orms),
        "processRewards": sorted(prms),
        "rewardModelPlugins": sorted(rm_plugins),
        "multiTurnSchedulers": sorted(multi_turns),
        "gymEnvironments": sorted(envs),
        "deepspeedPresets": presets("zero*.json"),
        "fsdpPresets": presets("fsdp*.json"),
        "attentions": ["eager", "flash_attn", *sorted(ALL_ATTENTION_FUNCTIONS.valid_keys())],
        "modelTypes": model_types(),
        "models": models(),
    }


def choices_of(command: str, names: dict[str, Any]) -> dict[str, list[str]]:
    """Which option takes its value from which set. Open ones (a preset or a path, a scale of several) are left out."""
    types = list(names["modelTypes"])
    common = {
        "agent_template": names["agentTemplates"],
        "model_type": types,
        "ref_model_type": types,
        "reward_model_type": types,
        "teacher_model_type": types,
        "template": names["templates"],
        "tuner_type": names["tuners"],
        "multi_turn_scheduler": names["multiTurnSchedulers"],
        "gym_env": names["gymEnvironments"],
        "reward_funcs": names["rewardFunctions"],
        "reward_model_plugin": names["rewardModelPlugins"],
    }
    if command.startswith("megatron-"):
        return {**common, "callbacks": names["megatronCallbacks"]}
    losses = names["losses"]
    rlhf = sorted({loss for kind, several in losses.items() if kind != "sft" for loss in several})
    return {
        **common,
        "callbacks": names["callbacks"],
        "eval_metric": names["evalMetrics"],
        "loss_type": losses["sft"] if command == "sft" else rlhf,
        "lr_scheduler_type": names["lrSchedulers"],
        "optimizer": names["optimizers"],
        "report_to": names["reporters"],
    }
