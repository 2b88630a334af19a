"""Answers over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from starlette.responses import Response

from purport.service.bodies import JSON

_ENCODER = msgspec.json.Encoder()


def json_answer(
    message: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A message as JSON."""
    return Response(_ENCODER.encode(message), status, headers, media_type=JSON)
