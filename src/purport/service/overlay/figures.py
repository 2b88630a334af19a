"""What Prometheus is told of links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from purport.prometheus import Family, counters, gauges
from purport.service.overlay.status import NeighbourStatus


def families(neighbours: Sequence[NeighbourStatus]) -> Iterator[Family]:
    """Figures of links, told apart by the names of neighbours."""

    def of(value: Callable[[NeighbourStatus], float]) -> dict[str, float]:
        return {one.name: value(one) for one in neighbours}

    label = "neighbour"
    yield gauges(
        "purport_overlay_up",
        "Whether there is a link.",
        label,
        of(lambda one: int(one.state == "up")),
    )
    yield gauges(
        "purport_overlay_used",
        "Whether events go over the link, or it is spare.",
        label,
        of(lambda one: int(one.used)),
    )
    yield gauges(
        "purport_overlay_waiting",
        "Events that wait for a neighbour.",
        label,
        of(lambda one: one.events.waiting),
    )
    yield gauges(
        "purport_overlay_interests_forwarded",
        "Interests that a neighbour is asked for.",
        label,
        of(lambda one: one.interests.forwarded),
    )
    yield gauges(
        "purport_overlay_interests_received",
        "Interests that a neighbour asks for.",
        label,
        of(lambda one: one.interests.received),
    )
    counted: tuple[tuple[str, str, Callable[[NeighbourStatus], float]], ...] = (
        ("sent", "Events told to a neighbour.", lambda one: one.events.sent),
        ("received", "Events that a neighbour told.", lambda one: one.events.received),
        ("known", "Of them, those that were known.", lambda one: one.events.known),
        ("dropped", "Events dropped because too much waited.", lambda one: one.events.dropped),
        ("forbidden", "Events a neighbour may not publish.", lambda one: one.events.forbidden),
    )
    for name, told, value in counted:
        yield counters(f"purport_overlay_events_{name}", told, label, of(value))
