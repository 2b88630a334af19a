"""What stands in a request: its body, the parameters of its address, and what they must be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence, Sized
from typing import TypeVar

import msgspec
from starlette.requests import Request

from purport.errors import InvalidInput
from purport.model.paths import MOST_LEVELS
from purport.service.problems import Refused

T = TypeVar("T")

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
_CHARSETS = ("utf-8", "utf8", "us-ascii")
_SHORT = 16 * 1024  # what is no longer is read quicker than a thread is found for it


async def parsed(text: Sized, parse: Callable[[], T]) -> T:
    """What is read of a text: of a long one in a thread, so that others are answered meanwhile."""
    return parse() if len(text) <= _SHORT else await asyncio.to_thread(parse)


def media_type(request: Request, allowed: Sequence[str]) -> str:
    """What a body is said to be, of what may be; JSON, if that may be and nothing is said."""
    told = request.headers.get("content-type", JSON if JSON in allowed else "none")
    kind, *parameters = (one.strip() for one in told.lower().split(";"))
    if kind not in allowed:
        expected = f"expected a Content-Type {' or '.join(allowed)}"
        raise Refused(415, "unsupported_media_type", f"{expected}, got {kind!r:.100}")
    for one in parameters:
        name, _, value = one.partition("=")
        if name.strip() == "charset" and value.strip(" \"'") not in _CHARSETS:
            expected = f"expected charset=utf-8, got {value!r:.40}"
            raise Refused(415, "unsupported_media_type", expected)
    return kind


async def read_json(request: Request, kind: type[T], allowed: Sequence[str] = (JSON,)) -> T:
    """The JSON in a body as what it must be; `InvalidInput` says what it is not, and where."""
    media_type(request, allowed)
    body = await request.body()
    return await parsed(body, lambda: json_as(body, kind))


async def read_text(request: Request, allowed: Sequence[str]) -> str:
    """The text in a body."""
    media_type(request, allowed)
    return decoded(await request.body())


def decoded(body: bytes) -> str:
    """A body as the text that it is."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the text is not UTF-8, at byte {error.start}") from None


def json_as(text: bytes, kind: type[T]) -> T:
    """JSON as what it must be; `InvalidInput` says what it is not, and where."""
    try:
        return msgspec.json.decode(text, type=kind)
    except UnicodeError:
        raise InvalidInput("the text is not UTF-8") from None
    except RecursionError:
        raise InvalidInput(f"nested deeper than {MOST_LEVELS} levels") from None
    except msgspec.ValidationError as error:
        raise InvalidInput(str(error)) from None
    except msgspec.DecodeError as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        raise InvalidInput(f"not valid JSON: {reason}") from None


def read_query(request: Request, kind: type[T]) -> T:
    """The parameters of an address, each once, as what they must be."""
    told = request.query_params.multi_items()
    found = dict(told)
    if len(found) < len(told):
        names = [name for name, _ in told]
        often = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"the parameter {often!r:.100} stands there more than once")
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"in the parameters: {error}") from None
