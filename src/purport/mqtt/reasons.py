"""Why a broker says no, in words."""

from __future__ import annotations

from purport.mqtt.packets import Version

REFUSED = 0x80  # reasons from here on are refusals

_AT_CONNECT_311 = {
    1: "it does not speak MQTT 3.1.1",
    2: "it does not accept this client id",
    3: "the broker is not available",
    4: "wrong user or password",
    5: "not authorized",
}
_WORDS = {
    0x80: "refused without a reason",
    0x81: "it takes a packet for malformed",
    0x82: "it takes a packet for an error of the protocol",
    0x83: "refused for a reason of its own",
    0x84: "it does not speak MQTT 5",
    0x85: "it does not accept this client id",
    0x86: "wrong user or password",
    0x87: "not authorized",
    0x88: "the broker is not available",
    0x89: "the broker is busy",
    0x8A: "this client is banned",
    0x8B: "the broker shuts down",
    0x8C: "bad method of authentication",
    0x8D: "nothing was heard of us for too long",
    0x8E: "another client with the same id has taken over the session",
    0x8F: "it does not accept this filter",
    0x90: "it does not accept this topic",
    0x91: "the packet id is in use",
    0x92: "the packet id is not known",
    0x93: "too many messages are not acknowledged",
    0x94: "bad topic alias",
    0x95: "the packet is too large",
    0x96: "too many messages at once",
    0x97: "a quota is used up",
    0x98: "it was ended by an administrator",
    0x99: "the payload is not in the format that was named",
    0x9A: "it retains no messages",
    0x9B: "it does not know this QoS",
    0x9C: "another server is to be used",
    0x9D: "the server has moved",
    0x9E: "it has no shared subscriptions",
    0x9F: "too many connections",
    0xA0: "the connection has lasted as long as it may",
    0xA1: "it has no subscription identifiers",
    0xA2: "it has no wildcards in subscriptions",
}


def connect_reason(reason: int, version: Version, said: str | None = None) -> str:
    """Why a connection is refused."""
    words = _AT_CONNECT_311 if version is Version.V311 and reason < REFUSED else _WORDS
    return _told(words.get(reason, "a reason that MQTT does not name"), reason, said)


def reason_in_words(reason: int, said: str | None = None) -> str:
    """Why something else is refused, with what the broker says itself."""
    return _told(_WORDS.get(reason, "a reason that MQTT does not name"), reason, said)


def _told(words: str, reason: int, said: str | None) -> str:
    return f"{words} ({reason:#04x}{f': {said}' if said else ''})"
