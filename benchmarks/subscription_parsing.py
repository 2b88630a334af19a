"""What does it cost to parse a subscription?"""

from collections.abc import Iterator

from benchmarks.finding import Finding, microseconds, quickest_seconds, ratio
from benchmarks.workload import city_texts
from purport.model.event import Event
from purport.model.language.parse import parse

COUNT = 10_000


def findings() -> Iterator[Finding]:
    texts = city_texts(COUNT)
    parse(texts[0])
    event = b'{"type": "temperature reading", "floor": "ground floor", "value": 3}'

    parsing = quickest_seconds(lambda: [parse(text) for text in texts], runs=1) / COUNT
    decoding = quickest_seconds(lambda: [Event.from_json(event) for _ in range(COUNT)]) / COUNT

    yield microseconds(f"parse a subscription (mean of {COUNT:,})", parsing, 1000)
    yield ratio("... compared with reading a small event from JSON", parsing, decoding)
