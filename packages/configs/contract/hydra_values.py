"""Reads a JSON list of overrides; writes what Hydra's own parser makes of each: `python hydra_values.py IN OUT`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser


def main() -> None:
    texts: list[str] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    parser = OverridesParser.create()
    overrides = [parser.parse_override(text) for text in texts]
    found = [
        {"key": override.key_or_group, "adds": override.is_add(), "value": override.value()} for override in overrides
    ]
    Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
