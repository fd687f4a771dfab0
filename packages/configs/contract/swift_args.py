"""Reads a JSON list of config files' texts; writes the words that ms-swift's launcher makes of each, and what its
argument parser makes of those: `python swift_args.py IN OUT`. Abbreviations are off, so that a wrong name is left over
in `rest` instead of being taken for the option that it begins.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from swift.arguments import SftArguments
from swift.cli.main import parse_yaml_args
from transformers import HfArgumentParser


def words_of(text: str) -> list[str]:
    """The command line that the launcher starts its trainer with."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sft.yaml")
        path.write_text(text, encoding="utf-8")
        words = [str(path)]
        parse_yaml_args(words)
    return words


def parsed(parser: HfArgumentParser, words: list[str]) -> dict[str, Any]:
    """The options by name, or why the parser gave up."""
    try:
        options, rest = parser.parse_known_args(words)
    except SystemExit:
        return {"words": words, "args": None, "rest": words}
    return {"words": words, "args": vars(options), "rest": rest}


def main() -> None:
    texts: list[str] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    parser = HfArgumentParser([SftArguments], allow_abbrev=False)
    found = [parsed(parser, words_of(text)) for text in texts]
    Path(sys.argv[2]).write_text(json.dumps(found, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
