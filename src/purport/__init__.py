"""Publish/subscribe by meaning."""

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
from purport.model.subscription import Rule, Subscription
from purport.relatedness.catalogue import load_measure
from purport.relatedness.lexicon import Lexicon

__version__ = "0.1.0"

__all__ = [
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
