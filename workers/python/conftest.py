"""A test that a machine cannot run is skipped there, with the reason; in CI nothing may be missing."""

from __future__ import annotations

import os

import pytest


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skip is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    if os.environ.get("CI") and skipped:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
