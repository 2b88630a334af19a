"""Subscriptions over the demo city's vocabulary, made as TOIT'14 (6.2.2) makes them.

Tuples are picked at random from events; words become equalities, readings bounds or ranges, and
some equalities a choice of two.
"""

import random

from purport.demo.city import City
from purport.model.comparison import Operator
from purport.model.language.write import write
from purport.model.subscription import (
    Approximation,
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    InRange,
    OneOfValues,
    Options,
    Predicate,
    Subscription,
)
from purport.model.term import Text
from purport.model.units import Quantity, read_quantity

PREDICATES = 3
_ORDERS = (Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST)


def city_subscriptions(count: int, *, seed: int = 1) -> list[Subscription]:
    """So many exact subscriptions of three predicates."""
    rng = random.Random(seed)
    events = [event.meant for event in City(events=5000, seed=seed).happenings()]
    return [_subscription(rng.choice(events), rng) for _ in range(count)]


def city_texts(count: int, *, seed: int = 1) -> list[str]:
    """The same as texts with a threshold and a name, about half of their words approximate."""
    rng = random.Random(seed)
    return [
        write(
            Subscription(
                Conjunction(tuple(_relaxed(p, rng) for p in subscription.predicates)),
                Options(threshold=round(rng.random(), 2)),
                f"subscription-{number}",
            )
        )
        for number, subscription in enumerate(city_subscriptions(count, seed=seed))
    ]


def _relaxed(predicate: Predicate, rng: random.Random) -> Predicate:
    if not isinstance(predicate, Comparison) or rng.random() < 0.5:
        return predicate
    related = Approximation()
    return Comparison(
        AskedAttribute(predicate.attribute.term, related),
        predicate.operator,
        AskedValue(predicate.value.term, related),
    )


def _subscription(event: dict[str, object], rng: random.Random) -> Subscription:
    said = {name: value for name, value in event.items() if name[0] != "@" and value != ""}
    chosen = rng.sample(sorted(said), k=PREDICATES)
    return Subscription(Conjunction(tuple(_predicate(name, said[name], rng) for name in chosen)))


def _predicate(name: str, said: object, rng: random.Random) -> Predicate:
    attribute = AskedAttribute(Text(name))
    quantity = read_quantity(str(said))
    if quantity is not None:
        return _numeric(attribute, quantity, rng)
    value = AskedValue(Text(str(said)))
    if rng.random() < 0.1:
        return OneOfValues(attribute, (value, AskedValue(Text("elsewhere"))))
    return Comparison(attribute, Operator.EQUAL, value)


def _numeric(attribute: AskedAttribute, quantity: Quantity, rng: random.Random) -> Predicate:
    if rng.random() < 0.2:
        high = Quantity(quantity.magnitude + 5, quantity.unit)
        return InRange(attribute, AskedValue(quantity), AskedValue(high))
    return Comparison(attribute, rng.choice(_ORDERS), AskedValue(quantity))
