"""Dead letters that a job wrote, and their reasons: what is different in each is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from purport.errors import UnusablePath
from purport.model.event_lines import DeadLetter
from purport.pipeline.tables import DEAD_LETTERS, arrow_schema

_EXAMPLES = 2
_MOST_KINDS = 10_000
_ROWS_AT_ONCE = 16_384
_LONGEST_KIND = 200
_QUOTED = r"""'[^']*'|"[^"]*\""""
_COUNTED = r"(?<![\w-])\d+(?:[.,]\d+)*"
_VARYING = re.compile(f"{_QUOTED}|{_COUNTED}")


def kind_of(reason: str) -> str:
    """A reason without what is different in each record.

    >>> kind_of("duplicate '@id' 'e1', first seen in line 17")
    "duplicate '@id' …, first seen in line …"
    """
    return _VARYING.sub(lambda one: one[0] if _is_key(one[0]) else "…", reason)[:_LONGEST_KIND]


def _is_key(quoted: str) -> bool:
    """Whether a reserved key is quoted, which is the same in many."""
    return quoted[1:2] == "@"


@dataclass(slots=True)
class Refused:
    """The records that were set aside for one kind of reason."""

    kind: str
    count: int = 0
    examples: list[DeadLetter] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StoredLetters:
    """The folder of a job's dead letters, which need not be there."""

    folder: Path

    def of_batch(self, batch: int, most: int) -> list[DeadLetter]:
        """The first dead letters of a batch."""
        rows = (row for part in self._batches(f"batch={batch}") for row in part.to_pylist())
        return [_letter(row) for row in islice(rows, most)]

    def by_reason(self) -> list[Refused]:
        """All of them, by the kinds of their reasons, the most frequent first."""
        groups: dict[str, Refused] = {}
        kinds: dict[str, str] = {}
        for batch in self._batches("batch=*"):
            reasons: list[str] = batch.column("reason").to_pylist()
            for reason, count in Counter(reasons).items():
                kind = kinds.get(reason) or kind_of(reason)
                if len(kinds) < _MOST_KINDS:
                    kinds[reason] = kind
                if kind not in groups and len(groups) >= _MOST_KINDS:
                    kind = "other reasons"
                group = groups.setdefault(kind, Refused(kind))
                group.count += count
                if len(group.examples) < _EXAMPLES:
                    row = batch.slice(reasons.index(reason), 1).to_pylist()[0]
                    group.examples.append(_letter(row))
        return sorted(groups.values(), key=lambda one: (-one.count, one.kind))

    def _batches(self, batches: str) -> Iterator[pa.RecordBatch]:
        files = sorted(map(str, self.folder.glob(f"{batches}/*.parquet")))
        try:
            table = ds.dataset(files, arrow_schema(DEAD_LETTERS), format="parquet")
            yield from table.to_batches(batch_size=_ROWS_AT_ONCE)
        except (OSError, pa.ArrowException) as error:
            raise UnusablePath(self.folder, f"the dead letters cannot be read: {error}") from None


def _letter(row: Mapping[str, Any]) -> DeadLetter:
    return DeadLetter(row["source"], row["offset"], row["reason"], row["text"])
