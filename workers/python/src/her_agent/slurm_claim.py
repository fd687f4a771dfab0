"""An attempt is run by one job: the first to put its id into the claim, which is made whole or not at all."""

from __future__ import annotations

import json
import os

from her_agent import jsonfile
from her_agent.clock import now


def claim(path: str, job: str) -> str:
    """Claim for `job`; returns the job that has it. All nodes of a job may claim."""
    draft = f"{path}.{job}.{os.uname().nodename}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump({"job": job, "time": now()}, file)
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
    return holder(path) or ""


def holder(path: str) -> str | None:
    """The job that has claimed, if one has."""
    found = jsonfile.read(path)
    return None if found is None else str(found.get("job"))
