"""Subscriptions to text: `parse(write(s)) == s`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import timedelta

from purport.model import class_expression as owl
from purport.model import subscription as ast
from purport.model.interval import length_of
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time, read_bare
from purport.model.units import Quantity

_BARE_WORD = re.compile(  # WORD of the grammar
    r'(?:[^\s{}()\[\]=<>≤≥≠!~,"$#]|!(?!=))(?:[^\s{}()\[\]=<>≤≥≠!~,"]|!(?!=))*'
)
# Words with which the comparison behind an attribute may begin: an attribute with one is quoted.
_COMPARING = frozenset(
    (
        "in isa has more less equivalent contains within after during with filter before meets "
        "met overlaps overlapped starts started finishes finished equals count sum avg min max "
        "not !"
    ).split()
)
# Of these, the words that count as keywords behind others whatever follows: a value is quoted too.
_BEHIND_WORDS = frozenset(("within", "isa", "has"))
_IN_CLASSES = frozenset(
    ("and or not that some only all value self min max exactly inverse").split()
)
_IN_BRACKETS = re.compile(r"[^\s<>\"{}|\\^`]+")
_NAME = re.compile(r"\w[\w.:-]*")
_REFERENCE = re.compile(r"[A-Za-z_][\w.-]*")
_UNITS_OF_TIME = (("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1000))


def write(subscription: ast.Subscription) -> str:
    """A subscription or rule as text that `parse` reads back as the same.

    >>> from purport.model.language.parse import parse
    >>> write(parse('event place "Wembley Stadium"'))
    '{place~ = Wembley Stadium~}'
    """
    parts = [write_pattern(subscription.pattern), *_options(subscription)]
    if isinstance(subscription, ast.Rule):
        parts = ["when", *parts, _action(subscription.action)]
    return " ".join(parts)


def write_predicate(predicate: ast.Predicate) -> str:
    """One predicate as it stands between braces, e.g. `temperature~ > 25 °C`."""
    match predicate:
        case ast.Comparison(attribute, operator, value):
            return f"{_attribute(attribute)} {operator} {_value(value)}"
        case ast.OneOfValues(attribute, values):
            return f"{_attribute(attribute)} in {_values(values)}"
        case ast.InRange(attribute, low, high):
            return f"{_attribute(attribute)} in [{_value(low)}, {_value(high)}]"
        case ast.IsA(attribute, expression):
            return f"{_attribute(attribute)} isa {write_class(expression)}"
        case ast.ClassOrder(attribute, relation, expression):
            return f"{_attribute(attribute)} {relation} {write_class(expression)}"
        case ast.HasProperty(attribute, name, operator, value):
            return f"{_attribute(attribute)} has {_name(name)} {operator} {_value(value)}"
        case ast.ContainsAll(attribute, values):
            return f"{_attribute(attribute)} contains all {_values(values)}"
        case ast.Within(attribute, values):
            return f"{_attribute(attribute)} within {_values(values)}"
        case ast.After(endpoint, limit, inner):
            within = "" if limit is None else f"({_duration(limit)})"
            return f"{_reference(endpoint)} after{within} {write_pattern(inner)}"
        case ast.During(endpoint, inner):
            return f"{_reference(endpoint)} during {write_pattern(inner)}"
        case ast.Simultaneous(endpoint, inner):
            return f"{endpoint} with {write_pattern(inner)}"
        case ast.HistoryFilter(attribute, operator, last, inner):
            count = "" if last is None else f", last {last}"
            return f"{_attribute(attribute)} filter({operator}{count}) {write_pattern(inner)}"
        case ast.AllenRelated(allen_relation, inner):
            return f"interval {allen_relation} {write_pattern(inner)}"
        case ast.WindowAggregate(function, over, window, operator, value):
            of = "" if over is None else _attribute(over)
            return f"{function}({of}) over {_duration(window)} {operator} {_value(value)}"


def write_class(expression: owl.ClassExpression) -> str:
    """A class expression in Manchester syntax; everything but a name stands in parentheses."""
    match expression:
        case owl.Named():
            return _name(expression)
        case owl.And(operands):
            return f"({' and '.join(map(write_class, operands))})"
        case owl.Or(operands):
            return f"({' or '.join(map(write_class, operands))})"
        case owl.Not(operand):
            return f"(not {write_class(operand)})"
        case owl.Some(name, filler):
            return f"({_property(name)} some {write_class(filler)})"
        case owl.Only(name, filler):
            return f"({_property(name)} only {write_class(filler)})"
        case owl.HasValue(name, value):
            return f"({_property(name)} value {_individual(value)})"
        case owl.HasSelf(name):
            return f"({_property(name)} Self)"
        case owl.Cardinality(name, bound, count, of):
            counted = "" if of is None else " " + write_class(of)
            return f"({_property(name)} {bound} {count}{counted})"
        case owl.OneOf(members):
            return "{" + ", ".join(map(_individual, members)) + "}"
        case owl.Restricted(datatype, facets):
            limits = ", ".join(f"{facet.operator} {_term(facet.limit)}" for facet in facets)
            return f"{_name(datatype)}[{limits}]"


def write_pattern(pattern: ast.Pattern) -> str:
    """The text of a pattern."""
    match pattern:
        case ast.Conjunction(predicates):
            return "{" + ", ".join(map(write_predicate, predicates)) + "}"
        case ast.Alternation(alternatives):
            return " or ".join(map(_step, alternatives))
        case ast.Sequence(steps, within):
            return " then ".join(map(_step, steps)) + _limit(within)
        case ast.Coincidence(parts, within):
            return " and ".join(map(_step, parts)) + _limit(within)
        case ast.Repetition(repeated, times, within):
            return f"{_step(repeated)} {times} times within {_duration(within)}"
        case ast.Absence(missing, within, trigger):
            return f"not {_step(missing)} within {_duration(within)} after {_step(trigger)}"


def _limit(within: timedelta | None) -> str:
    return "" if within is None else f" within {_duration(within)}"


def _step(pattern: ast.Pattern) -> str:
    """A pattern as a part of another: in parentheses unless it is a single event's."""
    text = write_pattern(pattern)
    return text if isinstance(pattern, ast.Conjunction) else f"({text})"


