"""Writes events as the agent of a node does, through the agent's own event log, for several attempts at once.

    python3 metric_writer.py AGENT.pyz ROOT RATE ATTEMPT...

Each attempt gets RATE metric events a second, one value each, spread evenly, and a heartbeat every 5 s; what has
gathered is written and synced every 0.2 s, as the agent's own loop does. Ends when its standard input is closed.
"""

from __future__ import annotations

import os
import select
import sys
import time

TURN_SECONDS = 0.2
HEARTBEAT_SECONDS = 5.0


def main(agent: str, root: str, rate: float, attempts: list[str]) -> None:
    """Write until nobody wants more."""
    sys.path.insert(0, agent)
    from her_agent.events import EventLog
    from her_agent.mask import Mask

    logs = []
    for attempt in attempts:
        folder = os.path.join(root, "attempts", attempt)
        os.makedirs(folder, exist_ok=True)
        logs.append(EventLog(os.path.join(folder, "events.jsonl"), Mask([])))
    begin = time.monotonic()
    told, beat, flushed = 0, begin, begin
    while True:
        now = time.monotonic()
        # Added when it is due, so that an event's time is when the trainer would have logged it.
        while told < (now - begin) * rate:
            told += 1
            for log in logs:
                log.add("metric", step=told, maxSteps=10**9, values={"loss": round(2 / (1 + told / 1e4), 6)}, **FROM)
        if now - beat >= HEARTBEAT_SECONDS:
            beat = now
            for log in logs:
                log.add("heartbeat", load1=1.0, memAvailable=2**33, rssBytes=2**30)
        if now - flushed >= TURN_SECONDS:
            flushed = now
            for log in logs:
                log.flush()
        pause = max(0.0, (told + 1) / rate - (time.monotonic() - begin))
        if select.select([0], [], [], pause)[0] and not os.read(0, 1):
            break
    for log in logs:
        log.flush()
    print(told, flush=True)


FROM = {"from": "plain"}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:])
