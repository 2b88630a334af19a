"""What a subscriber asks for, checked before it is sent."""

from __future__ import annotations

from collections.abc import Iterable

from purport.broker.asked import is_query
from purport.client.conversation import Acknowledging
from purport.client.messages import OverflowName, SubscribeMessage
from purport.errors import InvalidInput


def subscribe_message(
    text: str,
    *,
    name: str | None,
    durable: bool,
    after: int | None,
    alias: str | None,
    most_waiting: int | None,
    overflow: OverflowName | None,
    default_graphs: Iterable[str],
    named_graphs: Iterable[str],
) -> SubscribeMessage:
    """The message that subscribes; SPARQL is told by how it begins."""
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
    return SubscribeMessage(
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


def acknowledging_of(name: str) -> Acknowledging:
    """A way to acknowledge by its name; `InvalidInput` names those that there are."""
    try:
        return Acknowledging(name)
    except ValueError:
        there = ", ".join(repr(str(one)) for one in Acknowledging)
        raise InvalidInput(f"expected one of {there}, got {name!r}") from None
