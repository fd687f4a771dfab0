"""The two-layer format: what is well formed, what is not and why, and who sees what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from her_workers.dialogue import ACTION, SYSTEM, TAGS, THINKING, parse, seen_by_others, seen_by_self, well_formed

GOOD = (
    "<system_thinking>Mara must refuse without lying.</system_thinking>Mara: <role_thinking>He knows.</role_thinking>"
    "<role_action>folds the map</role_action>Only for tonight."
)

plain = st.text(st.characters(codec="utf-8", exclude_characters="<>:\n", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: bool(text.strip())
)
names = st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?", fullmatch=True)


@st.composite
def replies(draw):
    kinds = draw(st.permutations(["t", "a", "s"]))
    parts = {
        "t": f"<{THINKING}>{draw(plain)}</{THINKING}>",
        "a": f"<{ACTION}>{draw(plain)}</{ACTION}>",
        "s": draw(plain),
    }
    name = draw(names)
    return name, f"<{SYSTEM}>{draw(plain)}</{SYSTEM}>{name}: " + "".join(parts[kind] for kind in kinds)


@given(replies())
def test_a_reply_built_to_the_rules_is_well_formed(made):
    name, reply = made
    assert parse(reply).problems == ()
    assert parse(reply).speaker == name


@given(replies(), st.data())
def test_removing_any_one_tag_is_noticed(made, data):
    _, reply = made
    marks = [mark for tag in TAGS for mark in (f"<{tag}>", f"</{tag}>")]
    assert not well_formed(reply.replace(data.draw(st.sampled_from(marks)), "", 1))


@given(replies(), st.data())
def test_cutting_a_reply_inside_its_first_layer_is_noticed(made, data):
    _, reply = made
    end = reply.index(f"</{SYSTEM}>") + len(f"</{SYSTEM}>")
    assert not well_formed(reply[: data.draw(st.integers(0, end))])


@given(st.text())
def test_no_text_makes_the_parser_fail(text):
    parse(text)


@given(st.lists(st.sampled_from([f"<{t}>" for t in TAGS] + [f"</{t}>" for t in TAGS] + ["Mara: ", "x", "<b>", " "])))
def test_well_formed_means_what_the_rules_say(parts):
    reply = "".join(parts)
    if well_formed(reply):
        assert reply.count(f"<{SYSTEM}>") == reply.count(f"</{SYSTEM}>") == 1
        assert reply.lstrip().startswith(f"<{SYSTEM}>")
        for tag in (THINKING, ACTION):
            assert reply.count(f"<{tag}>") == reply.count(f"</{tag}>") >= 1
        assert f"</{THINKING}><{THINKING}>" not in reply
        assert "<b>" not in reply


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (GOOD.replace("<system_thinking>Mara must refuse without lying.</system_thinking>", ""), "no-system-thinking"),
        ("Well. " + GOOD, "system-thinking-not-first"),
        (GOOD + "<system_thinking>more</system_thinking>", "system-thinking-repeated"),
        (GOOD.replace("Mara: ", ""), "no-speaker"),
        (GOOD.replace("Mara: ", "Mara:"), "no-speaker"),
        (GOOD.replace("<role_thinking>He knows.</role_thinking>", ""), "no-role-thinking"),
        (GOOD.replace("<role_action>folds the map</role_action>", ""), "no-role-action"),
        (GOOD.replace("Only for tonight.", ""), "no-speech"),
        (GOOD.replace("folds the map", " "), "empty-tag"),
        (GOOD + "<think>hm</think>", "unknown-tag"),
        (GOOD.replace("He knows.", "He <role_action>nods</role_action> knows."), "nested-tag"),
        (GOOD.replace("</role_action>", ""), "unclosed-tag"),
        (GOOD.replace("<role_action>", ""), "unopened-tag"),
        (GOOD.replace("</role_action>", "</role_action> <role_action>x</role_action>"), "adjacent-identical-tags"),
        (GOOD + " a < b", "stray-bracket"),
        (GOOD.replace("</role_action>", "</role_action").replace("tonight.", "tonight>"), "unclosed-tag"),
    ],
)
def test_a_problem_is_named(reply, problem):
    assert problem in parse(reply).problems


def test_an_earlier_reply_keeps_its_thoughts_for_its_speaker_only():
    mine = "Mara: <role_thinking>He knows.</role_thinking><role_action>folds the map</role_action>Only for tonight."
    assert seen_by_self(GOOD) == mine
    assert seen_by_others(GOOD) == "Mara: <role_action>folds the map</role_action>Only for tonight."


def test_others_see_runs_of_white_space_as_one_space():
    assert seen_by_others("Ivo: <role_thinking>a\nb</role_thinking>\n\n One\t two ") == "Ivo: One two"
