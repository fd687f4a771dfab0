"""Wall time as events spell it."""

from __future__ import annotations

import time


def now() -> str:
    """The time in UTC with milliseconds, e.g. 2026-11-30T08:00:00.123Z."""
    at = time.time_ns() // 1_000_000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 1000)) + f".{at % 1000:03d}Z"
