"""Every table of the pipeline: the columns that one step yields and the next one reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)


def _table(**columns: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in columns.items()])


def _parts(probability: DataType) -> ArrayType:
    """The events that an answer rests on, in the order of the pattern."""
    place = StringType()  # the part of the pattern that the event answers
    return ArrayType(_table(place=place, event_id=StringType(), probability=probability))


FILES = _table(
    name=StringType(),  # the file, below the folder that is read
    appeared=TimestampType(),  # when it was last changed
    begin=LongType(),  # where in the file the part begins that one task reads
    end=LongType(),  # and where it ends; null: with the file
)

LINES = _table(
    source=StringType(),  # what the lines belong to, such as a file or a topic
    offset=LongType(),  # where in it the part begins that this line was read with
    line=BinaryType(),  # the text as it stands there, not yet known to be UTF-8
)

# Messages of a broker, or of a spool. `offset` grows within one topic and partition.
MESSAGES = _table(
    topic=StringType(),
    partition=IntegerType(),  # null where there are none
    offset=LongType(),  # counted from 0
    timestamp=TimestampType(),  # when it was published, or when we had it
    value=BinaryType(),  # what it says; null, as empty, says nothing
    key=BinaryType(),
    headers=ArrayType(_table(key=StringType(), value=BinaryType())),
    content_type=StringType(),
    is_retained=BooleanType(),  # it is older than the subscription that brought it
)

MATCHES = _table(
    event_id=StringType(),
    subscription=StringType(),  # its name, or its text when it has none
    version=IntegerType(),  # of the subscriptions that were matched
    probability=FloatType(),
    mapping=ArrayType(IntegerType()),  # for each predicate, the statement that answers it
    similarities=ArrayType(FloatType()),  # and how well
    source=StringType(),  # where the event stands
    offset=LongType(),  # as the number of its line, row or description there
    # of a subscription to events in time, the events that it rests on; null of others
    parts=_parts(FloatType()),
)

# What matters to subscriptions to events in time, as tasks find it: events, and how far time has
# come by others. Times are microseconds since 1970.
TIMED_EVENTS = _table(
    appeared=DoubleType(),  # when the source last changed, in seconds since 1970
    source=StringType(),  # where the event stands
    offset=LongType(),
    event_id=StringType(),  # null where there is only time to be told
    start=LongType(),  # null if it is not told
    end=LongType(),
    published=LongType(),  # of an event that has no time of its own
    said=BinaryType(),  # its statements, as a JSON object
    until=LongType(),  # the latest time of others that stand before it in the source
    instants=LongType(),  # how many without a time of their own came since the row before
    instant=LongType(),  # and how late the last of these is at least
)

# What a sink that shows matches takes from a task: the first ones, then how many more there are.
SHOWN = StructType([*MATCHES.fields, StructField("more", LongType())])

# What Spark's package for Kafka writes.
KAFKA_MESSAGES = _table(key=StringType(), value=BinaryType())

DEAD_LETTERS = _table(
    source=StringType(),
    offset=LongType(),  # counted from 1; 0 of what does not stand in one place
    reason=StringType(),
    text=StringType(),
)

# What one pass over records yields: a match, or (where `reason` is filled) a dead letter.
OUTCOMES = StructType(
    [*MATCHES.fields, *(one for one in DEAD_LETTERS.fields if one.name not in MATCHES.names)]
)

# The sealed entries of a broker's journal, as its stretches have them.
JOURNAL = _table(
    sequence=LongType(),  # from 1 without gaps
    at=TimestampType(),  # never earlier than that of the entry before
    version=IntegerType(),  # of the record's form
    kind=StringType(),  # of the record: published, subscribed, acknowledged, ...
    event=StringType(),  # what was published, as a JSON object; null of other kinds
    record=StringType(),  # what came of it, as a JSON object
    checksum=LongType(),  # CRC-32 of all but the kind
)

STRETCHES = _table(path=StringType())  # files with entries of a journal

# How entries of a journal answer what is replayed: those, and what re-arms them.
ANSWERS = _table(
    subscription=IntegerType(),  # by its number among those that are replayed
    is_contrary=BooleanType(),  # it answers the opposite of a subscription `on change`
    sequence=LongType(),  # of the entry
    at=LongType(),  # in microseconds since 1970
    event_id=StringType(),
    probability=DoubleType(),
    mapping=ArrayType(IntegerType()),
    similarities=ArrayType(DoubleType()),
)

NOTIFICATIONS = _table(
    subscription=StringType(),  # its name, or its text when it has none
    number=LongType(),  # counted for each subscription, from 0 without gaps
    sequence=LongType(),  # of the entry in the journal
    at=TimestampType(),  # when the event was published
    event_id=StringType(),
    probability=DoubleType(),
    mapping=ArrayType(IntegerType()),  # for each predicate, the statement that answers it
    similarities=ArrayType(DoubleType()),  # and how well
)

# What a replay tells of subscriptions in time.
PATTERN_NOTIFICATIONS = _table(
    subscription=StringType(),  # its name, or its text when it has none
    number=LongType(),  # counted for each subscription, from 0 without gaps
    sequence=LongType(),  # of the entry in the journal after which it is told
    at=TimestampType(),  # when: with that entry, or when the time of what is missing was up
    event_id=StringType(),
    probability=DoubleType(),
    parts=_parts(DoubleType()),
)

# What a replay tells of queries: the variables of a binding with their terms, as N-Quads have them.
QUERY_NOTIFICATIONS = _table(
    subscription=StringType(),  # its name, or its text when it has none
    number=LongType(),  # counted for each subscription, from 0 (the whole answer) without gaps
    sequence=LongType(),  # of the update in the journal; of number 0, of the entry before the first
    at=TimestampType(),  # when the update was run
    added=ArrayType(MapType(StringType(), StringType())),
    removed=ArrayType(MapType(StringType(), StringType())),
)

# What a replay writes: notifications of events, of patterns in time and of queries, with nulls
# where another kind has something to say.
REPLAYED = StructType(
    [
        *NOTIFICATIONS.fields,
        PATTERN_NOTIFICATIONS["parts"],
        *QUERY_NOTIFICATIONS.fields[4:],
    ]
)

STATEMENTS = _table(
    subject=StringType(),  # an IRI, or a blank node; null of a statement in another language
    attribute=StringType(),  # in plain words
    value=StringType(),  # as JSON; null where the statement leads to a node
    node=StringType(),  # a blank node, or the id of something that may have a name elsewhere
    is_of_kind=BooleanType(),  # whether it says that the subject is of a kind that was asked for
    named=StringType(),  # the id that this statement gives a name to
    rank=IntegerType(),  # how good a name it is: the lowest is taken
)

# What a line of a dump is: a statement, or (where `reason` is filled) a dead letter.
DUMP_LINES = StructType([*STATEMENTS.fields, *DEAD_LETTERS.fields])

PLACED_STATEMENTS = _table(
    subject=StringType(),  # what the event is about
    path=ArrayType(_table(attribute=StringType(), node=StringType())),  # down to a blank node
    attribute=StringType(),
    value=StringType(),  # null where nobody names what the statement leads to
    is_of_kind=BooleanType(),
)

# What becomes of a subject: an event, nothing to say, or (with `reason`) a dead letter.
SUBJECTS = StructType(
    [
        *_table(
            event=StringType(),  # a line of JSON
            statements=IntegerType(),
            unnamed=LongType(),  # statements left out that lead to something without a name
        ).fields,
        *DEAD_LETTERS.fields,
    ]
)

ARCHIVED_STATEMENTS = _table(
    id=IntegerType(),  # from 0 without gaps, in the order in which statements were first met
    attribute=StringType(),
    attribute_type=StringType(),  # text, text@de, resource
    type=StringType(),  # of the value: as above, or boolean, integer, double, time
    scale=StringType(),  # empty: the value stands here; otherwise what of it stands with the event
    value=StringType(),
)

ARCHIVED_EVENTS = _table(
    event_id=StringType(),
    source=StringType(),  # where the event stood
    offset=LongType(),
    statements=ArrayType(IntegerType()),  # ids
    numbers=ArrayType(DoubleType()),  # of those statements that have one of their own, in order
    texts=ArrayType(StringType()),  # the same for texts
    start=TimestampType(),  # of the event, if it is known
    end=TimestampType(),
)

# The statements of a file of events that is being written, under numbers of its own.
LOCAL_STATEMENTS = StructType(
    [
        *_table(file=StringType(), number=IntegerType()).fields,
        *(one for one in ARCHIVED_STATEMENTS.fields if one.name != "id"),
        # where it was first met
        *_table(source=StringType(), offset=LongType(), place=IntegerType()).fields,
    ]
)

FILLED_FILES = _table(events=LongType())  # how many there are in a file with ids

DOCUMENTS = _table(
    source=IntegerType(),  # which of the corpora
    title=StringType(),
    text=StringType(),
)

PARTITIONS = _table(
    partition=IntegerType(),
    start=LongType(),  # the number of its first document
)

WORD_COUNTS = _table(
    concept=IntegerType(),  # the document, numbered from 0
    word=StringType(),  # a stem
    count=IntegerType(),
)

LEMMA_COUNTS = _table(
    lemma=IntegerType(),  # a word of WordNet, by its number
    times=LongType(),
)

EFFECTIVENESS = _table(
    cell=IntegerType(),  # which of an experiment's runs
    f1=DoubleType(),
    precision=DoubleType(),
    recall=DoubleType(),
    f1_at_threshold=DoubleType(),
    rules=LongType(),  # that were matched
    rules_needed=DoubleType(),  # without a bound
)

SIMULATIONS = _table(
    run=IntegerType(),  # from 0
    scenario=StringType(),  # all its options, as a JSON object
    seed=LongType(),
)

# What comes of them; a round is null that was not reached.
SIMULATED = _table(
    run=IntegerType(),
    routing=StringType(),
    seed=LongType(),
    electronics=StringType(),  # stated, worked, or given
    nj_per_bit=DoubleType(),
    nodes=LongType(),
    rounds=LongType(),
    first_death=LongType(),
    half_dead=LongType(),
    silent=LongType(),  # the first in which nobody was left to publish
    computation_j=DoubleType(),
    control_j=DoubleType(),
    data_j=DoubleType(),
    idle_j=DoubleType(),
    left_j=DoubleType(),
    published=LongType(),
    due=LongType(),
    delivered=LongType(),
    forbidden=LongType(),  # of what was due: no route is allowed
    unconnected=LongType(),  # and: no living nodes lead there
    receptions=LongType(),
    relevant=LongType(),
    precision=DoubleType(),
    recall=DoubleType(),
    recall_where_allowed=DoubleType(),
    mean_hops=DoubleType(),
    data_transmissions=LongType(),
    data_sent=LongType(),  # copies, one for each node that they are for
    data_received=LongType(),
    data_lost=LongType(),
    control_transmissions=LongType(),
    control_sent=LongType(),
    control_received=LongType(),
    control_lost=LongType(),
    hops=ArrayType(LongType()),  # how many deliveries took 0, 1, 2, ... of them
    alive_after=ArrayType(LongType()),  # rounds
    alive=ArrayType(LongType()),  # and how many nodes lived after each
)

TERMS = _table(term=StringType())

TERM_SCORES = _table(
    term=StringType(),
    scores=ArrayType(FloatType()),  # with each of the terms asked for, in their order
)

WORD_ROWS = _table(
    hash=StringType(),  # the first 64 bits of the word's SHA-256, in hexadecimal
    word=StringType(),
    concepts=ArrayType(IntegerType()),  # ascending
    weights=ArrayType(FloatType()),  # a unit vector
)


def arrow_schema(table: StructType) -> pa.Schema:
    """The columns of a table as Arrow and Parquet have them; times are in UTC."""
    return to_arrow_schema(table, timezone="UTC")


def record_batch(table: StructType, columns: Iterable[Iterable[object]]) -> pa.RecordBatch:
    """Rows of a table, given column by column; times are microseconds since 1970."""
    schema = arrow_schema(table)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def record_batch_of_arrays(table: StructType, arrays: Iterable[pa.Array]) -> pa.RecordBatch:
    """The same of columns that are in arrays already, if perhaps of a wider type."""
    schema = arrow_schema(table)
    cast = [column.cast(kind) for column, kind in zip(arrays, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(cast, schema=schema)


def record_batch_of_rows(table: StructType, rows: Sequence[tuple[object, ...]]) -> pa.RecordBatch:
    """Rows of a table, given row by row; there has to be one."""
    return record_batch(table, zip(*rows, strict=True))


def record_batches(
    table: StructType, rows: Iterable[tuple[object, ...]], at_once: int
) -> Iterator[pa.RecordBatch]:
    """Rows of a table, so many at a time as they come."""
    coming = iter(rows)
    while some := list(islice(coming, at_once)):
        yield record_batch_of_rows(table, some)
