"""What a broker is given, checked where it comes in: what is wrong must not reach a journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from pyoxigraph import NamedNode

from purport.broker.asked import Asked, Query, is_query
from purport.broker.links import PREFIX
from purport.broker.records import Subscribed
from purport.broker.state import is_given_out
from purport.errors import EventError, InvalidInput
from purport.model.clock import Clock
from purport.model.event import Event
from purport.model.language.parse import parse
from purport.model.language.write import write
from purport.model.subscription import Post, Rule, Subscription
from purport.posting import address_parts, require_public
from purport.sparql.graph_store import WHOLE, Dataset

Publishable = Event | Mapping[str, Any] | str | bytes
Choice = TypeVar("Choice", bound=StrEnum)

_LONGEST_NAME = 1_000  # bytes: an index of a database takes no more than some thousand


def published_event(told: Publishable) -> Event:
    """An event, or the one that JSON is; `EventError` if it is none."""
    if not isinstance(told, Event):
        return Event.from_json(told)
    if told.id is not None and (not isinstance(told.id, str) or not told.id):
        raise EventError(f"the id of an event is a text that is not empty, got {told.id!r}")
    return told


def published_events(told: Iterable[Publishable]) -> list[Event]:
    """The same of several; what is wrong with one is said with its number."""
    if isinstance(told, str | bytes | Mapping | Event) or not isinstance(told, Iterable):
        raise InvalidInput(f"expected several events, such as a list, got {told!r:.80}")
    made = []
    for number, one in enumerate(told):
        try:
            made.append(published_event(one))
        except EventError as error:
            raise EventError(f"event {number} of those to publish: {error}") from None
    return made


def readable(asked: Subscription | str, name: str | None = None, dataset: Dataset = WHOLE) -> Asked:
    """A subscription or query that a journal can keep as a text, and read again.

    A subscription may have the name itself; only a query has a dataset.
    """
    dataset = readable_dataset(dataset)
    if isinstance(asked, str) and is_query(asked):
        return Query(asked, dataset)
    if dataset != WHOLE:
        raise InvalidInput("only a query has a dataset: events are in no graph")
    read = _readable_subscription(asked)
    if name is None or read.name == name:
        return read
    if read.name is not None:
        raise InvalidInput(f"it is called {read.name!r} in its text, and {name!r} beside it")
    try:
        return _readable_subscription(replace(read, name=name))
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def _readable_subscription(asked: Subscription | str) -> Subscription:
    if isinstance(asked, str):
        return parse(asked)
    if not isinstance(asked, Subscription):
        raise InvalidInput(f"expected a subscription or its text, got {asked!r:.80}")
    read = parse(write(asked))
    if read != asked:
        raise InvalidInput(f"{write(asked)} is read otherwise than it was made")
    return read


def require_address(address: object) -> None:
    """Raise `InvalidInput` if something is not the address of a database."""
    if not isinstance(address, str) or "://" not in address:
        raise InvalidInput(f"expected the address of a database, got {address!r:.80}")


def require_callback(callback: object, asked: Asked, webhook: str = "") -> None:
    """Raise `InvalidInput` if something cannot be called, or is to be called by a rule.

    Nor is anything called that is posted already: each would miss what the other takes.
    """
    if callback is not None and not callable(callback):
        raise InvalidInput(f"a callback is a function, got {callback!r:.80}")
    if callback is not None and isinstance(asked, Rule):
        raise InvalidInput("a rule does what it says, and calls nothing back")
    if callback is not None and webhook:
        raise InvalidInput("notifications go to a callback or to a webhook: not to both")


def require_postable(webhook: object, asked: Asked, *, to_private: bool) -> None:
    """Raise `InvalidInput` if it cannot, or must not, be posted where somebody wants it to be."""
    if not isinstance(webhook, str):
        raise InvalidInput(f"expected the address of a webhook, got {webhook!r:.80}")
    if webhook and isinstance(asked, Rule):
        raise InvalidInput("a rule does what it says: `post` is how one posts")
    address = webhook
    if isinstance(asked, Rule) and isinstance(asked.action, Post):
        address = asked.action.url
    if address and to_private:
        address_parts(address)
    elif address:
        require_public(address)


def require_registrable(wanted: Subscribed) -> None:
    """Raise `InvalidInput` if a journal could not keep a registration, or nobody could use it."""
    require_name(wanted.id, "the id of a subscription")
    require_text(wanted.text, "what is subscribed to")
    require_owner(wanted.owner)
    if not isinstance(wanted.is_durable, bool):
        raise InvalidInput(f"durable is true or false, got {wanted.is_durable!r}")
    most = wanted.most_waiting
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"at least 1 notification may wait, got {most!r}")
    readable_dataset(wanted.dataset)


def readable_dataset(dataset: Dataset) -> Dataset:
    """A dataset that a journal can keep; `InvalidInput` if its graphs are not named by IRIs."""
    if not isinstance(dataset, Dataset):
        raise InvalidInput(f"expected a Dataset, got {dataset!r:.80}")
    if dataset == WHOLE:
        return WHOLE
    return Dataset(_graph_names(dataset.default_graphs), _graph_names(dataset.named_graphs))


def _graph_names(graphs: Iterable[str] | None) -> tuple[str, ...] | None:
    if graphs is None:
        return None
    if isinstance(graphs, str) or not isinstance(graphs, Iterable):
        raise InvalidInput(f"expected the IRIs of graphs, such as a tuple, got {graphs!r:.80}")
    try:
        return tuple(NamedNode(one).value for one in graphs)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"a dataset of graphs that are no IRIs: {error}") from None


def require_own_name(name: str, reserved: tuple[str, ...]) -> None:
    """Raise `InvalidInput` if whoever subscribes cannot choose this name."""
    if is_given_out(require_name(name, "the id of a subscription")):
        raise InvalidInput(f"names such as {name!r} are given out by the broker")
    require_unreserved(name, reserved)


def require_unreserved(name: str, reserved: tuple[str, ...]) -> None:
    """Raise `InvalidInput` if only whoever keeps the broker gives such a name."""
    if name.startswith((PREFIX, *reserved)):
        raise InvalidInput(f"{name!r}: such names belong to whoever keeps the broker")


def require_owner(name: str | None) -> None:
    """Raise `InvalidInput` if this is no name of somebody."""
    if name is not None:
        require_name(name, "the name of an owner or publisher")


def due_time(at: datetime | None, after: timedelta | None, clock: Clock) -> datetime | None:
    """When an update is to run; None if at once."""
    if at is not None and after is not None:
        raise InvalidInput("an update runs at a time, or after a while: not both")
    if after is not None:
        if not isinstance(after, timedelta):
            raise InvalidInput(f"expected a length of time (a timedelta), got {after!r}")
        try:
            at = clock.now() + after
        except OverflowError:
            raise InvalidInput(f"no time is {after} from now") from None
    if at is not None:
        at = in_utc(at)
    return None if at is None or at <= clock.now() else at


def in_utc(at: object) -> datetime:
    """A time that is the same everywhere; `InvalidInput` if it is none."""
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise InvalidInput(f"expected a time with its zone, got {at!r:.80}")
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{at.isoformat()} is beyond the calendar of UTC") from None


def require_topic(topic: str) -> None:
    """Raise `InvalidInput` if nothing can be published there."""
    if topic != "":
        require_name(topic, "a topic")
        if "+" in topic or "#" in topic:
            raise InvalidInput(f"{topic!r}: + and # are for patterns of topics")


def require_number(number: object, least: int = 0, most: int | None = None) -> None:
    """Raise `InvalidInput` if something is no whole number, or not in these bounds."""
    is_one = isinstance(number, int) and not isinstance(number, bool)
    if not is_one or number < least or (most is not None and number > most):  # type: ignore[operator]
        bounds = f"from {least:,} on" if most is None else f"from {least:,} to {most:,}"
        raise InvalidInput(f"expected a whole number {bounds}, got {number!r:.80}")


def require_text(value: object, what: str) -> str:
    """A text with something in it, which can be written down."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{what} is a text that is not empty, got {value!r:.80}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        letter = value[error.start]
        raise InvalidInput(f"{what} is no Unicode: {letter!r} at place {error.start}") from None
    return value


def require_name(value: object, what: str) -> str:
    """A text that can be a key anywhere: not too long, and in letters and signs."""
    name = require_text(value, what)
    if not name.isprintable() or len(name.encode()) > _LONGEST_NAME:
        raise InvalidInput(
            f"{what} is made of letters and signs, in at most {_LONGEST_NAME:,} bytes: {name!r:.80}"
        )
    return name


def one_of(kind: type[Choice], value: str) -> Choice:
    """A choice by its name; `InvalidInput` names those that there are."""
    try:
        return kind(value)
    except ValueError:
        there = ", ".join(repr(str(one)) for one in kind)
        raise InvalidInput(f"expected one of {there}, got {value!r}") from None
