"""POST to an address over HTTP: the one way in which Purport speaks to services beyond it."""

from __future__ import annotations

import ipaddress
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from typing import Any
from urllib.parse import SplitResult, urlsplit

from purport.errors import InvalidInput, PurportError

_LONGEST_REASON = 200
_MOST_WORDS = 2000
_USER = re.compile(r"//[^/]*@")


class PostFailed(PurportError):
    """What was posted was not answered, or with a `status` that is no success.

    `retry_after` is what the answer says of when to come again, as it stands there, and `words` the
    beginning of what it says besides. `is_late`: there may be an answer, but none came in time.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retry_after: str | None = None,
        words: str = "",
        is_late: bool = False,
    ) -> None:
        self.status, self.retry_after = status, retry_after
        self.words, self.is_late = words, is_late
        said = f"answers {status}" if status is not None else "does not answer"
        super().__init__(f"{said}: {reason[:_LONGEST_REASON]}" if reason else said)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are failures: urllib would follow one with a GET, and drop what was posted."""

    def redirect_request(self, *_: object) -> None:
        return None


def address_parts(url: str) -> SplitResult:
    """The parts of an address that can be posted to; `InvalidInput` if it is none."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(f"expected an address with http:// or https://, got {shown(url)!r}")
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and url.isascii() and url.isprintable() and " " not in url
        parts.port  # noqa: B018 - a port that is no number is an error
    except ValueError:
        is_usable = False
    if not is_usable:
        raise InvalidInput(f"{shown(url)!r} is no address that can be asked")
    if "@" in parts.netloc:
        raise InvalidInput(f"the address {shown(url)} names a user: give a header instead")
    return parts


def require_public(url: str) -> None:
    """Raise `InvalidInput` if an address says that it is of this machine or a private network.

    Names are not looked up, which may take a while: where one leads is seen when it is posted to.
    """
    host = (address_parts(url).hostname or "").rstrip(".")
    if (
        host == "localhost"
        or host.endswith(".localhost")
        or not all(map(is_public, _numbers(host)))
    ):
        raise InvalidInput(f"{shown(url)} is in a private network, which is not posted to")


def _numbers(host: str) -> list[str]:
    """The number that a host is, in whatever form (127.1, 0x7f000001); of a name, none."""
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return [str(place[0]) for *_, place in found]


def is_public(address: str) -> bool:
    """Whether a number on the internet is there for everybody.

    >>> is_public("93.184.216.34"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    number = ipaddress.ip_address(address.partition("%")[0])
    number = getattr(number, "ipv4_mapped", None) or number
    return number.is_global and not number.is_multicast


def shown(url: str) -> str:
    """An address without what may be secret in it: a user, and what follows a question mark."""
    start, mark, _ = url.partition("?")
    return _USER.sub("//...@", start) + ("?..." if mark else "")


@contextmanager
def posted(
    url: str,
    body: bytes,
    *,
    timeout_seconds: float,
    headers: Mapping[str, str] | None = None,
    to_private: bool = True,
) -> Iterator[HTTPResponse]:
    """The answer to JSON that was posted; `PostFailed` if there is none, or it is no success.

    It has so many seconds to come, all of it: one that comes a little at a time has no more.
    What goes wrong while the answer is read is a `PostFailed` too. Unless it may go `to_private`
    networks, it goes without a proxy, and only where everybody can.
    """
    request = urllib.request.Request(
        url, body, {"Content-Type": "application/json", **(headers or {})}, method="POST"
    )
    is_local = is_loopback(urlsplit(url).hostname or "")
    opener = _opener(is_local=is_local) if to_private else _public_opener()
    try:
        with opener.open(request, timeout=timeout_seconds) as response:
            yield response
    except urllib.error.HTTPError as error:
        with error:
            again = error.headers.get("Retry-After")
            raise PostFailed(
                error.reason, status=error.code, retry_after=again, words=_words_of(error)
            ) from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        is_late = isinstance(reason, TimeoutError)
        raise PostFailed(str(reason) or type(error).__name__, is_late=is_late) from None


def whole_answer(response: HTTPResponse, *, timeout_seconds: float, most_bytes: int) -> bytes:
    """What an answer says, if it comes in time, is not too long and does not break off."""
    deadline = time.monotonic() + timeout_seconds
    data = bytearray()
    while piece := response.read1(65_536):
        data += piece
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
        if len(data) > most_bytes:
            raise ValueError("the answer is too long")
    if response.length:
        raise ValueError("the answer breaks off")
    return bytes(data)


def _words_of(error: urllib.error.HTTPError) -> str:
    """What a service says of a failure, if that is a text; its beginning."""
    try:
        return error.read(_MOST_WORDS).decode(errors="replace").strip()
    except (OSError, HTTPException, ValueError):
        return ""


@lru_cache
def _opener(*, is_local: bool) -> urllib.request.OpenerDirector:
    handlers = [urllib.request.ProxyHandler({})] if is_local else []
    return urllib.request.build_opener(_NoRedirects, _TimelyHandler, _TimelyTlsHandler, *handlers)


@lru_cache
def _public_opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(
        _NoRedirects, urllib.request.ProxyHandler({}), _PublicHandler, _PublicTlsHandler
    )


class _Timely(RawIOBase):
    """What comes from a socket until a deadline, which no piece of it puts off."""

    def __init__(self, connection: socket.socket, source: RawIOBase, deadline: float) -> None:
        self._connection, self._source, self._deadline = connection, source, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._connection.settimeout(left)
        return self._source.readinto(buffer)

    def close(self) -> None:
        self._source.close()
        super().close()


class _TimelyConnection(HTTPConnection):
    """Waits no longer for the whole of an answer than it may for a part of it."""

    def connect(self) -> None:
        deadline = time.monotonic() + (self.timeout or 0.0)
        super().connect()
        self.response_class = partial(_timely_response, deadline)  # type: ignore[assignment]


class _TimelyTlsConnection(_TimelyConnection, HTTPSConnection):
    """The same with TLS."""


def _timely_response(
    deadline: float, connection: socket.socket, *arguments: Any, **named: Any
) -> HTTPResponse:
    response = HTTPResponse(connection, *arguments, **named)
    source = response.fp.detach()
    response.fp = BufferedReader(_Timely(connection, source, deadline))
    return response


class _TimelyHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_TimelyConnection, req)


class _TimelyTlsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_TimelyTlsConnection, req)


class _PublicConnection(_TimelyConnection):
    """Is given up, before anything is sent, if it leads into a private network."""

    def connect(self) -> None:
        super().connect()
        _require_public_peer(self)


class _PublicTlsConnection(_TimelyTlsConnection):
    """The same with TLS."""

    def connect(self) -> None:
        super().connect()
        _require_public_peer(self)


def _require_public_peer(connection: HTTPConnection) -> None:
    address = connection.sock.getpeername()[0]
    if not is_public(address):
        connection.close()
        raise OSError("it is in a private network, which is not posted to")


class _PublicHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_PublicConnection, req)


class _PublicTlsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_PublicTlsConnection, req)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, which no proxy can reach."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
