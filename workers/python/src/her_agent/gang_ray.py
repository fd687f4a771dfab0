"""A gang under Ray: a cluster of the agents', then the driver on node 0. ray_cluster has what is Ray's own."""

from __future__ import annotations

import time

from her_agent import ranks
from her_agent.crew import Crew
from her_agent.gang import Gang
from her_agent.gang_main import MainWatch
from her_agent.gang_member import MemberWatch
from her_agent.gang_missing import incomplete, missed, unheard
from her_agent.gang_part import Fault, Launcher
from her_agent.gang_place import Place
from her_agent.metrics import Add
from her_agent.ray_cluster import Gathering

# How long a lost cluster may be explained by an end of node 0 that could not be heard.
UNHEARD_SECONDS = 120.0


class RayMember(Launcher):
    """Another node under Ray: it joins once the head is healthy, and stays until node 0's driver has ended."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MemberWatch) -> None:
        super().__init__(crew, gang, place)
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
        super().__init__(crew, gang, place)
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
