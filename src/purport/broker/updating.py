"""Updates in the making: what they change, and who is told how which answers change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from purport.broker.access import OPEN, AccessRules, Action
from purport.broker.asked import Query
from purport.broker.drafting import Drafting, begun
from purport.broker.graph import ChangedAnswer, graph_names
from purport.broker.graph_access import graphs_of_update
from purport.broker.rdf_text import binding_texts, fact_texts
from purport.broker.records import Addressee, Entry, Overflow, ToldChange, Updated
from purport.broker.registry import Registration
from purport.broker.state import BrokerState


@dataclass(frozen=True, slots=True)
class Cause:
    """Where an update comes from: somebody, a delayed update's number, rules and events."""

    publisher: str | None = None
    delayed: int | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def updated(
    state: BrokerState,
    text: str,
    at: datetime,
    *,
    cause: Cause,
    access: AccessRules = OPEN,
    received: Mapping[str, int] | None = None,
) -> list[Entry]:
    """The entries for an update; the graph has it, until it is taken back."""
    drafting = begun(state, at, access, received)
    UpdateDraft(drafting).update(text, cause)
    return drafting.entries


class UpdateDraft:
    """Makes changes to the graph, which whoever drafts has to take back if they are in vain."""

    __slots__ = ("_drafting", "_graph")

    def __init__(self, drafting: Drafting) -> None:
        self._drafting, self._graph = drafting, drafting.state.require_graph()

    def update(self, text: str, cause: Cause) -> Updated:
        """Run an update and have an entry for it; if it raises, nothing of it has happened."""
        self._graph.set_time(self._drafting.at)
        self._require_access(text, cause.publisher)
        change = self._graph.change_of(text)
        self._require_graphs(graph_names(change), cause.publisher)
        found = self._graph.draft(self._drafting.next, change)
        try:
            told = self._told(found)
        except BaseException:
            self._graph.take_back_last()
            raise
        record = Updated(
            text,
            fact_texts(change.added),
            fact_texts(change.removed),
            tuple(sorted(one.value for one in change.created)),
            tuple(sorted(one.value for one in change.dropped)),
            tuple(told),
            cause.publisher,
            cause.delayed,
            cause.causes,
            cause.rules,
        )
        self._drafting.add(record)
        self._make_room(told)
        return record

    def _require_access(self, text: str, who: str | None) -> None:
        """Before it is known what an update changes: a refusal must not tell what is there."""
        if self._drafting.access is not OPEN:
            self._require_graphs(graphs_of_update(text), who)

    def _require_graphs(self, graphs: Iterable[str], who: str | None) -> None:
        access = self._drafting.access
        if access is not OPEN:
            for graph in sorted(graphs):
                access.require(who, Action.UPDATE, graph=graph)

    def _told(self, changes: Sequence[ChangedAnswer]) -> list[ToldChange]:
        """Who is told what: the oldest first, and those together who are told the same."""
        registry = self._drafting.state.registry
        hearing = [
            (registry.get(one.subscription), one)
            for one in changes
            if self._drafting.hears(one.subscription)
        ]
        hearing.sort(key=lambda pair: pair[0].sequence)
        for registration, _ in hearing:
            self._drafting.require_room(registration)
        alike: dict[tuple[int, int], list[tuple[Registration, ChangedAnswer]]] = {}
        for pair in hearing:  # an engine gives the same lists to those who ask the same
            alike.setdefault((id(pair[1].added), id(pair[1].removed)), []).append(pair)
        return [told for some in alike.values() for told in self._told_alike(some)]

    def _told_alike(
        self, some: Sequence[tuple[Registration, ChangedAnswer]]
    ) -> Iterator[ToldChange]:
        """Those who fall behind are told the whole answer, in the place of what they missed."""
        behind = [one for one, _ in some if self._is_behind(one)]
        others = [one for one, _ in some if not self._is_behind(one)]
        _, change = some[0]
        if others:
            to = tuple(map(self._address, others))
            yield ToldChange(to, binding_texts(change.added), binding_texts(change.removed))
        for one in behind:
            assert isinstance(one.subscription, Query)
            whole = binding_texts(self._graph.whole_answer(one.subscription))
            yield ToldChange((self._address(one),), whole, is_whole=True)

    def _is_behind(self, registration: Registration) -> bool:
        cursor = self._drafting.cursor(registration.id)
        is_full = cursor.waiting >= registration.most_waiting
        return is_full and registration.overflow is Overflow.DROP_OLDEST

    def _address(self, registration: Registration) -> Addressee:
        cursor = self._drafting.cursor(registration.id)
        self._drafting.move(registration.id, cursor.told(self._drafting.at))
        return Addressee(registration.id, cursor.next)

    def _make_room(self, told: Sequence[ToldChange]) -> None:
        for one in told:
            for addressee in one.to:
                if one.is_whole:
                    self._drafting.drop_oldest(addressee.subscription, addressee.number - 1)
                else:
                    registration = self._drafting.state.registry.get(addressee.subscription)
                    self._drafting.make_room(registration)
