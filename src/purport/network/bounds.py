"""What numbers in a scenario may be: an option, what is expected of it, and within which bounds.

The upper bounds are far above what is built, and far below what cannot be counted any more: whole
picojoules go up to nine million joules.
"""

from __future__ import annotations

from typing import NamedTuple

from purport.network.errors import require

FARTHEST = "1e6"  # metres
MOST_SIDES = 100  # of a field that a node goes between two steps


class Bound(NamedTuple):
    """What a number is to be; `without_least` and `without_most` if these themselves are wrong."""

    expected: str
    least: float
    most: float
    without_least: bool = False
    without_most: bool = False

    def allows(self, number: float) -> bool:
        """Whether a number is within the bounds; what is no number never is."""
        is_enough = self.least < number if self.without_least else self.least <= number
        return is_enough and (number < self.most if self.without_most else number <= self.most)


def _count(least: int, most: int) -> Bound:
    return Bound(f"{least:,} to {most:,}", least, most)


def _positive(most: str, unit: str = "") -> Bound:
    said = f"more than 0{unit}, at most {most}"
    return Bound(said, 0, float(most), without_least=True)


def _natural(most: str, what: str = "") -> Bound:
    return Bound(f"{what}0 or more, at most {most}", 0, float(most))


_SHARE = Bound("a share between 0 and 1", 0, 1, True, True)
_CHANCE = Bound("from 0 to 1", 0, 1)
_ROUNDS = _count(1, 1_000_000_000)
_BYTES = _count(0, 65_535)

BOUNDS = {
    "hop_limit": _count(1, 1_000_000),
    "rounds": _ROUNDS,
    "field.nodes": _count(2, 100_000),
    "field.side_m": _positive(FARTHEST, " m"),
    "field.weights": _natural("1e9", "weights of "),
    "field.link_m": Bound(f"metres, at most {FARTHEST}", 0, float(FARTHEST), without_least=True),
    "roles.publishers": _SHARE,
    "roles.subscribers": _SHARE,
    "roles.most_subscriptions": _count(1, 1_000),
    "radio.electronics_nj_per_bit": _natural("1e6"),
    "radio.amplifier_pj_per_bit_m2": _natural("1e6"),
    "radio.range_m": _positive(FARTHEST, " m"),
    "radio.levels_m": _positive(FARTHEST, " m each"),
    "radio.header_bytes": _BYTES,
    "radio.data_bytes": _BYTES,
    "battery.joules": _positive("1e6"),
    "battery.spread": Bound("a share from 0, below 1", 0, 1, without_most=True),
    "battery.idle_uj_per_round": _natural("1e9"),
    "publishing.events_per_round": _count(1, 1_000),
    "publishing.chance": Bound("above 0, at most 1", 0, 1, without_least=True),
    "clusters.share": _SHARE,
    "clusters.cycle_rounds": _ROUNDS,
    "computing.nj_per_instruction": _natural("1000"),
    "computing.instructions_per_test": _natural("10000"),
    "computing.instructions_per_division": _natural("10000"),
    "air.loss": Bound("a chance from 0, below 1", 0, 1, without_most=True),
    "air.retransmissions": _count(0, 100),
    "air.awake": Bound("a share above 0, at most 1", 0, 1, without_least=True),
    "air.drift_ppm": _natural("1e6"),
    "air.guard_ms": _natural("1e9"),
    "air.sync_every_rounds": _ROUNDS,
    "air.round_s": _positive("1e6", " s"),
    "air.slots": _count(1, 1_000_000),
    "motion.moving": _CHANCE,
    "motion.speed_m_per_round": _natural(FARTHEST),
    "motion.leaving": _CHANCE,
    "motion.returning": _CHANCE,
    "motion.every_rounds": _ROUNDS,
}


def require_within_bounds(options: object, table: str = "") -> None:
    """Refuse numbers of a table of options that are out of bounds; those left open are not."""
    for place, bound in BOUNDS.items():
        above, _, name = place.rpartition(".")
        if above == table:
            given = getattr(options, name)
            for number in given if isinstance(given, tuple) else (given,):
                require(number is None or bound.allows(number), place, bound.expected, number)
