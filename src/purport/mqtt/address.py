"""Addresses of brokers with what is wanted there: mqtt://host/city/+/temperature?qos=1."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.mqtt.packets import MOST_BYTES, Asked, Publish, Version
from purport.mqtt.place import Place
from purport.mqtt.session import SessionSettings
from purport.mqtt.topic_filters import require_filter, require_topic
from purport.settings import read_options

_PORTS = {"mqtt": 1883, "mqtts": 8883}
_VERSIONS = {"5": Version.V5, "3.1.1": Version.V311, "4": Version.V311}
_MOST_SECONDS = 2**32 - 1
_SHOWN = "mqtt://HOST/TOPIC or mqtts://HOST/TOPIC"
_ESCAPED = str.maketrans({"%": "%25", "?": "%3F", "&": "%26"})


class AddressOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What stands after the `?`; all of it has a default."""

    qos: Annotated[int, msgspec.Meta(ge=0, le=2)] = 1
    version: str = "5"
    client_id: str = ""
    clean: bool | None = None  # unless said: those without a client id of their own are clean
    session_expiry: Annotated[int, msgspec.Meta(ge=0, le=_MOST_SECONDS)] = 604_800
    keep_alive: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 60
    share: str = ""
    filter: tuple[str, ...] = ()
    receive_maximum: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 65_535
    most_bytes: Annotated[int, msgspec.Meta(ge=128, le=MOST_BYTES)] = 16 << 20
    connect_seconds: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 10.0
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    password_variable: str = ""
    password_file: Path | None = None


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker, topics there, and options. It has no password in it, only where one is.

    In topics, `+` and `#` are themselves, or `%2B` and `%23`; `?`, `&` and `%` are `%3F`, `%26` and
    `%25`.
    """

    place: Place
    topics: str
    user: str | None
    options: AddressOptions

    @classmethod
    def read(cls, text: str) -> BrokerAddress:
        """The address that a text spells; `InvalidInput` if it spells none."""
        start, mark, query = text.partition("?")
        scheme, _, rest = start.partition("://")
        scheme = scheme.lower()
        host, _, topics = rest.partition("/")
        if scheme not in _PORTS or not host:
            raise InvalidInput(f"expected {_SHOWN}, got {_without_secret(text)!r}")
        given = _options(query, _without_secret(text)) if mark else {}
        options = read_options(AddressOptions, given, f"{scheme}://{host.rpartition('@')[2]}")
        if options.version not in _VERSIONS:
            raise InvalidInput(f"expected version 5 or 3.1.1 of MQTT, got {options.version!r}")
        user, port, name = _authority(host, _PORTS[scheme])
        place = Place(
            host=name,
            port=port,
            is_encrypted=scheme == "mqtts",
            ca=options.ca,
            certificate=options.certificate,
            key=options.key,
            connect_seconds=options.connect_seconds,
        )
        found = cls(place, unquote(topics), user, options)
        for one in found.filters:
            require_filter(one)
        return found

    @property
    def filters(self) -> tuple[str, ...]:
        """What is subscribed to: the path and every option `filter`, shared if a group is named."""
        found = ((self.topics,) if self.topics else ()) + self.options.filter
        if not self.options.share:
            return found
        return tuple(f"$share/{self.options.share}/{one}" for one in found)

    @property
    def topic(self) -> str:
        """The one topic to publish on."""
        require_topic(self.topics)
        return self.topics

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        scheme, _, rest = str(self.place).partition("://")
        return f"{scheme}://{user}{rest}/{self.topics.translate(_ESCAPED)}"

    def session(
        self,
        environment: Mapping[str, str] = os.environ,
        *,
        will: Publish | None = None,
        birth: Publish | None = None,
        is_receiver: bool = True,
    ) -> SessionSettings:
        """Who we are to the broker, and what we want there; the password is looked up now."""
        options = self.options
        is_clean = not options.client_id if options.clean is None else options.clean
        if not is_clean and not options.client_id:
            raise InvalidInput(f"{self}: clean=false needs client_id=NAME, by which we are known")
        return SessionSettings(
            client_id=options.client_id or f"purport-{secrets.token_hex(6)}",
            version=_VERSIONS[options.version],
            is_clean=is_clean,
            session_expiry_s=options.session_expiry,
            keep_alive_s=options.keep_alive,
            user=self.user,
            password=self._password(environment),
            asked=tuple(Asked(one, options.qos) for one in self.filters) if is_receiver else (),
            will=will,
            birth=birth,
            receive_maximum=options.receive_maximum,
            most_bytes=options.most_bytes,
        )

    def _password(self, environment: Mapping[str, str]) -> bytes | None:
        name, path = self.options.password_variable, self.options.password_file
        if name and path:
            raise InvalidInput(f"{self}: a password from {name} or from {path}, not from both")
        if (name or path) and self.user is None:
            raise InvalidInput(f"{self}: a password, but no user: expected mqtt://USER@HOST")
        if name:
            if name not in environment:
                raise InvalidInput(f"{self}: the variable {name} is not set")
            return environment[name].encode()
        if path is None:
            return None
        try:
            return path.read_bytes().rstrip(b"\r\n")
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None


def _options(query: str, shown: str) -> dict[str, object]:
    """Names and values; `+` is itself, as in topics, and `filter` may come more than once."""
    found: dict[str, object] = {}
    filters: list[str] = []
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if not equals:
            raise InvalidInput(f"{shown!r}: expected options as ?name=value&name=value")
        if name == "filter":
            filters.append(unquote(value))
        elif name in found:
            raise InvalidInput(f"{shown!r}: the option {name} comes twice")
        else:
            found[name] = unquote(value)
    return {**found, "filter": filters} if filters else found


def _authority(written: str, port: int) -> tuple[str | None, int, str]:
    """User, port and host."""
    user, at, host = written.rpartition("@")
    if ":" in user:
        raise InvalidInput(
            f"an address at {host!r} names a password: expected "
            "?password_variable=NAME or ?password_file=PATH"
        )
    try:
        parts = urlsplit(f"//{host}")
        found = parts.port or port
    except ValueError as error:
        raise InvalidInput(f"expected {_SHOWN}, got the host {host!r}: {error}") from None
    if not parts.hostname:
        raise InvalidInput(f"expected {_SHOWN}, got the host {host!r}")
    return (unquote(user) if at else None), found, parts.hostname


def _without_secret(text: str) -> str:
    """An address that may be shown: without what stands before the host."""
    scheme, slashes, rest = text.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}"
