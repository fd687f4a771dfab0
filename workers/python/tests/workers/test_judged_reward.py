"""The policy's reply is judged against the reference in both orders, and only what both say counts."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from her_workers.rewards import judge
from her_workers.rewards.judged import score

from .judge_router import KEYS, LOSE, TIE, WIN, Router, completion, judged, order_of, prompt_of, run, says

SRC = Path(judge.__file__).parents[2]


@pytest.mark.parametrize(
    ("first", "second", "value", "flipped", "position"),
    [
        ("cand_1", "cand_2", WIN, 0.0, 0.5),
        ("cand_2", "cand_1", LOSE, 0.0, 0.5),
        ("tie", "tie", TIE, 0.0, 0.5),
        ("cand_1", "cand_1", TIE, 1.0, 1.0),
        ("cand_2", "cand_2", TIE, 1.0, 0.0),
        ("cand_1", "tie", TIE, 1.0, 1.0),
        ("tie", "cand_2", TIE, 1.0, 0.0),
        ("cand_2", "tie", TIE, 1.0, 0.0),
        ("tie", "cand_1", TIE, 1.0, 1.0),
    ],
)
def test_what_both_orders_say_counts_and_else_it_is_a_tie(first, second, value, flipped, position):
    scores = judged(says(first), says(second))
    assert scores == {
        "score": value,
        "acc": float(value == WIN),
        "win": float(value == WIN),
        "tie": float(value == TIE),
        "lose": float(value == LOSE),
        "flipped": flipped,
        "position": position,
        "unparsable": 0.0,
        "retries": 0.0,
        "malformed": 0.0,
        "no_context": 0.0,
    }
    assert all(type(one) is float for one in scores.values())


@pytest.mark.parametrize(
    "reply",
    [
        "<system_thinking>plan Mara: POLICY",
        "plan</system_thinking>Mara: POLICY",
        "<system_thinking>plan</system_thinking>  \n",
        "",
        None,
    ],
)
def test_a_reply_with_nothing_to_judge_loses_unasked(reply):
    with Router(lambda request, _: completion(says("tie"))) as router:
        scores = run(router.address, reply=reply)
    assert router.requests == []
    assert (scores["score"], scores["lose"], scores["malformed"]) == (LOSE, 1.0, 1.0)
    assert (scores["unparsable"], scores["retries"], scores["flipped"], scores["position"]) == (0.0, 0.0, 0.0, 0.5)
    assert set(scores) == KEYS


def test_an_unreadable_answer_is_asked_for_twice_more_with_new_seeds_and_is_then_a_tie():
    scores = judged("I like the first.", says("cand_2"))
    assert (scores["score"], scores["tie"], scores["unparsable"], scores["retries"]) == (TIE, 1.0, 0.5, 2.0)
    assert scores["flipped"] == 0.0
    with Router(lambda request, _: completion("no verdict")) as router:
        scores = run(router.address)
    assert (scores["score"], scores["unparsable"], scores["retries"], scores["position"]) == (TIE, 1.0, 4.0, 0.5)
    assert len(router.requests) == len(set(router.seeds())) == 6


@pytest.mark.parametrize("other", ["cand_1", "cand_2", "tie"])
@pytest.mark.parametrize("silent", ["cand_1", "cand_2"])
def test_an_unreadable_answer_never_helps_to_a_win_or_a_loss(silent, other):
    answers = {silent: "?", ("cand_2" if silent == "cand_1" else "cand_1"): says(other)}
    scores = judged(answers["cand_1"], answers["cand_2"])
    assert (scores["score"], scores["win"], scores["lose"], scores["unparsable"]) == (TIE, 0.0, 0.0, 0.5)


def test_a_later_answer_with_a_verdict_counts():
    tries = {"cand_1": 0, "cand_2": 0}

    def answer(request, number):
        order = order_of(request)
        tries[order] += 1
        return completion(says(order) if order == "cand_2" or tries[order] == 3 else "?")

    with Router(answer) as router:
        scores = run(router.address)
    assert (scores["score"], scores["retries"], scores["unparsable"]) == (WIN, 2.0, 0.0)


def test_the_number_of_retries_is_an_option():
    with Router(lambda request, _: completion("?")) as router:
        assert run(router.address, retries=0)["retries"] == 0.0
    assert len(router.requests) == 2


def test_an_answer_that_was_cut_has_no_verdict_even_if_its_thoughts_name_one():
    text = 'so I lean to "better_response": "cand_1" but'
    with Router(lambda request, _: completion(text, finish="length")) as router:
        assert run(router.address)["unparsable"] == 1.0
    with Router(lambda request, _: completion(text)) as router:
        assert run(router.address)["unparsable"] == 0.0


def test_an_answer_of_thoughts_alone_has_no_verdict():
    with Router(lambda request, _: completion(None)) as router:
        assert run(router.address)["unparsable"] == 1.0


def test_a_plain_text_row_is_judged_and_says_that_it_has_no_dialogue():
    with Router(lambda request, _: completion(says(order_of(request)))) as router:
        scores = run(router.address, row="Mara: REFERENCE", extra_info={})
    assert (scores["score"], scores["no_context"]) == (WIN, 1.0)
    assert "(not given)" in prompt_of(router.requests[0])


def test_an_option_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="temprature"):
        run("127.0.0.1:1", temprature=0.1)


def test_verl_sees_a_coroutine_function():
    assert inspect.iscoroutinefunction(score)


def test_the_module_is_imported_without_an_http_client():
    code = "import sys; sys.modules.update(aiohttp=None, httpx=None, requests=None); import her_workers.rewards.judged"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SRC)}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
