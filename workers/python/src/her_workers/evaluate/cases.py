"""Held-out rows as token ids, split where training splits them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase

from her_workers.dialogue import parse


@dataclass(frozen=True)
class Case:
    """One held-out dialogue: what the model is given, what the book's reply was, and who has to speak."""

    prompt: list[int]
    reply: list[int]
    speaker: str


def read_rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def encode(rows: Sequence[dict[str, Any]], tokenizer: PreTrainedTokenizerBase) -> list[Case]:
    """Encodes rows. The reply's tokens are those that training has labels for: text, end token, line break.

    Raises ValueError for a row that does not end with a reply that names its speaker.
    """
    cases = []
    for number, row in enumerate(rows, start=1):
        *before, last = row["messages"]
        speaker = parse(last["content"]).speaker
        if last["role"] != "assistant" or speaker is None:
            raise ValueError(f"held-out row {number}: the last message is not a reply with a speaker")
        prompt = tokenizer.apply_chat_template(before, add_generation_prompt=True, tokenize=True, return_dict=False)
        reply = tokenizer.encode(f"{last['content']}{tokenizer.eos_token}\n", add_special_tokens=False)
        cases.append(Case(list(prompt), reply, speaker))
    return cases
