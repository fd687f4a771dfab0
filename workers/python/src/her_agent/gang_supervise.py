"""The supervisor of one node of a gang: its own ranks as ever, and what the other nodes have to do with them.

The first cause ends all nodes; a node that was ended by another one's says so (`gang-ended`, `by`), and keeps what
became of its own ranks in `own`. Where a failure is the cause, the ladder is short: the others have nothing to save
that a rank's death has not spoiled. A stop keeps the grace that was asked for.
"""

from __future__ import annotations

import time
from dataclasses import asdict

from her_agent import blame, ending, gang_words, last_lines, ranks
from her_agent.gang import Gang
from her_agent.gang_hub import Hub
from her_agent.gang_launch import launcher
from her_agent.gang_main import MainWatch
from her_agent.gang_member import MemberWatch
from her_agent.gang_part import Launcher
from her_agent.gang_place import Place
from her_agent.gang_spoke import Spoke
from her_agent.layout import Layout
from her_agent.request import Request
from her_agent.stop import CAUSES, Stop
from her_agent.supervise import Supervisor
from her_agent.termination import Ladder

# A rank's death ends all within 10 s: one turn to see it, this, and the sweep.
ECHO_GRACE = 4.0
ECHO_SWEEP = 1.5
RETIRE_GRACE = 5.0
TAIL_BYTES = 64 * 1024
TAIL_LINES = 300
# How long a torchrun rank may go on after node 0's ended well, and how long node 0 waits to hear that it has ended.
LEFT_OVER_SECONDS = 60.0
OTHERS_SECONDS = {"torchrun": 75.0, "ray": 20.0}


