"""A gang under torchrun: the ranks of all nodes start once all links stand. The rest is torchrun's."""

from __future__ import annotations

from her_agent.crew import Crew
from her_agent.gang import Gang
from her_agent.gang_main import MainWatch
from her_agent.gang_member import MemberWatch
from her_agent.gang_missing import incomplete, missed, unheard
from her_agent.gang_part import Fault, Launcher
from her_agent.gang_place import Place
from her_agent.metrics import Add


class TorchMain(Launcher):
    """Node 0 under torchrun: it waits for the links of all, then all start."""

    def __init__(self, crew: Crew, gang: Gang, place: Place, watch: MainWatch) -> None:
        super().__init__(crew, gang, place)
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
        super().__init__(crew, gang, place)
        self._watch = watch

    def step(self, add: Add) -> Fault | None:
        if not self._waiting:
            return None
        if self._watch.go:
            self._let_go()
            return None
        return unheard(self._gang, self._place, self._watch, self.waited)
