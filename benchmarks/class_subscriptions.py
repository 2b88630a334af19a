"""How many of 10,000 subscriptions to class expressions does an event visit?"""

from collections.abc import Iterator
from random import Random

from benchmarks.finding import Finding, at_most
from purport.matching.matcher import Matcher
from purport.model.class_expression import And, ClassExpression, Facet, Named, Restricted, Some
from purport.model.comparison import Operator
from purport.model.event import Event
from purport.model.rdf import XSD
from purport.model.subscription import AskedAttribute, Conjunction, IsA, Subscription
from purport.model.term import Text
from purport.model.units import Quantity
from purport.ontology.axioms import Axioms, SubClass
from purport.ontology.ontology import Ontology

SUBSCRIPTIONS = 10_000
EVENTS = 300
CHILDREN, LEVELS = 10, 5
MOST_VISITED = 5.0
SPEED = Named("urn:speed")
INTEGER = Named(XSD + "integer")


def findings() -> Iterator[Finding]:
    ontology = balanced_ontology()
    random = Random(1)
    names = sorted(ontology.axioms.classes)
    subscriptions = [_subscription(random, random.choice(names)) for _ in range(SUBSCRIPTIONS)]
    matcher = Matcher(dict.fromkeys(subscriptions), ontology=ontology)
    leaves = [name for name in names if not ontology.classes.children(name)]
    for what, described in (("that name a class", False), ("that describe a member", True)):
        events = [_event(random, random.choice(leaves), described) for _ in range(EVENTS)]
        before = matcher.visited
        matches = sum(len(matcher.match(event)) for event in events)
        visited = (matcher.visited - before) / EVENTS / len(matcher.subscriptions)
        percent = 100 * visited
        yield at_most(f"events {what}: subscriptions visited", percent, MOST_VISITED, " %")
        yield Finding(f"events {what}: matches of each", f"{matches / EVENTS:.1f}")


def balanced_ontology() -> Ontology:
    """A class at the top, with 10 below it, each with 10 below it, and so on: 11,111 classes."""
    levels = [["urn:top"]]
    axioms = []
    for _ in range(LEVELS - 1):
        levels.append([f"{name}.{number}" for name in levels[-1] for number in range(CHILDREN)])
        axioms += [SubClass(Named(name), Named(name.rpartition(".")[0])) for name in levels[-1]]
    classes = frozenset(name for level in levels for name in level)
    said = Axioms(tuple(axioms), classes, frozenset(), frozenset({SPEED.name}), frozenset())
    return Ontology.of_axioms(said)


def _subscription(random: Random, name: str) -> Subscription:
    limit = Facet(Operator.GREATER, Quantity(random.randrange(100)))
    expression: ClassExpression = Named(name)
    if random.random() < 0.5:
        expression = And((expression, Some(SPEED, Restricted(INTEGER, (limit,)))))
    return Subscription(Conjunction((IsA(AskedAttribute(Text("type")), expression),)))


def _event(random: Random, name: str, is_described: bool) -> Event:
    told: dict[str, object] = {"type": name}
    if is_described:
        told[SPEED.name] = random.randrange(100)
    return Event.from_json(told)
