"""Nodes that are asked at the same time: three processes stand for them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

from her_agent.conftest import Bench


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def ask(bench: Bench, verb: str, request: dict[str, object]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(bench.command(verb), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bench.env())
    assert process.stdin is not None
    process.stdin.write(json.dumps({"protocol": 1, **request}).encode())
    process.stdin.close()
    return process


def answer(process: subprocess.Popen[bytes]) -> dict[str, object]:
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    process.wait()
    return json.loads(out)


def test_a_wrong_node_at_an_address_is_told_and_a_folder_of_its_own_is_seen(bench: Bench, tmp_path: Path) -> None:
    ports = free_ports(2)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    common = {"nonce": "n0nce", "seconds": 1.5, "ports": ports}
    # Both are at one address here, so that the second finds the first's listener at its peer's address: itself.
    first = ask(
        bench,
        "probe-links",
        {**common, "name": "a", "peers": [{"name": "b", "address": "127.0.0.1"}], "folder": str(tmp_path / "one")},
    )
    found = answer(first)
    reached = found["links"]["ok"]["reached"]["b"]
    assert {reached[str(port)]["why"] for port in ports} == {"a answers at this address"}
    assert found["shared"]["ok"] == {"place": str(tmp_path / "one"), "unseen": ["b"]}


def test_nodes_reach_each_other_and_share_a_folder(bench: Bench, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    nodes = {"a": "127.0.0.1", "b": "127.0.0.2"}
    script = (
        "import socket, sys; from her_agent import probe_links, cli;"
        "probe_links._listener = lambda port: socket.create_server((sys.argv[1], port));"
        "sys.exit(cli.main(['probe-links']))"
    )
    processes = []
    for name, address in nodes.items():
        peers = [{"name": other, "address": at} for other, at in nodes.items() if other != name]
        request = {
            "protocol": 1,
            "name": name,
            "nonce": "n0nce",
            "seconds": 10,
            "ports": [port],
            "peers": peers,
            "folder": str(tmp_path / "root" / "deep"),
        }
        command = [bench.command()[0], "-c", script, address]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bench.env())
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode())
        process.stdin.close()
        processes.append(process)
    for process, other in zip(processes, ("b", "a")):
        found = answer(process)
        assert found["shared"]["ok"] == {"place": str(tmp_path), "unseen": []}
        links = found["links"]["ok"]
        assert links["heard"] == [other]
        assert "milliseconds" in links["reached"][other][str(port)]
    assert len(os.listdir(tmp_path)) == 2
    for name in nodes:
        cleaned = ask(bench, "probe-clean", {"folder": str(tmp_path / "root"), "name": name, "nonce": "n0nce"})
        assert answer(cleaned) == {"removed": {"ok": True}}
    assert os.listdir(tmp_path) == []


def test_a_name_cannot_lead_elsewhere(bench: Bench, tmp_path: Path) -> None:
    found = answer(ask(bench, "probe-clean", {"folder": str(tmp_path), "name": "../x", "nonce": "n"}))
    assert "no name of a node" in json.dumps(found)
