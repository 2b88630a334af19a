"""Publish/subscribe by meaning."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from purport.client.async_client import AsyncClient
    from purport.client.client import Client
    from purport.embedded.broker import Broker
    from purport.errors import (
        EventError,
        InvalidInput,
        NotSupportedYet,
        PurportError,
        SubscriptionFileError,
        SubscriptionSyntaxError,
        UnusablePath,
    )
    from purport.matching.matcher import Matcher
    from purport.model.event import Event, Statement
    from purport.model.interval import Interval
    from purport.model.language.parse import parse, parse_all, parse_file
    from purport.model.language.write import write
    from purport.model.match import Correspondence, Mapping, Match
    from purport.model.notification import Notification
    from purport.model.subscription import Rule, Subscription
    from purport.ontology.ontology import Ontology
    from purport.relatedness.catalogue import load_measure
    from purport.relatedness.lexicon import Lexicon

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "Broker",
    "Client",
    "Correspondence",
    "Event",
    "EventError",
    "Interval",
    "InvalidInput",
    "Lexicon",
    "Mapping",
    "Match",
    "Matcher",
    "NotSupportedYet",
    "Notification",
    "Ontology",
    "PurportError",
    "Rule",
    "Statement",
    "Subscription",
    "SubscriptionFileError",
    "SubscriptionSyntaxError",
    "UnusablePath",
    "load_measure",
    "parse",
    "parse_all",
    "parse_file",
    "write",
]

_NAMES = {  # where they are; each module is loaded when something of it is asked for
    "client.async_client": ("AsyncClient",),
    "client.client": ("Client",),
    "embedded.broker": ("Broker",),
    "errors": (
        "EventError", "InvalidInput", "NotSupportedYet", "PurportError", "SubscriptionFileError",
        "SubscriptionSyntaxError", "UnusablePath",
    ),
    "matching.matcher": ("Matcher",),
    "model.event": ("Event", "Statement"),
    "model.interval": ("Interval",),
    "model.language.parse": ("parse", "parse_all", "parse_file"),
    "model.language.write": ("write",),
    "model.match": ("Correspondence", "Mapping", "Match"),
    "model.notification": ("Notification",),
    "model.subscription": ("Rule", "Subscription"),
    "ontology.ontology": ("Ontology",),
    "relatedness.catalogue": ("load_measure",),
    "relatedness.lexicon": ("Lexicon",),
}  # fmt: skip
_PACKAGES = ("pipeline", "sparql")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"purport.{name}")
    for module, names in _NAMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"purport.{module}"), name)
            return found
    raise AttributeError(f"module 'purport' has no attribute {name!r}")
