"""What the ranks left when they were over: processes of the attempt that nobody waits for are ended."""

from __future__ import annotations

import time
from typing import Callable

from her_agent.identity import Process
from her_agent.members import Members
from her_agent.termination import Ladder, send_to

SETTLE_SECONDS = 0.5


def sweep(members: Members, grace: float, turn: Callable[[], None], climb: Callable[[Ladder], None]) -> int:
    """End all that is left, with this grace for those that do not go by themselves at once; how many they were.

    `turn` turns the owner's loop, `climb` lets it act on a ladder before each turn.
    """
    settled = time.monotonic() + SETTLE_SECONDS
    left = members.find(fresh=True)
    while left and time.monotonic() < settled:
        turn()
        left = members.find(fresh=True)
    if not left:
        return 0
    seen: set[tuple[int, int]] = set()

    def remaining() -> list[Process]:
        found = members.find(fresh=True)
        seen.update((process.pid, process.start) for process in found)
        return found

    ladder = Ladder(lambda number: send_to(remaining(), number), lambda: bool(remaining()), grace)
    while not ladder.step():
        climb(ladder)
        turn()
    return len(seen)
