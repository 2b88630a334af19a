"""The durable broker's graph against a plain one: updates, queries, crashes and restarts."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from pyoxigraph import QuerySolutions

from purport import Event, InvalidInput, Statement
from purport.model.notification import Binding, Notification
from purport.model.term import Resource, Text
from purport.model.units import Quantity
from tests.embedded.broker_machine import BrokerMachine, names
from tests.oracles.naive_graph import Lamps, NaiveGraph, NaiveQuery, NaiveUpdate, Rows, Told

RULE = (
    'when {lamp = $lamp, dim = $dim} as rule update "DELETE WHERE { $lamp <urn:dim> ?old } ; '
    'INSERT DATA { $lamp <urn:dim> $dim }"'
)
QUERIES = {
    "dims": NaiveQuery(
        "SELECT ?lamp ?dim WHERE { ?lamp <urn:dim> ?dim }",
        lambda lamps: Counter((f"urn:l{lamp}", str(dim)) for lamp, dim in lamps.items()),
    ),
    "bright": NaiveQuery(
        "SELECT ?lamp WHERE { ?lamp <urn:dim> ?dim FILTER(?dim > 1) }",
        lambda lamps: Counter((f"urn:l{lamp}",) for lamp, dim in lamps.items() if dim > 1),
    ),
    "any": NaiveQuery(
        "SELECT ?dim WHERE { ?lamp <urn:dim> ?dim }",
        lambda lamps: Counter((str(dim),) for dim in lamps.values()),
    ),
    "counts": NaiveQuery(
        "SELECT ?dim (COUNT(?l) AS ?n) WHERE { ?l <urn:dim> ?dim } GROUP BY ?dim",
        lambda lamps: Counter(
            (str(dim), str(count)) for dim, count in Counter(lamps.values()).items()
        ),
    ),
    "is-three": NaiveQuery(
        "ASK { ?lamp <urn:dim> 3 }",
        lambda lamps: Counter([("true" if 3 in lamps.values() else "false",)]),
    ),
}


def set_dim(lamp: int, dim: int) -> NaiveUpdate:
    text = (
        f"DELETE WHERE {{ <urn:l{lamp}> <urn:dim> ?old }} ; "
        f"INSERT DATA {{ <urn:l{lamp}> <urn:dim> {dim} }}"
    )
    return NaiveUpdate(text, lambda lamps: {**lamps, lamp: dim})


def remove(lamp: int) -> NaiveUpdate:
    def without(lamps: Lamps) -> Lamps:
        return {one: dim for one, dim in lamps.items() if one != lamp}

    return NaiveUpdate(f"DELETE WHERE {{ <urn:l{lamp}> <urn:dim> ?old }}", without)


def change_and_fail(lamp: int) -> NaiveUpdate:
    text = f"DELETE WHERE {{ <urn:l{lamp}> ?p ?o }} ; DROP GRAPH <urn:there-is-none>"
    return NaiveUpdate(text, lambda lamps: None)


lamps = st.integers(0, 2)
updates = st.one_of(
    st.builds(set_dim, lamps, st.integers(0, 3)),
    st.builds(remove, lamps),
    st.builds(change_and_fail, lamps),
)


class UpdatesMachine(BrokerMachine):
    """Updates, at once and later, by rules too, and queries that are subscribed to."""

    subscribable = sorted(QUERIES)

    def __init__(self) -> None:
        self._naive = NaiveGraph()
        super().__init__(self._naive)

    @initialize()
    def start(self) -> None:
        super().start()
        self._broker.subscribe(RULE)

    @rule(update=updates)
    def update(self, update: NaiveUpdate) -> None:
        if self._naive.update(update):
            self._broker.update(update.text)
        else:
            before = self._broker.sequence
            try:
                self._broker.update(update.text)
            except InvalidInput:
                assert self._broker.sequence == before
            else:
                raise AssertionError("it should have failed")

    @rule(lamp=lamps, dims=st.lists(st.integers(0, 3), min_size=1, max_size=3))
    def publish(self, lamp: int, dims: list[int]) -> None:
        """A rule updates for each event."""
        which = Statement(Text("lamp"), Resource(f"urn:l{lamp}"))
        events = [Event((which, Statement(Text("dim"), Quantity(dim)))) for dim in dims]
        self._broker.publish_all(events)
        for dim in dims:
            self._naive.update(set_dim(lamp, dim))

    @rule(update=updates, seconds=st.integers(1, 6))
    def update_later(self, update: NaiveUpdate, seconds: int) -> None:
        receipt = self._broker.update(update.text, after=timedelta(seconds=seconds))
        assert receipt.number is not None
        self._naive.delayed.append((self._naive.now + seconds, receipt.number, update))

    @rule(which=st.integers(0, 5))
    def cancel(self, which: int) -> None:
        if self._naive.delayed:
            _, number, _ = self._naive.delayed.pop(which % len(self._naive.delayed))
            self._broker.cancel_update(number)

    @rule(name=names)
    def subscribe(self, name: str) -> None:
        self._broker.subscribe(QUERIES[name].text, name=name)
        self._naive.subscribe(name, QUERIES[name])

    @precondition(lambda self: hasattr(self, "_broker"))
    @invariant()
    def the_same_is_known(self) -> None:
        found = self._broker.query(QUERIES["dims"].text)
        assert isinstance(found, QuerySolutions)
        rows = Counter((one["lamp"].value, one["dim"].value) for one in found)
        assert rows == QUERIES["dims"].answer(self._naive.lamps)

    @precondition(lambda self: hasattr(self, "_broker"))
    @invariant()
    def the_same_waits(self) -> None:
        expected = sorted(number for _, number, _ in self._naive.delayed)
        assert sorted(one.number for one in self._broker.delayed()) == expected

    def _said(self, notification: Notification) -> Told:
        change = notification.change
        return Told(rows_of(change.added), rows_of(change.removed), change.is_whole)

    def _compare_what_is_kept(self) -> None:
        failed = [one.update for one in self._broker.failures() if one.update is not None]
        assert failed == self._naive.failed[len(self._naive.failed) - len(failed) :]
        super()._compare_what_is_kept()


def rows_of(bindings: Sequence[Binding]) -> Rows:
    return Counter(tuple(getattr(term, "value", "") for term in one.values()) for one in bindings)


TestUpdatesModel = UpdatesMachine.TestCase
TestUpdatesModel.settings = settings(
    max_examples=settings().max_examples // 2, stateful_step_count=50, deadline=None
)
