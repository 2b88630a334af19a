"""What a person calls a subscription."""

from __future__ import annotations

from purport.model.language.write import write
from purport.model.subscription import Subscription


def label(subscription: Subscription) -> str:
    """What a person calls a subscription: its name, or its text when it has none."""
    return subscription.name or write(subscription)


def place_of(subscription: Subscription) -> str:
    """What a person calls a subscription, and where it was written."""
    origin = subscription.origin
    if origin is None:
        return label(subscription)
    where = f"line {origin.line}" if origin.file is None else f"{origin.file}, line {origin.line}"
    return f"{where}: {label(subscription)}"
