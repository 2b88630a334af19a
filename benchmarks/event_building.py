"""What does it cost to make an event?"""

from collections.abc import Iterator

import msgspec

from benchmarks.finding import Finding, microseconds, quickest_seconds, ratio
from purport.model.event import Event

COUNT = 20_000
TEN_STATEMENTS = {
    "type": "increased energy consumption event", "measurement unit": "kilowatt per hour",
    "device": "computer", "desk": "desk 112c", "office": "room 112", "floor": "ground floor",
    "zone": "building", "reading": 2.37, "billed": True, "meter": 4711,
}  # fmt: skip


def findings() -> Iterator[Finding]:
    text = msgspec.json.encode(TEN_STATEMENTS)

    building = quickest_seconds(lambda: [Event.from_json(TEN_STATEMENTS) for _ in range(COUNT)])
    reading = quickest_seconds(lambda: [Event.from_json(text) for _ in range(COUNT)])
    decoding = quickest_seconds(lambda: [msgspec.json.decode(text) for _ in range(COUNT)])

    yield microseconds("make an event of ten statements from a dict", building / COUNT, 20)
    yield ratio("... from JSON text, compared with decoding the JSON alone", reading, decoding)
