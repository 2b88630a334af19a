"""Tables of events in, tables of matches out, in Arrow's columns.

Different texts are looked at once, however often they stand in a column; a text that spells a
number, a time or an identifier is read where it lies and never becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from purport.errors import InvalidInput
from purport.matching.batch_matches import BatchMatches
from purport.matching.batches import UNREAD, Batch, code_spelt
from purport.matching.flat_lists import Integers, Numbers, Places
from purport.matching.interned import NOTHING, Interned
from purport.model.event import MOST_STATEMENTS, Event, Statement
from purport.model.language.label import label
from purport.model.term import Text

MATCHES = pa.schema(
    [
        ("event_id", pa.string()),
        ("subscription", pa.string()),
        ("probability", pa.float32()),
        ("mapping", pa.list_(pa.int32())),
    ]
)
_EXPECTED = (
    "expected columns 'event_id' (texts) and 'statements' (a map from text to text, or a list of "
    "structs of 'attribute' and 'value')"
)

MatchBatch = Callable[[Batch, Callable[[int], Event], int], BatchMatches]


def match_table(
    table: pa.Table | pa.RecordBatch,
    interned: Interned,
    match_batch: MatchBatch,
    threads: int,
    terms: pa.Array | None = None,
) -> pa.Table:
    """The matches of a table's events; `terms` are what integers in the columns stand for."""
    if not isinstance(table, pa.Table | pa.RecordBatch):
        raise InvalidInput(f"expected an Arrow table, got {type(table).__name__}")
    terms = terms if terms is None or isinstance(terms, pa.Array) else pa.array(terms)
    ids, statements = _column(table, "event_id"), _column(table, "statements")
    starts, names, values = _parts(statements, terms)
    largest = int(np.diff(starts).argmax()) if len(starts) > 1 else 0
    if len(starts) > 1 and starts[largest + 1] - starts[largest] > MOST_STATEMENTS:
        raise InvalidInput(
            f"event {ids[largest].as_py()!r} in row {largest} has more than "
            f"{MOST_STATEMENTS:,} statements"
        )
    said = _Said.of(starts, names, values, _is_there(statements))
    found = match_batch(_batch(said, interned), said.event, threads)
    return _matches(found, ids, said)


def _column(table: pa.Table | pa.RecordBatch, name: str) -> pa.Array:
    """A column in one piece."""
    names = table.schema.names
    if names.count(name) != 1:
        found = "no column" if name not in names else "more than one column"
        raise InvalidInput(f"{found} {name!r}: {_EXPECTED}, got {', '.join(names)}")
    column = table.column(name)
    try:
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    except pa.ArrowInvalid as error:
        raise InvalidInput(f"the column {name!r} is too large, take slices: {error}") from None


