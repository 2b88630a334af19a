"""Topics by their levels: `city/{zone}/{sensor}` takes them apart into values, and makes them.

A level is a text as it stands, `{name}`, or `+`, which says nothing; at the end there may be
`{name...}`, all levels that are left, or `#`, which says nothing of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from purport.errors import InvalidInput

_MOST_BYTES = 65_535
_ESCAPES = {one: f"%{ord(one):02X}" for one in "%/+#$\0"}
_ESCAPED = re.compile("|".join(_ESCAPES.values()))
_LITERALS = {escape: one for one, escape in _ESCAPES.items()}


class TopicError(InvalidInput):
    """A text is no mapping of topics; `position` is counted from 1."""

    def __init__(self, text: str, position: int, message: str) -> None:
        super().__init__(text, position, message)
        self.text = text
        self.position = position
        self.message = message

    def __str__(self) -> str:
        return f"{self.text!r}, character {self.position}: {self.message}"


class LevelKind(Enum):
    """What a level of a mapping stands for."""

    WORD = "a text as it stands"
    ONE = "one level"
    REST = "all levels that are left, also none"


@dataclass(frozen=True, slots=True)
class Level:
    """A level: a word, or what it is called that stands there (nothing, if it says nothing)."""

    kind: LevelKind
    text: str = ""


@dataclass(frozen=True, slots=True)
class TopicMapping:
    """Topics of one form, and what their levels are called.

    >>> mapping = TopicMapping.read("city/{zone}/{sensor}")
    >>> mapping.filter, mapping.values("city/north/t1")
    ('city/+/+', {'zone': 'north', 'sensor': 't1'})
    >>> mapping.topic({"zone": "north/east", "sensor": "t1"})
    'city/north%2Feast/t1'
    """

    levels: tuple[Level, ...]
    separator: str = "/"  # Kafka's topics have none of their own; there it may be a dot

    @classmethod
    def read(cls, text: str, *, separator: str = "/") -> TopicMapping:
        """The mapping that a text spells; a `TopicError` says what is wrong with it, and where."""
        return cls(tuple(_levels(text, separator)), separator)

    def __str__(self) -> str:
        return self.separator.join(map(_written, self.levels))

    @property
    def names(self) -> tuple[str, ...]:
        """What is said of a topic, in the order of its levels."""
        return tuple(one.text for one in self.levels if one.kind is not LevelKind.WORD and one.text)

    @property
    def filter(self) -> str:
        """What a client of MQTT subscribes to, for all topics of this form."""
        signs = {LevelKind.ONE: "+", LevelKind.REST: "#"}
        return self.separator.join(signs.get(one.kind, one.text) for one in self.levels)

    def values(self, topic: str) -> dict[str, str] | None:
        """What a topic says; None if it is not of this form."""
        found: dict[str, str] = {}
        parts = topic.split(self.separator)
        for place, level in enumerate(self.levels):
            if level.kind is LevelKind.REST:
                if level.text and place < len(parts):
                    found[level.text] = self.separator.join(map(_unescaped, parts[place:]))
                return found
            if place == len(parts):
                return None
            if level.kind is LevelKind.ONE:
                if level.text:
                    found[level.text] = _unescaped(parts[place])
            elif parts[place] != level.text:
                return None
        return found if len(parts) == len(self.levels) else None

    def topic(self, values: Mapping[str, str]) -> str:
        """The topic that says these values; what a topic cannot have in it is escaped.

        `InvalidInput` where a value is missing, or where the levels are not MQTT's: elsewhere there
        is nothing that a sign could be escaped with.
        """
        if self.separator != "/":
            raise InvalidInput(f"{str(self)!r}: topics are made with / between their levels")
        parts: list[str] = []
        for level in self.levels:
            if level.kind is LevelKind.WORD:
                parts.append(level.text)
            elif not level.text:
                raise InvalidInput(f"{str(self)!r}: + and # cannot be filled, only names can")
            elif level.kind is LevelKind.REST:
                rest = values.get(level.text)
                parts += [] if rest is None else map(_escaped, rest.split(self.separator))
            elif level.text in values:
                parts.append(_escaped(values[level.text]))
            else:
                raise InvalidInput(f"{str(self)!r}: nothing is given for {level.text!r}")
        return _required(self.separator.join(parts), str(self), self.levels[0])


def _levels(text: str, separator: str) -> Iterator[Level]:
    if not text:
        raise TopicError(text, 1, "expected a topic such as city/{zone}/{sensor}")
    parts, position = text.split(separator), 1
    seen: set[str] = set()
    for number, part in enumerate(parts, 1):
        level = _level(text, position, part)
        if level.kind is LevelKind.REST and number < len(parts):
            raise TopicError(text, position, f"{part} stands at the end, and takes what is left")
        if level.kind is not LevelKind.WORD and level.text:
            if level.text in seen:
                raise TopicError(text, position, f"the name {level.text!r} stands here twice")
            seen.add(level.text)
        yield level
        position += len(part) + len(separator)


def _level(text: str, position: int, part: str) -> Level:
    if part == "+":
        return Level(LevelKind.ONE)
    if part == "#":
        return Level(LevelKind.REST)
    if part[:1] == "{" and part[-1:] == "}":
        name = part[1:-1]
        kind = LevelKind.REST if name.endswith("...") else LevelKind.ONE
        name = name.removesuffix("...")
        if not name.strip() or name[0] == "@" or "{" in name or "}" in name:
            raise TopicError(text, position, f"expected a name such as {{zone}}, got {part}")
        return Level(kind, name)
    wrong = next((place for place, one in enumerate(part) if one in "+#{}\0"), None)
    if wrong is not None:
        message = f"{part[wrong]!r} stands for, or around, a whole level"
        raise TopicError(text, position + wrong, message)
    return Level(LevelKind.WORD, part)


def _written(level: Level) -> str:
    match level.kind:
        case LevelKind.WORD:
            return level.text
        case LevelKind.ONE:
            return f"{{{level.text}}}" if level.text else "+"
        case LevelKind.REST:
            return f"{{{level.text}...}}" if level.text else "#"


def _escaped(value: str) -> str:
    """A value as it may stand in a level, from which it is read again."""
    return "".join(one if one == "$" else _ESCAPES.get(one, one) for one in value)


def _unescaped(part: str) -> str:
    """What a level says; a sign of per cent that escapes nothing is itself."""
    return _ESCAPED.sub(lambda found: _LITERALS[found[0]], part) if "%" in part else part


def _required(topic: str, shown: str, first: Level) -> str:
    """A topic that can be published on; topics of the broker's own begin with a dollar."""
    if first.kind is not LevelKind.WORD and topic.startswith("$"):
        topic = f"%24{topic[1:]}"
    try:
        size = len(topic.encode())
    except UnicodeEncodeError:
        raise InvalidInput(f"{shown!r}: a value is no text that can be written as UTF-8") from None
    if not 1 <= size <= _MOST_BYTES:
        raise InvalidInput(f"{shown!r}: a topic has 1 to {_MOST_BYTES:,} bytes, got {size:,}")
    return topic
