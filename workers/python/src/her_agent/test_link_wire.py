"""One connection of a gang: what an outsider on the way can do, which is to break it."""

from __future__ import annotations

import json
import os
import random
import socket
import time

import pytest

from her_agent import link_wire
from her_agent.link_wire import Broken, Closed, Wire

KEY = b"k" * 32


def pair(main_key: bytes = KEY, node_key: bytes = KEY, gang: str = "a-1") -> tuple[Wire, Wire]:
    one, two = socket.socketpair()
    return Wire(one, main_key, "a-1", True, 0), Wire(two, node_key, gang, False, 3)


def talk(*wires: Wire, turns: int = 6) -> list[list[dict[str, object]]]:
    heard: list[list[dict[str, object]]] = [[] for _ in wires]
    for _ in range(turns):
        for number, wire in enumerate(wires):
            heard[number] += wire.poll()
    return heard


def test_both_sides_know_each_other_and_states_go_over() -> None:
    main, node = pair()
    talk(main, node)
    assert (main.node, node.node) == (3, 0)
    main.send({"a": "ü\n"})
    node.send({"b": 2})
    assert talk(main, node) == [[{"b": 2}], [{"a": "ü\n"}]]


@pytest.mark.parametrize("wrong", [{"main_key": b"x" * 32}, {"node_key": b"x" * 32}, {"gang": "b-1"}])
def test_another_key_or_gang_is_refused(wrong: dict[str, object]) -> None:
    main, node = pair(**wrong)  # type: ignore[arg-type]
    with pytest.raises(Broken):
        talk(main, node)
    assert not main.proven


def test_a_stranger_is_told_nothing_secret_and_may_say_little() -> None:
    one, two = socket.socketpair()
    main = Wire(one, KEY, "a-1", True, 0)
    main.poll()
    hello = json.loads(two.recv(4096))
    assert set(hello) == {"gang", "nonce"}
    main.send({"told": "to nobody"})
    two.sendall(b"x" * 600)
    with pytest.raises(Broken):
        talk(main, turns=2)


@pytest.mark.parametrize("change", ["repeat", "alter", "swap", "reflect"])
def test_what_somebody_on_the_way_does_breaks_the_link(change: str) -> None:
    main_end, here = socket.socketpair()
    there, node_end = socket.socketpair()
    main, node = Wire(main_end, KEY, "a-1", True, 0), Wire(node_end, KEY, "a-1", False, 1)
    for _ in range(4):
        for wire, source, sink in ((main, here, there), (node, there, here)):
            wire.poll()
            carry(source, sink)
    assert (main.poll(), main.node) == ([], 1)
    node.poll()
    assert node.proven
    main.send({"n": 1})
    main.send({"n": 2})
    main.flush()
    first, second = here.recv(65536).splitlines(keepends=True)
    sent = {
        "repeat": first + first,
        "alter": first.replace(b'"n": 1', b'"n": 9'),
        "swap": second + first,
        "reflect": first,
    }[change]
    victim, way = (main, here) if change == "reflect" else (node, there)
    way.sendall(sent)
    with pytest.raises(Broken, match="did not write"):
        talk(victim, turns=3)


def carry(source: socket.socket, sink: socket.socket) -> None:
    source.setblocking(False)
    try:
        sink.sendall(source.recv(65536))
    except BlockingIOError:
        return


def test_noise_of_any_kind_only_breaks_it() -> None:
    for seed in range(100):
        chance = random.Random(seed)
        one, two = socket.socketpair()
        main = Wire(one, KEY, "a-1", True, 0)
        nodes = ("true", "1e999", "-1", '"3"', "[" * 400, str(10**30))
        lines = (
            b'{"nonce": "%s", "node": %s, "proof": "x"}\n' % (b"0" * 64, chance.choice(nodes).encode()),
            os.urandom(100) + b"\n",
        )
        two.sendall(chance.choice(lines))
        with pytest.raises(Broken):
            talk(main, turns=3)


def test_silence_and_a_closed_end_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    main, node = pair()
    talk(main, node)
    node.close()
    with pytest.raises(Closed):
        talk(main)
    main, node = pair()
    talk(main, node)
    monkeypatch.setattr(link_wire, "SILENT_SECONDS", 0.1)
    time.sleep(0.2)
    with pytest.raises(Broken, match="nothing heard") as caught:
        main.poll()
    assert not isinstance(caught.value, Closed)


def test_who_never_proves_itself_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    one, _two = socket.socketpair()
    main = Wire(one, KEY, "a-1", True, 0)
    monkeypatch.setattr(link_wire, "PROOF_SECONDS", 0.1)
    time.sleep(0.2)
    with pytest.raises(Broken, match="prove"):
        main.poll()
