"""Tokens: made and read, signed ones and those that last."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import time
from collections.abc import Callable, Sequence

import jwt

from purport.service.problems import Refused
from purport.service.settings import Authentication

_ALGORITHM = "HS256"
_ISSUER = "purport"
_SHORTEST = 32
_LONGEST = 8_192  # nobody's token is longer


class Tokens:
    """What tells who somebody is; the first key signs, all of them are accepted."""

    def __init__(
        self,
        settings: Authentication,
        keys: Sequence[bytes],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._keys, self._clock = keys, clock
        self._lifetimes = {
            one.name: one.lifetime_seconds for one in settings.identities if not one.disabled
        }
        self._lasting = [(one.name, one.hash) for one in settings.tokens if not one.disabled]

    def made(self, name: str) -> tuple[str, int]:
        """A token for an identity, and how many seconds it lasts."""
        lifetime, now = self._lifetimes[name], int(self._clock())
        claims = {
            "iss": _ISSUER, "sub": name, "iat": now, "exp": now + lifetime,
            "jti": secrets.token_hex(8),
        }  # fmt: skip
        return jwt.encode(claims, self._keys[0], algorithm=_ALGORITHM), lifetime

    def name(self, token: str) -> str:
        """Whose token this is; `Refused` if it is nobody's, or its time is over."""
        name, expires = self.read(token)
        if self.is_past(expires):
            raise Refused(401, "invalid_grant", "the token has expired: ask for another one")
        return name

    def read(self, token: str) -> tuple[str, float]:
        """Whose token this is, and until when, which may be over; `Refused` if it is nobody's."""
        if len(token) > _LONGEST or not token.isascii():
            raise _bad()
        hashed, found = token_hash(token), None
        for name, expected in self._lasting:  # all of them: time tells nothing
            if hmac.compare_digest(hashed, expected):
                found = name
        return self._signed(token) if found is None else (found, math.inf)

    def is_past(self, expires: float) -> bool:
        """Whether that time is over."""
        return expires <= self._clock()

    def _signed(self, token: str) -> tuple[str, int]:
        """Whose token this is, and until when."""
        for key in self._keys:
            try:
                claims = jwt.decode(
                    token,
                    key,
                    algorithms=[_ALGORITHM],
                    issuer=_ISSUER,
                    options={
                        "require": ["exp", "sub", "iss"], "verify_exp": False,
                        "verify_iat": False, "verify_nbf": False,
                    },
                )  # fmt: skip
            except jwt.InvalidSignatureError:
                continue
            except jwt.PyJWTError:
                raise _bad() from None
            name, expires = claims["sub"], claims["exp"]
            if not isinstance(name, str) or name not in self._lifetimes:
                break
            return name, expires if isinstance(expires, int) else 0
        raise _bad()


def token_hash(token: str) -> str:
    """What the settings keep of a token that lasts; it is long and random, so no salt is needed."""
    return f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"


def new_token() -> str:
    """A token nobody can guess."""
    return secrets.token_urlsafe(32)


def is_long_enough(token: str) -> bool:
    """Whether a token that somebody has thought of can be taken."""
    return len(token) >= _SHORTEST and token.isascii() and token.isprintable()


def _bad() -> Refused:
    return Refused(401, "invalid_token", "the token is not one of this service")
