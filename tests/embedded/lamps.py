"""Lamps in the graph of a broker, and what those are told who ask for them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pyoxigraph import QuerySolutions

from purport.broker.rdf_text import term_text
from purport.embedded.broker import Broker
from purport.model.notification import Binding, Notification

DIMS = "SELECT ?lamp ?dim WHERE { ?lamp <urn:dim> ?dim }"
Row = tuple[tuple[str, str], ...]


def set_dim(lamp: int, dim: int | str) -> str:
    """An update, such as a lamp sends."""
    lamp_node = f"<urn:l{lamp}>"
    return (
        f"DELETE {{ {lamp_node} <urn:dim> ?old }} INSERT {{ {lamp_node} <urn:dim> {dim} }} "
        f"WHERE {{ OPTIONAL {{ {lamp_node} <urn:dim> ?old }} }}"
    )


def values(bindings: Sequence[Binding], name: str = "dim") -> list[str]:
    return sorted(getattr(one[name], "value") for one in bindings)  # noqa: B009


def rows(bindings: Sequence[Binding]) -> Counter[Row]:
    return Counter(
        tuple(sorted((name, term_text(term)) for name, term in one.items())) for one in bindings
    )


def current(notifications: Iterable[Notification]) -> Counter[Row]:
    """The answer that follows from all that was told."""
    answer: Counter[Row] = Counter()
    for one in notifications:
        if one.change.is_whole:
            answer = Counter()
        answer += rows(one.added)
        removed = rows(one.removed)
        assert not removed - answer
        answer -= removed
    return answer


def solutions(broker: Broker, text: str) -> list[Binding]:
    """The answer to a query, as a subscriber would be told it."""
    found = broker.query(text)
    assert isinstance(found, QuerySolutions)
    names = [variable.value for variable in found.variables]
    return [{name: one[name] for name in names if one[name] is not None} for one in found]


def dims(broker: Broker) -> list[str]:
    return values(solutions(broker, DIMS))
