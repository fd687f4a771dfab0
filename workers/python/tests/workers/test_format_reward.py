"""The format reward gives full marks to the right speaker's well-formed reply and partial marks below that."""

from hypothesis import given
from hypothesis import strategies as st

from her_workers.rewards.format import score

GOOD = (
    "<system_thinking>Mara must refuse.</system_thinking>Mara: <role_thinking>He knows.</role_thinking>"
    "<role_action>folds the map</role_action>Only for tonight."
)


def of(reply: str) -> float:
    return score("her/two-layer", reply, "Mara")["score"]


def test_a_whole_reply_of_the_right_speaker_scores_one():
    assert score("her/two-layer", GOOD, "Mara", extra_info={"num_turns": 2})["score"] == 1.0
    assert score("her/two-layer", GOOD, "Mara")["acc"] == 1.0


def test_the_wrong_speaker_costs_something_and_is_not_counted_as_right():
    scores = score("her/two-layer", GOOD, "Ivo")
    assert scores["well_formed"] == 1.0
    assert scores["acc"] == 0.0
    assert 0.5 < scores["score"] < 1.0


def test_each_part_of_the_format_is_worth_something():
    steps = [
        "Only words.",
        "<system_thinking>Mara must refuse.</system_thinking>",
        "<system_thinking>Mara must refuse.</system_thinking>Mara: ",
        "<system_thinking>Mara must refuse.</system_thinking>Mara: <role_thinking>He knows.</role_thinking>",
        GOOD.removesuffix("Only for tonight."),
        GOOD,
    ]
    values = [of(step) for step in steps]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


@given(st.text())
def test_any_text_scores_between_zero_and_one(text):
    scores = score("her/two-layer", text, "Mara")
    assert 0.0 <= scores["score"] <= 1.0
    assert all(isinstance(value, float) for value in scores.values())
