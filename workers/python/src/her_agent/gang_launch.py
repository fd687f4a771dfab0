"""How the nodes of a gang come together: nobody's ranks start before all nodes are there."""

from __future__ import annotations

import time
from typing import NamedTuple

from her_agent import ranks
from her_agent.crew import Crew
from her_agent.gang import Gang
from her_agent.gang_main import MainWatch
from her_agent.gang_member import MemberWatch
from her_agent.gang_place import Place, joined
from her_agent.metrics import Add
from her_agent.ranks import Rank
from her_agent.ray_cluster import Gathering

# So much longer do the others wait than node 0, which knows who is missing.
PATIENCE_SECONDS = 15.0
# How long a lost cluster may be explained by an end of node 0 that could not be heard.
UNHEARD_SECONDS = 120.0


class Fault(NamedTuple):
    """Why the attempt cannot go on: a reason for the record, or a service that ended."""

    reason: str
    message: str
    service: Rank | None = None


class Launcher:
    """Driven by the supervisor's loop."""

    def __init__(self, crew: Crew, gang: Gang) -> None:
        self._crew = crew
        self._gang = gang
        self._since = time.monotonic()
        self._begun = False

    @property
    def over(self) -> bool:
        """Whether the work of this node is done."""
        return self._crew.ranks_over

    @property
    def waited(self) -> float:
        """Seconds since this node came."""
        return time.monotonic() - self._since

    def step(self, add: Add) -> Fault | None:
        """Do what is due. Raises OSError or ExecFailed."""
        raise NotImplementedError

    def end(self) -> None:
        """Nothing is to begin any more."""

    def begun(self) -> bool:
        """Whether the ranks have just been let go: true once."""
        found, self._begun = self._begun, False
        return found

    def _let_go(self) -> None:
        for rank in self._crew.ranks:
            ranks.go(rank)
        self._begun = True

    @property
    def _waiting(self) -> bool:
        return any(not rank.went for rank in self._crew.ranks)


class TorchMain(Launcher):
    """Node 0 under torchrun: it waits for the links of all, then all start."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MainWatch) -> None:
        super().__init__(crew, gang)
        self._place = place
        self._watch = watch

    def step(self, add: Add) -> Fault | None:
        if not self._waiting:
            return None
        missing = [node for node in self._watch.others if not self._here(node)]
        if not missing:
            states = {node: self._watch.state_of(node) for node in self._watch.others}
            nodes = [{"address": self._place.own}, *({"address": state.get("address")} for state in states.values())]
            add("cluster", nodes=nodes, seconds=round(self.waited, 1))
            self._watch.note(go=True)
            self._let_go()
        elif self.waited >= self._gang.gather:
            said = [missed(self._watch, node) for node in missing]
            return Fault("cluster-incomplete", incomplete(self.waited, said, self._watch))
        return None

    def _here(self, node: int) -> bool:
        return self._watch.link_up(node) and self._watch.state_of(node) != {}


class TorchMember(Launcher):
    """Another node under torchrun: it starts when node 0 says so."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MemberWatch) -> None:
        super().__init__(crew, gang)
        self._place = place
        self._watch = watch

    def step(self, add: Add) -> Fault | None:
        if not self._waiting:
            return None
        if self._watch.go:
            self._let_go()
            return None
        return unheard(self._gang, self._place, self._watch, self.waited)


class RayMember(Launcher):
    """Another node under Ray: it joins once the head is healthy, and stays until node 0's driver has ended."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MemberWatch) -> None:
        super().__init__(crew, gang)
        self._place = place
        self._watch = watch
        self._lost: float | None = None

    @property
    def over(self) -> bool:
        return self._watch.done

    def step(self, add: Add) -> Fault | None:
        for service in self._crew.services:
            if not service.went:
                if not self._watch.head:
                    return unheard(self._gang, self._place, self._watch, self.waited)
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


class RayHead(Launcher):
    """Node 0 under Ray: the head, then the whole cluster, then the driver."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MainWatch, gathering: Gathering) -> None:
        super().__init__(crew, gang)
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

    def end(self) -> None:
        if self._gathering is not None:
            self._gathering.end()
            self._gathering = None

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
            gpus = sum(node.gpus for node in gathering.lent)
            add("cluster", nodes=lent, gpus=gpus, seconds=round(self.waited, 1))
            self.end()
            self._let_go()
        elif self.waited >= self._gang.gather:
            said = self._missing(gathering)
            self.end()
            return Fault("cluster-incomplete", incomplete(self.waited, said, self._watch))
        return None

    def _missing(self, gathering: Gathering) -> list[str]:
        there = {node.address: node for node in gathering.lent}
        said = [] if self._place.own in there else [f"the head does not answer {gathering.error}".strip()]
        for node in self._watch.others:
            address = str(self._watch.state_of(node).get("address"))
            if not self._watch.state_of(node):
                said.append(missed(self._watch, node))
            elif address not in there:
                said.append(f"{missed(self._watch, node, '')}not in the cluster")
            elif there[address].gpus < self._gang.processes:
                lends = f"lends {there[address].gpus:g} of {self._gang.processes} GPUs"
                said.append(f"{missed(self._watch, node, '')}{lends}")
        known = {self._place.own, *(str(self._watch.state_of(node).get("address")) for node in self._watch.others)}
        return said + [f"{address}: no node of this gang" for address in sorted(set(there) - known)]


def missed(watch: MainWatch, node: int, what: str = "its agent was not heard") -> str:
    """A node that is missed, for people."""
    state = watch.state_of(node)
    if not state:
        return f"node {node}: {what}"
    lost = "its link broke" if what else ""
    return f"node {node} ({state.get('host')}, {state.get('address')}): {lost}"


def incomplete(seconds: float, said: list[str], watch: MainWatch) -> str:
    """Who is missing after so long, and who was sent away meanwhile."""
    strangers = [f"{address} was refused: {why}" for address, why in watch.refused.items()]
    return f"after {seconds:.0f} s: " + "; ".join([*said, *strangers])


def unheard(gang: Gang, place: Place, watch: MemberWatch, waited: float) -> Fault | None:
    """What is said where node 0 did not let this node begin in time."""
    if waited < gang.gather + min(PATIENCE_SECONDS, gang.gather):
        return None
    where = f"node 0 ({joined(place.main, gang.link_port)})"
    what = "did not let the others begin" if watch.link_up(0) else f"was not heard: {watch.unheard or 'no answer'}"
    return Fault("cluster-incomplete", f"after {waited:.0f} s: {where} {what}")


def launcher(gang: Gang, place: Place, env: dict[str, str], crew: Crew, watch: MainWatch | MemberWatch) -> Launcher:
    """What brings this node into its gang."""
    if isinstance(watch, MainWatch):
        if gang.launcher == "ray":
            return RayHead(crew, gang, place, watch, Gathering(gang, place, env))
        return TorchMain(crew, gang, place, watch)
    return RayMember(crew, gang, place, watch) if gang.launcher == "ray" else TorchMember(crew, gang, place, watch)
