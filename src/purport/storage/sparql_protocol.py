"""SPARQL 1.1 Protocol, from the side that asks: queries and updates over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.message import Message
from urllib.parse import urlencode

from purport.posting import PostFailed, address_parts, posted, shown, whole_answer
from purport.sparql.errors import (
    EndpointAnswersNonsense,
    EndpointFailed,
    EndpointRefused,
    EndpointTooSlow,
    EndpointUnreachable,
)

_MOST_BYTES = 1024 * 1024 * 1024
_MOST_WORDS = 500
_FORM = "application/x-www-form-urlencoded"
_CUT_OFF = ("X-SPARQL-MaxRows", "X-SQL-State")  # so Virtuoso says that this is not everything

Parameters = Sequence[tuple[str, str]]


class SparqlService:
    """An address that is sent queries or updates, as forms: what every endpoint understands."""

    def __init__(self, url: str, *, timeout_seconds: float, headers: Mapping[str, str]) -> None:
        address_parts(url)
        self._url, self.url = url, shown(url)
        self._timeout_seconds = timeout_seconds
        self._headers = {**headers, "Content-Type": _FORM}

    def asked(self, text: str, dataset: Parameters, accept: str) -> tuple[bytes, str]:
        """The whole answer to a query, and its content type."""
        return self._sent([("query", text), *dataset], accept)

    def updated(self, text: str) -> None:
        """Run an update."""
        self._sent([("update", text)], "*/*")

    def nonsense(self, what: object) -> EndpointAnswersNonsense:
        """The error that says what is wrong with an answer."""
        return EndpointAnswersNonsense(self.url, f"answers nonsense: {str(what)[:_MOST_WORDS]}")

    def _sent(self, form: Parameters, accept: str) -> tuple[bytes, str]:
        body = urlencode(form).encode()
        headers = {**self._headers, "Accept": accept}
        timeout = self._timeout_seconds
        try:
            with posted(self._url, body, timeout_seconds=timeout, headers=headers) as response:
                data = whole_answer(response, timeout_seconds=timeout, most_bytes=_MOST_BYTES)
                self._require_all(response.headers)
                return data, response.headers.get_content_type()
        except PostFailed as error:
            raise self._failed(error) from None

    def _require_all(self, headers: Message) -> None:
        for name in _CUT_OFF:
            if name in headers:
                raise EndpointAnswersNonsense(
                    self.url, f"cuts its answer off ({name}: {headers[name]}): raise its limits"
                )

    def _failed(self, error: PostFailed) -> EndpointFailed:
        if error.status is not None:
            words = " ".join(error.words.split())[:_MOST_WORDS]
            return EndpointRefused(self.url, error.status, words)
        if error.is_late:
            reason = f"does not answer within {self._timeout_seconds:g} seconds"
            return EndpointTooSlow(self.url, reason)
        return EndpointUnreachable(self.url, str(error))
