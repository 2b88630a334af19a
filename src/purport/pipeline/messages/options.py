"""What can be said of messages in the options of an address."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from purport.client.payloads import VALUE, PayloadKind, Payloads, payloads
from purport.client.topics import TopicMapping
from purport.errors import InvalidInput


class Retained(StrEnum):
    """What becomes of messages that are older than the subscription that brought them."""

    TAKE = "take"  # they are events as all others
    MARK = "mark"  # they say so: `retained: true`
    SKIP = "skip"


@dataclass(frozen=True, kw_only=True)
class MessageOptions:
    """How messages become events.

    `topic` is a mapping of its levels, `key` what the key is called, and `headers` are those, with
    commas between them, that become attributes under their names.
    """

    payload: PayloadKind = PayloadKind.JSON
    value: str = VALUE  # what one value is called that is a whole message
    schema: Path | None = None
    topic: str | None = None
    key: str | None = None
    headers: str = ""
    retained: Retained = Retained.TAKE

    def meaning(self, separator: str = "/") -> Meaning:
        """The same as what reads messages; `InvalidInput` says what is wrong."""
        headers = tuple(one for one in self.headers.split(",") if one.strip())
        for name in (self.value, self.key, *headers):
            if name is not None and (not name.strip() or name[0] == "@"):
                raise InvalidInput(f"expected a name for an attribute, got {name!r}")
        topic = self.topic
        mapping = None if topic is None else TopicMapping.read(topic, separator=separator)
        read = payloads(self.payload, value=self.value, schema=self.schema)
        is_json = self.payload is PayloadKind.JSON
        return Meaning(read, self.value, is_json, mapping, self.key, headers, self.retained)


@dataclass(frozen=True, slots=True)
class Meaning:
    """How messages become events, ready to be sent to the workers."""

    payloads: Payloads
    value: str = VALUE
    is_json: bool = True
    topic: TopicMapping | None = None
    key: str | None = None
    headers: tuple[str, ...] = ()
    retained: Retained = Retained.TAKE

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the table MESSAGES that are looked at beside what says where a message is."""
        wanted = {
            "key": self.key is not None,
            "headers": bool(self.headers),
            "is_retained": self.retained is not Retained.TAKE,
        }
        return tuple(name for name, is_wanted in wanted.items() if is_wanted)
