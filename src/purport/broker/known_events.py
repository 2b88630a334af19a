"""Which events from elsewhere are in the journal: each of them is taken once.

They come from other brokers, or out of logs that connectors keep, such as a spool: then the origin
is the log, its identity, and a position there.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from purport.broker.records import Origin

_BITS = 1 << 13  # sequences, in one block
MOST_BLOCKS = 4_096  # of one epoch: events older than those of the last 33 million entries
MOST_EPOCHS = 256  # of one broker


class KeptBlocks(msgspec.Struct, frozen=True, array_like=True):
    """What a snapshot has of one epoch of a broker: bits, by their place."""

    broker: str
    epoch: str
    blocks: dict[int, bytes]


class KnownEvents:
    """Sequences of events elsewhere: one bit for each entry there, as far as it matters.

    What is older than all that is remembered counts as new.
    """

    def __init__(self) -> None:
        self._by_broker: dict[str, dict[str, dict[int, bytearray]]] = {}

    def __contains__(self, origin: Origin) -> bool:
        blocks = self._by_broker.get(origin.broker, {}).get(origin.epoch, {})
        place, bit = divmod(origin.sequence, _BITS)
        block = blocks.get(place)
        return block is not None and bool(block[bit >> 3] & (1 << (bit & 7)))

    def add(self, origin: Origin) -> None:
        """An event of this origin is in the journal."""
        epochs = self._by_broker.setdefault(origin.broker, {})
        blocks = epochs.get(origin.epoch)
        if blocks is None:
            blocks = epochs[origin.epoch] = {}
            if len(epochs) > MOST_EPOCHS:
                del epochs[next(iter(epochs))]
        place, bit = divmod(origin.sequence, _BITS)
        block = blocks.get(place)
        if block is None:
            block = blocks[place] = bytearray(_BITS >> 3)
            if len(blocks) > MOST_BLOCKS:
                del blocks[min(blocks)]
        block[bit >> 3] |= 1 << (bit & 7)

    def end(self, broker: str, epoch: str) -> int:
        """The sequence after the last that is known of an epoch; 0 if none is."""
        blocks = self._by_broker.get(broker, {}).get(epoch)
        if not blocks:
            return 0
        place = max(blocks)
        return place * _BITS + int.from_bytes(blocks[place], "little").bit_length()

    def kept(self) -> Iterator[KeptBlocks]:
        """What `restore` takes up."""
        for broker, epochs in self._by_broker.items():
            for epoch, blocks in epochs.items():
                kept = {place: bytes(block) for place, block in blocks.items()}
                yield KeptBlocks(broker, epoch, kept)

    def restore(self, kept: KeptBlocks) -> None:
        """Know what a snapshot knew."""
        blocks = {place: bytearray(block) for place, block in kept.blocks.items()}
        self._by_broker.setdefault(kept.broker, {})[kept.epoch] = blocks


def origin_id(origin: Origin) -> str:
    """What an event is called by its origin alone, if nobody gave it an id.

    >>> origin_id(Origin("mqtt:city", "5f0c", 17))
    'mqtt:city:5f0c:17'
    """
    return f"{origin.broker}:{origin.epoch}:{origin.sequence}"