def _parts(column: pa.Array, terms: pa.Array | None) -> tuple[Places, pa.Array, pa.Array]:
    """Where the statements of each event begin, and all attributes and values."""
    kind = column.type
    if pa.types.is_map(kind):
        names, values = column.keys, column.items
    elif _is_list(kind) and pa.types.is_struct(kind.value_type):
        fields = kind.value_type
        if fields.get_field_index("attribute") < 0 or fields.get_field_index("value") < 0:
            raise InvalidInput(f"{_EXPECTED}, got 'statements' of {kind}")
        structs = column.values
        names, values = structs.field("attribute"), structs.field("value")
        if structs.null_count:
            values = pc.if_else(structs.is_valid(), values, pa.scalar(None, values.type))
    else:
        raise InvalidInput(f"{_EXPECTED}, got 'statements' of {kind}")
    starts = column.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    first, last = int(starts[0]) if len(starts) else 0, int(starts[-1]) if len(starts) else 0
    return (
        starts - first,
        _encoded(names.slice(first, last - first), terms),
        _encoded(values.slice(first, last - first), terms),
    )


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _encoded(column: pa.Array, terms: pa.Array | None) -> pa.DictionaryArray:
    """Texts as numbers into a list of different ones."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        _require_texts(kind.value_type)
        return column
    if pa.types.is_integer(kind) and terms is not None:
        _require_texts(terms.type)
        least, most = pc.min_max(column).as_py().values()
        for number in (least, most):
            if number is not None and not 0 <= number < len(terms):
                raise InvalidInput(f"there are {len(terms)} terms, got number {number}")
        return pa.DictionaryArray.from_arrays(column.cast(pa.int32()), terms)
    _require_texts(kind)
    return column.dictionary_encode()


def _require_texts(kind: pa.DataType) -> None:
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InvalidInput(f"attributes and values are texts, got {kind}")


@dataclass(frozen=True, slots=True)
class _Said:
    """The statements of events that say something, as numbers of texts.

    `places` are their places in their events, where others stand among them.
    """

    starts: Places
    name_numbers: Integers
    value_numbers: Integers
    names: pa.Array
    values: pa.Array
    places: Integers | None = None

    @classmethod
    def of(
        cls,
        starts: Places,
        names: pa.DictionaryArray,
        values: pa.DictionaryArray,
        is_event: NDArray[np.bool_],
    ) -> _Said:
        """Without the statements that have no name or no value, or stand behind a null."""
        is_said = _is_there(names) & _is_there(values) & np.repeat(is_event, np.diff(starts))
        if values.dictionary.null_count:
            is_said &= _is_there(values.dictionary)[_numbers(values)]
        texts = names.dictionary.to_pylist()
        is_blank = np.array([text is None or not text.strip() for text in texts], np.bool_)
        if is_blank.any():
            is_said &= ~is_blank[_numbers(names)]
        whole = cls(starts, _numbers(names), _numbers(values), names.dictionary, values.dictionary)
        return whole if is_said.all() else whole._only(is_said)

    def _only(self, is_said: NDArray[np.bool_]) -> _Said:
        places = np.arange(len(is_said)) - np.repeat(self.starts[:-1], np.diff(self.starts))
        before = np.concatenate([[0], np.cumsum(is_said)])
        return replace(
            self,
            starts=before[self.starts],
            name_numbers=self.name_numbers[is_said],
            value_numbers=self.value_numbers[is_said],
            places=places[is_said].astype(np.int32),
        )

    def statement(self, number: int) -> Statement:
        """One of the statements."""
        name, value = self.name_numbers[number], self.value_numbers[number]
        return Statement(Text(self.names[int(name)].as_py()), Text(self.values[int(value)].as_py()))

    def event(self, number: int) -> Event:
        """One of the events."""
        places = range(int(self.starts[number]), int(self.starts[number + 1]))
        return Event(tuple(map(self.statement, places)))


def _batch(said: _Said, interned: Interned) -> Batch:
    names = said.names.to_pylist()
    attributes = np.array(
        [interned.attribute(Text(name)) if name and name.strip() else NOTHING for name in names],
        np.int32,
    )
    codes, numbers = _codes(said.values, interned)
    told, read = codes[said.value_numbers], numbers[said.value_numbers]
    for place in np.flatnonzero(told == UNREAD).tolist():
        told[place], read[place] = interned.statement(said.statement(place))
    return Batch(said.starts, attributes[said.name_numbers], told, read)


def _numbers(column: pa.DictionaryArray) -> Integers:
    """The numbers of a column into its dictionary; 0 for nulls."""
    indices = column.indices.fill_null(0) if column.null_count else column.indices
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _is_there(column: pa.Array) -> NDArray[np.bool_]:
    if not column.null_count:
        return np.ones(len(column), np.bool_)
    return np.asarray(column.is_valid().to_numpy(zero_copy_only=False), np.bool_)


def _codes(texts: pa.Array, interned: Interned) -> tuple[Integers, Numbers]:
    """The codes of different texts; `UNREAD` for one that must be looked at where it stands."""
    large = texts.cast(pa.large_string())
    _, offsets, letters = large.buffers()
    if not len(large):
        return np.zeros(0, np.int32), np.zeros(0, np.float64)
    ends = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    spelt = np.frombuffer(letters, np.uint8) if letters is not None else np.zeros(0, np.uint8)
    codes, numbers = code_spelt(spelt, ends[:-1], ends[1:], interned)
    unread = np.flatnonzero(codes == UNREAD)
    known = interned.words.get
    for place, text in zip(unread.tolist(), large.take(pa.array(unread)).to_pylist(), strict=True):
        code = known(text) if text is not None else NOTHING
        if code is None:
            read = interned.value(Text(text))
            code, numbers[place] = (UNREAD, 0.0) if read is None else read
        codes[place] = code
    return codes, numbers


def _matches(found: BatchMatches, ids: pa.Array, said: _Said) -> pa.Table:
    mappings = found.found.statements
    if said.places is not None:
        events = np.repeat(found.events, np.diff(found.found.ends, prepend=0))
        mappings = said.places[said.starts[events] + mappings]
    slots, places = np.unique(found.found.slots, return_inverse=True)
    labels = pa.array([label(found.subscriptions[slot]) for slot in slots], pa.string())
    offsets = np.concatenate([[0], found.found.ends]).astype(np.int32)
    columns: list[Any] = [
        _as_texts(ids.take(pa.array(found.events))),
        labels.take(pa.array(places)),
        pa.array(found.probabilities.astype(np.float32)),
        pa.ListArray.from_arrays(pa.array(offsets), pa.array(mappings)),
    ]
    return pa.Table.from_arrays(columns, schema=MATCHES)


def _as_texts(ids: pa.Array) -> pa.Array:
    try:
        return ids.cast(pa.string())
    except pa.ArrowException:
        raise InvalidInput(f"{_EXPECTED}, got 'event_id' of {ids.type}") from None
