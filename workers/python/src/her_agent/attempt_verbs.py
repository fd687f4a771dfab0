"""The verbs that look at attempts and their files. They are asked often: what they import is little."""

from __future__ import annotations

import argparse

from her_agent.errors import AgentError
from her_agent.hashing import Changed, Unhashable, tree
from her_agent.layout import Layout
from her_agent.logs import log
from her_agent.stop import stop
from her_agent.stream import events
from her_agent.verb import Verb, seconds, whole
from her_agent.view import view


def _layout(given: argparse.Namespace) -> Layout:
    return Layout(given.root, given.attempt)


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


def _hash(given: argparse.Namespace) -> dict[str, object]:
    try:
        found = tree(given.path)
    except (Unhashable, Changed) as error:
        raise AgentError("unhashable", str(error) or f"{given.path} changed", "") from error
    return {"files": found.files, "digest": found.digest}


STATUS = Verb("what is known of an attempt", lambda given: view(_layout(given)).shown(), attempt=True)
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

VERBS = {"status": STATUS, "events": EVENTS, "log": LOG, "stop": STOP, "hash": HASH}
