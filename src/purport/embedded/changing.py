"""A subscription or rule that is asked for otherwise than before."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from purport.broker.asked import Asked, Query, dataset_of, written
from purport.broker.registering import Wanted
from purport.broker.registry import Registration
from purport.embedded.arguments import readable
from purport.errors import InvalidInput
from purport.model.subscription import Post, Rule
from purport.sparql.graph_store import Dataset


def changed(
    before: Registration, text: str | None, dataset: Dataset | None, delivery: dict[str, Any]
) -> Wanted | None:
    """What is wanted in the place of what was, which keeps what is not given; None if the same.

    `delivery` says how it is told, by the fields of the record. `InvalidInput` if it would have
    another name, or be of another kind.
    """
    asked = asked_anew(before, text, dataset)
    old = before.asked()
    given = {name: value for name, value in delivery.items() if value is not None}
    if asked != before.subscription:
        given |= {"text": written(asked), "dataset": dataset_of(asked)}
    wanted = structs.replace(old, **given)
    return None if wanted == old else Wanted(wanted, asked, before.is_paused)


def asked_anew(before: Registration, text: str | None, dataset: Dataset | None) -> Asked:
    """What is asked for with another text or dataset, if one is given."""
    was = before.subscription
    if text is None and dataset is None:
        return was
    whole = dataset_of(was) if dataset is None else dataset
    if isinstance(was, Query):
        asked = readable(before.text if text is None else text, None, whole)
    else:
        asked = readable(before.text if text is None else text, was.name, whole)
        if not isinstance(asked, Query) and asked.name not in (None, before.id):
            raise InvalidInput(f"it is called {before.id!r}, and {asked.name!r} in its text")
    if _kind(asked) != _kind(was):
        raise InvalidInput(f"{before.id!r} is {_kind(was)}: it cannot become {_kind(asked)}")
    return asked


def _kind(asked: Asked) -> str:
    """What cannot change under one id: those who wait for one kind would wait in vain."""
    if isinstance(asked, Query):
        return "a query"
    if isinstance(asked, Rule):
        return "a rule that posts" if isinstance(asked.action, Post) else "a rule"
    return "a subscription to events"
