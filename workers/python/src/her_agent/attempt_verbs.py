"""The verbs that concern attempts and their files."""

from __future__ import annotations

import argparse
import sys

from her_agent.checkpoint import check
from her_agent.errors import AgentError
from her_agent.hashing import Changed, Unhashable, tree
from her_agent.layout import Layout
from her_agent.logs import log
from her_agent.reap import reap
from her_agent.start import start
from her_agent.stop import stop
from her_agent.stream import events
from her_agent.verb import Verb, seconds, whole
from her_agent.view import view


def _layout(given: argparse.Namespace) -> Layout:
    return Layout(given.root, given.attempt)


def _start_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)


def _reap_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--grace", type=seconds, default=30.0)


def _events_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", type=whole, default=1, dest="first")
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--idle", type=seconds)


def _log_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--rank", type=whole, default=0)
    which.add_argument("--service", choices=("ray",))
    parser.add_argument("--from", type=whole, default=0, dest="first")
    parser.add_argument("--follow", action="store_true")


def _stop_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--grace", type=seconds)
    parser.add_argument("--reason", default="")


def _hash_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", required=True)


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("swift", "verl"), required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--world-size", type=whole, required=True)


def _hash(given: argparse.Namespace) -> dict[str, object]:
    try:
        found = tree(given.path)
    except (Unhashable, Changed) as error:
        raise AgentError("unhashable", str(error) or f"{given.path} changed", "") from error
    return {"files": found.files, "digest": found.digest}


def _check(given: argparse.Namespace) -> dict[str, object]:
    verdict = check(given.format, given.path, given.world_size)
    return {"whole": verdict.whole, "step": verdict.step, "why": verdict.why}


START = Verb(
    "start an attempt; the request comes on standard input",
    lambda given: start(given.root, sys.stdin.buffer.read().decode("utf-8", "strict")),
    _start_arguments,
)
STATUS = Verb("what is known of an attempt", lambda given: view(_layout(given)).shown(), attempt=True)
REAP = Verb(
    "bury an attempt whose agent is gone",
    lambda given: reap(_layout(given), given.grace),
    _reap_arguments,
    attempt=True,
)
EVENTS = Verb(
    "events from a number on",
    lambda given: events(_layout(given), given.first, given.follow, given.idle),
    _events_arguments,
    attempt=True,
)
LOG = Verb(
    "a rank's or a service's log from a byte on",
    lambda given: log(_layout(given), given.service or given.rank, given.first, given.follow),
    _log_arguments,
    attempt=True,
)
STOP = Verb(
    "ask an attempt to stop",
    lambda given: stop(_layout(given), given.grace, given.reason),
    _stop_arguments,
    attempt=True,
)
HASH = Verb("hash a file or a folder", _hash, _hash_arguments)
CHECK = Verb("is this checkpoint whole", _check, _check_arguments)
