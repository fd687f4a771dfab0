"""The prepared model and data: reproducible, split by book, and true to the visibility rules."""

import hashlib
import json
import os
import re
import subprocess
import sys

import pytest

from her_workers.dialogue import parse, well_formed
from her_workers.prepare.corpus import ENVIRONMENT, books
from her_workers.prepare.spec import read_spec

from .conftest import SPEC


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hashes(folder):
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def parquet(path):
    pq = pytest.importorskip("pyarrow.parquet")
    return pq.read_table(path).to_pylist()


def test_the_same_seed_gives_the_same_bytes_in_another_process(prepared, tmp_path):
    (tmp_path / "prepare.json").write_text(json.dumps(SPEC), encoding="utf-8")
    env = os.environ | {"PYTHONHASHSEED": "4"}
    subprocess.run([sys.executable, "-m", "her_workers.prepare", "prepare.json"], cwd=tmp_path, env=env, check=True)
    assert hashes(tmp_path / "out") == hashes(prepared)


def test_another_seed_gives_other_books():
    assert books(1, 8) != books(2, 8)
    assert books(1, 8) == books(1, 8)


def test_the_row_counts_and_seeds_are_those_asked_for(prepared):
    assert len(rows_of(prepared / "sft.jsonl")) == SPEC["rows"]["sft"]
    assert len(rows_of(prepared / "heldout.jsonl")) == SPEC["rows"]["heldout"]
    assert len(parquet(prepared / "rl.parquet")) == SPEC["rows"]["rl"]
    assert len(parquet(prepared / "rl_val.parquet")) == SPEC["rows"]["rl_val"]
    assert json.loads((prepared / "seeds.json").read_text()) == {"corpus": 5, "model_init": 5}
    last = rows_of(prepared / "metrics.jsonl")[-1]
    assert last["step"] == last["maxSteps"]


def test_no_book_is_in_two_splits(prepared):
    def title(messages):
        return re.search(r" in (The [A-Za-z ]+)\.\n", messages[0]["content"]).group(1)

    shelves = [{title(row["messages"]) for row in rows_of(prepared / f"{s}.jsonl")} for s in ("sft", "heldout")]
    shelves += [{title(row["prompt"]) for row in parquet(prepared / f"{s}.parquet")} for s in ("rl", "rl_val")]
    assert sum(map(len, shelves)) == len(set().union(*shelves)) == sum(SPEC["books"].values())


def test_only_the_last_reply_has_a_plan_and_is_trained_on(prepared):
    for row in rows_of(prepared / "sft.jsonl") + rows_of(prepared / "heldout.jsonl"):
        system, *middle, last = row["messages"]
        assert system["role"] == "system"
        assert last["role"] == "assistant"
        assert "loss" not in last
        assert well_formed(last["content"])
        for message in middle:
            assert "<system_thinking>" not in message["content"]
            if message["role"] == "assistant":
                assert message["loss"] is False
        roles = [m["role"] for m in row["messages"][1:]]
        assert roles == ["user", "assistant"] * (len(roles) // 2)


def test_the_thoughts_of_others_are_hidden(prepared):
    for row in rows_of(prepared / "sft.jsonl"):
        for message in row["messages"]:
            if message["role"] == "user":
                assert "role_thinking" not in message["content"]


def test_the_model_never_speaks_for_the_environment(prepared):
    for row in rows_of(prepared / "sft.jsonl"):
        assert parse(row["messages"][-1]["content"]).speaker != ENVIRONMENT


def test_rl_rows_carry_the_speaker_as_ground_truth(prepared):
    for row in parquet(prepared / "rl.parquet"):
        assert row["prompt"][0]["content"].startswith(f"You are {row['reward_model']['ground_truth']} in ")
        assert row["prompt"][-1]["role"] == "user"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"sede": 1}, "sede"),
        ({"vocab": "many"}, "vocab"),
        ({"seed": True}, "seed"),
        ({"rows": SPEC["rows"] | {"test": 1}}, "test"),
        ({"books": SPEC["books"] | {"rl": 0}}, "books.rl"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, change, named):
    path = tmp_path / "prepare.json"
    path.write_text(json.dumps(SPEC | change), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(named)):
        read_spec(path)
