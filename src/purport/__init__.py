"""Publish/subscribe by meaning."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from purport.relatedness.catalogue import load_measure
from purport.relatedness.lexicon import Lexicon

if TYPE_CHECKING:
    from purport.embedded.broker import Broker
    from purport.ontology.ontology import Ontology

__version__ = "0.1.0"

__all__ = [
    "Broker",
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

_LATER = {  # what brings much along is loaded when it is asked for
    "Broker": "purport.embedded.broker",
    "Ontology": "purport.ontology.ontology",
}
_PACKAGES = ("pipeline", "sparql")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"purport.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'purport' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
