"""The verbs of `her doctor`: questions to this node that no attempt is needed for."""

from __future__ import annotations

import sys

from her_agent.probe import probe
from her_agent.probe_links import probe_clean, probe_links
from her_agent.probe_reduce import probe_reduce
from her_agent.verb import Verb
