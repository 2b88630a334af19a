"""Rows of Spark to events, inside its Python workers: a source says which reader its rows need."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import pyarrow as pa
from pyspark import TaskContext

from purport.errors import UnusablePath
from purport.model.event_lines import EventLines
from purport.pipeline.file_parts import FilePart
from purport.pipeline.formats.catalogue import FORMATS, format_of
from purport.pipeline.formats.json_lines import read_lines
from purport.pipeline.formats.rows import told_rows
from purport.pipeline.told import Tells, Told

_BATCH_OF_THE_STREAM = "streaming.sql.batchId"  # Spark's own name for it


class Reader(Protocol):
    """Turns the rows of a source into what they tell; it is sent to the workers."""

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Tells]:
        """What the rows tell. A row that cannot be read is a dead letter, not an error."""


def require_shared(folder: Path, *, filled: bool = False) -> None:
    """Raises `UnusablePath` in a worker that does not see a folder of the job, or nothing in it."""
    if folder.is_dir() and (not filled or any(folder.iterdir())):
        return
    raise UnusablePath(
        folder,
        f"nothing is there on {socket.gethostname()}: every node of a cluster has to mount the "
        "folders that a job reads from, writes to and remembers in",
    )


@dataclass(frozen=True, slots=True)
class PartReader(ABC):
    """Reads the files that rows of the table FILES name, below a folder.

    Spark says which files there are and which task has which part of them; the bytes go from the
    file system to the parser without a way through the JVM.
    """

    may_be_empty: ClassVar = False  # the folder, while there are rows that name files in it

    folder: Path

    @abstractmethod
    def read_part(self, part: FilePart) -> Iterator[Tells]:
        """What a part of a file tells; `UnusablePath` if it cannot be read."""

    def told(self, part: FilePart) -> Iterator[Tells]:
        """The same; a file that cannot be read is a dead letter."""
        how_far = ""
        try:
            for told in self.read_part(part):
                yield told
                how_far = " to its end"
        except UnusablePath as error:
            refused = Told(part.source)
            refused.refuse(0, f"the file cannot be read{how_far}: {error.reason}", b"")
            yield refused

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Tells]:
        """What the files tell."""
        for batch in batches:
            for row in batch.to_pylist():
                name = row["name"]
                part = FilePart(self.folder / name, name, row["begin"], row["end"])
                if not part.path.exists():
                    require_shared(self.folder, filled=not self.may_be_empty)
                for told in self.told(part):
                    told.appeared = row["appeared"].timestamp()
                    yield told


@dataclass(frozen=True, slots=True)
class FileReader(PartReader):
    """Reads files of events, all of one format, or each of the one that its name says."""

    format: str | None = None

    def read_part(self, part: FilePart) -> Iterator[Tells]:
        """The events of a part."""
        return FORMATS[self.format or format_of(part.name)].read(part)


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads rows of any columns, each an event; `text` is a column that holds JSON, if one does.

    An event without an id is named by the batch of the stream, the partition and its place there.
    """

    text: str | None = None

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Tells]:
        """What the rows tell."""
        reader = EventLines(_task_name())
        for batch in batches:
            if self.text is None:
                yield told_rows(batch, reader)
            else:
                texts = batch.column(self.text).cast(pa.binary()).to_pylist()
                yield read_lines(reader, (text or b"" for text in texts))


def _task_name() -> str:
    """What tells the rows of a task from those of others in the same stream."""
    context = TaskContext.get()
    if context is None:
        return "partition-0"
    batch = context.getLocalProperty(_BATCH_OF_THE_STREAM)
    partition = f"partition-{context.partitionId()}"
    return partition if batch is None else f"batch-{batch}-{partition}"
