"""Is whoever is told of one subscription told of all that another one asks for?"""

from __future__ import annotations

from functools import lru_cache

from purport.covering.demand import Demand
from purport.covering.known_classes import KnownClasses
from purport.covering.objections import Objections, objections
from purport.matching.plan import DEFAULTS, Defaults, Mode
from purport.model.subscription import Subscription
from purport.ontology.ontology import Ontology


def covers(
    general: Subscription,
    specific: Subscription,
    *,
    ontology: Ontology | None = None,
    defaults: Defaults = DEFAULTS[Mode.DEFAULT],
) -> bool:
    """Whether every event that the specific subscription accepts is accepted by the general one.

    >>> from purport import parse
    >>> warm, hot = parse("{room = hall, heat > 25 °C}"), parse("{heat > 30 °C, room = Hall}")
    >>> covers(warm, hot), covers(hot, warm)
    (True, False)

    A yes is always right; a no is right for exact predicates over values.
    """
    one, other = _demands((general, specific), ontology, defaults)
    return one.covers(other)


def why_not(
    general: Subscription,
    specific: Subscription,
    *,
    ontology: Ontology | None = None,
    defaults: Defaults = DEFAULTS[Mode.DEFAULT],
) -> Objections:
    """What keeps the general subscription from covering the specific one; nothing if it does.

    >>> from purport import parse
    >>> list(why_not(parse("{room = hall, heat > 30}"), parse("{heat > 25, room = hall}")))
    ['does not follow: heat > 30']
    """
    one, other = _demands((general, specific), ontology, defaults)
    return Objections() if one.covers(other) else objections(general, one, other)


def _demands(
    some: tuple[Subscription, Subscription], ontology: Ontology | None, defaults: Defaults
) -> tuple[Demand, Demand]:
    classes = None if ontology is None else _known(ontology)
    one, other = (Demand.of(each, classes, defaults) for each in some)
    return one, other


@lru_cache(maxsize=4)
def _known(ontology: Ontology) -> KnownClasses:
    """What is remembered of an ontology from one question to the next."""
    return KnownClasses(ontology)
