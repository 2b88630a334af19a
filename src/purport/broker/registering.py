"""Registrations in the making, with what whoever asks a query is told first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from purport.broker.access import OPEN
from purport.broker.asked import Asked, Query, is_steady
from purport.broker.cursor import Cursor
from purport.broker.drafting import Drafting
from purport.broker.rdf_text import binding_texts
from purport.broker.records import (
    Addressee,
    AnswerTold,
    Entry,
    Paused,
    Resumed,
    Subscribed,
    ToldChange,
)
from purport.broker.registry import Registration
from purport.broker.state import BrokerState


class Wanted(NamedTuple):
    """Something that is to be registered."""

    record: Subscribed
    asked: Asked  # what the text of the record says
    is_paused: bool = False


def registered(state: BrokerState, wanted: Sequence[Wanted], at: datetime) -> list[Entry]:
    """The entries that register all that is wanted, as one change; none for what is there.

    The graph holds the answers that they tell, until it is told to let them go.
    """
    drafting = Drafting(state, at, OPEN)
    for one in wanted:
        before = state.registry.find(one.record.id)
        if before is None or before.asked() != one.record:
            if before is not None and one.record.is_durable and not before.is_durable:
                drafting.say_received(before.id)
            drafting.add(one.record)
        if one.is_paused and not (before and before.is_paused):
            drafting.add(Paused(one.record.id))
        if isinstance(one.asked, Query) and not one.is_paused:
            _begin(drafting, before, one.record.id, one.asked)
    return drafting.entries


def resumed(state: BrokerState, identifier: str, at: datetime) -> list[Entry]:
    """The entries that let a paused subscription hear again; a query is told its whole answer.

    The graph holds that too.
    """
    drafting = Drafting(state, at, OPEN)
    drafting.add(Resumed(identifier))
    asked = state.registry.get(identifier).subscription
    if isinstance(asked, Query):
        _tell_whole(drafting, identifier, asked)
    return drafting.entries


def told_anew(state: BrokerState, at: datetime) -> list[Entry]:
    """After a restart: the whole answer, for queries that may be answered otherwise than before."""
    drafting = Drafting(state, at, OPEN)
    for one in state.registry:
        is_told = one.is_durable and not one.is_paused and one.id not in state.unrunnable
        if is_told and isinstance(one.subscription, Query) and not is_steady(one.subscription):
            _tell_whole(drafting, one.id, one.subscription)
    return drafting.entries


def _begin(drafting: Drafting, before: Registration | None, identifier: str, query: Query) -> None:
    """Tell the whole answer, or let it stay that which was told last."""
    graph = drafting.state.require_graph()
    if _is_other(before, query) or not graph.is_as_told(identifier):
        _tell_whole(drafting, identifier, query)
    elif graph.is_subscribed(identifier):
        graph.hold(query)


def _is_other(before: Registration | None, query: Query) -> bool:
    """Whether what was told before is not the answer to this query, or there was nothing."""
    return before is None or (before.subscription != query and not before.is_paused)


def _tell_whole(drafting: Drafting, identifier: str, query: Query) -> None:
    state = drafting.state
    cursor = state.cursors.get(identifier) or Cursor.beginning(state.ended.get(identifier, 0))
    graph = state.require_graph()
    graph.set_time(drafting.at)
    whole = binding_texts(graph.hold(query))
    to = (Addressee(identifier, cursor.next),)
    drafting.add(AnswerTold((ToldChange(to, whole, is_whole=True),)))
