"""What does one publication cost with 50 temporal subscriptions, at 50,000 events in a database?

Events and subscriptions are those of the KBN paper's first test (Table 3): A from 1 to 10, C from 1
to 20, B one of four wines by its colour (in words, in the place of the wine ontology). An event
lasts up to 60 s, and one comes each second. Each round keeps one more event, with the sync to disk,
and asks for all 50 subscriptions; the median of the rounds counts. Databases that are not installed
are left out. Matching in the database against matching in the process is the paper's Figure 3.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from benchmarks.finding import Finding, at_most
from purport import parse
from purport.matching.matcher import Matcher
from purport.model.event import Statement
from purport.model.subscription import Subscription
from purport.model.term import Text
from purport.model.units import Quantity
from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.temporal.history import EventHistory, MemoryHistory
from purport.temporal.occurrence import Occurrence
from purport.temporal.stored_answers import StoredAnswers
from tests.storage import mariadb_server, postgres_server

STORED = 50_000
SUBSCRIPTIONS = 50
ROUNDS = 100
SQLITE_MS, POSTGRES_MS = 5.0, 10.0
_SECOND = 1_000_000
_FIRST_AT = 1_790_000_000 * _SECOND
_COLOURS = ("red", "white", "rose", "sparkling")
TABLE_3 = (
    "{A < 8}",
    "{B = red}",
    "{A filter(<, last 200) {B = red}}",
    "{end during {A < 8}}",
    "{start after(500 s) {A < 8}}",
    "{start after(125 s) {A < 8}}",
    "{A filter(<, last 200) {C > 10}}",
)


def findings() -> Iterator[Finding]:
    rng = random.Random(1)
    stored = [_event(number, rng) for number in range(STORED)]
    drawn = [parse(rng.choice(TABLE_3)) for _ in range(SUBSCRIPTIONS)]
    different = [parse(_varied(place, rng)) for place in range(SUBSCRIPTIONS)]
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as folder, ExitStack() as servers:
        for name, history, most in _histories(Path(folder), servers):
            with closing(history):
                yield from _findings(name, history, most, stored, drawn, different)


def _findings(
    name: str,
    history: EventHistory,
    most: float | None,
    stored: list[Occurrence],
    drawn: list[Subscription],
    different: list[Subscription],
) -> Iterator[Finding]:
    started = time.perf_counter()
    for begin in range(0, STORED, 1000):
        history.keep(stored[begin : begin + 1000], begin + 1000)
    rate = STORED / (time.perf_counter() - started)
    yield Finding(f"{name}: events kept a second, 1,000 at once", f"{rate:,.0f}")
    rng = random.Random(2)
    for what, asked in (("drawn from Table 3", drawn), ("all different", different)):
        taken = _median_ms(history, asked, rng, in_database=False)
        yield _milliseconds(f"{name}: a publication, 50 {what}", taken, most)
        if not isinstance(history, MemoryHistory):
            taken = _median_ms(history, asked, rng, in_database=True)
            yield _milliseconds(f"{name}: the same, matched in the database", taken, None)
    yield _milliseconds(f"{name}: keeping one event alone", _keeping_ms(history, rng), None)


def _histories(
    folder: Path, servers: ExitStack
) -> Iterator[tuple[str, EventHistory, float | None]]:
    yield "memory", MemoryHistory(), None
    yield "SQLite", open_sqlite_history(folder / "history.sqlite"), SQLITE_MS
    programs = postgres_server.programs()
    if programs is not None:
        server = servers.enter_context(postgres_server.running_server(programs))
        yield "PostgreSQL", open_sql_history(server.new_place()), POSTGRES_MS
    installed = mariadb_server.installation()
    if installed is not None:
        running = servers.enter_context(mariadb_server.running_mariadb(installed))
        yield "MariaDB", open_sql_history(running.new_place()), None


def _median_ms(
    history: EventHistory, asked: list[Subscription], rng: random.Random, *, in_database: bool
) -> float:
    stored = StoredAnswers(history, Matcher(measure="exact"), in_database=in_database)
    taken = []
    for _ in range(ROUNDS):
        one = _event(history.applied, rng)
        started = time.perf_counter()
        history.keep([one], history.applied + 1)
        stored.answers(asked, one)
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


def _keeping_ms(history: EventHistory, rng: random.Random) -> float:
    taken = []
    for _ in range(ROUNDS):
        one = _event(history.applied, rng)
        started = time.perf_counter()
        history.keep([one], history.applied + 1)
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


def _event(number: int, rng: random.Random) -> Occurrence:
    end = _FIRST_AT + number * _SECOND + rng.randrange(_SECOND)
    said = (
        Statement(Text("A"), Quantity(rng.randint(1, 10))),
        Statement(Text("B"), Text(rng.choice(_COLOURS))),
        Statement(Text("C"), Quantity(rng.randint(1, 20))),
    )
    return Occurrence(f"event-{number}", end - rng.randrange(60 * _SECOND), end, said, number + 1)


def _varied(place: int, rng: random.Random) -> str:
    """A subscription of one of the forms in Table 3 that no other is equal to."""
    level, colour = rng.randint(3, 9), rng.choice(_COLOURS)
    forms = (
        f"{{A < {level}, C < {100 + place}}}",
        f"{{B = {colour}, C < {100 + place}}}",
        f"{{A filter(<, last {200 + place}) {{B = {colour}}}}}",
        f"{{end during {{A < {level}, C < {100 + place}}}}}",
        f"{{start after({500 + place} s) {{A < {level}}}}}",
        f"{{start after({125 + place} s) {{A < {level}}}}}",
        f"{{A filter(<, last {200 + place}) {{C > {level + 5}}}}}",
    )
    return forms[place % len(forms)]


def _milliseconds(what: str, taken: float, most: float | None) -> Finding:
    if most is None:
        return Finding(what, f"{taken:,.2f} ms")
    return at_most(what, taken, most, " ms")
