"""Which version of something a request is about: `ETag`, `If-Match` and `If-None-Match`."""

from __future__ import annotations

from zlib import crc32

from starlette.requests import Request

from purport.service.problems import Refused

_LOOKING = ("GET", "HEAD")


def tag_of(version: int, answer: bytes) -> str:
    """The `ETag` of a version, and of what is told of it: how far it is changes more often."""
    return f'"{version}-{crc32(answer):08x}"'


def require_version(request: Request, version: int | None) -> None:
    """Refuse (412) what is meant for another version; None if nothing is there yet."""
    matching = _tags(request, "if-match")
    is_there = version is not None
    if matching and not (is_there and ("*" in matching or _is_named(version, matching))):
        there = f"it is version {version}" if is_there else "it is not there"
        raise Refused(412, "precondition_failed", f"expected {', '.join(matching)}: {there}")
    others = _tags(request, "if-none-match") if request.method not in _LOOKING else []
    if is_there and others and ("*" in others or _is_named(version, others)):
        raise Refused(412, "precondition_failed", f"version {version} is there already")


def is_known(request: Request, tag: str) -> bool:
    """Whether who asks has just what would be answered (304)."""
    known = _tags(request, "if-none-match") if request.method in _LOOKING else []
    return "*" in known or tag in (one.removeprefix("W/") for one in known)


def _is_named(version: int | None, tags: list[str]) -> bool:
    """Whether tags name a version, with or without what was told of it."""
    return any(one.strip('"').partition("-")[0] == str(version) for one in tags)


def _tags(request: Request, header: str) -> list[str]:
    told = ",".join(request.headers.getlist(header))
    return [one.strip() for one in told.split(",") if one.strip()]
