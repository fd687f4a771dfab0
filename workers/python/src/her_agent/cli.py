"""The verbs. Every one prints JSON (or the raw lines it was asked for); errors are one JSON line.

Exit codes: 0 done, 2 bad request, 3 no such attempt, 1 otherwise. `status` of an attempt that does not
exist is an answer, not an error: health `absent`, exit 0.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import NoReturn

from her_agent import attempt_verbs, environment_verbs, place_verbs, probe_verbs, slurm_verbs
from her_agent.download import DOWNLOAD
from her_agent.errors import BAD_REQUEST, AgentError, DiskFull
from her_agent.upload import UPLOAD
from her_agent.upload_read import READ
from her_agent.verb import Verb

VERBS: dict[str, Verb] = {
    "start": attempt_verbs.START,
    "status": attempt_verbs.STATUS,
    "reap": attempt_verbs.REAP,
    "events": attempt_verbs.EVENTS,
    "log": attempt_verbs.LOG,
    "stop": attempt_verbs.STOP,
    "hash": attempt_verbs.HASH,
    "check": attempt_verbs.CHECK,
    "upload": UPLOAD,
    "download": DOWNLOAD,
    "read": READ,
    **probe_verbs.VERBS,
    **environment_verbs.VERBS,
    **place_verbs.VERBS,
    **slurm_verbs.VERBS,
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AgentError("bad-request", message, "see --help", BAD_REQUEST)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="agent.pyz", description="supervises one attempt of a job on this node", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)
    for name, verb in VERBS.items():
        found = verbs.add_parser(name, help=verb.about, allow_abbrev=False)
        if verb.attempt:
            found.add_argument("--root", required=True)
            found.add_argument("--attempt", required=True)
        verb.arguments(found)
    return parser


def main(argv: list[str]) -> int:
    """Run one verb; returns the exit code."""
    try:
        given = _parser().parse_args(argv)
        answer = VERBS[given.verb].run(given)
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
