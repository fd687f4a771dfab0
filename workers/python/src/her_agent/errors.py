"""Errors that reach the caller as one JSON line on standard output."""

from __future__ import annotations

import errno
import json

BAD_REQUEST = 2
NO_SUCH_ATTEMPT = 3


# What a network file system says while its server is away, or has to be mounted anew.
STORAGE_AWAY = (errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.ESHUTDOWN, errno.EKEYEXPIRED)


class AgentError(Exception):
    """A refusal with a code for programs, a message for people, and a hint on what to do."""

    def __init__(
        self, code: str, message: str, hint: str = "", exit_code: int = 1, problems: list[str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
        self.problems = problems

    def to_json(self) -> str:
        """The error line that the contract prescribes; `problems` lists all faults of a request."""
        body: dict[str, object] = {"code": self.code, "message": self.message, "hint": self.hint}
        if self.problems:
            body["problems"] = self.problems
        return json.dumps({"error": body}, ensure_ascii=False)


class DiskFull(Exception):
    """No room left to write a file of ours (ENOSPC or EDQUOT)."""


def is_disk_full(error: OSError) -> bool:
    """Whether the operating system refused for want of room, not for another reason."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
