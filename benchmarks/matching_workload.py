"""Subscriptions and events of TOIT'14's experiment, with readings, times and identifiers in them.

Of ten statements in an event three have values that never come again. A quarter of the
subscriptions has a bound on the reading in place of one of its words.
"""

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from purport.evaluation.toit14.experiment import subscription_of
from purport.evaluation.toit14.thesaurus import Thesaurus
from purport.evaluation.toit14.workload import Workload, WorkloadSettings
from purport.model.comparison import Operator
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    Options,
    Subscription,
)
from purport.model.term import Text
from purport.model.units import Quantity

WORDS = 7
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_SUBSCRIPTIONS_OF_A_SEED_EVENT = 20

JsonEvent = dict[str, object]


@dataclass(frozen=True, slots=True)
class MatchingWorkload:
    """Subscriptions of three predicates, half of their parts approximate; flat JSON events."""

    subscriptions: list[Subscription]
    events: list[JsonEvent]

    @classmethod
    def generate(
        cls, subscriptions: int, events: int, *, threshold: float | None = None, seed: int = 1
    ) -> "MatchingWorkload":
        seeds = max(165, subscriptions // _SUBSCRIPTIONS_OF_A_SEED_EVENT)
        settings = WorkloadSettings(seed, seeds, min(events, 20_000), subscriptions)
        workload = Workload.generate(settings, Thesaurus.curated())
        drawn = random.Random(seed)
        asked = [subscription_of(one) for one in workload.relaxed(0.5)]
        return cls(
            [_named(one, number, threshold, drawn) for number, one in enumerate(asked)],
            [
                _event(workload.events[number % len(workload.events)].statements, number, drawn)
                for number in range(events)
            ],
        )

    def table(self) -> pa.Table:
        """The events as an Arrow table of maps from text to text, dictionary-encoded."""
        names = [name for event in self.events for name in event]
        values = [str(value) for event in self.events for value in event.values()]
        offsets = [0]
        for event in self.events:
            offsets.append(offsets[-1] + len(event))
        statements = pa.MapArray.from_arrays(
            pa.array(offsets, pa.int32()),
            pa.array(names).dictionary_encode(),
            pa.array(values).dictionary_encode(),
        )
        ids = pa.array([f"e{number}" for number in range(len(self.events))])
        return pa.table({"event_id": ids, "statements": statements})


def _event(statements: Sequence[tuple[str, str]], number: int, drawn: random.Random) -> JsonEvent:
    words = dict(statements[:WORDS])
    instant = _BEGIN + timedelta(seconds=number, milliseconds=drawn.randrange(1000))
    return {
        **words,
        "value": round(drawn.uniform(0, 1000), 6),
        "observed at": instant.isoformat(timespec="milliseconds"),
        "observation": str(uuid.UUID(int=drawn.getrandbits(128))),
    }


def _named(
    subscription: Subscription, number: int, threshold: float | None, drawn: random.Random
) -> Subscription:
    predicates = list(subscription.predicates)
    if number % 4 == 0:
        bound = AskedValue(Quantity(round(drawn.uniform(0, 1000), 3)))
        operator = drawn.choice([Operator.GREATER, Operator.LESS])
        predicates[-1] = Comparison(AskedAttribute(Text("value")), operator, bound)
    return replace(
        subscription,
        pattern=Conjunction(tuple(predicates)),
        options=Options(threshold=threshold),
        name=f"s{number}",
    )
