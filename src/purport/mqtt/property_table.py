"""The properties of version 5: their numbers, how they are written, and where we keep them."""

from __future__ import annotations

from enum import Enum, auto


class Kind(Enum):
    """How the value of a property is written."""

    BYTE = auto()
    TWO_BYTES = auto()
    FOUR_BYTES = auto()
    SHORT = auto()  # a number of one to four bytes, as lengths are
    BINARY = auto()
    TEXT = auto()
    PAIR = auto()  # of texts; may come more than once


IGNORED = ""  # what is read over

PROPERTIES: dict[int, tuple[Kind, str]] = {
    1: (Kind.BYTE, IGNORED),  # payload format
    2: (Kind.FOUR_BYTES, "message_expiry_s"),
    3: (Kind.TEXT, "content_type"),
    8: (Kind.TEXT, IGNORED),  # response topic
    9: (Kind.BINARY, IGNORED),  # correlation data
    11: (Kind.SHORT, IGNORED),  # subscription identifier
    17: (Kind.FOUR_BYTES, "session_expiry_s"),
    18: (Kind.TEXT, "assigned_client_id"),
    19: (Kind.TWO_BYTES, "server_keep_alive_s"),
    21: (Kind.TEXT, IGNORED),  # authentication method
    22: (Kind.BINARY, IGNORED),  # authentication data
    23: (Kind.BYTE, IGNORED),  # request problem information
    24: (Kind.FOUR_BYTES, "will_delay_s"),
    25: (Kind.BYTE, IGNORED),  # request response information
    26: (Kind.TEXT, IGNORED),  # response information
    28: (Kind.TEXT, IGNORED),  # server reference
    31: (Kind.TEXT, "reason"),
    33: (Kind.TWO_BYTES, "receive_maximum"),
    34: (Kind.TWO_BYTES, "topic_alias_maximum"),
    35: (Kind.TWO_BYTES, "topic_alias"),
    36: (Kind.BYTE, "maximum_qos"),
    37: (Kind.BYTE, "is_retain_available"),
    38: (Kind.PAIR, "user_properties"),
    39: (Kind.FOUR_BYTES, "maximum_packet_size"),
    40: (Kind.BYTE, IGNORED),  # wildcard subscription available
    41: (Kind.BYTE, IGNORED),  # subscription identifiers available
    42: (Kind.BYTE, IGNORED),  # shared subscription available
}

WRITTEN = {field: (number, kind) for number, (kind, field) in PROPERTIES.items() if field}
