"""What a subscriber asks for, checked before it is sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from purport.broker.asked import is_query
from purport.client.conversation import Acknowledging, Conversation
from purport.client.messages import OverflowName, SubscribeMessage
from purport.courier import Patience
from purport.errors import InvalidInput


class SubscribeOptions(TypedDict, total=False):
    """How a client subscribes; none of it is needed."""

    name: str | None  # of a durable one, under which it is found again
    durable: bool  # it outlives the connection
    after: int | None  # of a durable one, the number of the last notification that arrived
    alias: str | None  # what the server calls it beside its id
    most_waiting: int | None  # at the server, and
    overflow: OverflowName | None  # what happens if more would wait
    acknowledging: Acknowledging | str  # of a durable one: as the next is taken, or by hand
    default_graphs: Iterable[str]  # of a query: the graphs that it sees
    named_graphs: Iterable[str]


def conversation_about(
    text: str,
    address: str,
    patience: Patience,
    *,
    name: str | None = None,
    durable: bool = False,
    after: int | None = None,
    alias: str | None = None,
    most_waiting: int | None = None,
    overflow: OverflowName | None = None,
    acknowledging: Acknowledging | str = Acknowledging.WHEN_NEXT_IS_TAKEN,
    default_graphs: Iterable[str] = (),
    named_graphs: Iterable[str] = (),
) -> Conversation:
    """What is said to subscribe to a text, by these options; SPARQL is told by how it begins."""
    if not text.strip():
        raise InvalidInput("what is subscribed to is a text that is not empty")
    if durable and name is None:
        raise InvalidInput("a durable subscription needs a name, under which it is found again")
    if after is not None and not durable:
        raise InvalidInput("only a durable subscription can go on after a notification")
    is_sparql = is_query(text)
    graphs = {"default_graph_uri": list(default_graphs), "named_graph_uri": list(named_graphs)}
    if any(graphs.values()) and not is_sparql:
        raise InvalidInput("only a query has a dataset: events are in no graph")
    asked = SubscribeMessage(
        sparql=text if is_sparql else None,
        purport=None if is_sparql else text,
        alias=alias,
        default_graph_uri=graphs["default_graph_uri"] or None,
        named_graph_uri=graphs["named_graph_uri"] or None,
        name=name,
        durable=durable,
        after=after,
        most_waiting=most_waiting,
        overflow=overflow,
    )
    how = _acknowledging_of(acknowledging)
    return Conversation(asked, address, acknowledging=how, patience=patience)


def _acknowledging_of(name: str) -> Acknowledging:
    """A way to acknowledge by its name; `InvalidInput` names those that there are."""
    try:
        return Acknowledging(name)
    except ValueError:
        there = ", ".join(repr(str(one)) for one in Acknowledging)
        raise InvalidInput(f"expected one of {there}, got {name!r}") from None
