"""Uploads and downloads against a small server that stands in for a store: what is sent, resumed and refused."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from her_agent.conftest import Bench
from her_agent.presigned import Link, Refusal, Region

ATTEMPT = "0123456789abcdef-1"
MIB = 1024 * 1024


class Store(http.server.ThreadingHTTPServer):
    """Keeps what is put; `fails` are statuses to answer with first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}
        self.fails: list[int] = []
        self.gets: list[tuple[str, str | None]] = []
        self.cut: int | None = None

    def url(self, key: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{key}?secret=hidden"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Store

    def log_message(self, *_args: object) -> None:
        """Nothing."""

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.fails.pop(0) if self.server.fails else 200
        if status == 200:
            self.server.objects[self.path] = body
        self._answer(status, b"" if status == 200 else b"<Error><Code>SlowDown</Code></Error>")

    def do_GET(self) -> None:
        self.server.gets.append((self.path, self.headers.get("Range")))
        body = self.server.objects[self.path]
        start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        if self.server.cut is not None:
            cut, self.server.cut = self.server.cut, None
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut])
            self.close_connection = True
            return
        extra = {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"} if start else {}
        self._answer(206 if start else 200, body[start:], extra)

    def _answer(self, status: int, body: bytes, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


class Talk:
    """A verb in conversation."""

    def __init__(self, bench: Bench, verb: str, request: dict[str, object]) -> None:
        self.process = subprocess.Popen(
            bench.command(verb, "--root", str(bench.root)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=bench.env(),
        )
        self.say({"protocol": 1, **request})

    def say(self, line: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, object]:
        assert self.process.stdout is not None
        while True:
            said = json.loads(self.process.stdout.readline())
            if said.get("type") != "progress":
                return said

    def end(self) -> tuple[int, str]:
        """Exit code and standard error."""
        _out, err = self.process.communicate(timeout=20)
        return self.process.returncode, err.decode()


def saved(bench: Bench, files: dict[str, bytes]) -> Path:
    folder = bench.folder(ATTEMPT) / "out" / "checkpoint-4"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def wanted(files: dict[str, bytes], part: int | None = None) -> list[dict[str, object]]:
    return [
        {"path": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "part": part}
        for name, data in files.items()
    ]


def upload(bench: Bench, files: list[dict[str, object]], path: str = "out/checkpoint-4") -> Talk:
    return Talk(bench, "upload", {"attempt": ATTEMPT, "path": path, "parallel": 1, "files": files})


def test_a_file_goes_in_parts_each_with_its_hash_and_those_that_are_there_are_skipped(
    bench: Bench, store: Store
) -> None:
    data = os.urandom(2 * MIB + 5)
    saved(bench, {"model.bin": data})
    talk = upload(bench, wanted({"model.bin": data}, MIB))
    heard: list[dict[str, object]] = []
    while not heard or heard[-1]["type"] != "done":
        heard.append(said := talk.hear())
        if said["type"] == "piece":
            link = {"do": "send", "url": store.url(f"p{said['part']}"), "headers": {}}
            talk.say({"file": 0, "part": said["part"], **({"do": "skip"} if said["part"] == 1 else link)})
    cuts = [data[at : at + MIB] for at in range(0, len(data), MIB)]
    assert [said for said in heard if said["type"] == "piece"] == [
        {"type": "piece", "file": 0, "part": at + 1, "size": len(cut), "sha256": hashlib.sha256(cut).hexdigest()}
        for at, cut in enumerate(cuts)
    ]
    assert [said["part"] for said in heard if said["type"] == "sent"] == [2, 3]
    assert talk.end() == (0, "")
    assert store.objects == {"/p2?secret=hidden": data[MIB : 2 * MIB], "/p3?secret=hidden": data[2 * MIB :]}


def test_a_refusal_is_told_by_its_code_alone_and_may_be_answered_again(bench: Bench, store: Store) -> None:
    saved(bench, {"a.json": b"{}"})
    store.fails = [503]
    talk = upload(bench, wanted({"a.json": b"{}"}))
    assert talk.hear()["type"] == "piece"
    assert talk.hear() == {"type": "hashed", "file": 0}
    talk.say({"file": 0, "part": 0, "do": "send", "url": store.url("a"), "headers": {}})
    assert talk.hear() == {"type": "failed", "file": 0, "part": 0, "status": 503, "code": "SlowDown"}
    talk.say({"file": 0, "part": 0, "do": "send", "url": store.url("a"), "headers": {}})
    assert talk.hear()["type"] == "sent"
    assert talk.hear()["type"] == "done"
    assert talk.end() == (0, "")


def test_other_bytes_than_those_saved_end_it(bench: Bench) -> None:
    saved(bench, {"model.bin": b"changed!"})
    talk = upload(bench, wanted({"model.bin": b"recorded"}))
    assert talk.hear()["error"]["code"] == "checkpoint-differs"  # type: ignore[index]
    assert talk.end()[0] == 1


def test_a_file_that_is_gone_is_told_as_such(bench: Bench) -> None:
    saved(bench, {"other": b""})
    talk = upload(bench, wanted({"model.bin": b"x"}))
    assert talk.hear()["error"]["code"] == "checkpoint-gone"  # type: ignore[index]
    talk.end()


def test_nothing_outside_of_the_attempt_is_read(bench: Bench, tmp_path: Path) -> None:
    folder = saved(bench, {"a": b""})
    (tmp_path / "secret").write_bytes(b"x")
    (folder / "link").symlink_to(tmp_path / "secret")
    for name in ("link", "../../../../secret", "/etc/passwd"):
        talk = upload(bench, [{**wanted({"a": b"x"})[0], "path": name}])
        assert talk.hear()["error"]["code"] == "bad-request"  # type: ignore[index]
        assert talk.end()[0] == 2


def test_the_caller_s_death_ends_it_at_once(bench: Bench) -> None:
    saved(bench, {"a": b"x"})
    talk = upload(bench, wanted({"a": b"x"}))
    talk.hear()
    assert talk.end()[0] == 4


def download(
    bench: Bench, files: list[dict[str, object]], to: str = "attempts/x/out/checkpoint-4", replace: bool = False
) -> Talk:
    for item in files:
        item.pop("part", None)
    return Talk(bench, "download", {"to": to, "parallel": 1, "replace": replace, "files": files})


def test_a_download_that_breaks_off_goes_on_from_where_it_was(bench: Bench, store: Store) -> None:
    data = os.urandom(3 * MIB)
    store.objects["/m?secret=hidden"] = data
    store.cut = 2 * MIB
    talk = download(bench, wanted({"deep/model.bin": data}))
    assert talk.hear() == {"type": "want", "file": 0}
    talk.say({"file": 0, "do": "get", "url": store.url("m"), "headers": {}})
    assert talk.hear()["type"] == "failed"
    talk.say({"file": 0, "do": "get", "url": store.url("m"), "headers": {}})
    assert talk.hear()["type"] == "got"
    done = talk.hear()
    assert (done["type"], done["received"]) == ("done", 3 * MIB)
    assert talk.end() == (0, "")
    assert (bench.root / "attempts/x/out/checkpoint-4/deep/model.bin").read_bytes() == data
    assert store.gets[1][1] == f"bytes={2 * MIB}-"


def test_a_download_of_other_bytes_never_gets_its_name(bench: Bench, store: Store) -> None:
    store.objects["/m?secret=hidden"] = b"lie!"
    talk = download(bench, wanted({"model.bin": b"true"}))
    talk.hear()
    talk.say({"file": 0, "do": "get", "url": store.url("m"), "headers": {}})
    assert talk.hear() == {"type": "failed", "file": 0, "status": None, "code": "WrongHash"}
    assert talk.end()[0] == 4
    assert not (bench.root / "attempts/x/out/checkpoint-4").exists()


def test_a_folder_with_something_else_in_it_is_left_alone(bench: Bench) -> None:
    folder = bench.root / "attempts/x/out/checkpoint-4"
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(b"mine")
    talk = download(bench, wanted({"model.bin": b"true"}))
    assert talk.hear()["error"]["code"] == "taken"  # type: ignore[index]
    assert talk.end()[0] == 1
    assert (folder / "model.bin").read_bytes() == b"mine"


def test_a_torn_folder_is_kept_beside_what_comes_in_its_place(bench: Bench, store: Store) -> None:
    folder = bench.root / "attempts/x/out/checkpoint-4"
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(b"tr")
    store.objects["/m?secret=hidden"] = b"true"
    talk = download(bench, wanted({"model.bin": b"true"}), replace=True)
    assert talk.hear() == {"type": "want", "file": 0}
    talk.say({"file": 0, "do": "get", "url": store.url("m"), "headers": {}})
    assert talk.hear()["type"] == "got"
    assert talk.hear()["type"] == "done"
    assert talk.end() == (0, "")
    assert (folder / "model.bin").read_bytes() == b"true"
    (aside,) = folder.parent.glob(".damaged-checkpoint-4-*")
    assert (aside / "model.bin").read_bytes() == b"tr"
    # What is whole stays as it is.
    talk = download(bench, wanted({"model.bin": b"true"}), replace=True)
    assert talk.hear()["type"] == "done"
    assert talk.end() == (0, "")


def test_a_store_that_cannot_be_reached_is_a_refusal_without_a_status(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b"0123456789")
    region = Region(str(path), 2, 5, lambda _size: None)
    assert io.BufferedReader(_Raw(region)).read() == b"23456"
    region.rewind()
    with pytest.raises(Refusal) as refused:
        Link(1.0).put("http://127.0.0.1:9/x?secret=hidden", {}, region, 5)
    region.close()
    assert (refused.value.status, refused.value.code) == (None, "ConnectionRefusedError")


class _Raw(io.RawIOBase):
    def __init__(self, region: Region) -> None:
        self._region = region

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._region.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
