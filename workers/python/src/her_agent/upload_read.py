"""`read`: the bytes of a file of an attempt's folder from an offset on, for who brings a checkpoint to the caller."""

from __future__ import annotations

import argparse
import sys

from her_agent import confine
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.layout import Layout
from her_agent.upload_pieces import gone
from her_agent.verb import Verb, whole

BLOCK = 1024 * 1024


def read(layout: Layout, path: str, first: int) -> None:
    """Write the file to standard output, as it is now."""
    why = confine.fault(path)
    if why:
        raise AgentError("bad-request", f"--path {path!r} {why}", "", BAD_REQUEST)
    layout.require()
    whole_path = confine.inside(layout.folder, path)
    if whole_path is None:
        raise AgentError("bad-request", f"--path {path!r} leads out of the attempt's folder", "", BAD_REQUEST)
    try:
        with open(whole_path, "rb", buffering=0) as file:
            file.seek(first)
            while True:
                data = file.read(BLOCK)
                if not data:
                    break
                sys.stdout.buffer.write(data)
    except (FileNotFoundError, NotADirectoryError):
        raise gone(path) from None
    sys.stdout.buffer.flush()


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", required=True)
    parser.add_argument("--from", type=whole, default=0, dest="first")


READ = Verb(
    "the bytes of a file of an attempt's folder",
    lambda given: read(Layout(given.root, given.attempt), given.path, given.first),
    _arguments,
    attempt=True,
)
