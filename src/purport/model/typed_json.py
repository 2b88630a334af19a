"""Terms as JSON that keeps what kind of term each is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from purport.errors import EventError
from purport.model.interval import read_instant
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit

_PLAIN_INTEGERS = range(-(2**63), 2**63)

Json = str | bool | int | float | dict[str, Any]


def typed(term: Term) -> Json:
    """A term as JSON: itself where JSON has its kind, or else an object that says the kind.

    >>> typed(Text("laptop")), typed(Text("Rechner", "de"))
    ('laptop', {'text': 'Rechner', 'language': 'de'})
    """
    match term:
        case Text():
            if term.language is None:
                return term.text
            return {"text": term.text, "language": term.language}
        case Quantity():
            number = term.magnitude
            is_plain = isinstance(number, float) or number in _PLAIN_INTEGERS
            if is_plain and term.unit is None:
                return number
            unit = {} if term.unit is None else {"unit": term.unit.symbol}
            return {"number": number if is_plain else str(number), **unit}
        case Boolean():
            return term.value
        case Resource():
            return {"iri": term.iri}
        case Time():
            return {"time": term.instant.isoformat()}


def typed_pairs(data: object) -> Iterator[tuple[Term, Term]]:
    """The pairs of attribute and value in a list of JSON; `EventError` if it is no such list."""
    if not isinstance(data, list):
        raise EventError("'@statements' must be a list of pairs [attribute, value]")
    for pair in data:
        if not isinstance(pair, list) or len(pair) != 2:
            raise EventError(f"'@statements': expected a pair [attribute, value], got {pair!r:.80}")
        yield _term(pair[0]), _term(pair[1])


def _term(data: object) -> Term:
    try:
        match data:
            case str():
                return Text(data)
            case bool():
                return Boolean(data)
            case int() | float():
                return Quantity(data)
            case {"text": str(text), "language": str(language), **more} if not more:
                return Text(text, language)
            case {"iri": str(iri), **more} if not more:
                return Resource(iri)
            case {"time": str(time), **more} if not more:
                return Time(read_instant(time))
            case {"number": int() | float() | str() as number, **more} if set(more) <= {"unit"}:
                return _quantity(number, more.get("unit"))
    except ValueError as error:
        raise EventError(f"'@statements': {error}") from None
    raise EventError(f"'@statements': expected a term, got {data!r:.80}")


def _quantity(number: float | str, symbol: object) -> Quantity:
    magnitude = int(number) if isinstance(number, str) else number
    if symbol is None:
        return Quantity(magnitude)
    unit = find_unit(symbol) if isinstance(symbol, str) else None
    if unit is None:
        raise ValueError(f"no unit {symbol!r}")
    return Quantity(magnitude, unit)
