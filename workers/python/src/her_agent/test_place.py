"""Inputs on a node: what is taken in, what is not, and what is remembered of it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
import time
from pathlib import Path
from typing import Callable

import pytest

from her_agent import place_fetch
from her_agent.conftest import PATIENCE, Bench
from her_agent.errors import AgentError
from her_agent.presigned import Refusal

SHA = hashlib.sha256


def digest_of(files: dict[str, bytes]) -> str:
    lines = "".join(f"{SHA(files[path]).hexdigest()}  {path}\n" for path in sorted(files, key=os.fsencode))
    return SHA(lines.encode()).hexdigest()


def listed(files: dict[str, bytes]) -> str:
    rows = [{"path": path, "size": len(data), "sha256": SHA(data).hexdigest()} for path, data in files.items()]
    return json.dumps({"files": rows})


def tar(files: dict[str, bytes], kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.type, entry.linkname = len(data), kind, link
            archive.addfile(entry, io.BytesIO(data))
    return into.getvalue()


def ask(bench: Bench, verb: str, digest: str, stdin: bytes = b"", *more: str) -> dict[str, object]:
    command = bench.command(verb, "--root", str(bench.root), "--digest", digest, *more)
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, env=bench.env(), check=False)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def code(answer: dict[str, object]) -> object:
    error = answer.get("error")
    return error["code"] if isinstance(error, dict) else None


def test_files_arrive_and_count_once_all_are_there(bench: Bench) -> None:
    files = {"a/b": b"one", "a.b": b"two"}
    digest = digest_of(files)
    assert ask(bench, "place-want", digest, listed(files).encode())["missing"] == [[0, 1]]
    assert ask(bench, "place-receive", digest, tar({"a/b": b"one"})) == {"files": 1}
    assert code(ask(bench, "place-seal", digest)) == "not-whole"
    assert ask(bench, "place-have", digest) == {"path": None}
    assert ask(bench, "place-want", digest, listed(files).encode())["missing"] == [[1, 1]]
    assert ask(bench, "place-receive", digest, tar({"a.b": b"two"})) == {"files": 1}
    path = str(bench.root / "store" / digest)
    assert ask(bench, "place-seal", digest) == {"path": path}
    assert ask(bench, "place-have", digest) == {"path": path}


def test_a_file_that_broke_off_goes_on_where_it_did(bench: Bench) -> None:
    data = os.urandom(5 << 20)
    files = {"a": b"1", "w": data}
    digest = digest_of(files)
    ask(bench, "place-want", digest, listed(files).encode())
    assert code(ask(bench, "place-receive", digest, tar(files)[: 3 << 20])) == "torn"
    wanted = ask(bench, "place-want", digest, listed(files).encode())
    skip = wanted["skip"]
    assert isinstance(skip, int)
    assert 1 << 20 <= skip < 3 << 20
    assert wanted == {"missing": [[1, 1]], "skip": skip, "bytes": len(data) - skip}
    assert ask(bench, "place-receive", digest, tar({"w": data[skip:]})) == {"files": 1}
    path = ask(bench, "place-seal", digest)["path"]
    assert Path(str(path), "w").read_bytes() == data


def test_a_part_that_is_not_right_is_sent_as_a_whole(bench: Bench) -> None:
    data = os.urandom(3 << 20)
    files = {"w": data}
    digest = digest_of(files)
    ask(bench, "place-want", digest, listed(files).encode())
    ask(bench, "place-receive", digest, tar(files)[: 2 << 20])
    [draft] = (bench.root / "store" / f".part-{digest}" / "drafts").iterdir()
    skip = draft.stat().st_size
    draft.write_bytes(b"x" * skip)
    assert code(ask(bench, "place-receive", digest, tar({"w": data[skip:]}))) == "torn"
    assert ask(bench, "place-want", digest, listed(files).encode())["skip"] == 0
    assert ask(bench, "place-receive", digest, tar(files)) == {"files": 1}


@pytest.mark.parametrize("path", ["../out", "/out", "a//b", "a/./b", ""])
def test_names_lead_nowhere_else(bench: Bench, path: str) -> None:
    files = {path: b"1"}
    assert code(ask(bench, "place-want", digest_of(files), listed(files).encode())) == "not-confined"


def test_only_what_was_announced_is_taken(bench: Bench) -> None:
    files = {"a": b"one"}
    digest = digest_of(files)
    assert code(ask(bench, "place-receive", digest, tar(files))) == "no-manifest"
    ask(bench, "place-want", digest, listed(files).encode())
    assert code(ask(bench, "place-receive", digest, tar({"b": b"one"}))) == "differs"
    assert code(ask(bench, "place-receive", digest, tar({"a": b"two"}))) == "differs"
    assert code(ask(bench, "place-receive", digest, tar({"a": b""}, tarfile.SYMTYPE, "/etc/passwd"))) == "differs"
    assert code(ask(bench, "place-want", "f" * 64, listed(files).encode())) == "differs"
    outside = bench.root.parent / "outside"
    outside.mkdir()
    (bench.root / "store" / f".part-{digest}" / "files").rmdir()
    (bench.root / "store" / f".part-{digest}" / "files").symlink_to(outside)
    assert code(ask(bench, "place-want", digest, listed(files).encode())) == "not-confined"


def holds_a_lock(pid: int) -> bool:
    """Whether the process holds a file lock, as proc(5) tells it. Asking the agent would take the lock meanwhile."""
    for entry in Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            if "\nlock:" in entry.read_text():
                return True
        except FileNotFoundError:
            continue
    return False


def test_a_sender_that_falls_silent_does_not_hold_the_lock_for_ever(bench: Bench) -> None:
    files = {"a": b"one"}
    digest = digest_of(files)
    ask(bench, "place-want", digest, listed(files).encode())
    program = "import her_agent.place_stream as s, her_agent.cli as c, sys; s.SILENCE_SECONDS = 6; c.main(sys.argv[1:])"
    command = [*bench.command()[:1], "-c", program, "place-receive", "--root", str(bench.root), "--digest", digest]
    silent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bench.env())
    assert silent.stdout is not None
    end = time.monotonic() + PATIENCE
    while not holds_a_lock(silent.pid):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert code(ask(bench, "place-want", digest, listed(files).encode())) == "busy"
    assert json.loads(silent.stdout.read())["error"]["code"] == "torn"
    silent.wait()
    assert ask(bench, "place-want", digest, listed(files).encode())["missing"] == [[0, 0]]


def test_a_hash_is_remembered_until_the_file_looks_other(bench: Bench) -> None:
    bench.root.mkdir()
    file = bench.root / "w.bin"
    file.write_bytes(b"one")
    long_ago = time.time() - 60
    os.utime(file, (long_ago, long_ago))

    def found() -> dict[str, object]:
        _, out = bench.run("place-hash", "--root", str(bench.root), "--path", str(file))
        answer: dict[str, object] = json.loads(out)
        return answer

    assert found()["sha256"] == SHA(b"one").hexdigest()
    cache = bench.root / "hash-cache.json"
    # It changed just now, whatever its modification time says: that may be set at will.
    assert not cache.exists()
    time.sleep(2.1)
    assert found()["sha256"] == SHA(b"one").hexdigest()
    [entry] = json.loads(cache.read_text())["files"].values()
    assert entry[4] == SHA(b"one").hexdigest()
    file.write_bytes(b"two")
    os.utime(file, (long_ago, long_ago))
    assert found()["sha256"] == SHA(b"two").hexdigest()


def test_a_fetch_that_broke_off_leaves_alone_what_it_had_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[str] = []

    def get(_link: object, url: str, _headers: object, _begin: int, take: Callable[[bytes], object]) -> None:
        if url == "b" and "b" not in got:
            got.append(url)
            raise Refusal(503, "SlowDown")
        got.append(url)
        take(b"data")

    opened = io.open

    def strict(path: object, mode: str = "r", *rest: object, **named: object) -> object:
        # As for anybody but root.
        if "a" in mode and os.path.exists(str(path)) and not os.stat(str(path)).st_mode & 0o200:
            raise PermissionError(path)
        return opened(path, mode, *rest, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(place_fetch.Link, "get", get)
    monkeypatch.setattr("builtins.open", strict)
    monkeypatch.setattr(place_fetch, "AT_ONCE", 1)
    text = json.dumps({"files": [{"path": name, "size": 4, "url": name, "headers": {}} for name in ("a", "b")]})
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    with pytest.raises(AgentError, match="SlowDown"):
        place_fetch.fetch(str(tmp_path), "s3-0")
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert place_fetch.fetch(str(tmp_path), "s3-0") == {"path": str(tmp_path / "inputs/s3-0")}
    assert got == ["a", "b", "b"]
    assert sorted(item.name for item in (tmp_path / "inputs/s3-0").iterdir()) == ["a", "b"]
