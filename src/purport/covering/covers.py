"""Is whoever is told of one subscription told of all that another one asks for?"""

from __future__ import annotations

from purport.covering.class_conditions import KnownClasses
from purport.covering.demand import Demand
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
    classes = KnownClasses(ontology)
    asked = (Demand.of(one, classes, defaults) for one in (general, specific))
    one, other = asked
    return one.covers(other)
