"""How a client shows who it is: by a token, which it fetches and renews if it has credentials."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from purport.client.messages import TokenMessage
from purport.client.request import Answered, Request
from purport.client.requests import Requests
from purport.errors import InvalidInput

T = TypeVar("T")
Asking = Generator[Request[Any], Answered, T]  # yields what to send, is sent what came back

_UNAUTHORIZED = 401
_EARLY_SECONDS = 30.0  # so long before its time is up a token is renewed,
_EARLY_PART = 0.1  # or after this much of it is left, if that is less


@dataclass(frozen=True, slots=True)
class Login:
    """A token, or credentials with which tokens are fetched; neither is ever shown."""

    token: str | None = field(default=None, repr=False)
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.client_id is None) != (self.client_secret is None):
            raise InvalidInput("credentials are a client id and a client secret: one is missing")
        if self.token is not None and (not self.token.isascii() or not self.token.isprintable()):
            raise InvalidInput("a token is made of letters, digits and signs")

    @property
    def can_renew(self) -> bool:
        """Whether there are credentials."""
        return self.client_id is not None


class Session:
    """Requests as one client sends them: with its token, again if that had expired."""

    def __init__(
        self,
        requests: Requests,
        login: Login,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._requests, self._login, self._now = requests, login, now
        self._token = login.token
        self._renew_at = float("inf")

    def asked(self, request: Request[T]) -> Asking[T]:
        """What a request comes to."""
        token = yield from self.token()
        answered = yield _with_token(request, token)
        if answered.status == _UNAUTHORIZED and self._login.can_renew:
            token = yield from self.token(is_refused=True)
            answered = yield _with_token(request, token)
        return request.result(answered)

    def token(self, *, is_refused: bool = False) -> Asking[str | None]:
        """The token to use now, if there is any; after a refusal, a new one."""
        if not self._login.can_renew:
            return self._token
        if self._token is None or is_refused or self._now() >= self._renew_at:
            assert self._login.client_id is not None
            assert self._login.client_secret is not None
            wanted = self._requests.token(self._login.client_id, self._login.client_secret)
            answered = yield wanted
            self._keep(wanted.result(answered))
        return self._token

    def _keep(self, token: TokenMessage) -> None:
        self._token = token.access_token
        if token.expires_in > 0:
            early = min(_EARLY_SECONDS, token.expires_in * _EARLY_PART)
            self._renew_at = self._now() + token.expires_in - early


def _with_token(request: Request[T], token: str | None) -> Request[T]:
    if token is None or "Authorization" in request.headers:
        return request
    return replace(request, headers={**request.headers, "Authorization": f"Bearer {token}"})


def alone(request: Request[T]) -> Asking[T]:
    """A request that shows no token: it asks for what leads to one."""
    return request.result((yield request))
