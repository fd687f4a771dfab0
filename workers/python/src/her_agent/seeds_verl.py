"""Seeds of verl: from the configuration that Hydra wrote for the run, and from the log of each vLLM
engine.
"""

from __future__ import annotations

import re

from her_agent.block_yaml import scalars
from her_agent.tail import Tail

VERL_RECORD = "out/hydra/.hydra/config.yaml"
SOURCES = (
    "data.seed",
    "actor_rollout_ref.rollout.seed",
    "actor_rollout_ref.actor.data_loader_seed",
    "actor_rollout_ref.actor.fsdp_config.seed",
    "actor_rollout_ref.ref.fsdp_config.seed",
    "reward.reward_model.rollout.seed",
)
ENGINE = re.compile(rb"Initializing a V\d+ LLM engine.*?\bseed=(\d+)")
REFERENCE = re.compile(r"\$\{(?:oc\.select:)?([A-Za-z_][\w.]*)(?:,\s*([^}]*))?\}\Z")


def verl_seeds(text: str) -> list[tuple[str, object]]:
    """Sources and values in the order above. Raises ValueError when the text is not plain block YAML."""
    known = scalars(text)
    return [(source, _value(known, known[source])) for source in SOURCES if source in known]


def _value(known: dict[str, str], text: str, depth: int = 0) -> object:
    if text in ("null", "~", ""):
        return None
    if re.match(r"-?\d+\Z", text):
        return int(text)
    reference = REFERENCE.match(text)
    if reference and depth < 8:
        target, default = reference.groups()
        if target in known:
            return _value(known, known[target], depth + 1)
        if default is not None:
            return _value(known, default.strip(), depth + 1)
    return text


class EngineSeeds:
    """Seeds that vLLM engines logged so far, in order, each value once."""

    def __init__(self, log: str) -> None:
        self._tail = Tail(log)
        self._found: list[int] = []

    def poll(self) -> list[int]:
        """All seeds found up to now."""
        for line in self._tail.read():
            match = ENGINE.search(line.data)
            if match and int(match.group(1)) not in self._found:
                self._found.append(int(match.group(1)))
        return self._found
