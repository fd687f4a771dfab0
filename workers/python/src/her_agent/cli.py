"""The verbs. Every one prints JSON (or the raw lines it was asked for); errors are one JSON line.

Exit codes: 0 done, 2 bad request, 3 no such attempt, 1 otherwise. `status` of an attempt that does not
exist is an answer, not an error: health `absent`, exit 0.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import NoReturn

from her_agent.checkpoint import check
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull
from her_agent.hashing import Changed, Unhashable, tree
from her_agent.layout import Layout
from her_agent.logs import log
from her_agent.reap import reap
from her_agent.start import start
from her_agent.stop import stop
from her_agent.stream import events
from her_agent.view import view


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AgentError("bad-request", message, "see --help", BAD_REQUEST)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="agent.pyz", description="supervises one attempt of a job on this node", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)

    def verb(name: str, about: str, attempt: bool = True) -> argparse.ArgumentParser:
        found = verbs.add_parser(name, help=about, allow_abbrev=False)
        if attempt:
            found.add_argument("--root", required=True)
            found.add_argument("--attempt", required=True)
        return found

    verb("start", "start an attempt; the request comes on standard input", False).add_argument("--root", required=True)
    verb("status", "what is known of an attempt")
    verb("reap", "bury an attempt whose agent is gone").add_argument("--grace", type=_seconds, default=30.0)
    one = verb("events", "events from a number on")
    one.add_argument("--from", type=_whole, default=1, dest="first")
    one.add_argument("--follow", action="store_true")
    one.add_argument("--idle", type=_seconds)
    one = verb("log", "a rank's log from a byte on")
    one.add_argument("--rank", type=_whole, default=0)
    one.add_argument("--from", type=_whole, default=0, dest="first")
    one.add_argument("--follow", action="store_true")
    one = verb("stop", "ask an attempt to stop")
    one.add_argument("--grace", type=_seconds)
    one.add_argument("--reason", default="")
    verb("hash", "hash a file or a folder", False).add_argument("--path", required=True)
    one = verb("check", "is this checkpoint whole", False)
    one.add_argument("--format", choices=("swift", "verl"), required=True)
    one.add_argument("--path", required=True)
    one.add_argument("--world-size", type=_whole, required=True)
    return parser


def _whole(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value


def _run(argv: list[str]) -> dict[str, object] | None:
    given = _parser().parse_args(argv)
    if given.verb == "start":
        return start(given.root, sys.stdin.buffer.read().decode("utf-8", "strict"))
    if given.verb == "hash":
        return _hash(given.path)
    if given.verb == "check":
        verdict = check(given.format, given.path, given.world_size)
        return {"whole": verdict.whole, "step": verdict.step, "why": verdict.why}
    layout = Layout(given.root, given.attempt)
    if given.verb == "status":
        return view(layout).shown()
    if given.verb == "reap":
        return reap(layout, given.grace)
    if given.verb == "stop":
        return stop(layout, given.grace, given.reason)
    if given.verb == "events":
        events(layout, given.first, given.follow, given.idle)
    else:
        log(layout, given.rank, given.first, given.follow)
    return None


def _hash(path: str) -> dict[str, object]:
    try:
        found = tree(path)
    except (Unhashable, Changed) as error:
        raise AgentError("unhashable", str(error) or f"{path} changed", "") from error
    return {"files": found.files, "digest": found.digest}


def main(argv: list[str]) -> int:
    """Run one verb; returns the exit code."""
    try:
        answer = _run(argv)
        if answer is not None:
            print(json.dumps(answer, ensure_ascii=False), flush=True)
        return 0
    except AgentError as error:
        print(error.to_json(), flush=True)
        return error.exit_code
    except DiskFull as error:
        print(AgentError("disk-full", f"no room for {error}", "make room on the node").to_json(), flush=True)
        return 1
    except UnicodeDecodeError as error:
        print(AgentError("bad-request", f"the request is no UTF-8: {error}").to_json(), flush=True)
        return BAD_REQUEST
    except BrokenPipeError:
        # The reader is gone; nothing more can be told, also not at interpreter exit.
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        return 1
    except (OSError, ValueError) as error:
        print(AgentError("failed", f"{type(error).__name__}: {error}").to_json(), flush=True)
        return 1
