"""One round: the kernel does what a queue of messages does, node by node."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.network.beginning import begun
from purport.network.energy import For
from purport.network.network import Network
from purport.network.planned import Figures, Planned, rules_of
from purport.network.round_kernel import (
    CONFIRMATIONS,
    LOST,
    PUBLISHED,
    RECEIVED,
    RECEPTIONS,
    RELEVANT,
    SENT,
    TRANSMISSIONS,
)
from purport.network.routing.catalogue import routing_named
from purport.network.routing.routing import Routing
from purport.network.scenario import Scenario
from tests.oracles.plain_round import Books, PlainRound
from tests.strategies.networks import airs, scenarios


def books_of(network: Network) -> Books:
    nodes = len(network)
    spent = {one.name.lower(): [0] * nodes for one in For}
    return Books(network.batteries.left_pj.tolist(), spent, network.up.tolist())


def plain_round(network: Network, routing: Routing, books: Books) -> PlainRound:
    publishers = network.publishers
    radio, meaning = network.scenario.radio, network.meaning
    events = [
        (
            publisher,
            kind,
            8 * (radio.header_bytes + radio.data_bytes + int(meaning.event_bytes[kind])),
            int(routing.matching_pj(network)[kind]),
        )
        for publisher in publishers.tolist()
        for kind in [int(network.published[publisher])]
    ]
    return PlainRound(network, events, routing.ways(network, publishers), books)


def ready(scenario: Scenario, seed: int) -> tuple[Network, Routing]:
    network, routing = begun(scenario, seed), routing_named(scenario.routing)
    routing.set_up(network, np.arange(len(network), dtype=np.int32))
    routing.begin_cycle(network, 0)
    routing.plan(network)
    return network, routing


@settings(max_examples=300)
@given(scenarios(airs()), st.integers(0, 1000), st.integers(0, 2**62), st.floats(0.0, 1.0))
def test_a_round_goes_as_message_by_message(
    scenario: Scenario, seed: int, key: int, charged: float
) -> None:
    network, routing = ready(scenario, seed)
    batteries = network.batteries
    batteries.left_pj = (batteries.left_pj * charged * np.linspace(0, 1, len(network))).astype(int)
    rng = np.random.default_rng(seed)
    network.clock_s = rng.normal(0.0, 0.002, len(network))
    books = books_of(network)
    figures = Figures.none(len(network))

    planned = Planned(network, routing, rules_of(scenario))
    plain_round(network, routing, books).run(key)
    planned.run(key, figures)

    tally = figures.tally
    assert batteries.left_pj.tolist() == books.left
    assert {one: batteries.spent_pj[one].tolist() for one in For} == {
        one: books.spent[one.name.lower()] for one in For
    }
    assert set(np.flatnonzero(batteries.fell).tolist()) == books.fell
    counted = {
        "transmissions": tally[TRANSMISSIONS],
        "sent": tally[SENT],
        "received": tally[RECEIVED],
        "lost": tally[LOST],
        "published": tally[PUBLISHED],
        "receptions": tally[RECEPTIONS],
        "relevant": tally[RELEVANT],
        "confirmations": tally[CONFIRMATIONS + SENT],
        "confirmations heard": tally[CONFIRMATIONS + RECEIVED],
    }
    assert counted == {name: books.counts[name] for name in counted}
    hops = {count: times for count, times in enumerate(figures.hops.tolist()) if times}
    assert Counter(hops) == books.hops


@given(scenarios(airs()), st.integers(0, 1000), st.integers(0, 2**62))
def test_every_copy_is_received_or_lost(scenario: Scenario, seed: int, key: int) -> None:
    network, routing = ready(scenario, seed)
    figures = Figures.none(len(network))

    Planned(network, routing, rules_of(scenario)).run(key, figures)

    for first in (0, CONFIRMATIONS):
        sent, received, lost = figures.tally[first + SENT : first + LOST + 1].tolist()
        assert sent == received + lost
