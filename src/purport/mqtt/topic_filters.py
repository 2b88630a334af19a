"""Which topics a pattern means, as MQTT has it; access rules read their topics the same way."""

from __future__ import annotations

from purport.errors import InvalidInput

_SHARE = "$share/"
_MOST_BYTES = 65_535


def topic_matches(pattern: str, topic: str) -> bool:
    """Whether a topic is one of those that a pattern means.

    >>> topic_matches("building/+/heat", "building/7/heat"), topic_matches("a/#", "a")
    (True, True)
    """
    if pattern == "#":
        return True
    wanted, levels = pattern.split("/"), topic.split("/")
    for place, one in enumerate(wanted):
        if one == "#":
            return True
        if place == len(levels) or one not in ("+", levels[place]):
            return False
    return len(wanted) == len(levels)


def filter_matches(pattern: str, topic: str) -> bool:
    """Whether a broker sends a topic to one who subscribed so: `$SYS` only where it is named.

    >>> filter_matches("#", "$SYS/uptime"), filter_matches("$share/g/a/+", "a/b")
    (False, True)
    """
    _, pattern = shared_group(pattern)
    if topic.startswith("$") and pattern[:1] in ("#", "+"):
        return False
    return topic_matches(pattern, topic)


def require_topic_pattern(pattern: str) -> None:
    """Raise `InvalidInput` where `+` or `#` are no whole levels, or `#` is not the last."""
    levels = pattern.split("/")
    for place, level in enumerate(levels):
        if level == "#" and place < len(levels) - 1:
            raise InvalidInput(f"{pattern!r}: # stands at the end of a topic's pattern")
        if len(level) > 1 and ("+" in level or "#" in level):
            raise InvalidInput(f"{pattern!r}: + and # stand for whole levels of a topic")


def require_filter(pattern: str) -> None:
    """Raise `InvalidInput` for what no broker takes as a filter, `$share/GROUP/FILTER` included."""
    group, rest = shared_group(pattern)
    if group is not None and (not group or "+" in group or "#" in group):
        raise InvalidInput(f"{pattern!r}: expected $share/GROUP/FILTER, a group without + and #")
    _require_text(rest, pattern, "filter")
    require_topic_pattern(rest)


def require_topic(topic: str) -> None:
    """Raise `InvalidInput` for what nothing can be published on."""
    _require_text(topic, topic, "topic")
    if "+" in topic or "#" in topic:
        raise InvalidInput(f"{topic!r}: + and # stand in filters, not in the topic of a message")


def shared_group(pattern: str) -> tuple[str | None, str]:
    """The group that shares a subscription, and what it shares; no group where it is not shared.

    >>> shared_group("$share/readers/city/#"), shared_group("city/#")
    (('readers', 'city/#'), (None, 'city/#'))
    """
    if not pattern.startswith(_SHARE):
        return None, pattern
    group, _, rest = pattern.removeprefix(_SHARE).partition("/")
    return group, rest


def _require_text(text: str, shown: str, what: str) -> None:
    if not text:
        raise InvalidInput(f"{shown!r}: expected a {what} of at least one character")
    if "\0" in text or len(text.encode(errors="replace")) > _MOST_BYTES:
        raise InvalidInput(f"a {what} has no NUL in it, and at most {_MOST_BYTES:,} bytes")
