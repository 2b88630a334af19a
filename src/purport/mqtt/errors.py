"""What can go wrong between a client of MQTT and a broker."""

from __future__ import annotations

from purport.errors import PurportError


class ProtocolError(PurportError):
    """The other side does not keep to MQTT."""


class BrokerUnreachable(PurportError):
    """A broker of MQTT does not answer: nobody is there, it took too long, or went away."""


class BrokerRefused(PurportError):
    """A broker of MQTT says no: to a connection, or to what was asked over it."""


class NotDelivered(PurportError):
    """A message was not acknowledged: the broker refused it, or the time was over."""


class CannotKeep(PurportError):
    """What came is not kept, so far: nothing of it is acknowledged, and it is tried again."""
