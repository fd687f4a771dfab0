"""The verbs that bring inputs to a node, or tell what is there."""

from __future__ import annotations

import argparse
import os

from her_agent.place_fetch import fetch
from her_agent.place_hash import place_hash
from her_agent.place_store import have, seal, want
from her_agent.place_stream import receive, send
from her_agent.verb import Verb, whole


def _root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)


def _hash_arguments(parser: argparse.ArgumentParser) -> None:
    _root(parser)
    parser.add_argument("--path", required=True)
    parser.add_argument("--files", action="store_true")


def _digest_arguments(parser: argparse.ArgumentParser) -> None:
    _root(parser)
    parser.add_argument("--digest", required=True)


def _bring_arguments(parser: argparse.ArgumentParser) -> None:
    _digest_arguments(parser)
    parser.add_argument("--single", action="store_true", help="it is one file, not a folder that holds one")


def _send_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--path", required=True)
    parser.add_argument("--only", required=True)
    parser.add_argument("--skip", type=whole, default=0)


def _base(given: argparse.Namespace) -> str:
    return os.path.abspath(os.path.expanduser(given.root))


def _fetch_arguments(parser: argparse.ArgumentParser) -> None:
    _root(parser)
    parser.add_argument("--name", required=True)


VERBS: dict[str, Verb] = {
    "place-fetch": Verb(
        "files of a store by presigned URLs, which come on standard input",
        lambda given: fetch(_base(given), given.name),
        _fetch_arguments,
    ),
    "place-hash": Verb(
        "the digest of a file or folder, each file read once",
        lambda given: place_hash(_base(given), given.path, given.files),
        _hash_arguments,
    ),
    "place-have": Verb(
        "where an input is here, its bytes looked at", lambda given: have(given.root, given.digest), _digest_arguments
    ),
    "place-want": Verb(
        "which files of a list are not here; the list comes on standard input",
        lambda given: want(given.root, given.digest, given.single),
        _bring_arguments,
    ),
    "place-send": Verb(
        "files of an input as a tar stream", lambda given: send(given.path, given.only, given.skip), _send_arguments
    ),
    "place-receive": Verb(
        "take such a stream from standard input",
        lambda given: receive(given.root, given.digest, given.single),
        _bring_arguments,
    ),
    "place-seal": Verb(
        "give what arrived its name, once it is whole",
        lambda given: seal(given.root, given.digest, given.single),
        _bring_arguments,
    ),
}
