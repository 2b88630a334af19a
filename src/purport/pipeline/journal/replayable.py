"""What a user gives to a replay: subscriptions to events, and SPARQL queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from purport.broker.asked import Asked, Query, is_query
from purport.broker.gate import asked_of
from purport.broker.graph import Graph
from purport.broker.registry_text import RegistryLine, imported
from purport.errors import InvalidInput
from purport.matching.given import Given, runnable_subscriptions
from purport.matching.supported import unsupported_forms
from purport.model.language.label import label
from purport.model.subscription import Rule, Subscription
from purport.model.text_file import read_text
from purport.pipeline.journal.given_registry import GivenRegistry, registered_at
from purport.sparql.graph_store import WHOLE, Dataset
from purport.temporal.asked import is_in_time

_QUERY_FILES = (".rq", ".sparql")


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A SPARQL query under the name that its notifications have."""

    name: str
    text: str
    dataset: Dataset = WHOLE

    @property
    def query(self) -> Query:
        """What is asked."""
        return Query(self.text, self.dataset)


@dataclass(frozen=True, slots=True)
class Replayable:
    """All that is to be replayed."""

    subscriptions: Sequence[Subscription]
    queries: Sequence[NamedQuery] = ()

    @property
    def names(self) -> list[str]:
        """What each is called."""
        return [*map(label, self.subscriptions), *(one.name for one in self.queries)]


def replayable(given: Sequence[str], stretches: Path | None = None) -> Replayable:
    """What is given: texts, or files of subscriptions, of a query (`.rq`) or an exported registry.

    `broker:FOLDER` is what is subscribed to at a broker; `stretches` is where one whose journal is
    in a database has them. `InvalidInput` if something cannot be replayed.
    """
    places = [_place(text, stretches) for text in given]
    asked = [one for one in places if not isinstance(one, NamedQuery)]
    queries = [query for one in places for query in _queries_at(one)]
    subscriptions = runnable_subscriptions(asked, _refused_forms) if asked else []
    found = Replayable(subscriptions, queries)
    _require_some(found, given)
    _require_runnable(queries)
    return found


@dataclass(frozen=True, slots=True)
class GivenExport:
    """A registry as a broker exports it: lines of JSON; rules are left aside."""

    may_be_empty: ClassVar = True

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def look(self) -> Hashable:
        """It is read once."""
        return None

    def subscriptions(self) -> Sequence[Subscription]:
        """Those to events."""
        return [
            replace(one, name=line.id)
            for line, one in self._lines()
            if isinstance(one, Subscription) and not isinstance(one, Rule)
        ]

    def queries(self) -> Mapping[str, Query]:
        """The queries, by name."""
        return {line.id: one for line, one in self._lines() if isinstance(one, Query)}

    def _lines(self) -> list[tuple[RegistryLine, Asked]]:
        try:
            return imported(read_text(self.path))
        except InvalidInput as error:
            raise InvalidInput(f"{self.path}: {error}") from None


def _place(text: str, stretches: Path | None) -> Given | NamedQuery:
    if is_query(text):
        return NamedQuery(text, text)
    path = Path(text)
    if path.suffix in _QUERY_FILES:
        return NamedQuery(path.stem, read_text(path))
    if path.suffix == ".jsonl":
        return GivenExport(path)
    return registered_at(text, stretches=stretches)


def _queries_at(place: Given | NamedQuery) -> Iterator[NamedQuery]:
    if isinstance(place, NamedQuery):
        yield place
    elif isinstance(place, GivenRegistry | GivenExport):
        for name, query in place.queries().items():
            yield NamedQuery(name, query.text, query.dataset)


def _require_some(found: Replayable, given: Iterable[str]) -> None:
    if not found.names:
        raise InvalidInput(f"{', '.join(given)}: no subscription in there")
    often = [name for name, times in Counter(found.names).items() if times > 1]
    if often:
        raise InvalidInput(f"more than one subscription is called {often[0]!r}")


def _require_runnable(queries: Iterable[NamedQuery]) -> None:
    """Raise `InvalidInput` if a query is none."""
    graph = Graph()
    for one in queries:
        try:
            graph.whole_answer(one.query)
        except InvalidInput as error:
            raise InvalidInput(f"{one.name}: {error}") from None


def _refused_forms(subscription: Subscription) -> Iterator[str]:
    """What cannot be replayed: what rules publish is in the journal, as they published it."""
    if isinstance(subscription, Rule):
        yield "the replay of a rule (when)"
    elif is_in_time(subscription.pattern):
        if subscription.options.on_change:
            yield "on change, of a pattern in time"
    else:
        yield from unsupported_forms(asked_of(subscription))
