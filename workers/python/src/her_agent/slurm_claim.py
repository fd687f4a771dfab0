"""An attempt is run by one life of one job: the first to put its id into the claim, which is made whole or not at all.

Slurm may put a job back into the queue whose prolog failed, whatever was asked for: that one has not run before.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from her_agent import jsonfile
from her_agent.clock import now


class Holder(NamedTuple):
    """The job that has an attempt, and how often Slurm had put that job back into the queue before."""

    job: str
    restarts: int


def claim(path: str, job: str, restarts: int = 0) -> Holder:
    """Claim for this life of `job`; returns who has it. All nodes of a job may claim."""
    draft = f"{path}.{job}.{os.uname().nodename}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump({"job": job, "restarts": restarts, "time": now()}, file)
        file.flush()
        os.fsync(descriptor)
    try:
        # A link is atomic on shared file systems too, where an exclusive creation may not be.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
    jsonfile.sync_folder(os.path.dirname(path))
    return holder(path) or Holder("", 0)


def holder(path: str) -> Holder | None:
    """Who has claimed, if one has."""
    found = jsonfile.read(path)
    if found is None:
        return None
    restarts = found.get("restarts")
    return Holder(str(found.get("job")), restarts if isinstance(restarts, int) else 0)
