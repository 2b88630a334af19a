"""The links that the settings want, in the broker's registry, and no others."""

from __future__ import annotations

import logging

from purport.broker.records import Overflow
from purport.embedded.broker import Broker
from purport.service.settings import OverlaySettings

_LOG = logging.getLogger("purport.service")
_OVERFLOWS = {"drop oldest": Overflow.DROP_OLDEST, "refuse": Overflow.REFUSE}


def register_links(broker: Broker, settings: OverlaySettings | None) -> None:
    """Have a link to each neighbour; what waits for one that is none any more goes."""
    wanted = () if settings is None else settings.neighbours
    names = {one.name for one in wanted}
    for name in broker.neighbours.names():
        if name not in names:
            waiting = broker.neighbours.unlink(name)
            _LOG.warning("%r is no neighbour any more: %d events waited for it", name, waiting)
    for one in wanted:
        broker.neighbours.link(
            one.name,
            principal=one.comes_as,
            most_waiting=one.most_waiting,
            overflow=_OVERFLOWS[one.overflow],
        )
