"""Reads `{prepare, files: [{command, text, others}]}`; writes what ms-swift's own checks make of each config file:
`python swift_checks.py IN OUT`. The arguments are built as the trainer would build them, `__post_init__` and all, in a
folder with a tiny model and its data, which `prepare` (a config of `her_workers.prepare`) makes; `others` are the
job's other files by name.

One thing stands in for a GPU: transformers asks whether the card can compute in bfloat16, and is told that it can.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from swift.arguments import RLHFArguments, SftArguments
from swift.cli.main import parse_yaml_args
from transformers import HfArgumentParser, training_args

training_args.is_torch_bf16_gpu_available = lambda: True
classes = {"sft": SftArguments, "rlhf": RLHFArguments}


def make_inputs(config: str) -> None:
    """`inputs/model` and `inputs/data.jsonl`, as a job finds them."""
    Path("prepare.json").write_text(config, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "her_workers.prepare", "prepare.json"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    Path("inputs").mkdir()
    Path("inputs/model").symlink_to(Path("out/model").resolve())
    Path("inputs/data.jsonl").symlink_to(Path("out/sft.jsonl").resolve())


def checked(command: str, text: str, others: dict[str, str]) -> dict[str, Any]:
    """The resolved arguments, or ms-swift's complaint."""
    for name, content in others.items():
        Path(name).write_text(content, encoding="utf-8")
    Path("settings.yaml").write_text(text, encoding="utf-8")
    words = ["settings.yaml"]
    parse_yaml_args(words)
    parser = HfArgumentParser([classes[command]], allow_abbrev=False)
    try:
        arguments, rest = parser.parse_args_into_dataclasses(words, return_remaining_strings=True)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "rest": [], "args": None}
    names = ("template", "loss_scale", "max_length", "truncation_strategy", "strict", "data_seed", "output_dir")
    return {"error": None, "rest": rest, "args": {name: getattr(arguments, name) for name in names}}


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    output = Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_inputs(given["prepare"])
        found = [checked(one["command"], one["text"], one["others"]) for one in given["files"]]
        os.chdir("/")
    output.write_text(json.dumps(found, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
