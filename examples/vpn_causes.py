"""KBN's second scenario (its section VI.B): which port was it that brought a VPN down?

An interface fails, then its link, then the tunnel over it, then the VPN. Each says so by itself.
Who looks after the VPN asks for any fault of a link, by its class in an ontology, on the same
path in the ten seconds before. Time is simulated: the seconds stand in the story.

    python examples/vpn_causes.py
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from purport import Event, Matcher, parse
from purport.temporal.engine import TemporalEngine

NETWORK = Path(__file__).parent / "network.ttl"
CAUSE = "{alarm = VpnDown, start after(10 s) {alarm isa LinkFault, path = $path}}"

STORY = (
    (0, {"alarm": "InterfaceDown", "path": "north", "port": "core2/7"}),
    (30, {"alarm": "InterfaceDown", "path": "south", "port": "core1/3"}),
    (31, {"alarm": "LinkDown", "path": "south", "port": "core1/3"}),
    (33, {"alarm": "MplsTunnelDown", "path": "south", "tunnel": "t-17"}),
    (34, {"alarm": "LinkDown", "path": "west", "port": "edge4/1"}),
    (38, {"alarm": "VpnDown", "path": "south", "vpn": "payroll"}),
    (39, {"alarm": "VpnDown", "path": "north", "vpn": "archive"}),
)


def causes(story: tuple[tuple[int, dict[str, str]], ...]) -> Iterator[tuple[str, str]]:
    """The VPNs that went down, each with the port that was the cause."""
    start = datetime(2026, 11, 18, 9, tzinfo=UTC)
    engine = TemporalEngine(lambda: Matcher(ontology=NETWORK))
    engine.add("cause", parse(CAUSE))
    for seconds, said in story:
        for found in engine.take(
            Event.from_json(said), start + timedelta(seconds=seconds)
        ).detections:
            [part] = found.instance.parts
            yield _value(found.event, "vpn"), _value(part.instance.about.event, "port")


def _value(event: Event, attribute: str) -> str:
    return next(str(one.value) for one in event.statements if str(one.attribute) == attribute)


def main() -> None:
    """One outage with a cause on its path, and one without."""
    for vpn, port in causes(STORY):
        print(f"{vpn} is down: look at port {port}")


if __name__ == "__main__":
    main()
