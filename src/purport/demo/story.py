"""What the demo tells: the same fact in the words of four makers, asked for once."""

from __future__ import annotations

from collections.abc import Iterator

from purport.demo.run import DemoResult, Heard, demo_subscriptions
from purport.demo.vocabulary import MAKERS, Said
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.language.write import write

READING: Said = {
    "type": "increased energy consumption event",
    "measures": "energy consumption",
    "value": 2.7,
    "measurement unit": "kW",
    "device": "laptop",
    "room": "room 112",
    "floor": "ground floor",
    "city": "Galway",
    "maker": "",
}


def sayings() -> Iterator[tuple[str, list[str]]]:
    """Each maker's words for one fact: the statements that answer the first subscription."""
    matcher = Matcher(demo_subscriptions()[:1])
    for maker, wording in MAKERS.items():
        for match in matcher.match(Event.from_json(wording(READING))):
            pairs = match.mapping.correspondences
            yield maker, [str(pair.statement) for pair in pairs]


def question() -> str:
    """What is asked for."""
    return write(demo_subscriptions()[0])


def why(result: DemoResult) -> Heard | None:
    """The subscription whose example is explained: the first that has one."""
    return next((heard for heard in result.subscriptions if heard.example), None)


def summary(result: DemoResult) -> list[str]:
    """What came of it, in a few sentences."""
    told = [
        f"{result.city.events:,} events of {len(MAKERS)} makers were streamed through Spark in "
        f"{result.seconds_streaming:.0f} s.",
        f"{result.meant:,} matches were meant. Asked by meaning, {result.heard:,} were found; with "
        f"exact words alone it would have been {result.exact:,}, those of the maker who happens to "
        "use the same words.",
        f"{result.wrong:,} matches were not meant: a ~ takes near words for the same.",
    ]
    least = max(result.subscriptions, key=lambda one: one.meant.total() - one.heard.total())
    if least.missed is not None:
        told.append(f"Missed most often: what {least.missed.maker} says of {least.name!r}.")
    told.append(f"{len(result.dead_letters):,} broken lines were set aside with their reasons.")
    return told
