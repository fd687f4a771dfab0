"""A row of role-play RL and a reply become what a judge may see of them."""

import json
import random

import pytest

from her_workers.rewards.comparison import BadRow, Comparison, read_comparison, visible

MESSAGES = [
    {"role": "system", "content": "You are Mara."},
    {"role": "user", "content": "Ivo: You came back."},
    {
        "role": "assistant",
        "content": "<system_thinking>Stall.</system_thinking>Mara: <role_thinking>He knows.</role_thinking>No.",
    },
    {"role": "user", "content": "Ivo: Stay."},
]
CONTEXT = (
    "System: You are Mara.\n\nUser: Ivo: You came back.\n\n"
    "Assistant: Mara: <role_thinking>He knows.</role_thinking>No.\n\nUser: Ivo: Stay."
)


def row(**fields: object) -> str:
    return json.dumps(fields)


def test_the_published_shape_is_read_with_messages_in_json_or_as_they_are():
    for messages in (MESSAGES, json.dumps(MESSAGES)):
        assert read_comparison(row(input=messages, ref_answer="Mara: Yes.", golden_type="3"), None) == Comparison(
            CONTEXT, "Mara: Yes."
        )


def test_the_documented_shape_is_read_too():
    ground_truth = row(prompt=MESSAGES, chosen="Mara: Yes.", rejected="Mara: Never.")
    assert read_comparison(ground_truth, {}) == Comparison(CONTEXT, "Mara: Yes.")


@pytest.mark.parametrize("text", ["Mara: Yes.", "42", "[1]", "{not json", '"quoted"'])
def test_a_plain_text_is_the_reference_itself(text):
    assert read_comparison(text, None) == Comparison("", text)


def test_a_row_without_messages_takes_those_of_its_extra_info():
    assert read_comparison("Mara: Yes.", {"prompt": tuple(MESSAGES)}).context == CONTEXT
    assert read_comparison(row(ref_answer="Mara: Yes."), {"input": json.dumps(MESSAGES)}).context == CONTEXT
    assert read_comparison(row(ref_answer="x", input="Ivo: Stay."), {"input": "Other."}).context == "Ivo: Stay."


def test_a_last_reply_in_the_messages_is_not_part_of_what_was_said_before():
    answered = [*MESSAGES, {"role": "assistant", "content": "Mara: Yes."}]
    assert read_comparison(row(input=answered, ref_answer="Mara: Yes."), None).context == CONTEXT
    only = [{"role": "system", "content": "You are Mara."}]
    assert read_comparison(row(input=only, ref_answer="Mara: Yes."), None).context == "System: You are Mara."


def test_system_thinking_of_the_reference_is_not_shown():
    reference = "<system_thinking>Plan.</system_thinking>Mara: Yes."
    assert read_comparison(row(ref_answer=reference), None).reference == "Mara: Yes."
    assert read_comparison(reference, None).reference == "Mara: Yes."


@pytest.mark.parametrize("reference", ["", "  ", "<system_thinking>Plan.</system_thinking>", "<system_thinking>Plan."])
def test_a_row_with_nothing_to_compare_with_is_refused(reference):
    with pytest.raises(BadRow, match="nothing to compare with"):
        read_comparison(row(ref_answer=reference), None)
    with pytest.raises(BadRow, match="nothing to compare with"):
        read_comparison(reference, None)


@pytest.mark.parametrize("ground_truth", [row(input=MESSAGES), row(ref_answer=["a"]), row(ref_answer=3), "{}", None, 3])
def test_a_row_without_a_reference_in_text_is_refused(ground_truth):
    with pytest.raises(BadRow, match="reference: expected text"):
        read_comparison(ground_truth, None)


@pytest.mark.parametrize(
    "messages", [["hello"], [{"role": "user"}], [{"role": 1, "content": "a"}], {"role": "user"}, 7]
)
def test_messages_of_another_kind_are_refused(messages):
    with pytest.raises(BadRow, match="context: expected"):
        read_comparison(row(input=messages, ref_answer="Mara: Yes."), None)


def test_thoughts_and_deeds_of_the_character_stay():
    rest = "Mara: <role_thinking>He knows.</role_thinking><role_action>nods</role_action>Yes."
    assert visible(f"<system_thinking>Plan\nof two lines.</system_thinking>\n{rest}\n") == rest
    assert visible(rest) == rest


def test_every_plan_goes_wherever_it_stands_and_whatever_is_in_it():
    assert visible("<system_thinking>a</system_thinking>x<system_thinking>b</system_thinking>y") == "xy"
    assert visible("x<system_thinking>a<system_thinking>b</system_thinking>c</system_thinking>y") == "xy"
    assert visible("<system_thinking>a <role_action> b</system_thinking>y") == "y"
    assert visible("<system_thinking></system_thinking>") == ""


@pytest.mark.parametrize(
    "reply",
    [
        "<system_thinking>Plan. Mara: Yes.",
        "<system_thinking>a</system_thinking>Mara: Yes.<system_thinking>",
        "<system_thinking>a<system_thinking>b</system_thinking>Mara: Yes.",
        "Plan.</system_thinking>Mara: Yes.",
        "<system_thinking>a</system_thinking>b</system_thinking>Mara: Yes.",
        "</system_thinking><system_thinking>Mara: Yes.",
    ],
)
def test_tags_that_do_not_pair_leave_nothing_to_show(reply):
    assert visible(reply) is None


def test_no_plan_and_no_tag_of_one_is_ever_shown():
    dice = random.Random(5)
    seen = 0
    for _ in range(3000):
        depth, parts = 0, []
        for _ in range(dice.randint(1, 10)):
            piece = dice.choice(["<system_thinking>", "</system_thinking>", "word"])
            if piece == "word":
                piece = "secret" if depth else "open"
            depth += {"<system_thinking>": 1, "</system_thinking>": -1}.get(piece, 0)
            parts.append(piece)
        shown = visible("".join(parts))
        if shown is not None:
            seen += 1
            assert shown == "open" * parts.count("open")
    assert seen > 100
