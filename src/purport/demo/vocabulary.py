"""What the simulated city can say: sensors, places, things, and how each maker words it.

The capabilities are Table III of TOIT'14; rooms, floors and places follow its examples, vehicles
and appliances the kinds of sources it names (car brands, the appliances of a home).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Where(StrEnum):
    """What a sensor is fixed to."""

    STREET = "street"
    ROOM = "room"
    VEHICLE = "vehicle"
    APPLIANCE = "appliance"
    COMPUTER = "computer"


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that is measured, in what unit, in what range, and on what."""

    name: str
    unit: str
    low: float
    high: float
    on: tuple[Where, ...]


STREET, ROOM, VEHICLE = (Where.STREET,), (Where.ROOM,), (Where.VEHICLE,)
CAPABILITIES = (
    Capability("solar radiation", "W/m2", 0, 1100, STREET),
    Capability("particles", "µg/m3", 2, 120, (*STREET, *VEHICLE)),
    Capability("speed", "km/h", 0, 110, VEHICLE),
    Capability("wind direction", "degree", 0, 359, STREET),
    Capability("wind speed", "m/s", 0, 28, STREET),
    Capability("temperature", "°C", 4, 36, (*STREET, *ROOM)),
    Capability("water flow", "l/min", 0, 90, STREET),
    Capability("atmospheric pressure", "hPa", 975, 1040, STREET),
    Capability("noise", "dB", 30, 105, (*STREET, *ROOM)),
    Capability("ozone", "µg/m3", 5, 180, (*STREET, *VEHICLE)),
    Capability("rainfall", "mm/h", 0, 40, STREET),
    Capability("parking", "", 0, 1, STREET),
    Capability("radiation par", "W/m2", 0, 500, STREET),
    Capability("co", "mg/m3", 0, 12, (*STREET, *VEHICLE)),
    Capability("ground temperature", "°C", 2, 30, STREET),
    Capability("light", "lx", 0, 2000, (*STREET, *ROOM)),
    Capability("no2", "µg/m3", 4, 220, (*STREET, *VEHICLE)),
    Capability("soil moisture tension", "kPa", 0, 200, STREET),
    Capability("relative humidity", "%", 20, 100, (*STREET, *ROOM)),
    Capability("energy consumption", "kW", 0.01, 3.5, (Where.APPLIANCE, Where.COMPUTER)),
    Capability("cpu usage", "%", 0, 100, (Where.COMPUTER,)),
    Capability("memory usage", "%", 10, 99, (Where.COMPUTER,)),
)

ROOMS = (
    "room 101", "room 112", "room 113", "room 204", "room 211", "room 305", "public hall",
    "meeting room", "kitchen", "canteen", "server room", "library",
)  # fmt: skip
FLOORS = ("ground floor", "first floor", "second floor")
STREETS = ("harbour street", "market square", "station road", "university road", "park avenue")
CITIES = (("Galway", "Ireland"), ("Santander", "Spain"), ("Guildford", "United Kingdom"))
APPLIANCES = (
    "refrigerator",
    "washing machine",
    "microwave",
    "kettle",
    "television",
    "heater",
    "lamp",
)
COMPUTERS = ("laptop", "desktop computer", "monitor", "printer", "server")
VEHICLES = ("Toyota", "Volkswagen", "Renault", "Ford", "Fiat", "Nissan")

# Other words for the same things, as other makers use them.
SYNONYMS = {
    "temperature": "heat level", "energy consumption": "power usage", "noise": "sound level",
    "parking": "car park", "relative humidity": "air moisture", "speed": "velocity",
    "light": "illumination", "rainfall": "precipitation", "particles": "fine dust",
    "increased energy consumption event": "increased electricity consumption event",
    "parking space occupied": "car park space occupied", "temperature reading": "heat reading",
    "noise reading": "sound reading", "relative humidity reading": "humidity reading",
    "speed reading": "velocity reading", "laptop": "notebook", "monitor": "display",
    "desktop computer": "workstation", "refrigerator": "fridge", "television": "TV set",
    "washing machine": "washer", "ground floor": "ground level", "first floor": "first level",
    "second floor": "second level", "public hall": "lobby", "canteen": "dining hall",
}  # fmt: skip

Said = dict[str, Any]
Wording = Callable[[Mapping[str, Any]], Said]


def in_plain_words(reading: Mapping[str, Any]) -> Said:
    """Corrib: flat, in the words of the subscribers, with the unit behind the number."""
    unit = reading["measurement unit"]
    return {**reading, "value": f"{reading['value']} {unit}" if unit else reading["value"]}


def nested(reading: Mapping[str, Any]) -> Said:
    """Tramontana: nested objects, camelCase keys, a unit beside each number."""
    place = {key: reading[key] for key in ("room", "floor", "street", "city") if key in reading}
    return {
        "eventType": reading["type"].upper(),
        "observation": {"value": reading["value"], "unitOfMeasure": reading["measurement unit"]},
        "platform": {"deviceName": reading.get("device") or reading.get("vehicle")},
        "whereabouts": place,
        "maker": reading["maker"],
    }


def with_unit_suffixes(reading: Mapping[str, Any]) -> Said:
    """Boreal: snake_case keys that end in the unit."""
    suffixes = {
        "°C": "_C", "km/h": "_km_h", "m/s": "_m_s", "µg/m3": "_ug_m3", "mg/m3": "_mg_m3",
        "%": "_pct", "hPa": "_hpa", "W/m2": "_w_m2", "degree": "_deg", "mm/h": "_mm_h",
        "l/min": "_l_min", "kPa": "_kpa", "lx": "_lux", "dB": "_db", "kW": "_kw",
    }  # fmt: skip
    key = reading["measures"].replace(" ", "_") + suffixes.get(reading["measurement unit"], "")
    rest = {
        name.replace(" ", "_"): value
        for name, value in reading.items()
        if name not in ("type", "measures", "measurement unit", "value")
    }
    return {"event_type": reading["type"], key: reading["value"], **rest}


def in_other_words(reading: Mapping[str, Any]) -> Said:
    """Meridian: synonyms throughout, the unit behind the number, and Fahrenheit."""
    names = {
        "type": "message type", "measures": "property", "value": "quantity",
        "measurement unit": "quantity unit", "device": "machine", "room": "chamber",
        "floor": "storey", "street": "road", "city": "metropolis", "country": "homeland",
        "vehicle": "car",
    }  # fmt: skip
    said = {
        names.get(name, name): SYNONYMS.get(value, value) if isinstance(value, str) else value
        for name, value in reading.items()
    }
    unit = said.pop("quantity unit")
    if unit == "°C":
        said["quantity"] = f"{reading['value'] * 9 / 5 + 32:.1f} °F"
    elif unit:
        said["quantity"] = f"{reading['value']} {unit}"
    return said


MAKERS: Mapping[str, Wording] = {
    "Corrib": in_plain_words,
    "Tramontana": nested,
    "Boreal": with_unit_suffixes,
    "Meridian": in_other_words,
}
