"""Every routing by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from purport.network.errors import ScenarioError
from purport.network.routing.flooding import Flooding
from purport.network.routing.mte import MinimumTransmissionEnergy
from purport.network.routing.routing import Routing
from purport.network.routing.semps import SemPS
from purport.network.routing.sparing import Sparing
from purport.network.routing.unicast import Unicast

ROUTINGS: Mapping[str, Callable[[], Routing]] = {
    "unicast": Unicast,
    "mte": MinimumTransmissionEnergy,
    "flooding": Flooding,
    "semps": SemPS,
    "sparing": Sparing,
}


def routing_named(name: str) -> Routing:
    """A new routing; `ScenarioError` if there is none of this name."""
    if name not in ROUTINGS:
        near = get_close_matches(name, ROUTINGS, 1, 0.5)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise ScenarioError(
            "routing", f"no routing {name!r} (there are {', '.join(ROUTINGS)}){meant}"
        )
    return ROUTINGS[name]()
