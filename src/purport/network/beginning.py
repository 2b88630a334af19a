"""A network as a scenario has it at the beginning: all that is drawn, from the seed alone."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, default_rng

from purport.network.energy import PER_JOULE, Picojoules
from purport.network.errors import ScenarioError
from purport.network.interests import pool_of
from purport.network.meaning import drawn_meaning
from purport.network.network import Network
from purport.network.scenario import Battery, Roles, Scenario
from purport.network.topology import placed


def begun(scenario: Scenario, seed: int) -> Network:
    """Positions, links, roles, interests and batteries; `ScenarioError` if there cannot be any.

    Scenarios that differ in nothing of these get the same ones from the same seed, whatever their
    routing, radio or batteries.
    """
    field, roles, interests, batteries = default_rng(seed).spawn(4)
    places = placed(scenario.field, scenario.radio.reach_m, field)
    nodes = len(places[0])
    publishers, subscribers = _drawn_roles(scenario.roles, nodes, roles)
    meaning = drawn_meaning(
        pool_of(scenario.interests),
        scenario.computing,
        (publishers, subscribers, scenario.roles.most_subscriptions),
        nodes,
        interests,
    )
    full = _charges(scenario.battery, nodes, batteries)
    return Network(scenario, seed, meaning, places, full)


def _drawn_roles(roles: Roles, nodes: int, rng: Generator) -> tuple[list[int], list[int]]:
    counts = [round(roles.publishers * nodes), round(roles.subscribers * nodes)]
    for name, count in zip(("publishers", "subscribers"), counts, strict=True):
        if not count:
            raise ScenarioError(f"roles.{name}", f"expected a share that is one of {nodes} nodes")
    drawn = rng.permutation(nodes).tolist()
    return sorted(drawn[: counts[0]]), sorted(drawn[counts[0] : sum(counts)])


def _charges(battery: Battery, nodes: int, rng: Generator) -> Picojoules:
    shares = 1 + battery.spread * rng.uniform(-1, 1, nodes)
    found: Picojoules = np.rint(battery.joules * PER_JOULE * shares).astype(np.int64)
    return found
