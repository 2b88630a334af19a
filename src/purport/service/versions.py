"""Which version of something a request is about: `ETag`, `If-Match` and `If-None-Match`."""

from __future__ import annotations

from starlette.requests import Request

from purport.service.problems import Refused


def tag_of(version: int) -> str:
    """A version as an `ETag`."""
    return f'"{version}"'


def require_version(request: Request, version: int | None) -> None:
    """Refuse (412) what is meant for another version; None if nothing is there yet."""
    matching, others = _tags(request, "if-match"), _tags(request, "if-none-match")
    is_there = version is not None
    tag = tag_of(version or 0)
    if matching and not (is_there and ("*" in matching or tag in matching)):
        there = f"it is version {version}" if is_there else "it is not there"
        raise Refused(412, "precondition_failed", f"expected {', '.join(matching)}: {there}")
    if is_there and others and ("*" in others or tag in others):
        raise Refused(412, "precondition_failed", f"version {version} is there already")


def _tags(request: Request, header: str) -> list[str]:
    told = ",".join(request.headers.getlist(header))
    return [one.strip() for one in told.split(",") if one.strip()]
