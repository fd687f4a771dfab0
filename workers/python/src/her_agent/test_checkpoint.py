"""Whole and torn checkpoints. The files are made by hand in the trainers' layout; the tensors are empty."""

from __future__ import annotations

import errno
import json
import os
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Callable, NoReturn

import pytest

from her_agent import cli
from her_agent.checkpoint import check
from her_agent.conftest import Bench


def torch_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"x" * 200)


def safetensors(path: Path, size: int = 64) -> None:
    header = json.dumps({"__metadata__": {}, "w": {"dtype": "F32", "shape": [16], "data_offsets": [0, size]}})
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + b"\0" * size)


def swift(folder: Path, step: int = 8, world: int = 1) -> Path:
    path = folder / f"checkpoint-{step}"
    path.mkdir(parents=True)
    safetensors(path / "model.safetensors")
    for name in ["optimizer.pt", "scheduler.pt"]:
        torch_file(path / name)
    for name in ["rng_state.pth"] if world == 1 else [f"rng_state_{rank}.pth" for rank in range(world)]:
        torch_file(path / name)
    (path / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    return path


def sharded(folder: Path) -> Path:
    path = swift(folder)
    (path / "model.safetensors").rename(path / "model-00001-of-00002.safetensors")
    safetensors(path / "model-00002-of-00002.safetensors")
    weights = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))
    return path


def deepspeed(folder: Path) -> Path:
    path = swift(folder, world=2)
    (path / "optimizer.pt").unlink()
    shards = path / "global_step8"
    for rank in (0, 1):
        torch_file(shards / f"bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt")
        torch_file(shards / f"zero_pp_rank_{rank}_mp_rank_00_model_states.pt")
    (path / "latest").write_text("global_step8")
    return path


