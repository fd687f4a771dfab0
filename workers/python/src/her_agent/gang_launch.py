"""How the nodes of a gang come together: by torchrun, which does so by itself, or by a Ray cluster of the agents'."""

from __future__ import annotations

import time
from typing import NamedTuple

from her_agent import ranks
from her_agent.crew import Crew
from her_agent.gang import Gang
from her_agent.gang_place import Place
from her_agent.gang_watch import MainWatch, MemberWatch
from her_agent.metrics import Add
from her_agent.ranks import Rank
from her_agent.ray_cluster import Gathering
from her_agent.request import Request

GATHER_SECONDS = 600.0
# How long a lost cluster may be explained by an end of node 0 that could not be heard.
UNHEARD_SECONDS = 120.0


class Fault(NamedTuple):
    """Why the attempt cannot go on: a reason for the record, or a service that ended."""

    reason: str
    message: str
    service: Rank | None = None


class Launcher:
    """torchrun: the ranks run from the start, and end by themselves."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._begun = False

    @property
    def over(self) -> bool:
        """Whether the work of this node is done."""
        return self._crew.ranks_over

    def step(self, add: Add) -> Fault | None:
        """Do what is due. Raises OSError."""
        return None

    def begun(self) -> bool:
        """Whether the ranks have just been let go: true once."""
        found, self._begun = self._begun, False
        return found


class RayHead(Launcher):
    """Node 0: the head, then the whole cluster, then the driver."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MainWatch, gathering: Gathering) -> None:
        super().__init__(crew)
        self._gang = gang
        self._place = place
        self._watch = watch
        self._gathering: Gathering | None = gathering

    def step(self, add: Add) -> Fault | None:
        for service in self._crew.services:
            if not service.went:
                ranks.go(service)
            if service.status is not None and not self._crew.ranks_over:
                return Fault("", f"{service.name} ended", service)
        if self._gathering is not None:
            return self._gather(self._gathering, add)
        return None

    def _gather(self, gathering: Gathering, add: Add) -> Fault | None:
        gathering.poll()
        if gathering.healthy:
            self._watch.note(head=True)
        addresses = {self._place.own}
        for node in self._watch.others:
            address = self._watch.state_of(node).get("address")
            if isinstance(address, str):
                addresses.add(address)
        if gathering.whole(addresses):
            lent = [node._asdict() for node in sorted(gathering.lent)]
            add(
                "cluster",
                nodes=lent,
                gpus=sum(node.gpus for node in gathering.lent),
                seconds=round(gathering.seconds, 1),
            )
            gathering.end()
            self._gathering = None
            for rank in self._crew.ranks:
                ranks.go(rank)
            self._begun = True
        elif gathering.late:
            gathering.end()
            return Fault("cluster-incomplete", self._missing(gathering))
        return None

    def _missing(self, gathering: Gathering) -> str:
        there = {node.address: node for node in gathering.lent}
        said = [] if self._place.own in there else [f"the head does not answer {gathering.error}".strip()]
        for node in self._watch.others:
            state = self._watch.state_of(node)
            address = str(state.get("address"))
            name = f"node {node}" + (f" ({state.get('host')}, {address})" if state else "")
            if not state:
                said.append(f"{name}: its agent was not heard")
            elif address not in there:
                said.append(f"{name}: not in the cluster")
            elif there[address].gpus < self._gang.processes:
                said.append(f"{name}: lends {there[address].gpus:g} of {self._gang.processes} GPUs")
        known = {self._place.own, *(str(self._watch.state_of(node).get("address")) for node in self._watch.others)}
        said += [f"{address}: no node of this gang" for address in sorted(set(there) - known)]
        return f"after {gathering.seconds:.0f} s: " + "; ".join(said)


class RayMember(Launcher):
    """Another node: joins once the head is healthy, and stays until node 0's driver has ended."""

    def __init__(self, crew: Crew, watch: MemberWatch) -> None:
        super().__init__(crew)
        self._watch = watch
        self._lost: float | None = None

    @property
    def over(self) -> bool:
        return self._watch.done

    def step(self, add: Add) -> Fault | None:
        for service in self._crew.services:
            if not service.went and self._watch.head:
                ranks.go(service)
            if service.status is not None and not self._watch.done and not self._unheard():
                return Fault("", f"{service.name} ended", service)
        return None

    def _unheard(self) -> bool:
        """Whether node 0 may have ended without our hearing of it, as Ray does where its head is gone."""
        if self._watch.link_up(0):
            return False
        now = time.monotonic()
        self._lost = self._lost or now
        return now - self._lost < UNHEARD_SECONDS


def launcher(
    gang: Gang,
    place: Place,
    request: Request,
    env: dict[str, str],
    crew: Crew,
    watch: MainWatch | MemberWatch,
) -> Launcher:
    """What brings this node into its gang."""
    if gang.launcher != "ray":
        return Launcher(crew)
    if isinstance(watch, MainWatch):
        limit = request.limits.first_step or GATHER_SECONDS
        return RayHead(crew, gang, place, watch, Gathering(gang, place, env, limit))
    return RayMember(crew, watch)
