"""Changes of answers as events: one for each binding that came or went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pyoxigraph import Literal, NamedNode

from purport.broker.rdf_text import Binding
from purport.errors import InvalidInput
from purport.model.event import Event, Statement
from purport.model.notification import AnswerChange, Notification
from purport.model.rdf import literal_term
from purport.model.term import Term, Text, read_iri

_BEGINNING = "changes:"  # of the ids of such events
CHANGE = Text("change")  # the attribute that says whether a binding was added or removed


def is_change(event_id: str | None) -> bool:
    """Whether an event tells how an answer has changed."""
    return event_id is not None and event_id.startswith(_BEGINNING)


def answer_after(changes: Iterable[AnswerChange]) -> list[Binding]:
    """The answer that changes add up to, of which the first is a whole one."""
    answer: list[Binding] = []
    for change in changes:
        answer = [] if change.is_whole else _without(answer, change.removed)
        answer += change.added
    return answer


def difference(before: Sequence[Binding], after: Sequence[Binding]) -> AnswerChange:
    """How an answer has changed that is told as a whole."""
    return AnswerChange(_without(after, before), _without(before, after))


def _without(some: Iterable[Binding], gone: Iterable[Binding]) -> list[Binding]:
    """Bindings, in their order, without others: as multisets."""
    left = Counter(map(_key, gone))
    kept = []
    for one in some:
        if left[_key(one)] > 0:
            left[_key(one)] -= 1
        else:
            kept.append(one)
    return kept


def _key(binding: Binding) -> frozenset[object]:
    return frozenset(binding.items())


def events_of(notification: Notification, name: str) -> list[Event]:
    """The events that a change of an answer is; their ids are the same each time.

    `InvalidInput` if the change came of such an event: they would go on for ever.
    """
    if any(map(is_change, notification.causes)):
        raise InvalidInput("what changes by an event that tells of a change is told no further")
    change = notification.change
    bindings = chain(
        (("removed", one) for one in change.removed), (("added", one) for one in change.added)
    )
    return [
        Event(tuple(_statements(said, binding)), f"{_BEGINNING}{name}:{notification.sequence}:{n}")
        for n, (said, binding) in enumerate(bindings)
    ]


def _statements(said: str, binding: Binding) -> Iterator[Statement]:
    yield Statement(CHANGE, Text(said))
    for variable, value in binding.items():
        yield Statement(Text(variable), _term(value))


def _term(value: object) -> Term:
    match value:
        case NamedNode():
            return read_iri(value.value) or Text(value.value)
        case Literal():
            return literal_term(value)
        case _:
            return Text(str(value))
