"""From where a client comes, as limits count it: an address of IPv4, or a network of IPv6."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address

_REMEMBERED = 10_000
_OF_ONE = 64  # bits that a household or a machine has to itself


@lru_cache(_REMEMBERED)
def place_of(address: str | None) -> str:
    """The place of a client: of IPv6 a /64, since whoever has one address there has them all.

    >>> place_of("192.0.2.7"), place_of("::ffff:192.0.2.7"), place_of("2001:db8::1:2:3:4")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    if address is None:
        return "unknown"
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:  # a proxy has said something else
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> _OF_ONE << _OF_ONE)}/{_OF_ONE}"
