"""What seed events are made of: Table III of TOIT'14 and the sources that its section 6.2.1 names.

Sensor capabilities are those of Table III. Cities are the sites of SmartSantander, and Galway.
Vehicles and appliances are kinds and makes such as the directory of cars and the data set of
household appliances list; rooms are of the kind that the data of an office building list.
"""

from __future__ import annotations

from dataclasses import dataclass

CITIES = (
    ("santander", "spain"),
    ("guildford", "united kingdom"),
    ("lubeck", "germany"),
    ("belgrade", "serbia"),
    ("galway", "ireland"),
)
CONTINENT = "europe"
CHANGES = ("increased", "decreased", "high", "low", "abnormal")

# Each capability of Table III with its unit, and where it is measured.
INDOORS, OUTDOORS, MOBILE = "indoors", "outdoors", "mobile"


@dataclass(frozen=True, slots=True)
class SensorCapability:
    """What a sensor can measure, in which unit, and on what it is mounted."""

    name: str
    unit: str
    places: tuple[str, ...]


CAPABILITIES = (
    SensorCapability("solar radiation", "lux", (OUTDOORS,)),
    SensorCapability("particles", "microgram per cubic metre", (OUTDOORS, MOBILE)),
    SensorCapability("speed", "kilometre per hour", (MOBILE,)),
    SensorCapability("wind direction", "degree", (OUTDOORS,)),
    SensorCapability("wind speed", "metre per second", (OUTDOORS,)),
    SensorCapability("temperature", "degree celsius", (INDOORS, OUTDOORS, MOBILE)),
    SensorCapability("water flow", "litre per second", (OUTDOORS,)),
    SensorCapability("atmospheric pressure", "hectopascal", (OUTDOORS,)),
    SensorCapability("noise", "decibel", (INDOORS, OUTDOORS)),
    SensorCapability("ozone", "microgram per cubic metre", (OUTDOORS, MOBILE)),
    SensorCapability("rainfall", "millimetre", (OUTDOORS,)),
    SensorCapability("parking", "percent", (OUTDOORS,)),
    SensorCapability("radiation par", "lux", (OUTDOORS,)),
    SensorCapability("co", "parts per million", (OUTDOORS, MOBILE)),
    SensorCapability("ground temperature", "degree celsius", (OUTDOORS,)),
    SensorCapability("light", "lux", (INDOORS, OUTDOORS)),
    SensorCapability("no2", "microgram per cubic metre", (OUTDOORS, MOBILE)),
    SensorCapability("soil moisture tension", "hectopascal", (OUTDOORS,)),
    SensorCapability("relative humidity", "percent", (INDOORS, OUTDOORS)),
    SensorCapability("energy consumption", "kilowatt hour", (INDOORS,)),
    SensorCapability("cpu usage", "percent", (INDOORS,)),
    SensorCapability("memory usage", "percent", (INDOORS,)),
)
APPLIANCES = (
    "laptop", "desktop computer", "refrigerator", "washing machine", "dishwasher", "microwave",
    "kettle", "television", "lamp", "printer", "hair dryer", "iron", "vacuum cleaner", "fan",
    "heater", "air conditioner", "monitor", "projector", "coffee machine", "garage door",
)  # fmt: skip
COMPUTERS = ("laptop", "desktop computer", "printer")
VEHICLES = ("car", "bus", "taxi", "truck", "bicycle")
MAKES = (
    "audi", "bmw", "citroen", "fiat", "ford", "honda", "hyundai", "kia", "mazda", "mercedes",
    "nissan", "opel", "peugeot", "renault", "seat", "skoda", "toyota", "volkswagen", "volvo",
)  # fmt: skip
ROOMS = (
    "room 101", "room 112", "room 115", "room 203", "room 204", "room 217", "meeting room",
    "kitchen", "office", "corridor", "laboratory", "canteen", "library", "reception", "basement",
)  # fmt: skip
FLOORS = ("ground floor", "first floor", "second floor")
DISTRICTS = (
    "city centre", "harbour", "park", "university", "market square", "industrial estate",
    "motorway", "beach", "residential quarter",
)  # fmt: skip

ATTRIBUTES = (
    "type", "measurement unit", "device", "desk", "room", "floor", "zone", "vehicle", "make",
    "street", "sensor", "city", "country", "continent",
)  # fmt: skip
# All that can be said otherwise: not the names of places and makes.
TERMS = (
    *ATTRIBUTES, *CHANGES, *(one.name for one in CAPABILITIES), *(one.unit for one in CAPABILITIES),
    *APPLIANCES, *VEHICLES, *ROOMS, *FLOORS, *DISTRICTS, "event", "building",
)  # fmt: skip
