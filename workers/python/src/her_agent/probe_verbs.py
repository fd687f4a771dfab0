"""The verbs of `her doctor`: questions to this node that no attempt is needed for."""

from __future__ import annotations

import sys
from typing import Callable

from her_agent.probe import probe
from her_agent.probe_links import probe_clean, probe_links
from her_agent.probe_reduce import probe_reduce
from her_agent.verb import Verb


def _asked(about: str, answer: Callable[[str], dict[str, object]]) -> Verb:
    return Verb(about, lambda _given: answer(sys.stdin.buffer.read().decode("utf-8", "strict")))


VERBS: dict[str, Verb] = {
    "probe": _asked("what this node is and has; the request comes on standard input", probe),
    "probe-links": _asked("whether nodes reach each other and see one folder", probe_links),
    "probe-clean": _asked("take away what probe-links wrote", probe_clean),
    "probe-reduce": _asked("this node's ranks of one small all_reduce", probe_reduce),
}
