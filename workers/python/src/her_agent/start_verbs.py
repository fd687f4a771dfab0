"""The verbs that begin and bury attempts, and the one that judges a checkpoint."""

from __future__ import annotations

import argparse
import sys

from her_agent.checkpoint import check
from her_agent.layout import Layout
from her_agent.reap import reap
from her_agent.start import start
from her_agent.verb import Verb, seconds, whole


def _start_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)


def _reap_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--grace", type=seconds, default=30.0)


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("swift", "verl"), required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--world-size", type=whole, required=True)
    # Whoever holds its files against their hashes needs no word of the trainer that it had finished writing them.
    parser.add_argument("--hashed", action="store_true")


def _check(given: argparse.Namespace) -> dict[str, object]:
    verdict = check(given.format, given.path, given.world_size, given.hashed)
    return {"whole": verdict.whole, "step": verdict.step, "why": verdict.why}


START = Verb(
    "start an attempt; the request comes on standard input",
    lambda given: start(given.root, sys.stdin.buffer.read().decode("utf-8", "strict")),
    _start_arguments,
)
REAP = Verb(
    "bury an attempt whose agent is gone",
    lambda given: reap(Layout(given.root, given.attempt), given.grace),
    _reap_arguments,
    attempt=True,
)
CHECK = Verb("is this checkpoint whole", _check, _check_arguments)

VERBS = {"start": START, "reap": REAP, "check": CHECK}
