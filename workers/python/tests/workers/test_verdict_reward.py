"""A judge's reply is read by fixed rules, whatever a model wrote, and its own training pays for the label alone."""

import json
import random
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from her_workers.rewards.verdict import CHOICES, MAX_DEPTH, Verdict, parse_verdict, score


def says(choice: str, **more: object) -> str:
    return json.dumps({"cand_1": "A", "cand_2": "B", **more, "better_response": choice})


def fenced(text: str) -> str:
    return f"```json\n{text}\n```"


def unparsable(reason: str) -> Verdict:
    return Verdict("unparsable", reason)


@pytest.mark.parametrize("choice", CHOICES)
def test_the_three_shapes_are_read_fenced_and_bare(choice):
    inner = says(choice)
    for text in (inner, f'{{"result": {inner}}}', f'{{"result": [{inner}]}}'):
        assert parse_verdict(text) == Verdict(choice)
        assert parse_verdict(f"Here it is:\n{fenced(text)}\nDone.") == Verdict(choice)
        assert parse_verdict(f"Here it is: {text} Done.") == Verdict(choice)


@pytest.mark.parametrize("said", [" Cand_2 ", "CAND_2", "\tcand_2\n"])
def test_case_and_white_space_around_the_verdict_do_not_count(said):
    assert parse_verdict(says(said)) == Verdict("cand_2")
    assert parse_verdict(f'{{ broken "better_response": "{said}"') == Verdict("cand_2")


def test_everything_up_to_the_last_closing_think_is_dropped():
    thought = f"<think>{says('cand_1')}</think>"
    assert parse_verdict(thought + says("cand_2")) == Verdict("cand_2")
    assert parse_verdict(f"{thought}{says('cand_1')}</think>{says('tie')}") == Verdict("tie")
    assert parse_verdict(f"no opening tag {says('cand_1')}</think>{says('tie')}") == Verdict("tie")
    assert parse_verdict(thought) == unparsable("no-verdict")


def test_an_unclosed_think_has_no_verdict():
    assert parse_verdict(f"<think>{says('cand_1')}") == unparsable("unclosed-think")
    assert parse_verdict(f"<think>a</think><think>b {says('cand_1')}") == unparsable("unclosed-think")
    assert parse_verdict(f"{says('cand_1')}<think>") == unparsable("unclosed-think")


def test_the_last_fenced_block_counts_before_an_earlier_one():
    assert parse_verdict(fenced(says("cand_1")) + "\nNo:\n" + fenced(says("cand_2"))) == Verdict("cand_2")


def test_the_fenced_block_counts_before_braces_around_it():
    assert parse_verdict(f"{{ {fenced(says('cand_1'))} }}") == Verdict("cand_1")


def test_a_fence_may_be_in_capitals_and_need_not_be_closed():
    assert parse_verdict("```JSON\n" + says("cand_1")) == Verdict("cand_1")


def test_a_fence_inside_a_string_does_not_end_the_object():
    assert parse_verdict(fenced(says("cand_2", note="she wrote ``` on the wall"))) == Verdict("cand_2")


def test_a_line_break_left_in_a_string_is_read():
    text = '{"note": "two\nlines", "quote": {"better_response": "cand_1"}, "better_response": "tie"}'
    assert parse_verdict(text) == Verdict("tie")


def test_json_is_believed_before_what_it_quotes():
    text = '{"quote": {"better_response": "cand_1"}, "better_response": "cand_2"}'
    assert parse_verdict(text) == Verdict("cand_2")
    assert parse_verdict('{"better_response": "cand_2"} and not "better_response": "cand_1"}') == unparsable(
        "conflicting-verdicts"
    )


def test_without_json_all_mentions_must_agree():
    one, two = '"better_response": "cand_1"', '"better_response" :  "cand_2"'
    assert parse_verdict(f"{{ broken, {one}, and again {one}") == Verdict("cand_1")
    assert parse_verdict(f"{{ broken, {one}, or {two}") == unparsable("conflicting-verdicts")
    assert parse_verdict("{'better_response': 'tie', 'left': None}") == Verdict("tie")


def test_an_object_that_contradicts_itself_has_no_verdict():
    twice = '{"better_response": "cand_1", "better_response": "cand_2"}'
    assert parse_verdict(twice) == unparsable("conflicting-verdicts")
    outer = f'{{"better_response": "cand_1", "result": [{says("cand_2")}]}}'
    assert parse_verdict(outer) == unparsable("conflicting-verdicts")
    assert parse_verdict('{"better_response": "tie", "better_response": "tie"}') == Verdict("tie")


@pytest.mark.parametrize("said", ["cand_3", "cand_1 or cand_2", "both", "", "unparsable", 1, None, ["cand_1"], {}])
def test_a_verdict_of_another_kind_is_none(said):
    text = json.dumps({"better_response": said, "quoted": 'x "better_response": "cand_1"'})
    assert parse_verdict(text) == unparsable("unknown-verdict")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cand_1",
        "I prefer cand_1.",
        "{}",
        "[]",
        '{"result": []}',
        '{"winner": "cand_1"}',
        '"better_response": cand_1',
    ],
)
def test_words_alone_are_no_verdict(text):
    assert parse_verdict(text) == unparsable("no-verdict")


