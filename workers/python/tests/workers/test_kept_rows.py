"""The count of rows that ms-swift kept. The callback inside the real trainer is tried end to end in `tests/`."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from her_workers.kept_rows import RowsLost, check, rows_in


def test_rows_are_counted_inside_packs_too() -> None:
    assert rows_in([1, 2, 3]) == 3
    assert rows_in(SimpleNamespace(dataset=[1, 2])) == 2


def test_a_stream_cannot_be_counted() -> None:
    with pytest.raises(RowsLost, match="stream"):
        rows_in(SimpleNamespace(dataset=iter([])))


@pytest.mark.parametrize(("kept", "may_lose"), [(100, 0), (98, 2), (99, 2)])
def test_what_is_allowed_is_told(kept: int, may_lose: int) -> None:
    assert check(kept, 100, may_lose) == (
        f"her: {kept} of 100 rows are kept, {100 - kept} were dropped, {may_lose} may be"
    )


def test_one_too_many_stops_the_run() -> None:
    with pytest.raises(RowsLost, match="her: 3 of 100 rows were dropped, and the study allows 2"):
        check(97, 100, 2)


def test_more_rows_than_the_study_says_is_its_mistake() -> None:
    with pytest.raises(RowsLost, match="correct `rows`"):
        check(101, 100, 2)
