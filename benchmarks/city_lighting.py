"""The knowledge base of SPS'16: the lighting of a small city, about 334 thousand triples.

Its Table 2 gives the counts, its section V.A what a post has: a lamp with a status, a dimming value
and a type, a geographical position, and two sensors (temperature, presence) with a type, a unit, a
value and a timestamp. How these are spelt as triples the paper leaves open, but for the names
`isConnectedTo`, `hasLamp` and `hasDimmingValue` and the number of triples: 35 thousand for a
thousand posts. Here a post has 35 and a road 4.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Quad, Store

NAMESPACE = "http://lighting.example/city#"
RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
SUBCLASS_OF = NamedNode("http://www.w3.org/2000/01/rdf-schema#subClassOf")
OWL = "http://www.w3.org/2002/07/owl#"
INDIVIDUAL = NamedNode(f"{OWL}NamedIndividual")

CLASSES = """
    Place Road Post Position Device Lamp Sensor TemperatureSensor PresenceSensor Measurement
    TemperatureMeasurement PresenceMeasurement Status LampType SensorType Unit RoadType
    VerySmallRoad SmallRoad MediumRoad LargeRoad LedLamp TraditionalLamp Actuator District
    Maintenance Operator
""".split()
INDIVIDUALS = """
    ON OFF BROKEN LED TRADITIONAL TEMPERATURE PRESENCE CELSIUS FAHRENHEIT BOOLEAN VERY_SMALL SMALL
    MEDIUM LARGE NORTH SOUTH EAST WEST CENTRE PLANNED URGENT DONE PUBLIC PRIVATE PERCENT SECOND
""".split()
OBJECT_PROPERTIES = """
    isConnectedTo hasLamp isLampOf hasSensor isSensorOf hasPosition isPositionOf hasStatus
    hasLampType hasSensorType hasMeasurement isMeasurementOf hasUnit hasRoadType isInDistrict
    isOperatedBy
""".split()
DATATYPE_PROPERTIES = """
    hasDimmingValue hasLatitude hasLongitude hasValue hasTimestamp hasName hasIdentifier
    hasDescription
""".split()

START_US = 1_467_331_200_000_000  # the timestamps: Unix time in microseconds


@dataclass(frozen=True, slots=True)
class RoadKind:
    """Roads of one size, numbered in a row."""

    name: str
    first: int
    roads: int
    lamps: int  # of each


KINDS = (
    RoadKind("very small", 1, 100, 10),
    RoadKind("small", 101, 100, 25),
    RoadKind("medium", 201, 100, 50),
    RoadKind("large", 301, 10, 100),
)
ROADS = {road: kind.lamps for kind in KINDS for road in range(kind.first, kind.first + kind.roads)}


def node(name: str) -> NamedNode:
    """What the city calls something, e.g. `node("hasLamp")`."""
    return NamedNode(NAMESPACE + name)


def road_node(road: int) -> NamedNode:
    """ROAD_URI_X."""
    return node(f"ROAD_{road}")


def lamp_node(road: int, lamp: int) -> NamedNode:
    """LAMP_URI_X_Y."""
    return node(f"LAMP_{road}_{lamp}")


def city() -> Store:
    """A store with the whole city in it."""
    store = Store()
    store.bulk_extend(quads())
    return store


def quads(seed: int = 2016) -> Iterator[Quad]:
    """The city's triples; the values that the paper leaves open are drawn."""
    drawn = random.Random(seed)
    yield from terminology()
    for kind in KINDS:
        for road in range(kind.first, kind.first + kind.roads):
            yield from _road(road, kind)
            for post in range(1, kind.lamps + 1):
                yield from _post(road, post, drawn)


def terminology() -> Iterator[Quad]:
    """The T-Box: what sorts of things and which properties there are."""
    for kind, names in (
        ("Class", CLASSES),
        ("NamedIndividual", INDIVIDUALS),
        ("ObjectProperty", OBJECT_PROPERTIES),
        ("DatatypeProperty", DATATYPE_PROPERTIES),
    ):
        for name in names:
            yield Quad(node(name), RDF_TYPE, NamedNode(OWL + kind))
            yield Quad(node(name), node("hasName"), Literal(name))
    for name in CLASSES:
        parent = next((one for one in CLASSES if name != one and name.endswith(one)), None)
        if parent is not None:
            yield Quad(node(name), SUBCLASS_OF, node(parent))


def _road(road: int, kind: RoadKind) -> Iterator[Quad]:
    subject = road_node(road)
    yield from _individual(subject, "Road")
    yield Quad(subject, node("hasName"), Literal(f"road {road}"))
    yield Quad(subject, node("hasRoadType"), node(kind.name.replace(" ", "_").upper()))


def _post(road: int, number: int, drawn: random.Random) -> Iterator[Quad]:
    post, place = node(f"POST_{road}_{number}"), node(f"POSITION_{road}_{number}")
    yield Quad(road_node(road), node("isConnectedTo"), post)
    yield from _individual(post, "Post")
    yield Quad(post, node("hasPosition"), place)
    yield from _individual(place, "Position")
    yield Quad(place, node("hasLatitude"), Literal(f"{44.4 + drawn.random() / 5:.6f}"))
    yield Quad(place, node("hasLongitude"), Literal(f"{11.2 + drawn.random() / 5:.6f}"))
    yield from _lamp(post, road, number, drawn)
    warmth = f"{drawn.gauss(15, 8):.1f}"
    yield from _sensor(post, f"TEMPERATURE_{road}_{number}", "CELSIUS", warmth, drawn)
    presence = drawn.choice(("True", "False"))
    yield from _sensor(post, f"PRESENCE_{road}_{number}", "BOOLEAN", presence, drawn)


def _lamp(post: NamedNode, road: int, number: int, drawn: random.Random) -> Iterator[Quad]:
    lamp = lamp_node(road, number)
    yield Quad(post, node("hasLamp"), lamp)
    yield Quad(lamp, node("isLampOf"), post)
    yield from _individual(lamp, "Lamp")
    yield Quad(lamp, node("hasStatus"), node(drawn.choice(("ON", "OFF", "BROKEN"))))
    yield Quad(lamp, node("hasDimmingValue"), Literal(str(drawn.randrange(100))))
    yield Quad(lamp, node("hasLampType"), node(drawn.choice(("LED", "TRADITIONAL"))))


def _sensor(
    post: NamedNode, name: str, unit: str, value: str, drawn: random.Random
) -> Iterator[Quad]:
    kind = name.partition("_")[0]
    sensor, measurement = node(f"SENSOR_{name}"), node(f"MEASUREMENT_{name}")
    yield Quad(post, node("hasSensor"), sensor)
    yield from _individual(sensor, "Sensor")
    yield Quad(sensor, node("hasSensorType"), node(kind))
    yield Quad(sensor, node("hasMeasurement"), measurement)
    yield from _individual(measurement, "Measurement")
    yield Quad(measurement, node("hasUnit"), node(unit))
    yield Quad(measurement, node("hasValue"), Literal(value))
    instant = START_US + drawn.randrange(3_600_000_000)
    yield Quad(measurement, node("hasTimestamp"), Literal(str(instant)))


def _individual(subject: NamedNode, kind: str) -> Iterator[Quad]:
    yield Quad(subject, RDF_TYPE, INDIVIDUAL)
    yield Quad(subject, RDF_TYPE, node(kind))
