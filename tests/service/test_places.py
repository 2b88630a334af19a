"""From where clients come, as the limits by address count them."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from purport.service import auth
from purport.service.guests import Connected, Guest
from purport.service.places import place_of
from purport.service.settings import RequestLimits
from tests.service.secured import secured

ONE, OTHER, ELSEWHERE = "2001:db8::1:2:3:4", "2001:db8::ffff", "2001:db8:0:1::1"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        (ONE, "2001:db8::/64"),
        (OTHER, "2001:db8::/64"),
        (ELSEWHERE, "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("somewhere", "somewhere"),
        (None, "unknown"),
    ],
)
def test_whoever_has_an_address_of_ipv6_has_its_network(address: str | None, place: str) -> None:
    assert place_of(address) == place


def test_connections_are_counted_by_place() -> None:
    connected = Connected(RequestLimits(connections_per_address=1))

    guests = [Guest(connected, one) for one in (ONE, OTHER, ELSEWHERE)]
    assert [one.is_let_in for one in guests] == [True, False, True]
    guests[0].leave()
    assert Guest(connected, OTHER).is_let_in


def test_rates_and_guesses_are_counted_by_place() -> None:
    def scope(address: str) -> dict[str, object]:
        return {"type": "http", "headers": [], "client": (address, 1)}

    with secured() as service:
        clients = [service._door._client(scope(one)) for one in (ONE, OTHER, ELSEWHERE)]
    guessing = [auth._address(Request(scope(one))) for one in (ONE, OTHER, ELSEWHERE)]

    for one, other, elsewhere in (clients, guessing):
        assert one == other != elsewhere
