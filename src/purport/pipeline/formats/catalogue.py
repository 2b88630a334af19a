"""The formats by their names, and by how files' names end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from purport.pipeline.file_parts import FilePart
from purport.pipeline.formats.csv_rows import csv_rows
from purport.pipeline.formats.json_lines import json_lines
from purport.pipeline.formats.parquet_rows import parquet_rows
from purport.pipeline.formats.rdf_text import ntriples, turtle
from purport.pipeline.told import Tells


@dataclass(frozen=True, slots=True)
class Format:
    """How files of one kind are read; only what is cut at lines may be read in parts."""

    read: Callable[[FilePart], Iterator[Tells]]
    endings: tuple[str, ...]
    counted: str  # what the offset of an event is the number of


FORMATS = {
    "jsonl": Format(json_lines, (".jsonl", ".ndjson", ".json"), "line"),
    "csv": Format(csv_rows, (".csv", ".tsv"), "line"),
    "parquet": Format(parquet_rows, (".parquet",), "row"),
    "ntriples": Format(ntriples, (".nt",), "description"),
    "turtle": Format(turtle, (".ttl",), "description"),
}
IN_PARTS = "jsonl"  # the only one whose lines can be read from the middle of a file on


def format_of(name: str) -> str:
    """The format of a file, from its name; JSON lines if that says nothing."""
    ending = PurePath(name.removesuffix(".gz")).suffix.lower()
    return next((kind for kind, one in FORMATS.items() if ending in one.endings), IN_PARTS)
