"""Whole runs: what is charged at once, for many rounds, is what each round would have charged."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.network.energy import PER_JOULE
from purport.network.outcome import Outcome
from purport.network.scenario import (
    Battery,
    Field,
    Scenario,
)
from purport.network.simulate import simulate
from purport.network.watching import Watching
from tests.oracles.plain_run import PlainRun
from tests.strategies.networks import airs, scenarios

SMALL = Scenario(field=Field(nodes=40, side_m=80.0), battery=Battery(0.05))


def assert_equal(outcome: Outcome, plain: PlainRun) -> None:
    network, counts, delivery = plain.network, plain.counts, outcome.delivery
    assert outcome.rounds == network.round
    assert outcome.died == tuple(network.died.tolist())
    joules = network.batteries.spent_pj.sum(axis=1) / PER_JOULE
    energy = outcome.energy
    assert [energy.computation_j, energy.control_j, energy.data_j, energy.idle_j] == joules.tolist()
    assert outcome.spent_j == tuple((network.batteries.spent_pj.sum(axis=0) / PER_JOULE).tolist())
    data = outcome.data
    assert [data.transmissions, data.sent, data.received, data.lost] == [
        counts[name] for name in ("transmissions", "sent", "received", "lost")
    ]
    assert outcome.control.sent == network.control.copies + counts["confirmations"]
    assert [
        delivery.published,
        delivery.due,
        delivery.delivered,
        delivery.forbidden,
        delivery.unconnected,
        delivery.receptions,
    ] == [
        counts[name]
        for name in ("published", "due", "relevant", "forbidden", "unconnected", "receptions")
    ]
    hops = {count: times for count, times in enumerate(delivery.hops) if times}
    assert hops == dict(plain.hops)


@settings(max_examples=100)
@given(scenarios(), st.integers(0, 1000))
def test_a_run_in_perfect_air_goes_as_round_by_round(scenario: Scenario, seed: int) -> None:
    plain = PlainRun(scenario, seed)

    plain.run()

    assert_equal(simulate(scenario, seed), plain)


@settings(max_examples=50)
@given(scenarios(airs()), st.integers(0, 1000))
def test_a_run_in_any_air_goes_as_round_by_round(scenario: Scenario, seed: int) -> None:
    plain = PlainRun(scenario, seed)

    plain.run()

    assert_equal(simulate(scenario, seed), plain)


@settings(max_examples=30)
@given(scenarios(airs()), st.integers(0, 1000))
def test_the_same_seed_gives_the_same_run(scenario: Scenario, seed: int) -> None:
    watching = Watching(snapshots_every=3, steps_of=(1, 4))

    assert simulate(scenario, seed, watching) == simulate(scenario, seed, watching)


@settings(max_examples=50)
@given(scenarios(airs()), st.integers(0, 1000))
def test_energy_never_rises_and_is_accounted_for(scenario: Scenario, seed: int) -> None:
    outcome = simulate(scenario, seed, Watching(snapshots_every=1))

    left = [np.array(snapshot.energies_j) for snapshot in outcome.snapshots]
    assert all((after <= before).all() for before, after in pairwise(left))
    total = outcome.energy.spent_j + outcome.energy.left_j
    assert total == pytest.approx(left[0].sum() + _spent_before(outcome), rel=1e-9)
    assert sum(outcome.spent_j) == pytest.approx(outcome.energy.spent_j, rel=1e-9)
    for messages in (outcome.data, outcome.control):
        assert messages.sent == messages.received + messages.lost


def _spent_before(outcome: Outcome) -> float:
    """What was spent before the first snapshot, which is after all has been set up."""
    first = np.array(outcome.snapshots[0].energies_j).sum()
    full = outcome.energy.left_j + sum(outcome.spent_j)
    return float(full - first)
