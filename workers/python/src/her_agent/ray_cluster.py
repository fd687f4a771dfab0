"""Ray's part of a node: the argv of its service, and the cluster as Ray itself sees it.

Every cluster has a token of its own, made from the gang's key: no node of another run can join, nor this one a stale
one. It goes by the environment. Ports that Ray picks by itself stay so; those with a fixed number, which two clusters
on a machine would share, are given.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from typing import NamedTuple

from her_agent.gang import Gang
from her_agent.gang_place import Place, client_port, joined

# A machine without GPUs: shared memory is what it has least of, and one bundle of verl asks for three CPUs.
SMALL_STORE = 300_000_000
LEAST_CPUS = 8
ASK_SECONDS = 1.0
PROBE = r"""
import json, sys, time
def by_gcs(address):
    from ray._raylet import GcsClient
    client = GcsClient(address=address)
    def ask():
        infos = client.get_all_node_info(timeout=5).values()
        return [(n.node_manager_address, n.state == 0, dict(n.resources_total)) for n in infos]
    ask()
    return ask
def by_driver(address):
    import ray
    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    return lambda: [(n["NodeManagerAddress"], n["Alive"], n["Resources"]) for n in ray.nodes()]
def opened(address):
    try:
        return by_gcs(address)
    except (ImportError, AttributeError, TypeError):
        return by_driver(address)
ask = None
while True:
    try:
        ask = ask or opened(sys.argv[1])
        print(json.dumps([
            {"address": a, "gpus": r.get("GPU", 0), "cpus": r.get("CPU", 0)} for a, alive, r in ask() if alive
        ]), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:500]}), flush=True)
    time.sleep(float(sys.argv[2]))
"""


class Lent(NamedTuple):
    """What one node lends to the cluster."""

    address: str
    gpus: float
    cpus: float


def argv(gang: Gang, place: Place, folder: str) -> list[str]:
    """`ray start` for this node; it stays as long as the node is in the cluster."""
    words = ["ray", "start", f"--node-ip-address={place.own}", f"--temp-dir={os.path.join(folder, 'ray')}"]
    if gang.first:
        words += ["--head", f"--port={gang.port}", "--include-dashboard=false"]
        words += [f"--ray-client-server-port={client_port(gang)}"]
    else:
        words += [f"--address={joined(place.main, gang.port)}"]
    words += [f"--num-gpus={gang.processes}", f"--dashboard-agent-listen-port={_free_port(place)}"]
    if gang.gpus_per_node == 0:
        words += [f"--num-cpus={max(gang.cores, LEAST_CPUS)}", f"--object-store-memory={SMALL_STORE}"]
    return [*words, "--disable-usage-stats", "--log-style=record", "--log-color=false", "--block"]


def _free_port(place: Place) -> int:
    with socket.socket(place.family, socket.SOCK_STREAM) as asked:
        asked.bind((place.own, 0))
        return int(asked.getsockname()[1])


class Probe:
    """Asks Ray on node 0 who is there, again and again, in a process of Ray's own Python."""

    def __init__(self, gang: Gang, place: Place, env: dict[str, str]) -> None:
        ray = shutil.which("ray", path=env.get("PATH", os.defpath)) or "ray"
        python = os.path.join(os.path.dirname(ray), "python")
        self._process = subprocess.Popen(
            [
                python if os.path.exists(python) else "python3",
                "-c",
                PROBE,
                joined(place.main, gang.port),
                str(ASK_SECONDS),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        os.set_blocking(self._out, False)
        self._rest = b""
        self.error = ""
        self.over = False

    def poll(self) -> list[Lent] | None:
        """Who is there now; None when nothing new was heard."""
        try:
            while True:
                data = os.read(self._out, 65536)
                if not data:
                    self.over = True
                    break
                self._rest += data
        except BlockingIOError:
            pass
        *lines, self._rest = self._rest.split(b"\n")
        found = None
        for line in lines:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                self.error = str(value.get("error"))
            elif isinstance(value, list):
                found = [Lent(str(v.get("address")), float(v.get("gpus", 0)), float(v.get("cpus", 0))) for v in value]
        return found

    def end(self) -> None:
        """It is not needed any more."""
        self._process.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()
        # The agent's loop may have buried it before.
        self._process.wait()


class Gathering:
    """Node 0's wait until the cluster is whole."""

    def __init__(self, gang: Gang, place: Place, env: dict[str, str]) -> None:
        self._gang = gang
        self._place = place
        self._env = env
        self._knocked = time.monotonic()
        self._probe: Probe | None = None
        self.lent: list[Lent] = []

    @property
    def healthy(self) -> bool:
        """Whether the head answers and is part of its own cluster."""
        return any(node.address == self._place.own for node in self.lent)

    @property
    def error(self) -> str:
        return self._probe.error if self._probe is not None and not self.lent else ""

    def poll(self) -> None:
        """Look again."""
        if self._probe is None:
            if time.monotonic() - self._knocked >= 0.2 and self._listens():
                self._probe = Probe(self._gang, self._place, self._env)
            return
        found = self._probe.poll()
        if found is not None:
            self.lent = found
        if self._probe.over:
            self.end()

    def whole(self, addresses: set[str]) -> bool:
        """Whether exactly these nodes are there, with all their GPUs."""
        there = {node.address for node in self.lent if node.gpus >= self._gang.processes}
        return len(addresses) == self._gang.size and there == addresses == {node.address for node in self.lent}

    def end(self) -> None:
        """Stop asking."""
        if self._probe is not None:
            self._probe.end()
            self._probe = None

    def _listens(self) -> bool:
        self._knocked = time.monotonic()
        with socket.socket(self._place.family, socket.SOCK_STREAM) as knock:
            # The head is on this machine: an answer comes at once or not at all.
            knock.settimeout(0.2)
            return knock.connect_ex((self._place.main, self._gang.port)) == 0
