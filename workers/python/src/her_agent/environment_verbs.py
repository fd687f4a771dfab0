"""The verbs that concern trainer environments."""

from __future__ import annotations

import argparse
import json
import os
import sys

from her_agent.environment import environment
from her_agent.environment_sync import Plan, look, sync
from her_agent.environment_uv import find_uv
from her_agent.errors import BAD_REQUEST, AgentError
from her_agent.verb import Verb, whole


def _environment_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path")
    parser.add_argument("--lock")


def _uv_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)
    parser.add_argument("--name", required=True)


def _look_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--digest", required=True)


def _sync_arguments(parser: argparse.ArgumentParser) -> None:
    _look_arguments(parser)
    parser.add_argument("--project", required=True)
    parser.add_argument("--uv", required=True)
    parser.add_argument("--size", type=whole, required=True)


def _base(given: argparse.Namespace) -> str:
    return os.path.abspath(os.path.expanduser(given.root))


def _look(given: argparse.Namespace) -> dict[str, object]:
    return look(Plan(_base(given), given.name, given.digest, "", "", 0, {}))


def _sync(given: argparse.Namespace) -> dict[str, object]:
    text = sys.stdin.read()
    env = json.loads(text) if text.strip() else {}
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise AgentError("bad-request", "the environment for uv must be texts by name", "", BAD_REQUEST)
    return sync(Plan(_base(given), given.name, given.digest, given.project, given.uv, given.size, env))


VERBS: dict[str, Verb] = {
    "environment": Verb(
        "what a Python environment holds, held against a lock",
        lambda given: environment(given.path, given.lock),
        _environment_arguments,
    ),
    "environment-uv": Verb("the uv of this node", lambda given: find_uv(_base(given), given.name), _uv_arguments),
    "environment-look": Verb("how far an environment is", _look, _look_arguments),
    "environment-sync": Verb(
        "make an environment from its lock; variables for uv come on standard input", _sync, _sync_arguments
    ),
}
