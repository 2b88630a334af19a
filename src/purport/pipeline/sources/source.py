"""What a source of events is, and those that are registered under a scheme."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from purport.pipeline.addresses import Address
from purport.pipeline.readers import Reader
from purport.pipeline.schemes import Schemes

Since = datetime | str


class Source(Protocol):
    """Where events come from.

    `records` is a stream: it survives a restart (Spark's checkpoint remembers its offsets), gives
    the same rows again when a batch is repeated, and ends at what is there now when it is run until
    the end. `reader`, which is sent to the workers, makes events of its rows.
    """

    @property
    def place(self) -> str:
        """What it reads, in full: by this a job knows its source again."""

    @property
    def reader(self) -> Reader:
        """What makes events of the rows."""

    def records(self, spark: SparkSession) -> DataFrame:
        """The rows, as a stream; `InvalidInput` if there is nothing to read from."""


class Spread:
    """A source inherits this if its rows are spread over tasks already, and their order counts.

    The rows of others say where events are, and are shared out among all cores.
    """

    __slots__ = ()


# Makes a source of an address; `since` is a time or an offset to begin at.
MakeSource = Callable[[Address, Since | None], Source]

SOURCES: Schemes[MakeSource] = Schemes("source", "purport.sources")
