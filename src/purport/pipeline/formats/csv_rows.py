"""CSV: an event in each row, under the names in the first."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from purport.errors import EventError
from purport.model.event_lines import EventLines
from purport.pipeline.file_parts import FilePart, opened
from purport.pipeline.told import Told

if TYPE_CHECKING:
    import _csv

_DELIMITERS = ",;\t|"
_ROWS_AT_ONCE = 4096


def csv_rows(part: FilePart) -> Iterator[Told]:
    """The events of a CSV file; what stands between its values is seen from the first row.

    An empty value says nothing. The row of names that cannot be used refuses the whole file.
    """
    reader = EventLines(part.source)
    with opened(part.path) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
        first = text.readline()
        delimiter = max(_DELIMITERS, key=first.count)
        names = next(csv.reader([first], delimiter=delimiter), [])
        told = Told(part.source)
        problem = _problem(names)
        if problem is not None:
            told.refuse(1, problem, _bytes(first))
            yield told
            return
        rows = csv.reader(text, delimiter=delimiter)
        while _read_row(rows, names, reader, told):
            if len(told) + len(told.dead_letters) >= _ROWS_AT_ONCE:
                yield told
                told = Told(part.source)
        yield told


def _problem(names: list[str]) -> str | None:
    if not names:
        return "the first row of a CSV file gives names, but it is empty"
    if any(not name.strip() for name in names):
        return f"the first row gives names, but name {_first_blank(names)} is empty"
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        return f"the first row gives names, but {twice!r} stands there twice"
    return None


def _first_blank(names: list[str]) -> int:
    return next(place for place, name in enumerate(names, 1) if not name.strip())


def _read_row(rows: _csv.Reader, names: list[str], reader: EventLines, told: Told) -> bool:
    """Read one more row, if there is one."""
    row: list[str] = []
    try:
        row = next(rows)
        reader.line = 1 + rows.line_num
        if not row:
            return True
        text = _bytes(",".join(row))
        if len(row) != len(names):
            raise EventError(f"expected {len(names)} values as in the first row, got {len(row)}")
        if not _is_utf8(text):
            raise EventError("the text is not UTF-8")
        said = reader.admit({name: value for name, value in zip(names, row, strict=True) if value})
    except StopIteration:
        return False
    except (EventError, csv.Error) as error:
        told.refuse(1 + rows.line_num, str(error), _bytes(",".join(row)))
    else:
        told.add(said, reader.line, text)
    return True


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
