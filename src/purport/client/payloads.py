"""What messages say: JSON, plain numbers, texts, CBOR and Avro, as the JSON objects of events."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import msgspec

from purport.errors import EventError, InvalidInput, MissingExtra, UnusablePath
from purport.model.event import decode_json_object
from purport.model.paths import MOST_LEVELS
from purport.model.plain_values import plain_value

VALUE = "value"
_MOST_VALUES = 100_000  # of one message, also where CBOR refers to a value again and again
_REGISTERED = 5  # bytes that a schema registry's clients put first: a zero, the number of a schema


class PayloadKind(StrEnum):
    """How messages are written, as options say it."""

    JSON = "json"  # an object, or one value: 21.5
    TEXT = "text"  # one value, as it stands: on
    CBOR = "cbor"  # the same as JSON, in bytes
    AVRO = "avro"  # a record of a schema that is given
    CONFLUENT_AVRO = "confluent-avro"  # the same behind five bytes, which are passed over


class Payloads(Protocol):
    """Reads payloads of one kind."""

    def said(self, payload: bytes) -> dict[str, Any] | None:
        """The JSON object of an event; None if it says nothing; an `EventError` if it is wrong."""


def payloads(kind: PayloadKind, *, value: str = VALUE, schema: Path | None = None) -> Payloads:
    """What reads payloads of a kind; one value alone is called `value`."""
    if (schema is None) == (kind in (PayloadKind.AVRO, PayloadKind.CONFLUENT_AVRO)):
        wanted = "needs a file with its schema" if schema is None else "has no schema"
        raise InvalidInput(f"payload={kind} {wanted}; schema=FILE.avsc goes with Avro")
    match kind:
        case PayloadKind.JSON:
            return _Json(value)
        case PayloadKind.TEXT:
            return _Texts(value)
        case PayloadKind.CBOR:
            return _Cbor(value)
        case PayloadKind.AVRO | PayloadKind.CONFLUENT_AVRO:
            assert schema is not None
            skipped = _REGISTERED if kind is PayloadKind.CONFLUENT_AVRO else 0
            return _Avro(_schema_text(schema), skipped, value)


@dataclass(frozen=True, slots=True)
class _Json:
    value: str

    def said(self, payload: bytes) -> dict[str, Any] | None:
        text = payload.strip()
        if not text:
            return None
        if text[:1] in b"{[":
            return decode_json_object(text)
        return _alone(self.value, _decoded(text))


@dataclass(frozen=True, slots=True)
class _Texts:
    value: str

    def said(self, payload: bytes) -> dict[str, Any] | None:
        try:
            text = payload.decode().strip()
        except UnicodeDecodeError:
            raise EventError("the text is not UTF-8") from None
        return {self.value: text} if text else None


@dataclass(frozen=True, slots=True)
class _Cbor:
    value: str

    def said(self, payload: bytes) -> dict[str, Any] | None:
        if not payload:
            return None
        cbor2 = _cbor2()
        stream = io.BytesIO(payload)
        try:
            told = cbor2.CBORDecoder(stream, read_size=1).decode()
        except (cbor2.CBORError, ValueError, TypeError, RecursionError) as error:
            raise EventError(f"not valid CBOR: {error}") from None
        if stream.tell() < len(payload):
            raise EventError(f"not valid CBOR: {len(payload) - stream.tell()} bytes too many")
        if told is cbor2.undefined:
            return None
        return _object(self.value, told)


@dataclass(frozen=True, slots=True)
class _Avro:
    schema: str
    skipped: int
    value: str

    def said(self, payload: bytes) -> dict[str, Any] | None:
        if not payload:
            return None
        if self.skipped and payload[:1] != b"\0":
            raise EventError("not from a schema registry's client: the first byte is not zero")
        stream = io.BytesIO(payload)
        stream.seek(self.skipped)
        fastavro, schema = _parsed_schema(self.schema)
        try:
            told = fastavro.schemaless_reader(stream, schema, None)
        except Exception as error:  # noqa: BLE001 - of what stands there anything may come
            reason = str(error) or type(error).__name__
            raise EventError(f"not Avro of the schema: {reason}") from None
        if stream.tell() < len(payload):
            left = len(payload) - stream.tell()
            raise EventError(f"not Avro of the schema: {left} bytes too many")
        return _object(self.value, told)


def _decoded(text: bytes) -> Any:
    """The one value that a JSON text is."""
    try:
        return msgspec.json.decode(text)
    except UnicodeError:
        raise EventError("the text is not UTF-8") from None
    except msgspec.ValidationError:
        raise EventError("a number is too large") from None
    except msgspec.DecodeError as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        raise EventError(f"not valid JSON: {reason}") from None


def _object(name: str, told: Any) -> dict[str, Any] | None:
    """What was told, with the values of JSON."""
    _require_tree(told)
    plain = plain_value(told)
    if not isinstance(plain, dict):
        return _alone(name, plain)
    try:
        return decode_json_object(msgspec.json.encode(plain, enc_hook=str))
    except (TypeError, ValueError, OverflowError) as error:
        raise EventError(f"cannot be told in JSON: {error}") from None


def _alone(name: str, value: Any) -> dict[str, Any] | None:
    """One value that is all of a message."""
    if value is None:
        return None
    if not isinstance(value, str | bool | int | float):
        raise EventError("expected an object, a number, a text or a boolean")
    return {name: value}


def _require_tree(told: Any) -> None:
    """`EventError` if something is nested deeper than an event may be, in itself, or endlessly."""
    waiting, seen = [(told, 0)], 0
    while waiting:
        value, level = waiting.pop()
        seen += 1
        if level > MOST_LEVELS:
            raise EventError(f"nested deeper than {MOST_LEVELS} levels")
        if seen > _MOST_VALUES:
            raise EventError(f"an event has at most {_MOST_VALUES:,} values")
        if isinstance(value, Mapping):
            for name, inner in value.items():
                if not isinstance(name, str):
                    raise EventError(f"an attribute is a text, got {name!r}")
                waiting.append((inner, level + 1))
        elif isinstance(value, list | tuple):
            waiting += ((inner, level + 1) for inner in value)


def _cbor2() -> Any:
    try:
        import cbor2
    except ModuleNotFoundError as error:
        raise MissingExtra("cbor") from error
    return cbor2


def _fastavro() -> Any:
    try:
        import fastavro
    except ModuleNotFoundError as error:
        raise MissingExtra("avro") from error
    return fastavro


def _schema_text(path: Path) -> str:
    """A schema as JSON, with all that it says; it is read once, and goes along to the workers."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise UnusablePath(path, f"not UTF-8: {error}") from None
    try:
        _parsed_schema(text)
    except MissingExtra:
        raise
    except Exception as error:  # noqa: BLE001 - of what stands there anything may come
        raise UnusablePath(path, f"not a schema of Avro: {error}") from None
    return text


@lru_cache(maxsize=16)
def _parsed_schema(text: str) -> tuple[Any, Any]:
    fastavro = _fastavro()
    return fastavro, fastavro.parse_schema(msgspec.json.decode(text))
