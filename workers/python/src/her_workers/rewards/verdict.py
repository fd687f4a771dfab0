"""What a judge's reply says about two candidates, and the reward of the judge's own training: does it say the label?"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Choice = Literal["cand_1", "cand_2", "tie", "unparsable"]
Reason = Literal["unclosed-think", "no-verdict", "unknown-verdict", "conflicting-verdicts"]

CHOICES: tuple[Choice, ...] = ("cand_1", "cand_2", "tie")
KEY = "better_response"

# JSON nested deeper than this is not read: the decoder recurses, and what it reads was written by a model.
MAX_DEPTH = 64

_FENCE = re.compile(r"```[ \t]*json\b", re.IGNORECASE)
_SAID = re.compile(rf"""["']{KEY}["']\s*:\s*["']\s*(cand_1|cand_2|tie)\s*["']""", re.IGNORECASE)
# Brackets, and whole strings so that the brackets in them do not count. Possessive: no text makes it try twice.
_NESTING = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_CONFLICT = object()


@dataclass(frozen=True)
class Verdict:
    """Which candidate is better. `reason` says why nothing could be read, and is None where something was."""

    choice: Choice
    reason: Reason | None = None

    @property
    def parsed(self) -> bool:
        """Whether there is a verdict at all."""
        return self.choice != "unparsable"


def _unparsable(reason: Reason) -> Verdict:
    return Verdict("unparsable", reason)


def _blocks(answer: str) -> Iterator[str]:
    """Where JSON may stand: the last fenced block, then everything between the outermost braces."""
    fence = None
    for match in _FENCE.finditer(answer):
        fence = match
    if fence is not None:
        end = answer.find("```", fence.end())
        yield answer[fence.end() :] if end < 0 else answer[fence.end() : end]
    first, last = answer.find("{"), answer.rfind("}")
    if 0 <= first < last:
        yield answer[first : last + 1]


def _too_deep(block: str) -> bool:
    depth = 0
    for token in _NESTING.finditer(block):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token.group(), 0)
        if depth > MAX_DEPTH:
            return True
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says its verdict twice, differently, is not read as if only the last one stood there."""
    made = dict(pairs)
    if KEY in made and any(key == KEY and value != made[KEY] for key, value in pairs):
        made[KEY] = _CONFLICT
    return made


def _from_value(value: Any) -> Verdict | None:
    """The verdict of `{result: [x]}`, `{result: x}` or `x`; None where there is none."""
    readings = [value]
    if isinstance(value, dict) and "result" in value:
        inner = value["result"]
        readings.append(inner[0] if isinstance(inner, list) and len(inner) == 1 else inner)
    said = [reading[KEY] for reading in readings if isinstance(reading, dict) and KEY in reading]
    if not said:
        return None
    if any(one is _CONFLICT for one in said):
        return _unparsable("conflicting-verdicts")
    words = {one.strip().lower() if isinstance(one, str) else None for one in said}
    if len(words) > 1:
        return _unparsable("conflicting-verdicts")
    word = words.pop()
    return next((Verdict(choice) for choice in CHOICES if choice == word), _unparsable("unknown-verdict"))


def _from_json(block: str) -> Verdict | None:
    if _too_deep(block):
        return None
    try:
        # Not strict: models leave line breaks in strings as they are.
        value = json.loads(block, strict=False, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None
    return _from_value(value)


def _from_matches(answer: str) -> Verdict:
    """Without readable JSON: what every mention of the verdict agrees on."""
    said = {match.group(1).lower() for match in _SAID.finditer(answer)}
    if len(said) > 1:
        return _unparsable("conflicting-verdicts")
    return next((Verdict(choice) for choice in CHOICES if choice in said), _unparsable("no-verdict"))


def parse_verdict(text: str) -> Verdict:
    """Reads a judge's reply: thoughts dropped, then JSON, then plain mentions. Never raises; takes linear time."""
    answer = text.rpartition("</think>")[2]
    if "<think>" in answer:
        return _unparsable("unclosed-think")
    for block in _blocks(answer):
        verdict = _from_json(block)
        if verdict is not None:
            return verdict
    return _from_matches(answer)


def score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    **_: Any,
) -> dict[str, float]:
    """Scores one reply of a judge in training, in verl's signature for reward functions.

    Args:
        solution_str: the judge's reply, without special tokens.
        ground_truth: the label: cand_1, cand_2 or tie.

    Returns:
        `score`, 1 for the label and -1 for anything else; `acc`, 1 for the label; `parsed`, 1 where there was a
        verdict; and `cand_1`, `cand_2` and `tie`, 1 for the one it was.

    Raises:
        ValueError: if the label is none of the three, which is a mistake in the data and not the judge's.
    """
    label = ground_truth.strip().lower()
    if label not in CHOICES:
        raise ValueError(f"label: expected one of {', '.join(CHOICES)}, got {ground_truth[:80]!r}")
    verdict = parse_verdict(solution_str or "")
    right = verdict.choice == label
    return {
        "score": 1.0 if right else -1.0,
        "acc": float(right),
        "parsed": float(verdict.parsed),
        **{choice: float(verdict.choice == choice) for choice in CHOICES},
    }
