"""A registry as a text that can be kept, sent and read again: a line of JSON for each entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec

from purport.broker.access import Forbidden
from purport.broker.asked import Asked, asked_in, dataset_of
from purport.broker.records import MOST_WAITING, Delivery, Overflow, Subscribed
from purport.broker.registry import Registration
from purport.errors import InvalidInput
from purport.model.language.parse import parse_all
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.sparql.graph_store import WHOLE, Dataset

Claim = Callable[[str | None], str | None]  # whose something becomes, of what it says


class RegistryLine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A registration, as a line says it."""

    id: str
    subscription: str
    owner: str | None = None
    is_durable: bool = True
    delivery: Delivery = Delivery.AT_LEAST_ONCE
    most_waiting: Annotated[int, msgspec.Meta(ge=1)] = MOST_WAITING
    overflow: Overflow = Overflow.DROP_OLDEST
    is_paused: bool = False
    dataset: Dataset = WHOLE
    webhook: str = ""

    def asked(self) -> Subscribed:
        """The record that registers it."""
        return Subscribed(
            self.id, self.subscription, self.owner, self.is_durable, self.delivery,
            self.most_waiting, self.overflow, self.dataset, self.webhook,
        )  # fmt: skip


def _as_it_says(owner: str | None) -> str | None:
    return owner


def exported(registrations: Iterable[Registration]) -> str:
    """Registrations as lines of JSON."""
    lines = (
        RegistryLine(
            one.id, one.text, one.owner, one.is_durable, one.delivery, one.most_waiting,
            one.overflow, one.is_paused, dataset_of(one.subscription), one.webhook,
        )
        for one in registrations
    )  # fmt: skip
    return "".join(f"{msgspec.json.encode(line).decode()}\n" for line in lines)


def imported(
    text: str, *, owner: str | None = None, claim: Claim = _as_it_says
) -> list[tuple[RegistryLine, Asked]]:
    """What a text registers: lines of JSON as above, or subscriptions and rules in the language.

    The latter need names, and belong to `owner`. `claim` says whose something is that says it is
    this or that owner's. `InvalidInput` and `Forbidden` say what is wrong, and where.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if lines and _is_json(lines[0][1]):
        found = [_read(number, line, claim) for number, line in lines]
    else:
        whose = claim(owner)
        found = [_named(one, whose) for one in parse_all(text)]
    often = [name for name, times in Counter(line.id for line, _ in found).items() if times > 1]
    if often:
        raise InvalidInput(f"{often[0]!r} stands there more than once")
    return found


def _is_json(line: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except msgspec.MsgspecError:
        return False


def _read(number: int, line: str, claim: Claim) -> tuple[RegistryLine, Asked]:
    try:
        read = msgspec.json.decode(line, type=RegistryLine)
        asked = asked_in(read.subscription, read.dataset)
        if isinstance(asked, Subscription) and asked.name not in (None, read.id):
            raise InvalidInput(f"the id {read.id!r} is not the name {asked.name!r}")
        owner = claim(read.owner)
    except (msgspec.MsgspecError, InvalidInput) as error:
        raise InvalidInput(f"line {number} of the registry: {error}") from None
    except Forbidden as error:
        raise Forbidden(f"line {number} of the registry: {error}") from None
    return msgspec.structs.replace(read, owner=owner), asked


def _named(subscription: Subscription, owner: str | None) -> tuple[RegistryLine, Subscription]:
    if subscription.name is None:
        raise InvalidInput(f"only what has a name can be imported: {write(subscription)}")
    return RegistryLine(subscription.name, write(subscription), owner), subscription
