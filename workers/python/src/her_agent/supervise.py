"""The daemon's life: begin, watch until the ranks are over, sweep up what they left, finish, end.

One loop turns in all of it (`_turn`): bury the dead, watch, beat, write. Two rules are never broken:
`ended` is not written while a process of the attempt lives, and a stop is decided once (the first cause
stands).
"""

from __future__ import annotations

import contextlib
import os
import time

from her_agent import ending, final, last_lines, launch, memory_kills, orders, ranks, reserve, scratch, sweep
from her_agent.census import Census
from her_agent.clock import now
from her_agent.collect import Collect
from her_agent.crew import Crew
from her_agent.errors import DiskFull
from her_agent.events import EventLog
from her_agent.gang_place import Place
from her_agent.identity import boot_id
from her_agent.layout import Layout
from her_agent.mask import Mask
from her_agent.members import Members, become_subreaper
from her_agent.ranks import Rank
from her_agent.request import Request
from her_agent.stall import StallWatch
from her_agent.stop import Stop, StopWatch
from her_agent.termination import Ladder
from her_agent.wake import Wake

TURN_SECONDS = 0.2
SHORT_GRACE = 10.0
# Less than this left on the disk when a rank fails: it failed for want of room.
NO_ROOM = 64 * 1024
STUCK_SECONDS = 30.0
# Between two turns: more is no slow disk, the whole job stood still.
STOOD_SECONDS = 30.0


