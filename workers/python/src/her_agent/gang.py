"""A gang: one attempt over several nodes, an agent on each. What the request says of it.

Node 0 has the attempt's id, node k the id `<attempt>-n<k>` and a folder of its own, in which `out` is a link to
node 0's. Only node 0 tells of metrics, checkpoints, seeds and outputs, and only node 0 judges silence: where the
others wait for it, their silence proves nothing. With Ray the ranks run on node 0 alone; the others lend a service.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field

from her_agent.fields import Fields
from her_agent.layout import ATTEMPT_ID

KEY = re.compile(r"([0-9a-f]{2}){16,64}\Z")
LARGEST = 4096
# How long the nodes may take to come together, and how long one may be silent before the others end without it.
GATHER_SECONDS = 600.0
LOST_SECONDS = 300.0


@dataclass(frozen=True)
class Gang:
    """`address` is node 0's as the others reach it; `link_port` the agents' own, `port` the launcher's."""

    index: int
    size: int
    main: str
    address: str
    link_port: int
    port: int
    launcher: str
    gpus_per_node: int
    cores: int
    key: bytes = field(repr=False)
    gather: float = GATHER_SECONDS
    lost: float = LOST_SECONDS

    @property
    def first(self) -> bool:
        return self.index == 0

    @property
    def processes(self) -> int:
        """Of the trainer on each node. A machine without GPUs lends one process as if it were one."""
        return max(1, self.gpus_per_node)

    def member(self, index: int) -> str:
        """The agent's id of the attempt on a node."""
        return self.main if index == 0 else f"{self.main}-n{index}"

    def derive(self, purpose: str) -> str:
        """A secret of its own for one purpose, in hex."""
        return hmac.new(self.key, purpose.encode("utf-8"), hashlib.sha256).hexdigest()

    @property
    def secrets(self) -> list[str]:
        """What must not be read in any log or event."""
        return [self.key.hex(), self.derive("ray")]


def parse(top: Fields, attempt: str, first_step: float | None) -> Gang | None:
    """The gang of the request, or None. Faults are noted in `top`. It gathers within the limit of its first step."""
    item, key = top.maybe("gang"), top.get("gangKey")
    if item is None:
        if key is not None:
            top.fault("gangKey", "stands without a gang")
        return None
    if not isinstance(key, str) or not KEY.match(key):
        # Its value is not told: it may be a key all the same.
        top.fault("gangKey", "must be 32 to 128 hexadecimal digits, an even number of them")
        key = ""
    size = _whole(item, "size", 2, LARGEST)
    gang = Gang(
        index=_whole(item, "index", 0, size - 1),
        size=size,
        main=item.text("main"),
        address=item.text("address"),
        link_port=_whole(item, "linkPort", 1024, 65535),
        port=_whole(item, "port", 1024, 65535),
        launcher=item.choice("launcher", ("torchrun", "ray")),
        gpus_per_node=_whole(item, "gpusPerNode", 0, LARGEST),
        cores=_whole(item, "cores", 1, 1 << 20),
        key=bytes.fromhex(key),
        gather=item.seconds("gatherSeconds", first_step, 0.1) or GATHER_SECONDS,
        lost=item.seconds("lostSeconds", None, 0.1) or LOST_SECONDS,
    )
    item.no_others()
    if gang.link_port == gang.port:
        item.fault("linkPort", "is the same as port")
    if gang.main and not ATTEMPT_ID.match(gang.main):
        item.fault("main", "is no attempt id")
    elif attempt and gang.main and attempt != gang.member(gang.index):
        item.fault("main", f"node {gang.index} of it is the attempt {gang.member(gang.index)}, not {attempt}")
    return gang


def _whole(item: Fields, key: str, least: int, most: int) -> int:
    value = item.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    item.fault(key, f"must be a whole number from {least} to {most}")
    return least
