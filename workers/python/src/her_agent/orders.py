"""A SIGTERM that came to all processes of an allocation at once.

Whoever runs an agent inside an allocation blocks the signal for it and says why it came by a stop request (slurm_node).
The trainer gets the same signal, and may have saved and ended with 0 before that request is there: without a look at
the blocked signal this would count as the job's own good end.
"""

from __future__ import annotations

import signal
import time
from typing import Callable

from her_agent.stop import Stop

# Asking the controller why takes its time; what it does not say by then stays unsaid.
SECONDS = 8.0


def waits() -> bool:
    """Whether a blocked SIGTERM waits for this process."""
    return signal.SIGTERM in signal.sigpending()


def cause(news: Callable[[], Stop | None], seconds: float = SECONDS) -> Stop | None:
    """The order behind a blocked SIGTERM, which is taken; None where none waits."""
    if not waits():
        return None
    signal.sigtimedwait((signal.SIGTERM,), 0)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = news()
        if found is not None:
            return found
        time.sleep(0.1)
    return Stop(None, "the allocation was told to end", "told-to-end")