class Supervisor:
    """Owns one attempt. `ready` is written to once the first event is on disk.

    Of a gang it is the node's part: `gang_supervise` adds what has to do with the other nodes.
    """

    def __init__(self, layout: Layout, request: Request, place: Place | None, umask: int, ready: int) -> None:
        self._layout = layout
        self._request = request
        self._place = place
        self._umask = umask
        self._ready = ready
        self._mask = Mask(request.hidden)
        self._subreaper = become_subreaper()
        self._wake = Wake()
        self._stops = StopWatch(layout)
        self._members = Members(layout, os.getpid(), set())
        self._crew = Crew(self._members)
        limits = request.limits
        self._stall = StallWatch(limits.first_step, limits.silence, bool(request.metrics), time.monotonic)
        self._turned = time.monotonic()
        self._census = Census(layout, limits, self._members, self._stall)
        self._cause: str | None = None
        self._message = ""
        self._ladder: Ladder | None = None
        self._decisive: Rank | None = None
        self._full = self._no_room = self._stuck = False
        self._memory_kills = memory_kills.count()
        launch.prove(layout, request)
        self._events = EventLog(layout.at("events.jsonl"), self._mask)
        self._collect = Collect(layout, request, self._events, self._stall)

    def run(self) -> None:
        """From the start of the ranks to the exit record."""
        self._begin()
        while not self._ranks_over():
            self._turn()
        self._part()
        swept = sweep.sweep(self._members, self._sweep_grace(), self._turn, self._climb)
        drained = time.monotonic()
        while not self._crew.drained(drained):
            self._turn()
        for left in scratch.remove(self._layout):
            self._events.add("message", text=f"not removed: {left}")
        self._finish(swept)

    # --- begin

    def _begin(self) -> None:
        since = time.time_ns()
        try:
            self._env = launch.launch(self._layout, self._request, self._place, self._umask, self._crew)
        except (ranks.ExecFailed, OSError, DiskFull) as error:
            self._not_executed(error)
            return
        if all(rank.went for rank in self._crew.ranks):
            self._await_seeds(since)
        self._events.add("started", **launch.introduction(self._request, self._place, self._crew))
        if not self._subreaper:
            self._events.add("message", text="no child subreaper here: strays are found by their marker only")
        self._flush()
        self._say_ready()

    def _not_executed(self, error: Exception) -> None:
        self._message = str(error)
        self._stop("disk-full" if isinstance(error, DiskFull) else "exec-failed", 0.0)

    def _await_seeds(self, since: int) -> None:
        if self._request.seeds is not None:
            self._collect.await_seeds(self._request.seeds, since, launch.hash_seed(self._crew.ranks[0].pid))

    def _say_ready(self) -> None:
        if self._ready < 0:
            return
        # The starter may have died; the attempt goes on.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._ready, b"1")
        os.close(self._ready)
        self._ready = -1

    # --- the loop

    def _turn(self) -> None:
        self._wake.sleep(TURN_SECONDS)
        stood, self._turned = time.monotonic() - self._turned, time.monotonic()
        if stood > STOOD_SECONDS:
            self._stall.slept(stood)
            self._events.add("message", text=f"this agent stood still for {stood:.0f} s; it counts as no silence")
        self._bury()
        self._collect.poll()
        try:
            self._census.take(self._events.add, self._full)
        except DiskFull:
            self._full = True
        self._flush()

    def _bury(self) -> None:
        before = self._crew.revived
        self._crew.bury()
        if self._crew.revived != before:
            text = "the process that masks the logs died and was replaced: some bytes of the logs may be missing here"
            self._events.add("message", text=text)

    def _flush(self) -> None:
        # On a full disk events wait in memory until the ranks are gone: they would eat any room made before.
        if self._full:
            return
        try:
            self._events.flush()
        except DiskFull:
            self._full = True

    def _asked(self) -> Stop | None:
        if self._wake.termed():
            return Stop(None, "the agent got SIGTERM", "told-to-end")
        if self._wake.limited():
            return Stop(None, "the time limit is near", "time-limit")
        return self._stops.news()

    # --- until the ranks are over

    def _ranks_over(self) -> bool:
        for rank in self._crew.ranks:
            if self._decisive is None and rank.went and rank.status is not None and not self._ending(rank).good:
                self._decisive = rank
                self._no_room = reserve.room(self._layout.folder) < NO_ROOM
        if self._ladder is not None:
            self._climb(self._ladder)
            return self._ladder.step() and self._crew.ranks_over
        over = self._work_over()
        ordered = orders.cause(self._stops.news)
        if ordered is not None:
            self._message = ordered.reason
            if not over:
                grace = self._request.limits.grace
                self._stop(ordered.cause, grace if ordered.grace is None else ordered.grace)
            self._cause = ordered.cause
        if over:
            return True
        if ordered is None:
            self._decide()
        return False

    def _work_over(self) -> bool:
        return self._crew.ranks_over

    def _climb(self, ladder: Ladder) -> None:
        asked = self._asked()
        if asked is not None and asked.grace is not None:
            ladder.shorten(asked.grace)
        self._note_stuck(ladder)

    def _part(self) -> None:
        """After the ranks, before the sweep."""

    def _decide(self) -> None:
        grace = self._request.limits.grace
        asked = self._asked()
        if asked is not None:
            self._message = asked.reason
            self._stop(asked.cause, grace if asked.grace is None else asked.grace)
        elif self._decisive is not None:
            self._stop("gang", grace)
        elif self._full:
            self._stop("disk-full", min(grace, SHORT_GRACE))
        else:
            stall = self._stall.check()
            if stall is not None:
                self._events.add("stall", silentSeconds=round(stall.seconds, 1), limit=stall.limit, what=stall.what)
                self._message = f"{stall.what} for {stall.seconds:.0f} s"
                self._flush()
                self._stop("hang", grace)

    def _stop(self, cause: str, grace: float) -> None:
        self._cause = cause
        self._crew.release()
        self._ladder = Ladder(self._crew.signal, self._crew.alive, grace)

    def _ending(self, rank: Rank) -> ending.Ending:
        request = self._request
        forms = [source.format for source in request.metrics] + [request.seeds]
        swift = "swift" in forms or (request.checkpoints is not None and request.checkpoints.format == "swift")
        return ending.of(rank.status or 0, rank.argv[0], swift)

    # --- what they left

    def _sweep_grace(self) -> float:
        grace = self._request.limits.grace
        return grace if self._ladder is None else min(grace, SHORT_GRACE)

    def _note_stuck(self, ladder: Ladder) -> None:
        # Such as a process in an uninterruptible read from a dead disk. Waiting goes on: it may hold a GPU.
        if ladder.killing_seconds > STUCK_SECONDS and not self._stuck:
            self._stuck = True
            self._events.add("message", text="some processes do not die of SIGKILL; waiting for them")

    # --- finish

    def _finish(self, swept: int) -> None:
        self._make_room()
        found = self._own_ending()
        reason = self._reason(found)
        if reason == "exec-failed":
            found = ending.Ending(None, None)
        self._collect.poll(final=True)
        if reason == "exited" and found.good:
            self._collect.outputs(self._request.outputs)
        while self._collect.busy:
            asked = self._asked()
            well = reason == "exited" and found.good
            # What ends anyway, and has all the time that was granted, may still hash what it saved.
            if reason == "disk-full" or (asked is not None and (well or asked.grace == 0)):
                self._collect.cancel()
            if asked is not None and well:
                # Its outputs are not hashed, so it cannot count as having made them.
                reason, self._message = asked.cause, asked.reason
            self._turn()
        self._collect.poll()
        self._make_room()
        steps = self._collect.last_step
        services = [service.name for service in self._crew.services]
        tails = last_lines.tails(self._layout, len(self._crew.ranks), self._mask, services)
        told: dict[str, object] = {"code": found.code, "signal": found.signal, "reason": reason}
        extra = self._told_end(told)
        message = {"message": self._message} if self._message else {}
        self._events.add("ended", **told, tails=tails, steps=steps, swept=swept, **message, **extra)
        record = {"attempt": self._request.attempt, **told, **extra}
        final.write(self._layout, self._events, {**record, "steps": steps, "time": now(), "bootId": boot_id()})
        self._say_ready()

    def _told_end(self, told: dict[str, object]) -> dict[str, object]:
        """What a gang has to add to the end, or to change in `told`."""
        return {}

    def _make_room(self) -> None:
        if self._full:
            reserve.free(self._layout.at("reserve"))
            self._full = False

    def _own_ending(self) -> ending.Ending:
        went = [rank for rank in self._crew.ranks if rank.went]
        decisive = self._decisive or (went[0] if went else None)
        return ending.Ending(None, None) if decisive is None else self._ending(decisive)

    def _reason(self, found: ending.Ending) -> str:
        if self._cause not in (None, "gang"):
            return str(self._cause)
        if not found.good and (self._no_room or last_lines.says_no_space(self._layout, len(self._crew.ranks))):
            return "disk-full"
        if found.signal == "SIGKILL" and memory_kills.count() > self._memory_kills:
            return "out-of-memory"
        return found.reason
