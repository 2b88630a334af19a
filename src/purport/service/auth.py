"""Who asks: clients register, get tokens, and are known by them."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
import math

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from purport.errors import InvalidInput
from purport.service.brake import Brake
from purport.service.credentials import Credentials
from purport.service.problems import Refused
from purport.service.settings import Authentication, Identity, ServiceSettings
from purport.service.signing_keys import signing_keys
from purport.service.tokens import Tokens

_LOG = logging.getLogger("purport.service")
_GRANT = "client_credentials"
_NEVER_KEPT = {"Cache-Control": "no-store", "Pragma": "no-cache"}


class _Wish(msgspec.Struct, frozen=True):
    client_identity: str
    grant_types: tuple[str, ...] = (_GRANT,)


class _Registering(msgspec.Struct, frozen=True):
    register: _Wish


class Auth:
    """Knows who asks by their tokens, and gives these to clients that have registered."""

    def __init__(self, settings: ServiceSettings) -> None:
        folder = settings.broker.kept_in
        self._folder = folder
        self._credentials = Credentials(folder / "clients.json" if folder else None)
        self._brake = Brake()
        self.take(settings.auth)

    def take(self, settings: Authentication) -> None:
        """Have other settings hold from now on; nothing changes if one of them is wrong."""
        needed = bool(settings.identities or settings.signing_keys)
        keys = signing_keys(settings.signing_keys, self._folder) if needed else (b"",)
        self._tokens = Tokens(settings, keys)
        self._key, self._settings = keys[0], settings
        self._identities = {one.name: one for one in settings.identities}

    async def who(self, connection: HTTPConnection) -> str | None:
        """Who has sent a request, by its header; `Refused` if nobody is let in without a token."""
        header = connection.headers.get("authorization", "")
        return self.who_of(header or None)

    def who_of(self, token: str | None) -> str | None:
        """Whose token this is, with or without `Bearer` before it."""
        if not self._settings.is_on:
            return None
        if token is None or not token.strip():
            if self._settings.is_required:
                raise Refused(401, "unauthorized", "a token is needed: Authorization: Bearer ...")
            return None
        scheme, _, rest = token.strip().partition(" ")
        if rest and scheme.lower() != "bearer":
            raise Refused(401, "invalid_token", "expected a Bearer token")
        return self._tokens.name(rest.strip() or scheme)

    def routes(self) -> list[BaseRoute]:
        """Where clients register, and where they get tokens."""
        return [
            Route("/oauth/register", self._register, methods=["POST"]),
            Route("/oauth/token", self._token, methods=["POST"]),
        ]

    async def _register(self, request: Request) -> Response:
        self._require_patience(_address(request))
        wish = _wish(await request.body())
        identity = self._identities.get(wish.client_identity)
        if identity is None or identity.disabled:
            self._brake.fail(_address(request))
            raise Refused(403, "unauthorized_client", "this identity may not register here")
        if _GRANT not in wish.grant_types:
            raise Refused(400, "unsupported_grant_type", f"expected the grant type {_GRANT}")
        made = await asyncio.to_thread(
            self._credentials.register, identity.name, again=identity.register_again
        )
        if made is None:
            self._brake.fail(_address(request))
            raise Refused(
                403, "unauthorized_client",
                "this identity has registered already, and may not do so again",
            )  # fmt: skip
        client, secret = made
        _LOG.info("%r has registered as a client", identity.name)
        signature = hmac.new(self._key, client.encode(), hashlib.sha256).hexdigest()
        told = {"client_id": client, "client_secret": secret, "signature": signature}
        return _answer({"credentials": told})

    async def _token(self, request: Request) -> Response:
        client, secret = _basic(request)
        concerned = _address(request), f"client {client}"
        self._require_patience(*concerned)
        self._brake.fail(*concerned)  # until it is known better: many may guess at the same time
        name = await asyncio.to_thread(self._credentials.identity, client, secret)
        identity = self._identities.get(name or "")
        if identity is None:
            _LOG.warning("a wrong client id or secret was told from %s", _address(request))
            raise Refused(401, "invalid_client", "no client has this id and secret")
        self._brake.release(*concerned)
        if identity.disabled:
            raise Refused(403, "unauthorized_client", "this client may not come in any more")
        return self._answer_token(identity)

    def _answer_token(self, identity: Identity) -> Response:
        token, lifetime = self._tokens.made(identity.name)
        told = {"access_token": token, "token_type": "bearer", "expires_in": lifetime}
        return _answer({"token": told, **told})  # clients look for it in either place

    def _require_patience(self, *concerned: str) -> None:
        seconds = self._brake.wait(*concerned)
        if seconds > 0:
            after = math.ceil(seconds)
            raise Refused(
                429, "too_many_requests", f"too many failures: wait {after} s", retry_seconds=after
            )


def _wish(body: bytes) -> _Wish:
    try:
        return msgspec.json.decode(body, type=_Registering).register
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InvalidInput(
            f'expected {{"register": {{"client_identity": ..., "grant_types": ["{_GRANT}"]}}}}: '
            f"{error}"
        ) from None


def _basic(request: Request) -> tuple[str, str]:
    """The client id and the secret of a request."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    try:
        if scheme.lower() != "basic":
            raise ValueError
        client, colon, secret = (
            base64.b64decode(rest.strip(), validate=True).decode().partition(":")
        )
        if not colon:
            raise ValueError
    except (ValueError, binascii.Error):
        raise Refused(
            401, "invalid_client", "expected Authorization: Basic, of client id and secret"
        ) from None
    return client, secret


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _answer(told: dict[str, object]) -> Response:
    body = msgspec.json.encode(told)
    return Response(body, 201, _NEVER_KEPT, media_type="application/json")
