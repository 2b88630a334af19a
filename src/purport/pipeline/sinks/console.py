"""Matches in a table on the screen, for whoever wants to see them pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated

import msgspec
import pyarrow as pa
from pyspark.sql import Row
from rich import get_console
from rich.console import Console
from rich.table import Table
from rich.text import Text

from purport.errors import InvalidInput
from purport.model.term import printable
from purport.pipeline.found_matches import Matches
from purport.pipeline.notes import Notes
from purport.pipeline.sinks.sink import Fleeting
from purport.pipeline.tables import SHOWN, arrow_schema

ROWS = 20
_SHOWN = arrow_schema(SHOWN)


class ConsoleOptions(msgspec.Struct, frozen=True):
    """What can be said of a console."""

    rows: Annotated[int, msgspec.Meta(ge=1)] = ROWS


@dataclass(frozen=True, slots=True)
class ConsoleTables(Fleeting):
    """A table of the first matches of each batch, on rich's console of this process.

    From a task come no more than so many matches, and a number: how many more there are.
    """

    rows: int = ROWS
    console: Console = field(default_factory=get_console, repr=False)

    @property
    def place(self) -> str:
        """The screen: there is only one."""
        return "console:"

    @property
    def home(self) -> None:
        """Nowhere."""

    def claim(self, job: str) -> None:
        """Anyone may print."""
        if self.rows < 1:
            raise InvalidInput(f"a console shows 1 or more rows of a batch, got {self.rows}")

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        """Print the first matches of a batch, if there are any, and how many more there are."""
        rows = self.rows

        def shown(found: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return _shown(found, rows)

        taken = matches.table.mapInArrow(shown, SHOWN).collect()
        first = [row for row in taken if row.more is None]
        more = sum(row.more or 0 for row in taken) + len(first) - len(first[:rows])
        if first:
            self.console.print(_table(batch, first[:rows]))
        if more:
            self.console.print(f"and {more:,} more")


def _shown(found: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The first matches of a task, then how many more there are; all of them are run through."""
    wanted, more = rows, 0
    for batch in found:
        first = batch.slice(0, wanted)
        if len(first):
            arrays = [*first.columns, pa.nulls(len(first), pa.int64())]
            yield pa.RecordBatch.from_arrays(arrays, schema=_SHOWN)
        wanted -= len(first)
        more += len(batch) - len(first)
    arrays = [pa.nulls(1, kind) for kind in _SHOWN.types[:-1]]
    yield pa.RecordBatch.from_arrays([*arrays, pa.array([more], pa.int64())], schema=_SHOWN)


def _table(batch: int, matches: Iterable[Row]) -> Table:
    table = Table(title=f"batch {batch}", title_justify="left")
    table.add_column("event", overflow="fold")
    table.add_column("subscription", overflow="fold")
    table.add_column("probability", justify="right", no_wrap=True)
    table.add_column("mapping", overflow="fold")
    for match in matches:
        table.add_row(
            Text(printable(match.event_id)),
            Text(printable(match.subscription)),
            f"{match.probability:.2f}",
            " ".join(map(str, match.mapping)),
        )
    return table
