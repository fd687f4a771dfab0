"""What a judge is shown of a row and a reply: the dialogue so far, the frozen reference, and no system thinking."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from her_workers.dialogue import SYSTEM

_PLAN = re.compile(rf"<(/?){SYSTEM}>")
_REFERENCES = ("ref_answer", "chosen")
_CONTEXTS = ("input", "prompt")


class BadRow(ValueError):
    """A row that nothing can be compared with. It has to be mended or left out where the rows are made."""


@dataclass(frozen=True)
class Comparison:
    """A row, read: the dialogue so far as one text, empty where the row has none, and the reply to be beaten."""

    context: str
    reference: str


def visible(reply: str) -> str | None:
    """The reply without its system thinking; None where the tags of that do not pair, so that no plan gets through."""
    kept: list[str] = []
    depth = since = 0
    for tag in _PLAN.finditer(reply):
        if depth == 0:
            kept.append(reply[since : tag.start()])
        depth += -1 if tag.group(1) else 1
        if depth < 0:
            return None
        since = tag.end()
    if depth:
        return None
    return "".join([*kept, reply[since:]]).strip()


def _decoded(text: str) -> Any:
    """The JSON in a text, or the text itself where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _line(message: Any) -> str:
    role, content = (message.get("role"), message.get("content")) if isinstance(message, dict) else (None, None)
    if not isinstance(role, str) or not isinstance(content, str):
        raise BadRow(f"context: expected messages of role and content, got {str(message)[:80]!r}")
    shown = visible(content) if role == "assistant" else content
    return f"{role.capitalize()}: {content if shown is None else shown}"


def _context(value: Any) -> str:
    """Messages, one a paragraph behind its role. A last reply is the reference's, not part of what it replies to."""
    if isinstance(value, str):
        decoded = _decoded(value)
        if not isinstance(decoded, list):
            return value.strip()
        value = decoded
    if value is None:
        return ""
    if not isinstance(value, Iterable) or isinstance(value, dict):
        raise BadRow(f"context: expected text or messages, got {str(value)[:80]!r}")
    messages = list(value)
    if messages and isinstance(messages[-1], dict) and messages[-1].get("role") == "assistant":
        messages.pop()
    return "\n\n".join(_line(message) for message in messages)


def _first(names: Iterable[str], *places: dict[str, Any]) -> Any:
    return next((place[name] for place in places for name in names if place.get(name) is not None), None)


def read_comparison(ground_truth: str, extra_info: dict[str, Any] | None) -> Comparison:
    """Reads a row of role-play RL.

    Args:
        ground_truth: a JSON object with `input` (the messages so far, as JSON again or as they are) and `ref_answer`,
            or with `prompt` and `chosen`; or the reference as plain text.
        extra_info: where the messages are looked for if the ground truth has none.

    Raises:
        BadRow: if there is no reference, or nothing is left of it without its system thinking.
    """
    if not isinstance(ground_truth, str):
        raise BadRow(f"reference: expected text, got {type(ground_truth).__name__}")
    row = _decoded(ground_truth)
    fields = row if isinstance(row, dict) else {}
    reference = _first(_REFERENCES, fields) if isinstance(row, dict) else ground_truth
    if not isinstance(reference, str):
        raise BadRow(f"reference: expected text in {' or '.join(_REFERENCES)}, got {str(reference)[:80]!r}")
    shown = visible(reference)
    if not shown:
        raise BadRow(f"reference: nothing to compare with outside system thinking in {reference[:80]!r}")
    return Comparison(_context(_first(_CONTEXTS, fields, extra_info or {})), shown)