def verl(folder: Path, step: int = 4, world: int = 2) -> Path:
    path = folder / f"global_step_{step}"
    for rank in range(world):
        for part in ("model", "optim", "extra_state"):
            torch_file(path / "actor" / f"{part}_world_size_{world}_rank_{rank}.pt")
    (path / "actor" / "fsdp_config.json").write_text(json.dumps({"FSDP_version": 2, "world_size": world}))
    torch_file(path / "data.pt")
    (folder / "latest_checkpointed_iteration.txt").write_text(str(step))
    return path


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def edit(name: str, how: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda path: how(path / name)


@pytest.mark.parametrize(
    ("form", "make", "world"),
    [
        ("swift", swift, 1),
        ("swift", sharded, 1),
        ("swift", lambda folder: swift(folder, world=2), 2),
        ("swift", deepspeed, 2),
        ("verl", verl, 2),
    ],
)
def test_whole(tmp_path: Path, form: str, make: Callable[[Path], Path], world: int) -> None:
    verdict = check(form, str(make(tmp_path)), world)
    assert (verdict.whole, verdict.why) == (True, [])


@pytest.mark.parametrize(
    ("make", "world", "fault", "told"),
    [
        (swift, 1, edit("model.safetensors", cut), "bytes of"),
        (swift, 1, edit("model.safetensors", lambda p: p.write_bytes(b"\xff" * 8)), "header is cut"),
        (swift, 1, edit("model.safetensors", Path.unlink), "no safetensors"),
        (swift, 1, edit("optimizer.pt", cut), "optimizer.pt is torn"),
        (swift, 1, edit("optimizer.pt", Path.unlink), "optimizer.pt is missing"),
        (swift, 1, edit("scheduler.pt", Path.unlink), "scheduler.pt is missing"),
        (swift, 1, edit("rng_state.pth", Path.unlink), "rng_state.pth is missing"),
        (swift, 1, edit("trainer_state.json", Path.unlink), "trainer_state.json is missing"),
        (swift, 1, edit("trainer_state.json", lambda p: p.write_text('{"glo')), "torn"),
        (swift, 1, edit("trainer_state.json", lambda p: p.write_text('{"global_step": 7}')), "global_step 7"),
        (swift, 1, edit("checkpoint-is-incomplete.txt", lambda p: p.write_text("…")), "it was being saved"),
        (swift, 2, lambda path: None, "rng_state_0.pth is missing"),
        (sharded, 1, edit("model-00002-of-00002.safetensors", Path.unlink), "named by"),
        (sharded, 1, edit("model-00002-of-00002.safetensors", cut), "bytes of"),
        (deepspeed, 2, edit("latest", Path.unlink), "latest is missing"),
        (deepspeed, 2, edit("global_step8", shutil.rmtree), "global_step8/ is missing"),
        (deepspeed, 4, lambda path: None, "2 optimizer shards for world size 4"),
        (
            deepspeed,
            2,
            edit("global_step8/zero_pp_rank_1_mp_rank_00_model_states.pt", cut),
            "model_states.pt is torn",
        ),
    ],
)
def test_torn_swift(
    tmp_path: Path, make: Callable[[Path], Path], world: int, fault: Callable[[Path], object], told: str
) -> None:
    path = make(tmp_path)
    fault(path)
    verdict = check("swift", str(path), world)
    assert not verdict.whole
    assert told in "; ".join(verdict.why)


@pytest.mark.parametrize(
    ("world", "fault", "told"),
    [
        (2, edit("../latest_checkpointed_iteration.txt", Path.unlink), "is missing"),
        (2, edit("../latest_checkpointed_iteration.txt", lambda p: p.write_text("3")), "says 3, before 4"),
        (2, edit("actor/optim_world_size_2_rank_1.pt", Path.unlink), "rank_1.pt is missing"),
        (2, edit("actor/model_world_size_2_rank_0.pt", cut), "is torn"),
        (2, edit("actor/fsdp_config.json", Path.unlink), "fsdp_config.json is missing"),
        (2, edit("data.pt", Path.unlink), "data.pt is missing"),
        (4, lambda path: None, "world_size_4"),
    ],
)
def test_torn_verl(tmp_path: Path, world: int, fault: Callable[[Path], object], told: str) -> None:
    path = verl(tmp_path)
    fault(path)
    verdict = check("verl", str(path), world)
    assert not verdict.whole
    assert told in "; ".join(verdict.why)


def test_other_names_are_no_checkpoints(tmp_path: Path) -> None:
    assert check("swift", str(tmp_path), 1).step is None


def test_running_attempt_tells_each_whole_checkpoint_once(bench: Bench, tmp_path: Path) -> None:
    swift(tmp_path / "made", 8)
    cut(swift(tmp_path / "made", 16) / "optimizer.pt")
    shell = f"cp -r {tmp_path}/made/checkpoint-8 out/; sleep 2.5; cp -r {tmp_path}/made/checkpoint-16 out/"
    source = {"format": "swift", "path": "out", "worldSize": 1}
    bench.start(bench.request("a-1", shell=shell, checkpoints=source))
    bench.ended("a-1")
    (told,) = bench.of("a-1", "checkpoint")
    assert (told["step"], told["path"]) == (8, "out/checkpoint-8")
    _code, out = bench.run("hash", "--path", str(tmp_path / "made/checkpoint-8"))
    assert json.loads(out) == {"files": told["files"], "digest": told["digest"]}
    assert "out/checkpoint-16 is not whole: optimizer.pt is torn" in str(bench.of("a-1", "message")[-1]["text"])


def test_checkpoint_saved_at_the_very_end_is_hashed_before_ended(bench: Bench, tmp_path: Path) -> None:
    verl(tmp_path / "made", 4, 1)
    source = {"format": "verl", "path": "out", "worldSize": 1}
    bench.start(bench.request("a-1", shell=f"cp -r {tmp_path}/made/. out/", checkpoints=source))
    bench.ended("a-1")
    assert [event["step"] for event in bench.of("a-1", "checkpoint")] == [4]


def test_a_stop_after_a_bad_end_neither_renames_it_nor_costs_the_last_checkpoint(bench: Bench, tmp_path: Path) -> None:
    with (swift(tmp_path / "made") / "large").open("wb") as file:
        file.truncate(4 << 30)
    source = {"format": "swift", "path": "out", "worldSize": 1}
    shell = f"cp -r --sparse=always {tmp_path}/made/. out/; touch out/copied; exit 3"
    bench.start(bench.request("a-1", shell=shell, checkpoints=source))
    bench.until((bench.folder("a-1") / "out/copied").exists)
    bench.until(lambda: bench.gone(bench.first_rank("a-1")))
    assert bench.verb("stop", "a-1", "--grace", "5")["asked"] is True
    ended = bench.ended("a-1")
    assert (ended["reason"], ended["code"]) == ("exited", 3)
    assert [event["step"] for event in bench.of("a-1", "checkpoint")] == [8]


def test_check_verb(bench: Bench, tmp_path: Path) -> None:
    path = swift(tmp_path)
    code, out = bench.run("check", "--format", "swift", "--path", str(path), "--world-size", "1")
    assert (code, json.loads(out)) == (0, {"whole": True, "step": 8, "why": []})


def test_files_that_are_held_against_their_hashes_need_no_word_of_the_trainer(tmp_path: Path) -> None:
    path = verl(tmp_path)
    (tmp_path / "latest_checkpointed_iteration.txt").unlink()
    assert check("verl", str(path), 2).why == ["latest_checkpointed_iteration.txt is missing"]
    assert check("verl", str(path), 2, hashed=True).whole
    cut(path / "data.pt")
    assert not check("verl", str(path), 2, hashed=True).whole


@pytest.mark.parametrize(("number", "code"), [(errno.ESTALE, "storage-away"), (errno.EACCES, "failed")])
def test_storage_that_is_away_says_nothing_of_a_checkpoint(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    code: str,
) -> None:
    def refuse(_path: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    path = str(swift(tmp_path))
    monkeypatch.setattr("her_agent.checkpoint.os.stat", refuse)
    assert cli.main(["check", "--format", "swift", "--path", path, "--world-size", "1"]) == 1
    monkeypatch.undo()
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
