"""Who a bridge is to a broker of MQTT, and what it subscribes to there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from purport.mqtt.packets import Asked, Publish
from purport.mqtt.session import SessionSettings
from purport.mqtt.topic_filters import topic_matches
from purport.service.mqtt.settings import MqttSettings

_ONLINE, _OFFLINE = b"online", b"offline"


def session_of(settings: MqttSettings, identity: str) -> SessionSettings:
    """The session of a bridge, which the broker remembers unless the address says otherwise.

    Without a client id in the address, it has one that goes with its spool.
    """
    address = settings.address()
    if not address.options.client_id:
        named = f"purport-{settings.name}-{identity[:8]}"
        options = msgspec.structs.replace(address.options, client_id=named)
        address = replace(address, options=options)
    status = settings.status
    session = address.session(
        will=Publish(status, _OFFLINE, 1, is_retained=True) if status else None,
        birth=Publish(status, _ONLINE, 1, is_retained=True) if status else None,
    )
    return msgspec.structs.replace(session, asked=tuple(_asked(settings)))


def farewell(settings: MqttSettings) -> Publish | None:
    """What is told when a bridge goes in its own way, for which the broker has no last will."""
    if not settings.status:
        return None
    return Publish(settings.status, _OFFLINE, 1, is_retained=True)


def _asked(settings: MqttSettings) -> list[Asked]:
    """Filters, each topic once as far as can be seen: a broker may tell it for each of them."""
    address = settings.address()
    qos, share = address.options.qos, address.options.share
    wanted = uncovered([one.filter for one in settings.mappings()])
    found = [Asked(f"$share/{share}/{one}" if share else one, qos) for one in wanted]
    prefix = settings.discovery
    if prefix:  # first, so that sensors are known when their values come
        about = [f"{prefix}/+/+/config", f"{prefix}/+/+/+/config"]
        heard = [] if share else wanted
        fresh = [one for one in about if not any(_covers(other, one) for other in heard)]
        found = [*(Asked(one, 1) for one in fresh), *found]
    return found


def uncovered(filters: Sequence[str]) -> list[str]:
    """Filters without those that others cover.

    >>> uncovered(["city/+/t", "city/#", "garden/a", "garden/a"])
    ['city/#', 'garden/a']
    """
    unique = list(dict.fromkeys(filters))
    return [
        one for one in unique if not any(_covers(other, one) for other in unique if other != one)
    ]


def _covers(wide: str, narrow: str) -> bool:
    """Whether every topic that one filter means is meant by another."""
    if not narrow.endswith("#"):
        return topic_matches(wide, narrow) and not (narrow[:1] == "$" != wide[:1])
    has_fewer = wide.count("/") <= narrow.count("/")
    return wide.endswith("#") and has_fewer and topic_matches(wide, narrow)
