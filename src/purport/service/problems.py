"""What is wrong with a request, as HTTP and WebSockets tell it: one table of errors and answers."""

from __future__ import annotations

import json
import logging

from starlette.requests import Request
from starlette.responses import Response

from purport.broker.access import Forbidden
from purport.broker.drafting import BacklogFull
from purport.broker.journal import JournalError
from purport.embedded.written_state import BrokerClosed
from purport.errors import InvalidInput, NotFound, NotSupportedYet, PurportError, UnusablePath
from purport.service.desk import Overloaded
from purport.sparql.errors import NotAllowed
from purport.temporal.history import HistoryError

ERROR_CODE = "purport.error"  # in the scope of a request: how its answer calls what is wrong

_LOG = logging.getLogger("purport.service")


class Refused(PurportError):
    """A request that is refused with a status and a code of its own."""

    def __init__(self, status: int, code: str, description: str, *, retry_seconds: int = 1) -> None:
        super().__init__(description)
        self.status, self.code = status, code
        self.retry_seconds = retry_seconds  # of 429


class NotThere(NotFound):
    """What a request names is not there, or is another's, which is told in the same words."""


_ANSWERS: tuple[tuple[type[Exception], int, str], ...] = (  # the first that fits
    (NotFound, 404, "not_found"),
    (Forbidden, 403, "forbidden"),
    (NotAllowed, 403, "not_allowed"),
    (BacklogFull, 429, "backlog_full"),
    (Overloaded, 429, "too_many_requests"),
    (BrokerClosed, 503, "shutting_down"),
    (NotSupportedYet, 400, "not_supported"),
    (InvalidInput, 400, "bad_request"),
    (PurportError, 500, "failed"),
)
_OF_STORES = (JournalError, HistoryError)  # they name files and databases of ours


def problem_of(error: Exception) -> tuple[int, str, str]:
    """The status, the code and the words for an error.

    What nobody expected, and what is wrong with files and databases of ours, only the log says.
    """
    if isinstance(error, Refused):
        return error.status, error.code, str(error)
    if isinstance(error, _OF_STORES):
        _LOG.error("a request failed: %s", error)
        return 503, "not_kept", "what was asked cannot be kept now: see the log of the service"
    if isinstance(error, UnusablePath):
        _LOG.error("a request failed: %s", error)
    else:
        for kind, status, code in _ANSWERS:
            if isinstance(error, kind):
                return status, code, str(error)
        _LOG.error("a request failed", exc_info=error)
    return 500, "failed", "something went wrong here: see the log of the service"


def problem_message(error: Exception, alias: str | None = None) -> dict[str, object]:
    """An error as a message of the SPARQL 1.1 Secure Event protocol."""
    return _message(*problem_of(error), alias)


def _message(status: int, code: str, description: str, alias: str | None) -> dict[str, object]:
    told: dict[str, object] = {
        "error": code,
        "status_code": status,
        "error_description": description,
    }
    return told if alias is None else {**told, "alias": alias}


async def problem_response(request: Request, error: Exception) -> Response:
    """An error as an answer over HTTP."""
    status, code, description = problem_of(error)
    request.scope[ERROR_CODE] = code
    headers = {}
    if status == 429:
        headers["Retry-After"] = str(error.retry_seconds if isinstance(error, Refused) else 1)
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="purport"'
    body = json.dumps(_message(status, code, description, None)).encode()
    return Response(body, status, headers, media_type="application/json")
