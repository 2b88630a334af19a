"""Who has registered: of each client's secret a salted hash, in a file that is written whole."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.whole_file import write_secret

_COST = {"n": 2**14, "r": 8, "p": 1}  # 16 MB and some 50 ms for each guess
_NOBODY = (bytes(16).hex(), bytes(64).hex())


class Registered(msgspec.Struct, frozen=True):
    """A client, as the file has it."""

    identity: str
    salt: str
    hash: str
    since: str


class Credentials:
    """The clients that have registered; without a file, as long as the process lasts."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._clients = {} if path is None or not path.exists() else _read(path)

    def register(self, identity: str, *, again: bool) -> tuple[str, str] | None:
        """The id and the secret of a new client; None if the identity has one, and may not again.

        One that may takes the place of the one before.
        """
        client, secret, salt = secrets.token_hex(16), secrets.token_urlsafe(32), secrets.token_hex()
        hashed = _hashed(secret, salt)
        with self._lock:
            others = {name: one for name, one in self._clients.items() if one.identity != identity}
            if len(others) < len(self._clients) and not again:
                return None
            since = datetime.now(UTC).isoformat(timespec="seconds")
            clients = {**others, client: Registered(identity, salt, hashed, since)}
            if self._path is not None:
                _write(self._path, clients)
            self._clients = clients
        return client, secret

    def identity(self, client: str, secret: str) -> str | None:
        """Whose client this is; None if there is none or the secret is another, equally slowly."""
        found = self._clients.get(client)
        salt, expected = _NOBODY if found is None else (found.salt, found.hash)
        is_right = hmac.compare_digest(_hashed(secret, salt), expected)
        return found.identity if is_right and found is not None else None


def _hashed(secret: str, salt: str) -> str:
    return hashlib.scrypt(secret.encode(), salt=bytes.fromhex(salt), **_COST).hex()


def _write(path: Path, clients: dict[str, Registered]) -> None:
    try:
        write_secret(path, msgspec.json.format(msgspec.json.encode(clients)))
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def _read(path: Path) -> dict[str, Registered]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Registered])
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise InvalidInput(f"{path}: not a file of clients: {error}") from None
