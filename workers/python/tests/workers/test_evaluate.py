"""Evaluation of a model: reproducible scores with their n and error, and the files a supervisor reads."""

import json
import math
from dataclasses import asdict

import pytest

pytest.importorskip("transformers", reason="needs a trainer environment")

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from her_workers.evaluate.__main__ import evaluate, mean
from her_workers.evaluate.cases import Case, encode, read_rows
from her_workers.evaluate.loss import heldout_loss
from her_workers.evaluate.sample import sample_replies
from her_workers.evaluate.spec import EvaluateSpec, read_spec


@pytest.fixture(scope="module")
def model(prepared):
    return AutoModelForCausalLM.from_pretrained(prepared / "model", dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def tokenizer(prepared):
    return AutoTokenizer.from_pretrained(prepared / "model")


@pytest.fixture(scope="module")
def spec(prepared):
    return EvaluateSpec(
        seed=3,
        models={"start": str(prepared / "model")},
        heldout=str(prepared / "heldout.jsonl"),
        samples=10,
        batch=4,
        max_new_tokens=12,
        temperature=1.0,
    )


def test_the_loss_is_the_mean_over_trained_tokens(model, tokenizer, prepared):
    cases = encode(read_rows(prepared / "heldout.jsonl")[:5], tokenizer)
    total = count = 0.0
    for case in cases:
        ids = torch.tensor([case.prompt + case.reply])
        labels = ids.clone()
        labels[:, : len(case.prompt)] = -100
        total += float(model(input_ids=ids, labels=labels).loss) * len(case.reply)
        count += len(case.reply)
    assert heldout_loss(model, cases, batch=3).value == pytest.approx(total / count, rel=1e-5)


def test_padding_on_the_left_does_not_change_what_a_prompt_gets(model, tokenizer, prepared):
    cases = encode(read_rows(prepared / "heldout.jsonl")[:6], tokenizer)
    cold = {"seed": 1, "max_new_tokens": 8, "temperature": 1e-4}  # as good as greedy, so that batching cannot matter
    alone = [r for batch in sample_replies(model, tokenizer, cases, batch=1, **cold) for r in batch]
    together = [r for batch in sample_replies(model, tokenizer, cases, batch=6, **cold) for r in batch]
    assert len({len(case.prompt) for case in cases}) > 1
    assert alone == together


def test_two_runs_give_the_same_files(spec, tmp_path):
    for name in ("a", "b"):
        evaluate(spec, tmp_path / name)
    for file in ("scores.json", "replies.jsonl", "seeds.json", "metrics.jsonl"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_every_score_has_its_n_and_error(spec, tmp_path):
    evaluate(spec, tmp_path / "out")
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert [s["metric"] for s in scores] == ["heldout_loss", "well_formed", "right_speaker", "reward"]
    assert all(s["of"] == "start" and math.isfinite(s["value"]) and s["stderr"] >= 0 for s in scores)
    assert [s["n"] for s in scores] == [24, 10, 10, 10]
    assert scores[0]["value"] == pytest.approx(math.log(512), rel=0.1)
    metrics = [json.loads(line) for line in (tmp_path / "out" / "metrics.jsonl").read_text().splitlines()]
    assert metrics[-1]["step"] == metrics[-1]["maxSteps"]


def test_a_mean_of_ones_and_zeros_has_the_usual_error():
    assert asdict(mean([1.0, 0.0, 1.0, 1.0])) == {"value": 0.75, "n": 4, "stderr": pytest.approx(0.25)}


def test_a_row_without_a_reply_is_named(tokenizer):
    with pytest.raises(ValueError, match="row 1"):
        encode([{"messages": [{"role": "user", "content": "hello"}]}], tokenizer)


def test_more_samples_than_rows_are_refused(spec, tmp_path):
    with pytest.raises(ValueError, match="samples"):
        evaluate(EvaluateSpec(**(asdict(spec) | {"samples": 25})), tmp_path / "out")


def test_a_mistake_in_the_file_is_named(spec, tmp_path):
    path = tmp_path / "evaluate.json"
    for change, named in (({"sample": 1}, "sample"), ({"batch": 0}, "batch"), ({"temperature": 0}, "temperature")):
        path.write_text(json.dumps(asdict(spec) | change), encoding="utf-8")
        with pytest.raises(ValueError, match=named):
            read_spec(path)


def test_a_case_keeps_prompt_and_reply_apart(tokenizer, prepared):
    case = encode(read_rows(prepared / "heldout.jsonl")[:1], tokenizer)[0]
    assert isinstance(case, Case)
    assert tokenizer.decode(case.reply).endswith("<|im_end|>\n")
    assert tokenizer.decode(case.prompt).endswith("<|im_start|>assistant\n")
