"""Wanted attributes, and the keys of real payloads that answer them."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from purport.relatedness.measure import Measure

_FILE = Path(__file__).with_name("attribute_pairs.json")


@dataclass(frozen=True, slots=True)
class AttributePair:
    """An attribute as somebody asks for it, and those keys of an event that are right."""

    wanted: str
    right: tuple[str, ...]
    keys: tuple[str, ...]


def attribute_pairs() -> list[AttributePair]:
    """Every pair, each with all keys of its event."""
    table = msgspec.json.decode(_FILE.read_bytes())
    return [
        AttributePair(
            pair["wanted"], tuple(pair["right"]), tuple(table["events"][pair["event"]]["keys"])
        )
        for pair in table["pairs"]
    ]


def is_first(measure: Measure, pair: AttributePair) -> bool:
    """Whether a right key, and none of the others, scores highest."""
    scores = dict(zip(pair.keys, measure.matrix([pair.wanted], pair.keys)[0], strict=True))
    best = max(scores[key] for key in pair.right)
    return all(scores[key] < best for key in pair.keys if key not in pair.right)
