"""Content negotiation: which of the media types that there are a request asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Range:
    """What an `Accept` header names, such as `text/*;q=0.5`."""

    type: str
    subtype: str
    quality: float

    def includes(self, media_type: str) -> bool:
        kind, _, subtype = media_type.partition("/")
        return self.type in ("*", kind) and self.subtype in ("*", subtype)

    @property
    def precision(self) -> int:
        return (self.type != "*") + (self.subtype != "*")


def chosen(accept: str, offered: Sequence[str]) -> str | None:
    """The media type that is asked for most, of those offered; None if none of them is.

    Of those that are asked for alike, that which is named, or else the first that is offered.

    >>> offered = ("application/json", "text/csv", "text/turtle")
    >>> chosen("text/*;q=0.5, text/turtle, */*;q=0.1", offered), chosen("", offered)
    ('text/turtle', 'application/json')
    """
    if not accept.strip():
        return offered[0]
    ranges = list(_ranges(accept))
    best, most = None, (0.0, -1)
    for media_type in offered:
        fitting = [one for one in ranges if one.includes(media_type)]
        if fitting:
            closest = max(fitting, key=lambda one: one.precision)
            wish = closest.quality, closest.precision
            if closest.quality > 0 and wish > most:
                best, most = media_type, wish
    return best


def _ranges(accept: str) -> Iterator[_Range]:
    """What a header names; what cannot be read in it asks for nothing."""
    for part in accept.split(","):
        named, *parameters = (one.strip().lower() for one in part.split(";"))
        kind, _, subtype = named.partition("/")
        quality = _quality(parameters)
        if named == "*":  # as some old clients say
            kind = subtype = "*"
        if kind and subtype and quality is not None:
            yield _Range(kind, subtype, quality)


def _quality(parameters: Sequence[str]) -> float | None:
    for one in parameters:
        name, _, value = one.partition("=")
        if name.strip() == "q":
            try:
                quality = float(value)
            except ValueError:
                return None
            return quality if 0 <= quality <= 1 else None
    return 1.0
