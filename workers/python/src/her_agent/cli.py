"""The verbs. Every one prints JSON (or the raw lines it was asked for); errors are one JSON line.

Exit codes: 0 done, 2 bad request, 3 no such attempt, 1 otherwise. `status` of an attempt that does not
exist is an answer, not an error: health `absent`, exit 0.
"""

from __future__ import annotations

import argparse
import json
import os
from importlib import import_module
from typing import NoReturn

from her_agent.errors import BAD_REQUEST, STORAGE_AWAY, AgentError, DiskFull
from her_agent.verb import Verb

# The verbs by the module that offers them as VERBS. Only the one that is asked for is imported: an agent is started for
# every question, and the archive that it lies in holds no bytecode.
MODULES = {
    "attempt_verbs": ("status", "events", "log", "stop", "hash"),
    "start_verbs": ("start", "reap", "check"),
    "transfer_verbs": ("upload", "download"),
    "probe_verbs": ("probe", "probe-links", "probe-clean", "probe-reduce"),
    "environment_verbs": ("environment", "environment-uv", "environment-look", "environment-sync"),
    "place_verbs": (
        "place-fetch",
        "place-hash",
        "place-have",
        "place-want",
        "place-send",
        "place-receive",
        "place-seal",
    ),
    "slurm_verbs": ("slurm-submit", "slurm-view", "slurm-stop", "slurm-bury", "slurm-node", "slurm-secrets"),
}


def verbs_of(asked: str | None) -> dict[str, Verb]:
    """The verbs of the module that offers the one asked for; all of them where none does."""
    modules = [name for name, verbs in MODULES.items() if asked in verbs] or list(MODULES)
    found: dict[str, Verb] = {}
    for name in modules:
        found.update(import_module(f"her_agent.{name}").VERBS)
    return found


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AgentError("bad-request", message, "see --help", BAD_REQUEST)


def _parser(offered: dict[str, Verb]) -> argparse.ArgumentParser:
    parser = _Parser(prog="agent.pyz", description="supervises one attempt of a job on this node", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)
    for name, verb in offered.items():
        found = verbs.add_parser(name, help=verb.about, allow_abbrev=False)
        if verb.attempt:
            found.add_argument("--root", required=True)
            found.add_argument("--attempt", required=True)
        verb.arguments(found)
    return parser


def main(argv: list[str]) -> int:
    """Run one verb; returns the exit code."""
    try:
        offered = verbs_of(argv[0] if argv else None)
        given = _parser(offered).parse_args(argv)
        answer = offered[given.verb].run(given)
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
    except OSError as error:
        known = error.errno in STORAGE_AWAY
        code, hint = ("storage-away", "ask again later") if known else ("failed", "")
        print(AgentError(code, f"{type(error).__name__}: {error}", hint).to_json(), flush=True)
        return 1
    except ValueError as error:
        print(AgentError("failed", f"{type(error).__name__}: {error}").to_json(), flush=True)
        return 1
