"""The smart lighting of SPS'16 (its section II.D): what did *not* happen switches a lamp off.

A lamp goes on when its presence sensor sees somebody, and off when nobody was seen for ten seconds.
No part of the application has a timer: the aggregator asks for an update ten seconds later, whose
pattern is there only if the sensor has said nothing new since.

    python examples/smart_lighting.py
"""

from datetime import UTC, datetime, timedelta

from pyoxigraph import NamedNode

from purport.sparql import Aggregator, Consumer, Engine, Notification, Producer, Space

WAIT = timedelta(seconds=10)
PREFIX = "PREFIX ex: <http://example.org/> PREFIX purport: <urn:purport:>"

# The producer: what a sensor sees, and when, by the engine's clock.
SENSE = f"""{PREFIX}
DELETE {{ ?sensor ex:presence ?before ; ex:at ?then }}
INSERT {{ ?sensor ex:presence ?presence ; ex:at ?now }}
WHERE {{ BIND(purport:clock() AS ?now)
         OPTIONAL {{ ?sensor ex:presence ?before ; ex:at ?then }} }}"""

# The aggregator: told of this, it runs that, at once or ten seconds later.
PRESENCE = f"{PREFIX} SELECT * WHERE {{ ?sensor ex:presence ?presence ; ex:at ?time }}"
SWITCH = f"""{PREFIX}
DELETE {{ ?lamp ex:status ?before }} INSERT {{ ?lamp ex:status ?status }}
WHERE {{ ?sensor ex:at ?time OPTIONAL {{ ?lamp ex:status ?before }} }}"""

# The consumer: what a lamp is to be.
STATUS = f"{PREFIX} SELECT ?status WHERE {{ ?lamp ex:status ?status }}"

LAMP, SENSOR = (NamedNode(f"http://example.org/{name}") for name in ("lamp1", "sensor1"))


def decide(news: Notification, logic: Aggregator) -> None:
    """On when somebody is there; off later, if nothing else is said of the sensor until then."""
    for seen in news.added:
        values = {"lamp": LAMP, "sensor": SENSOR, "time": seen["time"]}
        if seen["presence"].value == "true":
            logic.produce({**values, "status": "ON"})
        else:
            logic.produce({**values, "status": "OFF"}, after=WAIT)


def main() -> None:
    """One evening: seconds, what the sensor says, and what the lamp does."""
    start = datetime(2026, 11, 18, 18, tzinfo=UTC)
    engine = Engine()
    space = Space(engine)
    space.advance_to(start)

    def show(news: Notification) -> None:
        for one in news.added:
            seconds = (engine.now() - start).total_seconds()
            print(f"{seconds:>4.0f} s  the lamp is {one['status'].value}")

    sensor = Producer(space, SENSE)
    Consumer(space, STATUS, show, {"lamp": LAMP})
    Aggregator(space, PRESENCE, SWITCH, decide, {"sensor": SENSOR})
    for seconds, presence in ((1, True), (5, False), (12, True), (20, False)):
        space.advance_to(start + timedelta(seconds=seconds))
        print(f"{seconds:>4} s  {'somebody' if presence else 'nobody'} is there")
        sensor.produce({"sensor": SENSOR, "presence": presence})
    space.advance_to(start + timedelta(seconds=60))


if __name__ == "__main__":
    main()
