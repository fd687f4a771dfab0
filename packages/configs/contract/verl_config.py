"""Reads a JSON list of lists of overrides; writes, for each, what verl makes of it: `python verl_config.py IN OUT`.

Hydra composes the tree as `main_ppo` would, verl's own `validate_config` judges it, and the parts that verl turns into
dataclasses are turned into them. `error` is null, or the first complaint.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import verl
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import omega_conf_to_dataclass, validate_config


def judge(config: DictConfig) -> None:
    """Raises what verl would raise before it starts anything."""
    validate_config(
        config=config,
        use_reference_policy=need_reference_policy(config),
        use_critic=need_critic(config),
    )
    for part in (config.algorithm, config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout):
        omega_conf_to_dataclass(part)


def found_in(folder: str, overrides: list[str]) -> dict[str, Any]:
    """The composed tree, or the complaint."""
    try:
        with initialize_config_dir(folder, version_base=None):
            config = compose("ppo_trainer", overrides=overrides)
        judge(config)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "config": None}
    return {"error": None, "config": OmegaConf.to_container(config, resolve=True)}


def main() -> None:
    lists: list[list[str]] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = str(Path(verl.__file__).parent / "trainer" / "config")
    found = [found_in(folder, overrides) for overrides in lists]
    Path(sys.argv[2]).write_text(json.dumps(found, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