def _options(subscription: ast.Subscription) -> Iterable[str]:
    options = subscription.options
    period = options.at_most_once_per
    given = {
        "threshold": options.threshold,
        "top": options.top,
        "mapping": options.mapping,
        "aggregation": options.aggregation,
        "exact": options.exact,
        "expires": None if options.expires is None else options.expires.isoformat(),
        "at most once per": None if period is None else _duration(period),
        "as": None if subscription.name is None else _subscription_name(subscription.name),
    }
    yield from (f"{key} {value}" for key, value in given.items() if value is not None)
    if options.on_change:
        yield "on change"


def _action(action: ast.Action) -> str:
    match action:
        case ast.Publish(statements):
            written = (f"{_plain_attribute(s.attribute)} = {_term(s.value)}" for s in statements)
            return "publish {" + ", ".join(written) + "}"
        case ast.Update(sparql):
            return f"update {_quoted(sparql)}"
        case ast.Post(url):
            return f"post {_quoted(url)}"


def _reference(reference: ast.ReferenceTime) -> str:
    return str(reference) if isinstance(reference, ast.Endpoint) else _attribute(reference)


def _attribute(asked: ast.AskedAttribute) -> str:
    return _plain_attribute(asked.term) + _approximation(asked.approximation)


def _value(asked: ast.AskedValue) -> str:
    return _term(asked.term) + _approximation(asked.approximation)


def _values(values: tuple[ast.AskedValue, ...]) -> str:
    return f"({', '.join(map(_value, values))})"


def _approximation(approximation: ast.Approximation | None) -> str:
    return "" if approximation is None else f"~{approximation.measure or ''}"


def _plain_attribute(attribute: Attribute) -> str:
    match attribute:
        case Resource(iri):
            return iri if _is_bare(iri) else f"<{iri}>"
        case Text(text, language):
            readable = _is_bare(text) and isinstance(_spelt(text), Text | Boolean | Time)
            free = _COMPARING.isdisjoint(text.lower().split())
            plain = readable and free and language is None and "'" not in text
            return text if plain else _string(text, language)


def _term(term: Term | ast.Reference) -> str:
    match term:
        case Text(text, language):
            readable = _is_bare(text) and _spelt(text) == term and "'" not in text
            free = _BEHIND_WORDS.isdisjoint(text.lower().split())
            return text if readable and free and language is None else _string(text, language)
        case Resource(iri):
            return iri if _is_bare(iri) else f"<{iri}>"
        case Quantity() | Boolean() | Time():
            return str(term)
        case ast.Reference(name):
            return f"${name if _REFERENCE.fullmatch(name) else _quoted(name)}"


def _spelt(text: str) -> Term | None:
    """The term that bare words spell; None for a number that is too large."""
    try:
        return read_bare(text)
    except ValueError:
        return None


def _is_bare(text: str) -> bool:
    """Whether a text can stand without quotes."""
    words = text.split(" ")
    return all(map(_BARE_WORD.fullmatch, words)) and text == " ".join(text.split())


def _string(text: str, language: str | None) -> str:
    return _quoted(text) + (f"@{language}" if language is not None else "")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _property(name: owl.Property) -> str:
    match name:
        case owl.Named():
            return _name(name)
        case owl.Inverse(inner):
            return f"inverse {_name(inner)}"


def _name(name: owl.Named) -> str:
    text = name.name
    if _BARE_WORD.fullmatch(text) and text.lower() not in _IN_CLASSES and "'" not in text:
        return text
    return _bracketed(text)


def _bracketed(name: str) -> str:
    """A name that is no plain word: an IRI in brackets, anything else in quotes."""
    if _IN_BRACKETS.fullmatch(name):
        return f"<{name}>"
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _individual(individual: owl.Named | Term) -> str:
    match individual:
        case owl.Named(name):
            bare = _spelt(name) if _BARE_WORD.fullmatch(name) and "'" not in name else None
            return name if isinstance(bare, Text | Resource) else _bracketed(name)
        case Text(text, language):
            return _string(text, language)
        case _:
            return _term(individual)


def _subscription_name(name: str) -> str:
    return name if _NAME.fullmatch(name) else _quoted(name)


def _duration(duration: timedelta) -> str:
    microseconds = length_of(duration)
    for symbol, size in _UNITS_OF_TIME:
        if microseconds % size == 0:
            return f"{microseconds // size} {symbol}"
    milliseconds, rest = divmod(microseconds, 1000)
    return f"{milliseconds}.{rest:03} ms"
