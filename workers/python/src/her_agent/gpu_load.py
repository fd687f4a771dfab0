"""How busy the node's GPUs are, by nvidia-smi where it is there. It is asked beside the loop: it may take seconds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time

FIELDS = ("index", "utilization.gpu", "memory.used", "memory.total", "temperature.gpu", "power.draw",
          "ecc.errors.uncorrected.volatile.total")  # fmt: skip
NAMES = ("index", "busy", "memUsed", "memTotal", "temperature", "watts", "uncorrected")
PATIENCE_SECONDS = 20.0
MOST_BYTES = 64 * 1024
MEBI = 1 << 20


class GpuLoad:
    """`figures` are the last ones, one object a GPU; empty where nothing can tell."""

    def __init__(self, helpers: set[int]) -> None:
        self._program = shutil.which("nvidia-smi")
        self._helpers = helpers
        self._asked: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        self._text = b""
        self.figures: list[dict[str, object]] = []

    def ask(self) -> None:
        """Ask anew, unless an answer is awaited."""
        if self._program is None or self._asked is not None:
            return
        command = [self._program, f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits"]
        try:
            self._asked = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            self._program = None
            return
        self._helpers.add(self._asked.pid)
        self._since, self._text = time.monotonic(), b""
        if self._asked.stdout is not None:
            os.set_blocking(self._asked.stdout.fileno(), False)

    def poll(self) -> None:
        """Take what has come. Never waits."""
        asked = self._asked
        if asked is None or asked.stdout is None:
            return
        try:
            data = os.read(asked.stdout.fileno(), MOST_BYTES)
        except BlockingIOError:
            if time.monotonic() - self._since > PATIENCE_SECONDS:
                # A driver that hangs: what was known before is no longer true.
                self._end(asked)
                self.figures = []
            return
        self._text = (self._text + data)[:MOST_BYTES]
        if not data:
            self._end(asked)
            self.figures = parsed(self._text.decode("utf-8", "replace"))

    def _end(self, asked: subprocess.Popen[bytes]) -> None:
        asked.kill()
        if asked.stdout is not None:
            asked.stdout.close()
        # The supervisor's loop buries all children; one that hangs in the driver is not waited for.
        asked.poll()
        self._asked = None


def parsed(text: str) -> list[dict[str, object]]:
    """The answer's lines. `busy` is a part of 1, memory in bytes; what a GPU does not tell is None."""
    found: list[dict[str, object]] = []
    for line in text.splitlines():
        words = [word.strip() for word in line.split(",")]
        if len(words) != len(FIELDS) or not words[0].isdigit():
            continue
        gpu: dict[str, object] = dict(zip(NAMES, (_number(word) for word in words)))
        gpu["index"] = int(words[0])
        for name, factor in (("busy", 0.01), ("memUsed", MEBI), ("memTotal", MEBI)):
            value = gpu[name]
            if isinstance(value, float):
                gpu[name] = round(value * factor, 3) if name == "busy" else int(value * factor)
        found.append(gpu)
    return found


def _number(word: str) -> float | None:
    return float(word) if re.fullmatch(r"\d+(\.\d+)?", word) else None
