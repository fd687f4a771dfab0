"""Where no judge answers there is no score: silence stops the run."""

import json
import socket
import threading
import time

import pytest

from her_workers.rewards import judge
from her_workers.rewards.comparison import BadRow
from her_workers.rewards.judge import JudgeFailed

from .judge_router import WIN, Router, completion, order_of, run, says


def test_a_row_without_a_reference_stops_the_run_unasked():
    with Router(lambda request, _: completion(says("tie"))) as router, pytest.raises(BadRow):
        run(router.address, row=json.dumps({"input": "[]", "ref_answer": ""}))
    assert router.requests == []


def test_an_unreachable_judge_raises():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(JudgeFailed, match=r"no answer in 3 tries, at last ClientConnectorError"):
            run(address, network_retries=2)


@pytest.mark.parametrize("address", [None, ""])
def test_a_run_without_a_judge_raises_even_for_a_reply_that_needs_none(address):
    with pytest.raises(JudgeFailed, match="reward_router_address"):
        run(address, reply="")


@pytest.mark.parametrize(
    "failure",
    [
        (500, b"{}"),
        (503, b"busy"),
        (429, b"busy"),
        (200, b"not json"),
        (200, b"{}"),
        (200, b"[]"),
        (200, b'{"choices": []}'),
        (200, b'{"choices": [{"message": null}]}'),
        (200, b'{"choices": ["text"]}'),
        None,
    ],
)
def test_a_passing_failure_is_tried_again_and_a_lasting_one_raises(failure):
    with Router(lambda request, number: failure if number < 2 else completion(says(order_of(request)))) as router:
        scores = run(router.address)
    assert (scores["score"], scores["retries"], scores["unparsable"]) == (WIN, 0.0, 0.0)
    assert len(router.requests) == 4
    # Tried again with the same seed: no answer was seen, so there is nothing to vary.
    assert len(set(router.seeds())) == 2
    with Router(lambda request, number: failure) as router, pytest.raises(JudgeFailed, match="no answer in 2 tries"):
        run(router.address, network_retries=1)
    # Two tries for the order that failed first; the other one is called off then.
    assert 2 <= len(router.requests) <= 4


@pytest.mark.parametrize("status", [301, 307, 400, 401, 404, 422])
def test_a_refused_question_raises_at_once(status):
    with Router(lambda request, _: (status, b"no")) as router, pytest.raises(JudgeFailed, match=f"HTTP {status}"):
        run(router.address)
    assert len(router.requests) <= 2
    assert set(router.paths) == {"/v1/chat/completions"}


def test_one_order_without_an_answer_is_enough_to_raise():
    def answer(request, number):
        return completion(says("tie")) if order_of(request) == "cand_1" else (500, b"{}")

    with Router(answer) as router, pytest.raises(JudgeFailed) as raised:
        run(router.address, network_retries=1)
    assert raised.value.__cause__ is not None


def test_a_judge_that_says_nothing_is_given_up_after_its_time():
    done = threading.Event()
    with Router(lambda request, _: done.wait(10) and None) as router:
        started = time.monotonic()
        with pytest.raises(JudgeFailed, match=r"no answer in 2 tries, at last TimeoutError"):
            run(router.address, answer_seconds=0.2, network_retries=1)
        assert time.monotonic() - started < 5
        done.set()


def test_an_endless_answer_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(judge, "MAX_BODY", 1000)
    with (
        Router(lambda request, _: completion("x" * 2000)) as router,
        pytest.raises(JudgeFailed, match="more than 1000"),
    ):
        run(router.address)
