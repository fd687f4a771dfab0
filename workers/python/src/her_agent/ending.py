"""What a wait status means.

`swift` ends with 256-n when its trainer was killed by signal n, and a shell with 128+n; the number is
kept and the signal told beside it. 255 (256-1) is not decoded: it is also the plain failure of many
programs.
"""

from __future__ import annotations

import os
import signal
from typing import NamedTuple

SHELLS = frozenset(("sh", "bash", "dash"))
FATAL = frozenset((1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 15))


class Ending(NamedTuple):
    """Exit code and signal name as the `ended` event spells them."""

    code: int | None
    signal: str | None

    @property
    def good(self) -> bool:
        return self.code == 0 and self.signal is None

    @property
    def reason(self) -> str:
        return "exited" if self.signal is None else "signalled"


def of(status: int, program: str, swift: bool) -> Ending:
    """The ending behind a wait status of `program`; `swift` says that its 256-n codes apply."""
    if os.WIFSIGNALED(status):
        return Ending(None, signal_name(os.WTERMSIG(status)))
    code = os.WEXITSTATUS(status)
    if swift and 256 - code in FATAL and code != 255:
        return Ending(code, signal_name(256 - code))
    if os.path.basename(program) in SHELLS and code - 128 in FATAL:
        return Ending(code, signal_name(code - 128))
    return Ending(code, None)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
