"""What SPS'16 asks of its city: updates and subscriptions (its Table 3), and the profiles of them.

Three things are not as printed. Table 3 writes INSERT before DELETE, which SPARQL 1.1 does not
allow. The formulas of the subscription profile give some numbers twice (301 to 350) and others not
at all (51 to 100); the roads and lamps that they name are taken, in their order. And every update
sets a value that was never there before, because a second round of "100" would change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.city_lighting import NAMESPACE, ROADS, lamp_node, road_node

PREFIX = f"PREFIX ns: <{NAMESPACE}> "
LAMPS_OF_ROAD = (
    "?lamp ns:hasDimmingValue ?dimming . ?post ns:hasLamp ?lamp . ?road ns:isConnectedTo ?post . "
)
FINE_ROADS = (*range(1, 6), *range(101, 105), *range(201, 204), *range(301, 308))
COARSE_ROADS = (6, 105, 204, 308)


class Experiment(StrEnum):
    """Which update profile: one lamp of every road, or all of them."""

    LAMP = "LAMP"
    ROAD = "ROAD"


class Spelling(StrEnum):
    """Where a text has its road: in a filter, as it is printed, or in the pattern.

    pyoxigraph does not carry the constant of a filter into the pattern, and looks at every lamp.
    """

    PRINTED = "printed"
    PUSHED = "pushed"


def update_lamp(road: int, lamp: int, value: str) -> str:
    """U_LAMP(X,Y): a lamp's dimming value is replaced."""
    subject = lamp_node(road, lamp)
    return (
        f"{PREFIX}DELETE {{ {subject} ns:hasDimmingValue ?dimming }} "
        f'INSERT {{ {subject} ns:hasDimmingValue "{value}" }} '
        f"WHERE {{ {subject} ns:hasDimmingValue ?dimming }}"
    )


def update_road(road: int, value: str, spelling: Spelling = Spelling.PRINTED) -> str:
    """U_ROAD(X): the dimming values of all lamps of a road are."""
    return (
        f"{PREFIX}DELETE {{ ?lamp ns:hasDimmingValue ?dimming }} "
        f'INSERT {{ ?lamp ns:hasDimmingValue "{value}" }} '
        f"WHERE {{ {_lamps_of(road, spelling)} }}"
    )


def subscribe_lamp(road: int, lamp: int) -> str:
    """S_LAMP(X,Y): fine-grained."""
    return (
        f"{PREFIX}SELECT ?dimming WHERE {{ {lamp_node(road, lamp)} ns:hasDimmingValue ?dimming }}"
    )


def subscribe_road(road: int, spelling: Spelling = Spelling.PRINTED) -> str:
    """S_ROAD(X): coarse-grained."""
    return f"{PREFIX}SELECT ?lamp ?dimming WHERE {{ {_lamps_of(road, spelling)} }}"


def updates(experiment: Experiment, value: str, spelling: Spelling = Spelling.PRINTED) -> list[str]:
    """An update profile: 310 updates, one of each road, that all set the same value."""
    if experiment is Experiment.LAMP:
        return [update_lamp(road, 1, value) for road in ROADS]
    return [update_road(road, value, spelling) for road in ROADS]


def subscriptions(spelling: Spelling = Spelling.PRINTED) -> list[str]:
    """The subscription profile S: 1,000 fine ones and 4 coarse ones."""
    fine = [subscribe_lamp(road, lamp) for road, lamp in fine_lamps()]
    return [*fine, *(subscribe_road(road, spelling) for road in COARSE_ROADS)]


def fine_lamps() -> Iterator[tuple[int, int]]:
    """The lamps, as road and number, of the fine-grained subscriptions."""
    for road in FINE_ROADS:
        for lamp in range(1, ROADS[road] + 1):
            yield road, lamp


def updated_lamps(experiment: Experiment) -> list[Sequence[tuple[int, int]]]:
    """The lamps that each update of a profile is about."""
    if experiment is Experiment.LAMP:
        return [[(road, 1)] for road in ROADS]
    return [[(road, lamp) for lamp in range(1, lamps + 1)] for road, lamps in ROADS.items()]


@dataclass(frozen=True, slots=True)
class Load:
    """What a profile asks of an engine, by the paper's definitions (1) and (2)."""

    triples_per_update: float  # NuAVG
    hit_rate_percent: float  # LHR
    notifications: int


def load_of(experiment: Experiment) -> Load:
    """Counted from the profiles, without any engine.

    A changed dimming value passes the table of a fine subscription if it is of its lamp, and that
    of a coarse one in any case (Table 4); a notification follows if its lamp or road is meant.
    """
    watched = set(fine_lamps())
    lamps = updated_lamps(experiment)
    fine_hits = sum(len(watched.intersection(changed)) for changed in lamps)
    coarse_hits = len(lamps) * len(COARSE_ROADS)
    told = sum(changed[0][0] in COARSE_ROADS for changed in lamps)
    return Load(
        sum(map(len, lamps)) / len(lamps),
        100 * (fine_hits + coarse_hits) / (len(lamps) * (len(watched) + len(COARSE_ROADS))),
        fine_hits + told,
    )


def _lamps_of(road: int, spelling: Spelling) -> str:
    if spelling is Spelling.PUSHED:
        return LAMPS_OF_ROAD.replace("?road", str(road_node(road))).strip()
    return f"{LAMPS_OF_ROAD}FILTER(?road = {road_node(road)})"
