"""What SFT trains on, what RL prompts with and what is evaluated are the same tokens."""

import json

import pytest

swift_template = pytest.importorskip("swift.template", reason="needs the ms-swift environment")

from transformers import AutoTokenizer  # noqa: E402

from her_workers.evaluate.cases import encode  # noqa: E402


@pytest.fixture(scope="module")
def tokenizer(prepared):
    return AutoTokenizer.from_pretrained(prepared / "model")


@pytest.fixture(scope="module")
def trained(prepared):
    """Rows with ms-swift's own encoding of them for training."""
    from swift.model import get_processor

    processor = get_processor(str(prepared / "model"), model_type="qwen3")
    template = swift_template.get_template(processor, template_type="qwen3_nothinking", loss_scale="last_round")
    template.set_mode("train")
    rows = [json.loads(line) for line in (prepared / "heldout.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(row, template.encode({"messages": [dict(m) for m in row["messages"]]})) for row in rows]


def test_the_chat_template_gives_the_tokens_of_qwen3_nothinking(tokenizer, trained):
    for row, encoded in trained:
        ours = tokenizer.apply_chat_template(row["messages"], tokenize=True, return_dict=False)
        assert list(ours) == list(encoded["input_ids"])


def test_evaluation_splits_prompt_and_reply_where_training_does(tokenizer, trained):
    cases = encode([row for row, _ in trained], tokenizer)
    for case, (_, encoded) in zip(cases, trained, strict=True):
        labels = list(encoded["labels"])
        assert case.prompt + case.reply == list(encoded["input_ids"])
        assert [label for label in labels if label != -100] == case.reply
        assert labels[: len(case.prompt)] == [-100] * len(case.prompt)
