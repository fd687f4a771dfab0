"""How well a reply keeps to the two-layer format: a rule, so that no judge is needed."""

from typing import Any

from her_workers.dialogue import ACTION, SYSTEM, THINKING, parse

# Half is for the whole, half for its parts: a policy that has no whole reply yet still sees which of its replies
# came closer, and every sample group has some variance to learn from.
WHOLE = 0.5
PARTS = {"opens": 0.1, "speaker": 0.05, "thinking": 0.125, "action": 0.125, "speech": 0.1}


def score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    **kwargs: Any,
) -> dict[str, float]:
    """Scores one reply, in verl's signature for reward functions.

    Args:
        solution_str: the reply, without special tokens.
        ground_truth: the name of the character that has to speak.

    Returns:
        `score` in [0, 1]; `acc`, 1 for a well-formed reply of the right speaker; `well_formed`; and each part, 0 or 1.
    """
    reply = parse(solution_str or "")
    parts = {
        "opens": bool(reply.segments) and reply.segments[0].kind == SYSTEM and reply.has(SYSTEM),
        "speaker": reply.speaker == ground_truth,
        "thinking": reply.has(THINKING),
        "action": reply.has(ACTION),
        "speech": reply.speaker is not None and reply.has("speech"),
    }
    formed = not reply.problems
    right = formed and parts["speaker"]
    total = sum(weight * parts[name] for name, weight in PARTS.items()) + WHOLE * formed
    return {
        "score": round(total, 6),
        "acc": float(right),
        "well_formed": float(formed),
        **{name: float(value) for name, value in parts.items()},
    }
