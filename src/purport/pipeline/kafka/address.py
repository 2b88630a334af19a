"""Addresses of topics in Kafka: kafka://host:9092,host2:9092/TOPIC[,TOPIC]?..."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import unquote

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.addresses import Address

_SHOWN = "kafka://HOST:9092/TOPIC"
_PORT = 9092
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?")
_MODULES = {
    "PLAIN": "plain.PlainLoginModule",
    "SCRAM-SHA-256": "scram.ScramLoginModule",
    "SCRAM-SHA-512": "scram.ScramLoginModule",
}


@dataclass(frozen=True, kw_only=True)
class ConnectOptions:
    """How brokers are spoken to; `password_variable` names an environment variable."""

    tls: bool = False
    ca: Path | None = None  # those who vouch for the brokers, as PEM; otherwise the system's
    mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    password_variable: str = ""
    connect_seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 10.0


@dataclass(frozen=True, slots=True)
class KafkaTopics:
    """Topics at brokers, and who we are there. It has no password in it, only where one is."""

    hosts: tuple[str, ...]
    topics: tuple[str, ...]
    user: str | None
    options: ConnectOptions

    @classmethod
    def at(cls, address: Address, options: ConnectOptions) -> KafkaTopics:
        """What an address leads to; `InvalidInput` if it leads to nothing."""
        authority, _, path = address.rest.removeprefix("//").partition("/")
        user, at, written = authority.rpartition("@")
        if ":" in user:
            raise InvalidInput(
                f"an address at {written!r} names a password: expected ?password_variable=NAME"
            )
        shown = f"{address.scheme}://{written}/{path}"
        if not address.rest.startswith("//") or not written or not path:
            raise InvalidInput(f"expected {_SHOWN}, got {shown!r}")
        topics = tuple(unquote(path).split(","))
        for topic in topics:
            if not _TOPIC.fullmatch(topic) or topic in (".", ".."):
                raise InvalidInput(
                    f"{shown}: a topic of Kafka has letters, digits, '.', '_' and '-', got "
                    f"{topic!r}"
                )
        hosts = tuple(_host(one, shown) for one in written.split(","))
        return cls(hosts, topics, unquote(user) if at else None, options)

    def __str__(self) -> str:
        return f"kafka://{','.join(self.hosts)}/{','.join(self.topics)}"

    @property
    def servers(self) -> str:
        """The brokers that are asked where the others are."""
        return ",".join(self.hosts)

    def for_spark(self) -> dict[str, str]:
        """The options that Spark needs to speak to the brokers."""
        found = {"kafka.bootstrap.servers": self.servers}
        if self._protocol != "PLAINTEXT":
            found["kafka.security.protocol"] = self._protocol
        if self.user is not None:
            module = f"org.apache.kafka.common.security.{_MODULES[self.options.mechanism]}"
            said = f"username={_quoted(self.user)} password={_quoted(self._password())}"
            found["kafka.sasl.mechanism"] = self.options.mechanism
            found["kafka.sasl.jaas.config"] = f"{module} required {said};"
        if self.options.tls and self.options.ca is not None:
            found["kafka.ssl.truststore.type"] = "PEM"
            found["kafka.ssl.truststore.location"] = str(_readable(self.options.ca))
        return found

    def for_client(self) -> dict[str, str | int | float | bool]:
        """The same for a client in this process."""
        found: dict[str, str | int | float | bool] = {
            "bootstrap.servers": self.servers,
            "security.protocol": self._protocol,
            "log_level": 0,
        }
        if self.user is not None:
            found["sasl.mechanism"] = self.options.mechanism
            found["sasl.username"] = self.user
            found["sasl.password"] = self._password()
        if self.options.tls and self.options.ca is not None:
            found["ssl.ca.location"] = str(_readable(self.options.ca))
        return found

    @property
    def _protocol(self) -> str:
        start = "SASL_" if self.user is not None else ""
        return start + ("SSL" if self.options.tls else "PLAINTEXT")

    def _password(self, environment: Mapping[str, str] = os.environ) -> str:
        name = self.options.password_variable
        if not name:
            raise InvalidInput(f"{self}: a user, but no password: expected password_variable=NAME")
        if name not in environment:
            raise InvalidInput(f"{self}: the variable {name} is not set")
        return environment[name]


def _host(written: str, shown: str) -> str:
    found = _HOST.fullmatch(written)
    if found is None or not 0 < int(found[2] or _PORT) < 65_536:
        raise InvalidInput(f"expected {_SHOWN}, got the host {written!r} in {shown!r}")
    return f"{found[1]}:{found[2] or _PORT}"


def _quoted(text: str) -> str:
    """A text in a configuration of JAAS."""
    if any(one in text for one in "\n\r\0"):
        raise InvalidInput("a user and a password for Kafka are texts of one line")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _readable(path: Path) -> Path:
    try:
        path.open("rb").close()
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    return path.resolve()
