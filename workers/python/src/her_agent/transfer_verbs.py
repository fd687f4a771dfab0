"""The verbs that move bytes between a node and a store."""

from __future__ import annotations

from her_agent.download import DOWNLOAD
from her_agent.upload import UPLOAD

VERBS = {"upload": UPLOAD, "download": DOWNLOAD}
