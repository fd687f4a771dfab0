"""The verbs of an attempt that runs in an allocation of Slurm. All but `slurm-node` and `slurm-secrets` run where
sbatch is.
"""

from __future__ import annotations

import argparse
import sys

from her_agent import slurm_bury, slurm_node, slurm_secrets, slurm_signal, slurm_submit, slurm_view
from her_agent.verb import Verb, seconds, whole


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "strict")


def _root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", required=True)


def _member(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--index", type=whole, default=0)


def _bury(parser: argparse.ArgumentParser) -> None:
    _member(parser)
    parser.add_argument("--reason", required=True)


def _stop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--grace", type=seconds)
    parser.add_argument("--reason", default="")


def _node(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--signal-seconds", type=seconds, required=True)
    parser.add_argument("--secret-seconds", type=seconds, required=True)


def _run_node(given: argparse.Namespace) -> None:
    options = slurm_node.Options(given.root, given.attempt, given.signal_seconds, given.secret_seconds)
    sys.exit(slurm_node.run(options))


SUBMIT = Verb(
    "hand a batch of attempts to Slurm, once; it comes on standard input",
    lambda given: slurm_submit.submit(given.root, _stdin()),
    _root,
)
VIEW = Verb(
    "what the shared folder says of a node of an attempt",
    lambda given: slurm_view.view(given.root, given.attempt, given.index),
    _member,
    attempt=True,
)
STOP = Verb(
    "ask all nodes of an attempt to stop",
    lambda given: slurm_signal.stop(given.root, given.attempt, given.grace, given.reason),
    _stop,
    attempt=True,
)
BURY = Verb(
    "write the end of an attempt that Slurm says is over; the message comes on standard input",
    lambda given: slurm_bury.bury(given.root, given.attempt, given.index, given.reason, _stdin()),
    _bury,
    attempt=True,
)
NODE = Verb("run this node's part of an attempt, inside an allocation", _run_node, _node, attempt=True)
SECRETS = Verb(
    "hand secrets to an attempt that waits on this node; they come on standard input",
    lambda given: slurm_secrets.hand_in(given.root, given.attempt, given.index, _stdin()),
    _member,
    attempt=True,
)

VERBS = {
    "slurm-submit": SUBMIT,
    "slurm-view": VIEW,
    "slurm-stop": STOP,
    "slurm-bury": BURY,
    "slurm-node": NODE,
    "slurm-secrets": SECRETS,
}
