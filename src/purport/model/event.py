"""Events: statements about one happening, from JSON or RDF."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Self

import msgspec
from msgspec import Struct

from purport.errors import EventError
from purport.model import rdf
from purport.model.interval import Interval, read_instant
from purport.model.paths import MOST_LEVELS
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time
from purport.model.typed_json import typed, typed_pairs
from purport.model.units import Quantity

MOST_STATEMENTS = 10_000
_RESERVED = frozenset({"@id", "@start", "@end", "@context", "@statements"})


class Statement(Struct, frozen=True, gc=False):
    """One attribute and one value, e.g. `device: laptop`."""

    attribute: Attribute
    value: Term

    def __str__(self) -> str:
        return f"{self.attribute}: {self.value}"


class Event(Struct, frozen=True, gc=False):
    """Statements about one happening; an attribute may occur more than once.

    >>> event = Event.from_json({"apparatus": "computer", "sensor": {"floor": [1, 2]}})
    >>> [str(statement) for statement in event.statements]
    ['apparatus: computer', 'sensor.floor: 1', 'sensor.floor: 2']
    """

    statements: tuple[Statement, ...]
    id: str | None = None
    interval: Interval | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str | bytes) -> Self:
        """An event from a JSON object, as a dict or as text.

        Nested objects become dotted attributes, lists repeated ones; a null says nothing. Of keys
        that start with `@` there are `@id`, `@start`, `@end`, `@context` (JSON-LD) and, for what
        plain JSON cannot say, `@statements` (see `to_json`).
        """
        if isinstance(data, str | bytes | bytearray):
            data = decode_json_object(data)
        if not isinstance(data, Mapping):
            raise EventError(f"expected a JSON object, got {_json_kind(data)}")
        if "@context" in data:
            return cls._from_json_ld(data)
        statements: list[Statement] = []
        for key, value in data.items():
            if not isinstance(key, str):
                raise EventError(f"an attribute is a text, got {key!r}")
            if key[:1] != "@":
                if type(value) is str:
                    statements.append(Statement(_attribute(key), Text(value)))
                else:
                    _add_statements(statements, key, value, 1)
            elif key not in _RESERVED:
                raise EventError(
                    f"the key {key!r} is reserved; expected one of {', '.join(sorted(_RESERVED))}"
                )
        if "@statements" in data:
            statements += map(_statement, typed_pairs(data["@statements"]))
        refuse_many(len(statements))
        if "@id" not in data and "@start" not in data and "@end" not in data:
            return cls(tuple(statements))
        return cls(tuple(statements), identifier_in(data), interval_in(data))

    @classmethod
    def from_turtle(cls, text: str) -> Self:
        """An event from RDF in Turtle (or N-Triples) about one subject."""
        return cls.from_description(rdf.describe(text, rdf.Syntax.TURTLE))

    @classmethod
    def from_ntriples(cls, text: str) -> Self:
        """An event from RDF in N-Triples about one subject."""
        return cls.from_description(rdf.describe(text, rdf.Syntax.N_TRIPLES))

    @classmethod
    def from_jsonld(cls, text: str) -> Self:
        """An event from JSON-LD about one subject; its context must stand in the text itself."""
        return cls._from_json_ld(decode_json_object(text))

    def to_json(self) -> bytes:
        """The event as a JSON object that `from_json` reads back to an equal one.

        >>> Event.from_json({"device": "laptop", "heat": [31, 32]}).to_json().decode()
        '{"device":"laptop","heat":[31,32]}'

        What plain JSON cannot say (resources, units, languages, times, an attribute that comes back
        after others) stands in a list of pairs under `@statements`.
        """
        if not all(str(one.attribute).strip() for one in self.statements):
            raise EventError("an attribute has an empty name")
        said = _plain_object(self.statements)
        if said is None:
            pairs = [[typed(one.attribute), typed(one.value)] for one in self.statements]
            said = {"@statements": pairs}
        about: dict[str, object] = {} if self.id is None else {"@id": self.id}
        if self.interval is not None:
            bounds = {"@start": self.interval.start, "@end": self.interval.end}
            about |= {key: time.isoformat() for key, time in bounds.items() if time is not None}
        try:
            return msgspec.json.encode({**about, **said})
        except (UnicodeEncodeError, OverflowError) as error:
            raise EventError(f"the event cannot be written as JSON: {error}") from None

    def with_id(self, identifier: str) -> Event:
        """The same event under another id."""
        return Event(self.statements, identifier, self.interval)

    @classmethod
    def _from_json_ld(cls, data: Mapping[str, Any]) -> Self:
        _refuse_deep(data, 1)
        document = {key: value for key, value in data.items() if key not in ("@start", "@end")}
        try:
            text = msgspec.json.encode(document).decode()
        except (TypeError, ValueError) as error:
            raise EventError(f"not JSON: {error}") from None
        return cls.from_description(rdf.describe(text, rdf.Syntax.JSON_LD), interval_in(data))

    @classmethod
    def from_description(
        cls, description: rdf.Description, interval: Interval | None = None
    ) -> Self:
        """An event from what RDF says of one subject."""
        refuse_many(len(description.properties))
        statements = (Statement(attribute, value) for attribute, value in description.properties)
        return cls(tuple(statements), description.subject, interval)


def decode_json_object(text: str | bytes | bytearray) -> dict[str, Any]:
    """The JSON object in a text; an `EventError` says what is wrong with anything else."""
    repeats = text.count('"@id"') if isinstance(text, str) else text.count(b'"@id"')
    if repeats > 1:
        _refuse_repeated_id(text)
    try:
        data = msgspec.json.decode(text)
    except UnicodeError:
        raise EventError("the text is not UTF-8") from None
    except RecursionError:
        raise EventError(f"nested deeper than {MOST_LEVELS} levels") from None
    except msgspec.ValidationError:
        raise EventError("a number is too large") from None
    except msgspec.DecodeError as error:
        raise EventError(
            f"not valid JSON: {str(error).removeprefix('JSON is malformed: ')}"
        ) from None
    if not isinstance(data, dict):
        raise EventError(f"expected a JSON object, got {_json_kind(data)}")
    return data


def _refuse_repeated_id(text: str | bytes | bytearray) -> None:
    """Raise when one object names its `@id` twice, which a JSON parser would not say."""

    def keys_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if sum(key == "@id" for key, _ in pairs) > 1:
            raise EventError("duplicate '@id' in one event")
        return dict(pairs)

    try:
        json.loads(text, object_pairs_hook=keys_once)
    except (ValueError, RecursionError):
        return


def _add_statements(statements: list[Statement], name: str, value: Any, level: int) -> None:
    """Append what one JSON value says under an attribute of this name."""
    if isinstance(value, str):
        statements.append(Statement(_attribute(name), Text(value)))
    elif isinstance(value, bool):
        statements.append(Statement(_attribute(name), Boolean(value)))
    elif isinstance(value, int | float):
        statements.append(Statement(_attribute(name), _quantity(name, value)))
    elif value is None:
        return
    elif level >= MOST_LEVELS:
        raise EventError(f"nested deeper than {MOST_LEVELS} levels")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not key or not isinstance(key, str):
                raise EventError(f"{name!r}: an attribute is a text that is not empty, got {key!r}")
            _add_statements(statements, f"{name}.{key}", inner, level + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _add_statements(statements, name, inner, level + 1)
    elif isinstance(value, Quantity | Text | Resource | Time | Boolean):
        statements.append(Statement(_attribute(name), value))
    elif isinstance(value, datetime):
        statements.append(Statement(_attribute(name), _time(name, value)))
    else:
        raise EventError(f"{name!r}: expected a JSON value, got {type(value).__name__}")


def refuse_many(count: int) -> None:
    """Raise when an event says more than anyone can mean."""
    if count > MOST_STATEMENTS:
        raise EventError(f"an event has at most {MOST_STATEMENTS:,} statements, got {count:,}")


def _refuse_deep(value: Any, level: int) -> None:
    """Raise when JSON is nested deeper than an event may be."""
    if level > MOST_LEVELS:
        raise EventError(f"nested deeper than {MOST_LEVELS} levels")
    if isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            _refuse_deep(inner, level + 1)


def _statement(pair: tuple[Term, Term]) -> Statement:
    attribute, value = pair
    if not isinstance(attribute, Text | Resource) or not str(attribute).strip():
        raise EventError(f"an attribute is a text or a resource, got {str(attribute)!r}")
    return Statement(attribute, value)


def _plain_object(statements: tuple[Statement, ...]) -> dict[str, object] | None:
    """The JSON object that says the same in the same order; None if there is none."""
    said: dict[str, Any] = {}
    last, is_list = "", False
    for one in statements:
        name, value = one.attribute, typed(one.value)
        if type(name) is not Text or name.language is not None or name.text[:1] == "@":
            return None
        if isinstance(value, dict):
            return None
        if name.text not in said:
            said[name.text] = value
            last, is_list = name.text, False
        elif name.text != last:
            return None
        elif is_list:
            said[last].append(value)
        else:
            said[last], is_list = [said[last], value], True
    return said


@lru_cache(maxsize=65_536)
def _attribute(name: str) -> Text:
    """The attribute of this name, made once: names repeat, values do not."""
    if not name.strip():
        raise EventError("an attribute has an empty name")
    return Text(name)


def _quantity(name: str, value: float) -> Quantity:
    try:
        return Quantity(value)
    except ValueError as error:
        raise EventError(f"{name!r}: {error}") from None


def _time(name: str, value: datetime) -> Time:
    try:
        return Time(value)
    except ValueError as error:
        raise EventError(f"{name!r}: {error}") from None


def identifier_in(data: Mapping[str, Any]) -> str | None:
    """The id that a JSON object gives its event, if it gives one."""
    value = data.get("@id")
    if value is None or (isinstance(value, str) and value):
        return value
    raise EventError(f"'@id' must be a text that is not empty, got {value!r}")


def interval_in(data: Mapping[str, Any]) -> Interval | None:
    """The interval that a JSON object gives its event, if it gives one."""
    bounds = dict(_bounds(data))
    if not bounds:
        return None
    try:
        return Interval(bounds.get("@start"), bounds.get("@end"))
    except ValueError as error:
        raise EventError(str(error)) from None


def _bounds(data: Mapping[str, Any]) -> Iterator[tuple[str, datetime]]:
    for key in ("@start", "@end"):
        value = data.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise EventError(
                f"{key!r} must be an ISO 8601 time or seconds since 1970, got {value!r}"
            )
        try:
            yield key, read_instant(value)
        except ValueError as error:
            raise EventError(f"{key!r}: {error}") from None


def _json_kind(data: object) -> str:
    kinds = {list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    return kinds.get(type(data), "a number")
