"""Reads a JSON list of `{command, text}`; writes the words that ms-swift's launcher makes of each config file, and what
the argument parser of its command makes of those: `python swift_args.py IN OUT`. Abbreviations are off, so that a wrong
name is left over in `rest` instead of being taken for the option that it begins.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from swift.arguments import RLHFArguments, SftArguments
from swift.cli.main import parse_yaml_args
from transformers import HfArgumentParser

sys.path.append(str(Path(__file__).parent.parent / "generate"))
from swift_megatron import megatron_arguments


def words_of(text: str) -> list[str]:
    """The command line that the launcher starts its trainer with."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "settings.yaml")
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


def parsers() -> dict[str, HfArgumentParser]:
    """The parser of each command. Megatron's classes only declare; nothing of Megatron runs."""
    megatron_sft, megatron_rlhf = megatron_arguments()
    classes = {
        "sft": SftArguments,
        "rlhf": RLHFArguments,
        "megatron-sft": megatron_sft,
        "megatron-rlhf": megatron_rlhf,
    }
    return {command: HfArgumentParser([arguments], allow_abbrev=False) for command, arguments in classes.items()}


def main() -> None:
    given: list[dict[str, str]] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    known = parsers()
    found = [parsed(known[one["command"]], words_of(one["text"])) for one in given]
    Path(sys.argv[2]).write_text(json.dumps(found, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