class GangSupervisor(Supervisor):
    """`gang` and `place` are those of the request and of the node."""

    def __init__(self, layout: Layout, request: Request, gang: Gang, place: Place, umask: int, ready: int) -> None:
        super().__init__(layout, request, place, umask, ready)
        self._gang = gang
        self._here = place
        self._watch: MainWatch | MemberWatch
        if place.listener is not None:
            self._watch = MainWatch(layout, gang, place.own, Hub(gang, place.listener), self._events.add)
        else:
            self._watch = MemberWatch(layout, gang, place.own, Spoke(gang, place), self._events.add)
        self._part_of: Launcher | None = None
        self._done_at: float | None = None

    def run(self) -> None:
        super().run()
        self._watch.note(over=True)
        self._watch.close()

    def _begin(self) -> None:
        super()._begin()
        if self._ladder is None:
            self._part_of = launcher(self._gang, self._here, self._env, self._crew, self._watch)

    def _turn(self) -> None:
        super()._turn()
        self._watch.poll()
        self._flush()

    # --- what is asked, here and there

    def _asked(self) -> Stop | None:
        asked = super()._asked()
        if asked is not None:
            self._watch.stop(asked)
            return asked
        return self._watch.stop_news()

    # --- until the ranks are over

    def _work_over(self) -> bool:
        # A bad end of the last rank has still to be told to the others.
        return self._decisive is None and self._part_of is not None and self._part_of.over

    def _decide(self) -> None:
        if self._part_of is not None and self._decisive is None:
            self._step(self._part_of)
        if self._ladder is not None:
            return
        # Before the first step is due nothing can hang that has not begun.
        if self._crew.ranks and not self._crew.ranks[0].went:
            self._stall.begin()
        super()._decide()
        if self._ladder is None and self._watch.verdict is not None:
            self._stop("gang-ended", self._request.limits.grace)
        elif self._ladder is None:
            self._left_over()

    def _step(self, part: Launcher) -> None:
        since = time.time_ns()
        try:
            fault = part.step(self._events.add)
        except (ranks.ExecFailed, OSError) as error:
            fault = None
            self._not_executed(error)
        if part.begun():
            self._stall.begin()
            self._await_seeds(since)
        if fault is not None and self._ladder is None:
            self._message = fault.message
            self._decisive = fault.service
            self._stop("gang" if fault.service is not None else fault.reason, self._request.limits.grace)

    def _wind_up(self) -> None:
        """Nothing of this node is to begin any more."""
        if self._part_of is not None:
            self._part_of.end()

    def _left_over(self) -> None:
        if not isinstance(self._watch, MemberWatch) or not self._watch.done or self._gang.launcher == "ray":
            return
        self._done_at = self._done_at or time.monotonic()
        if time.monotonic() - self._done_at > LEFT_OVER_SECONDS:
            self._message = f"node 0's ranks ended well {LEFT_OVER_SECONDS:.0f} s ago, the ones here did not end"
            self._stop("hang", self._request.limits.grace)

    def _stop(self, cause: str, grace: float) -> None:
        if cause not in CAUSES:
            grace = min(grace, ECHO_GRACE)
        if cause not in (*CAUSES, "gang-ended"):
            self._accuse_self(cause)
        self._wind_up()
        super()._stop(cause, grace)
        verdict = self._watch.verdict
        if verdict is not None:
            # Not final yet where another node may still say that it was first.
            told = {"by": verdict, "text": gang_words.sentence(verdict), "final": self._watch.settled}
            self._events.add("ending", **told)

    def _sweep_grace(self) -> float:
        grace = super()._sweep_grace()
        return min(grace, ECHO_SWEEP) if self._ladder is not None and self._cause not in CAUSES else grace

    def _accuse_self(self, cause: str) -> None:
        rank = self._decisive
        if cause != "gang" or rank is None:
            self._watch.fail(self._watch.cause(cause, message=self._message), blame.PLAIN)
            return
        log = self._layout.service_log(rank.name) if rank.number is None else self._layout.log(rank.number)
        tail = last_lines.tail(log, self._mask, TAIL_BYTES, TAIL_LINES) or ""
        worker = blame.worker_of(tail)
        found = self._ending(rank)
        self._watch.fail(
            self._watch.cause(
                self._reason(found),
                rank=rank.number,
                service=rank.name if rank.number is None else None,
                code=found.code,
                signal=found.signal,
                message=self._message,
                worker=None if worker is None else self._whose(worker),
            ),
            blame.weight(tail, found.signal, worker),
        )

    def _whose(self, worker: blame.Worker) -> dict[str, object]:
        shown: dict[str, object] = asdict(worker)
        place = None if worker.address is None else self._watch.place_of(worker.address)
        return shown if place is None else {**shown, "node": place[0], "host": place[1]}

    # --- after them

    def _part(self) -> None:
        if self._ladder is None:
            self._await_others()
        self._retire()
        while not self._watch.settled:
            self._turn()

    def _await_others(self) -> None:
        """After a good end: node 0 says so and hears that the others have ended too."""
        main = self._watch
        if not isinstance(main, MainWatch):
            return
        # Under Ray node 0's driver is all the work; torchrun's ranks on the others must end well too.
        main.ended_well(whole=self._gang.launcher == "ray")
        until = time.monotonic() + OTHERS_SECONDS[self._gang.launcher]
        while not all(main.over(node) for node in main.others):
            self._turn()
            if self._asked() is not None or (self._gang.launcher == "torchrun" and main.verdict is not None):
                break
            if time.monotonic() >= until:
                late = ", ".join(str(node) for node in main.others if not main.over(node))
                self._events.add("message", text=f"not heard to have ended: node {late}")
                break
        if self._gang.launcher == "torchrun" and main.verdict is not None:
            self._cause = "gang-ended"

    def _retire(self) -> None:
        """End the services, which do not end by themselves."""
        services = self._crew.services
        if not self._crew.alive(services):
            return
        ladder = Ladder(self._signal_services, lambda: self._crew.alive(services), RETIRE_GRACE)
        while not ladder.step():
            self._turn()

    def _signal_services(self, number: int) -> None:
        self._crew.signal(number, self._crew.services)

    # --- the end

    def _own_ending(self) -> ending.Ending:
        if not self._crew.ranks and self._decisive is None and self._cause is None:
            # What this node lent was given back in order.
            return ending.Ending(0, None)
        return super()._own_ending()

    def _told_end(self, told: dict[str, object]) -> dict[str, object]:
        verdict = self._watch.verdict
        if verdict is None or told["reason"] in CAUSES:
            return {}
        self._message = gang_words.sentence(verdict)
        if verdict["node"] == self._gang.index:
            return {key: verdict[key] for key in ("rank", "service", "worker") if verdict[key] is not None}
        own = dict(told)
        told.update(code=None, signal=None, reason="gang-ended")
        return {"by": verdict, "own": own}
