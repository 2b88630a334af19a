"""Which events from elsewhere are in the journal: each of them is taken once.

They come from other brokers, or out of logs that connectors keep, such as a spool: then the origin
is the log, its identity, and a position there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import msgspec

from purport.broker.records import Origin

_BITS = 1 << 13  # sequences, in one block
MOST_BLOCKS = 4_096  # of one broker: its last 33 million entries, whatever its epochs were
MOST_OF_ALL = 32_768  # blocks, of all brokers together


class KeptBlocks(msgspec.Struct, frozen=True, array_like=True):
    """What a snapshot has of one epoch of a broker: bits, by their place."""

    broker: str
    epoch: str
    blocks: dict[int, bytes]


class KnownEvents:
    """Sequences of events elsewhere: one bit for each entry there, as far as it matters.

    What came last is remembered, however old it is. What is older than all that is remembered
    counts as new.
    """

    def __init__(self) -> None:
        # Both are in the order in which something was added last.
        self._by_broker: dict[str, dict[tuple[str, int], bytearray]] = {}
        self._count = 0

    def __contains__(self, origin: Origin) -> bool:
        place, bit = divmod(origin.sequence, _BITS)
        block = self._by_broker.get(origin.broker, {}).get((origin.epoch, place))
        return block is not None and bool(block[bit >> 3] & (1 << (bit & 7)))

    def add(self, origin: Origin) -> None:
        """An event of this origin is in the journal."""
        place, bit = divmod(origin.sequence, _BITS)
        blocks = self._by_broker[origin.broker] = self._by_broker.pop(origin.broker, {})
        key = origin.epoch, place
        block = blocks.pop(key, None)
        if block is None:
            block = bytearray(_BITS >> 3)
            self._count += 1
        blocks[key] = block
        block[bit >> 3] |= 1 << (bit & 7)
        if len(blocks) > MOST_BLOCKS:
            self._forget(origin.broker)
        elif self._count > MOST_OF_ALL:
            self._forget(next(iter(self._by_broker)))

    def end(self, broker: str, epoch: str) -> int:
        """The sequence after the last that is known of an epoch; 0 if none is."""
        blocks = self._by_broker.get(broker, {})
        place = max((place for one, place in blocks if one == epoch), default=None)
        if place is None:
            return 0
        return place * _BITS + int.from_bytes(blocks[epoch, place], "little").bit_length()

    def kept(self) -> Iterator[KeptBlocks]:
        """What `restore` takes up, in this order."""
        for broker, blocks in self._by_broker.items():
            for epoch, some in groupby(blocks.items(), key=lambda one: one[0][0]):
                yield KeptBlocks(broker, epoch, {key[1]: bytes(block) for key, block in some})

    def restore(self, kept: KeptBlocks) -> None:
        """Know what a snapshot knew."""
        blocks = self._by_broker.setdefault(kept.broker, {})
        for place, block in kept.blocks.items():
            self._count += (kept.epoch, place) not in blocks
            blocks[kept.epoch, place] = bytearray(block)

    def _forget(self, broker: str) -> None:
        """Forget what was added to longest ago of what is known of a broker."""
        blocks = self._by_broker[broker]
        del blocks[next(iter(blocks))]
        self._count -= 1
        if not blocks:
            del self._by_broker[broker]


def origin_id(origin: Origin) -> str:
    """What an event is called by its origin alone, if nobody gave it an id.

    >>> origin_id(Origin("mqtt:city", "5f0c", 17))
    'mqtt:city:5f0c:17'
    """
    return f"{origin.broker}:{origin.epoch}:{origin.sequence}"
