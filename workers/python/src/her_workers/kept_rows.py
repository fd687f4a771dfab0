"""Counts the rows that ms-swift kept. With `truncation_strategy: delete` and `strict: false` it drops a row that is
too long, or that it cannot read, and says nothing; a study that allows that says how many rows there are and how many
may go.

A rendered job brings a one-line plugin that calls `register`; the two numbers come in its environment.
"""

from __future__ import annotations

import os
from collections.abc import Sized
from typing import Any


class RowsLost(Exception):
    """More rows were dropped than the study allows."""


def rows_in(dataset: Any) -> int:
    """Rows that are left, also inside packs."""
    inner = getattr(dataset, "dataset", dataset)
    if not isinstance(inner, Sized):
        raise RowsLost("her: the rows of a stream cannot be counted")
    return len(inner)


def check(kept: int, rows: int, may_lose: int) -> str:
    """What to say of the rows that were kept. Raises RowsLost."""
    lost = rows - kept
    if lost < 0:
        raise RowsLost(f"her: {kept} rows are there where the study says {rows}: correct `rows` of its data")
    if lost > may_lose:
        raise RowsLost(f"her: {lost} of {rows} rows were dropped, and the study allows {may_lose}")
    return f"her: {kept} of {rows} rows are kept, {lost} were dropped, {may_lose} may be"


def register() -> None:
    """Makes the callback `kept_rows` known to ms-swift."""
    from swift.callbacks import TrainerCallback, callbacks_map

    class KeptRows(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            rows, may_lose = int(os.environ["HER_ROWS"]), int(os.environ["HER_ROWS_MAY_LOSE"])
            print(check(rows_in(self.trainer.train_dataset), rows, may_lose), flush=True)

    callbacks_map["kept_rows"] = KeptRows
