"""Subscriptions and rules as they are asked for over HTTP, and as they are told of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from purport.broker.access import Forbidden
from purport.broker.asked import Asked, Query, dataset_of, is_query
from purport.broker.records import MOST_WAITING, Delivery, Overflow
from purport.broker.registry import Registration
from purport.client.messages import (
    Graphs,
    OverflowName,
    SubscriptionPatch,
    SubscriptionRequest,
    SubscriptionState,
    SubscriptionStatus,
)
from purport.embedded.arguments import readable
from purport.embedded.broker import Broker
from purport.errors import InvalidInput
from purport.model.subscription import Rule
from purport.service.problems import NotThere
from purport.sparql.graph_store import WHOLE, Dataset

_Waiting = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Kind = Literal["subscription", "query", "rule"]

# What a client asks for if more would wait than may, as the broker has it. Whom a pause cuts off
# from a socket (`disconnect`), only that socket knows.
OVERFLOWS: dict[OverflowName, Overflow] = {
    "drop oldest": Overflow.DROP_OLDEST,
    "pause": Overflow.PAUSE,
    "disconnect": Overflow.PAUSE,
    "refuse": Overflow.REFUSE,
    "block": Overflow.REFUSE,
}


class Wanted(SubscriptionRequest, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Asks for a subscription, or a rule; either `purport` or `sparql` is there."""

    most_waiting: _Waiting | None = None


class Patch(SubscriptionPatch, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is to change of a subscription or a rule; what is absent stays."""

    most_waiting: _Waiting | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Mount:
    """Which registrations stand below a path."""

    path: str
    noun: str
    has_rules: bool

    def require(self, asked: Asked) -> None:
        """Raise `InvalidInput` if something does not belong here."""
        if isinstance(asked, Rule) != self.has_rules:
            other = RULES if self is SUBSCRIPTIONS else SUBSCRIPTIONS
            raise InvalidInput(f"expected a {self.noun}, got a {other.noun}: see {other.path}")

    def find(self, broker: Broker, identifier: str, who: str | None) -> Registration:
        """A registration; `NotThere` if there is none, or it is another's."""
        try:
            found = broker.registration(identifier, who=who)
        except (Forbidden, InvalidInput):
            found = None
        if found is None or isinstance(found.subscription, Rule) != self.has_rules:
            raise NotThere(f"no {self.noun} {identifier!r}")
        return found


SUBSCRIPTIONS = Mount("/subscriptions", "subscription", has_rules=False)
RULES = Mount("/rules", "rule", has_rules=True)


def asked_by(wanted: Wanted, name: str | None) -> Asked:
    """What is asked for; `InvalidInput` says what is wrong with it."""
    text = text_of(wanted.purport, wanted.sparql)
    return readable(text, name, dataset_named(wanted.default_graph_uri, wanted.named_graph_uri))


def text_of(purport: str | None, sparql: str | None) -> str:
    """The one of two texts that is there."""
    if purport is not None and sparql is not None:
        raise InvalidInput("expected `purport` or `sparql`, got both")
    if purport is not None:
        if is_query(purport):
            raise InvalidInput("`purport` is a query: expected it as `sparql`")
        return purport
    if sparql is None:
        raise InvalidInput("expected `purport` or `sparql`, got neither")
    if not is_query(sparql):
        raise InvalidInput("`sparql` is no query: expected SELECT, ASK, CONSTRUCT or DESCRIBE")
    return sparql


def dataset_named(default: Graphs | None, named: Graphs | None) -> Dataset:
    """The graphs that a query sees."""
    if default is None and named is None:
        return WHOLE
    return Dataset(_graphs(default), _graphs(named))


def _graphs(told: Graphs | None) -> tuple[str, ...] | None:
    if told is None:
        return None
    return (told,) if isinstance(told, str) else tuple(told)


def replaced(wanted: Wanted) -> dict[str, Any]:
    """How `Broker.change` is told that all of a registration is to be as it is wanted."""
    return {
        "text": text_of(wanted.purport, wanted.sparql),
        "dataset": dataset_named(wanted.default_graph_uri, wanted.named_graph_uri),
        "delivery": wanted.delivery or Delivery.AT_LEAST_ONCE,
        "most_waiting": wanted.most_waiting or MOST_WAITING,
        "overflow": OVERFLOWS[wanted.overflow or "drop oldest"],
        "webhook": wanted.webhook or "",
    }


def patched(patch: Patch, before: Registration) -> dict[str, Any]:
    """How `Broker.change` is told of what changes."""
    given: dict[str, Any] = {
        name: value
        for name in ("delivery", "most_waiting")
        if (value := getattr(patch, name)) is not UNSET
    }
    if not isinstance(patch.overflow, UnsetType):
        given["overflow"] = OVERFLOWS[patch.overflow]
    if patch.purport is not UNSET or patch.sparql is not UNSET:
        given["text"] = text_of(_set(patch.purport), _set(patch.sparql))
    if patch.default_graph_uri is not UNSET or patch.named_graph_uri is not UNSET:
        was = dataset_of(before.subscription)
        default, named = patch.default_graph_uri, patch.named_graph_uri
        given["dataset"] = Dataset(
            was.default_graphs if isinstance(default, UnsetType) else _graphs(default),
            was.named_graphs if isinstance(named, UnsetType) else _graphs(named),
        )
    if patch.webhook is not UNSET:
        given["webhook"] = patch.webhook or ""
    return given


def _set(value: str | UnsetType) -> str | None:
    return None if isinstance(value, UnsetType) else value


def state_of(one: Registration, status: SubscriptionStatus | None = None) -> SubscriptionState:
    """A registration as it is told of."""
    dataset = dataset_of(one.subscription)
    return SubscriptionState(
        id=one.id,
        kind=kind_of(one.subscription),
        text=one.text,
        version=one.version,
        since=one.since,
        durable=one.is_durable,
        delivery=one.delivery,
        most_waiting=one.most_waiting,
        overflow=one.overflow,
        paused=one.is_paused,
        owner=one.owner,
        default_graph_uri=_listed(dataset.default_graphs),
        named_graph_uri=_listed(dataset.named_graphs),
        webhook=one.webhook or None,
        status=status,
    )


def _listed(graphs: tuple[str, ...] | None) -> list[str] | None:
    return None if graphs is None else list(graphs)


def kind_of(asked: Asked) -> Kind:
    """What kind of thing is asked for."""
    if isinstance(asked, Query):
        return "query"
    return "rule" if isinstance(asked, Rule) else "subscription"


def status_of(broker: Broker, identifier: str, who: str | None) -> SubscriptionStatus:
    """How a subscriber is doing."""
    found, webhook = broker.status(identifier, who=who), broker.webhook_status(identifier, who=who)
    return SubscriptionStatus(
        found.waiting,
        found.next,
        found.acknowledged,
        found.missed,
        found.told_at,
        None if webhook is None else webhook.last_failure,
        0 if webhook is None else webhook.consecutive_errors,
    )
