"""A simulated city: seeded, so that it says the same each time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from purport.demo import vocabulary
from purport.demo.vocabulary import CAPABILITIES, MAKERS, Capability, Said, Where, in_plain_words

_BEGINNING = datetime(2026, 6, 1, 8, tzinfo=UTC)
_SHARE_BROKEN = 0.002


@dataclass(frozen=True, slots=True)
class CityEvent:
    """What a sensor said in its maker's words, and what it meant in the subscribers'."""

    maker: str
    said: Said
    meant: Said

    @property
    def id(self) -> str:
        """What both are called."""
        return str(self.said["@id"])


@dataclass(frozen=True, slots=True)
class City:
    """Buildings, street sensors, vehicles and appliances that report so many events."""

    events: int = 12_000
    seed: int = 2014

    def happenings(self) -> Iterator[CityEvent]:
        """The events in the order in which they happen."""
        rng = random.Random(self.seed)
        for number in range(self.events):
            reading = _reading(rng)
            maker = rng.choice(list(MAKERS))
            reading["maker"] = maker
            instant = (_BEGINNING + timedelta(seconds=number)).isoformat()
            about = {"@id": f"city-{number}", "@start": instant, "@end": instant}
            yield CityEvent(maker, about | MAKERS[maker](reading), about | in_plain_words(reading))

    def write_lines(self, folder: Path, files: int) -> None:
        """The events as JSON lines files; a few lines arrive broken, as they do in a city."""
        folder.mkdir(parents=True, exist_ok=True)
        rng = random.Random(self.seed)
        lines = (_line(event, rng) for event in self.happenings())
        for number in range(files):
            share = self.events * (number + 1) // files - self.events * number // files
            with (folder / f"sensors-{number:03}.jsonl").open("wb") as file:
                file.writelines(islice(lines, share))


def _line(event: CityEvent, rng: random.Random) -> bytes:
    line = msgspec.json.encode(event.said)
    if rng.random() < _SHARE_BROKEN:
        line = line[: len(line) * 2 // 3]
    return line + b"\n"


def _reading(rng: random.Random) -> Said:
    """One reading, in plain words."""
    capability = rng.choice(CAPABILITIES)
    where = rng.choice(capability.on)
    value = _value(capability, rng)
    return {
        "type": _type(capability, value),
        "measures": capability.name,
        "value": value,
        "measurement unit": capability.unit,
        **_place(where, rng),
    }


def _value(capability: Capability, rng: random.Random) -> float:
    if capability.name == "parking":
        return rng.randint(0, 1)
    return round(rng.uniform(capability.low, capability.high), 2)


def _type(capability: Capability, value: float) -> str:
    """What happened: for most sensors a reading, for some a change that has a name."""
    match capability.name:
        case "energy consumption" if value > capability.high / 2:
            return "increased energy consumption event"
        case "parking":
            return "parking space occupied" if value else "parking space freed"
        case name:
            return f"{name} reading"


def _place(where: Where, rng: random.Random) -> Mapping[str, Any]:
    """Where and on what the sensor is."""
    city, country = rng.choice(vocabulary.CITIES)
    geography = {"city": city, "country": country, "continent": "Europe"}
    indoors = {"room": rng.choice(vocabulary.ROOMS), "floor": rng.choice(vocabulary.FLOORS)}
    match where:
        case Where.STREET:
            return {"street": rng.choice(vocabulary.STREETS), "zone": "street", **geography}
        case Where.ROOM:
            return {**indoors, "zone": "building", **geography}
        case Where.VEHICLE:
            return {"vehicle": rng.choice(vocabulary.VEHICLES), "zone": "street", **geography}
        case Where.APPLIANCE:
            device = rng.choice(vocabulary.APPLIANCES)
            return {"device": device, **indoors, "zone": "building", **geography}
        case Where.COMPUTER:
            device = rng.choice(vocabulary.COMPUTERS)
            return {"device": device, **indoors, "zone": "building", **geography}