def test_a_list_of_several_results_is_read_only_if_they_agree():
    assert parse_verdict(f'{{"result": [{says("tie")}, {says("tie")}]}}') == Verdict("tie")
    assert parse_verdict(f'{{"result": [{says("tie")}, {says("cand_1")}]}}') == unparsable("conflicting-verdicts")


N = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "{" * N,
        "[" * N,
        '{"a":' * N,
        '{"a":' * N + "1" + "}" * N,
        "{" + "[" * N + "]" * N + "}",
        '{"]}":' * N + "1" + "}" * N,
        '{"s": "' + "]" * N + '", "a": ' + "[" * N + "]" * N + "}",
        '{"\\\\": ' * N + "1" + "}" * N,
        '{"' + '\\"' * N + "}",
        "{}" * N,
        "`" * N,
        "```json" * N,
        "```" + " " * N,
        '"better_response"' * N,
        '"better_response"' + " " * N,
        '"better_response":' + " " * N + '"cand_1',
        '"better_response": "' + " " * N + "cand_1",
        '{"better_response": "' + "\\" * N,
        '"' * N,
        '{"n": ' + "9" * N + "}",
        "<think>" * N,
        "</think>" * N,
        "<think>" * N + "</think>" * N,
    ],
    ids=lambda text: f"{text[:12]}...{len(text)}",
)
def test_hostile_text_is_read_in_linear_time_and_never_crashes(text):
    # Libraries raise the limit; then the decoder's own recursion would overrun the stack.
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000_000)
    started = time.process_time()
    try:
        verdict = parse_verdict(text)
    finally:
        sys.setrecursionlimit(old)
    assert verdict.choice == "unparsable"
    # Linear time is a few hundredths of a second here; quadratic time would be minutes.
    assert time.process_time() - started < 2.0


def test_the_deepest_object_that_is_read_as_json_and_the_first_that_is_not():
    def nested(depth: int) -> str:
        return '{"better_response": "both", "more": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"

    assert parse_verdict('{"text": "' + "[" * 1000 + '", "better_response": "both"}') == unparsable("unknown-verdict")
    assert parse_verdict(nested(MAX_DEPTH)) == unparsable("unknown-verdict")
    assert parse_verdict(nested(MAX_DEPTH + 1)) == unparsable("no-verdict")


@given(st.text())
def test_any_text_has_a_verdict_or_a_reason(text):
    verdict = parse_verdict(text)
    assert verdict.parsed == (verdict.reason is None) == (verdict.choice in CHOICES)


def test_any_mix_of_the_pieces_that_matter_has_a_verdict_or_a_reason():
    pieces = ["<think>", "</think>", "```json\n", "```", "{", "}", "[", "]", '"result":', says("cand_1"), says("tie")]
    pieces += ['"better_response":', '"cand_2"', ",", "\\", '"', " "]
    dice = random.Random(7)
    seen = set()
    for _ in range(5000):
        verdict = parse_verdict("".join(dice.choices(pieces, k=dice.randint(1, 12))))
        assert verdict.parsed == (verdict.reason is None)
        seen.add(verdict.reason or verdict.choice)
    assert {"cand_1", "tie", "unclosed-think", "no-verdict", "conflicting-verdicts"} <= seen


@pytest.mark.parametrize("label", CHOICES)
@pytest.mark.parametrize("said", CHOICES)
def test_only_the_label_is_worth_anything(label, said):
    scores = score("her/judge", f"<think>hm</think>{says(said)}", label, extra_info={"index": 3}, threshold=1)
    right = said == label
    assert scores == {
        "score": 1.0 if right else -1.0,
        "acc": float(right),
        "parsed": 1.0,
        "cand_1": float(said == "cand_1"),
        "cand_2": float(said == "cand_2"),
        "tie": float(said == "tie"),
    }
    assert all(type(value) is float for value in scores.values())


@pytest.mark.parametrize("label", CHOICES)
def test_a_reply_without_a_verdict_costs_as_much_as_a_wrong_one(label):
    scores = score("her/judge", "<think>", label)
    assert (scores["score"], scores["acc"], scores["parsed"]) == (-1.0, 0.0, 0.0)
    assert score("her/judge", None, label)["score"] == -1.0


def test_a_label_may_have_white_space_and_capitals():
    assert score("her/judge", says("cand_1"), " Cand_1\n")["score"] == 1.0


@pytest.mark.parametrize("label", ["", "cand_3", "unparsable", '{"better_response": "tie"}'])
def test_a_row_with_another_label_is_refused(label):
    with pytest.raises(ValueError, match="label: expected one of cand_1, cand_2, tie"):
        score("her/judge", says("tie"), label)
