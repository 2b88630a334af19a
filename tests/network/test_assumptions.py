"""What the paper assumes away (its section 5.4), lifted one by one, and nodes that do not stay."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from purport.network.outcome import Outcome
from purport.network.scenario import (
    Air,
    Battery,
    Field,
    Motion,
    Publishing,
    Radio,
    Roles,
    Scenario,
    Succession,
    Until,
)
from purport.network.simulate import simulate
from purport.network.watching import Progress, Watching

CALM = Scenario(
    "mte", field=Field(nodes=40, side_m=80.0), battery=Battery(100.0), rounds=20, until=Until.ROUNDS
)


def run(scenario: Scenario = CALM, **air: Any) -> Outcome:
    return simulate(replace(scenario, air=Air(**air)), 1)


def test_loss_loses_its_share_of_copies() -> None:
    outcome = run(loss=0.1)

    share = outcome.data.lost / outcome.data.sent
    assert 0.08 < share < 0.12
    assert outcome.delivery.recall < 0.9  # over several hops
    assert outcome.data.sent == outcome.data.received + outcome.data.lost


def test_sending_again_makes_up_for_loss_and_is_paid_for() -> None:
    once, again = run(loss=0.3), run(loss=0.3, retransmissions=6)

    assert again.delivery.recall > 0.99 > once.delivery.recall
    assert again.control.transmissions > once.control.transmissions  # confirmations
    assert again.control.sent == again.control.received + again.control.lost
    per_copy = [one.energy.data_j / one.delivery.delivered for one in (once, again)]
    assert per_copy[1] != per_copy[0]


def test_confirmations_are_paid_for_even_if_nothing_is_lost() -> None:
    plain, confirmed = run(), run(retransmissions=2)

    assert confirmed.data == plain.data
    assert confirmed.control.sent == plain.control.sent + plain.data.sent
    assert confirmed.energy.control_j > plain.energy.control_j


def test_who_sends_in_a_slot_receives_nothing_in_it_if_half_duplex() -> None:
    crowded = run(half_duplex=True, slots=5)

    assert crowded.data.lost > 0
    assert run(half_duplex=False, slots=5).data.lost == 0
    assert run(half_duplex=True, slots=100_000).data.lost < crowded.data.lost / 10


def test_two_senders_in_range_interfere() -> None:
    crowded = run(interference=True, slots=5)

    assert crowded.data.lost > run(half_duplex=True, slots=5).data.lost
    assert run(interference=True, slots=100_000).data.lost < crowded.data.lost / 2


def test_who_sleeps_saves_what_listening_takes_and_messages_wait() -> None:
    listening = replace(CALM, battery=Battery(100.0, idle_uj_per_round=1000.0))

    awake, sleepy = run(listening), run(listening, awake=0.1)

    assert awake.energy.idle_j == pytest.approx(40 * 20 * 1e-3)
    assert sleepy.energy.idle_j == pytest.approx(awake.energy.idle_j / 10)
    assert sleepy.delivery == awake.delivery
    steps = simulate(replace(CALM, air=Air(awake=0.1)), 1, Watching(steps_of=(1,))).steps
    assert {step.slot % 100 for step in steps} <= set(range(10))


def test_clocks_that_drift_apart_miss_each_other_until_they_are_set() -> None:
    still = run(drift_ppm=20.0, guard_ms=2.0, sync_every_rounds=1000)
    often = run(drift_ppm=20.0, guard_ms=2.0, sync_every_rounds=2)

    assert still.data.lost > 0
    assert often.data.lost < still.data.lost
    assert often.control.transmissions > still.control.transmissions  # beacons
    assert run(drift_ppm=20.0, guard_ms=1e6).data.lost == 0


def test_power_that_has_levels_only_reaches_farther_and_takes_more() -> None:
    coarse = simulate(replace(CALM, radio=Radio(levels_m=(25.0, 50.0, 120.0))), 1)

    assert coarse.delivery == run().delivery
    assert coarse.energy.data_j > run().energy.data_j


def test_events_may_come_by_chance() -> None:
    outcome = simulate(replace(CALM, publishing=Publishing(chance=0.25), rounds=200), 1)

    assert 0.2 < outcome.delivery.published / (200 * 8) < 0.3
    assert outcome.delivery.recall == 1.0


def test_more_events_a_round_are_as_many_rounds() -> None:
    thrice = simulate(replace(CALM, publishing=Publishing(3)), 1)

    plain = run(replace(CALM, rounds=60))
    assert thrice.delivery == plain.delivery
    assert thrice.energy.data_j == pytest.approx(plain.energy.data_j)


def test_nodes_that_move_tell_anew_what_they_ask_for() -> None:
    motion = Motion(moving=0.5, speed_m_per_round=2.0, every_rounds=5)

    outcome = simulate(replace(CALM, motion=motion), 1, Watching(snapshots_every=5))

    first, last = (np.array(outcome.snapshots[place].positions_m) for place in (0, -1))
    apart = np.hypot(*(last - first).T)
    assert (apart > 0).sum() == 20 and apart.max() <= 2.0 * 20 + 1e-9
    assert ((last >= first.min(axis=0)) & (last <= first.max(axis=0))).all()
    assert outcome.snapshots[0].links != outcome.snapshots[-1].links
    assert outcome.control.transmissions > run().control.transmissions
    assert outcome.delivery.recall == 1.0


def test_nodes_that_leave_come_back_with_the_battery_they_had() -> None:
    motion = Motion(leaving=0.2, returning=0.5, every_rounds=2)

    outcome = simulate(replace(CALM, motion=motion), 1, Watching(snapshots_every=2))

    assert outcome.delivery.recall == 1.0
    assert outcome.delivery.due < run().delivery.due
    left = np.array([snapshot.energies_j for snapshot in outcome.snapshots])
    assert (np.diff(left, axis=0) <= 0).all()
    assert not any(outcome.died)


@pytest.mark.parametrize("succession", Succession)
def test_who_publishes_after_publishers_have_died_is_a_choice(succession: Succession) -> None:
    scenario = replace(
        CALM,
        routing="unicast",
        roles=Roles(succession=succession),
        battery=Battery(0.05),
        rounds=100_000,
        until=Until.ALL_DEAD,
    )

    outcome = simulate(scenario, 1, Watching(snapshots_every=20))

    roles = np.array(outcome.roles)
    assert outcome.silent is not None
    dead_relays = np.array(outcome.died)[roles == "relay"] > 0
    if succession is Succession.NOBODY:
        assert not dead_relays.any()
    else:
        assert dead_relays.all()
        assert len(outcome.snapshots[0].publishers) == 8
    if succession is Succession.DRAWN:
        assert outcome.snapshots[0].publishers != outcome.snapshots[1].publishers


def test_a_run_tells_how_far_it_is_and_ends_where_it_is_told_to() -> None:
    told: list[Progress] = []
    scenario = replace(CALM, battery=Battery(0.05), rounds=100_000)

    half = simulate(replace(scenario, until=Until.HALF_DEAD), 1, Watching(on_progress=told.append))
    first = simulate(replace(scenario, until=Until.FIRST_DEATH), 1)

    assert [one.round for one in told] == sorted(one.round for one in told)
    assert (told[0].alive, told[-1].round) == (40, half.rounds)
    assert half.half_dead == half.rounds and told[-1].alive <= 20
    assert first.first_death == first.rounds == half.first_death
    assert half.alive[0] == (0, 40) and half.alive[-1] == (half.rounds, told[-1].alive)


def test_snapshots_and_steps_are_of_the_rounds_that_are_asked_for() -> None:
    watching = Watching(snapshots_after=(0, 7), steps_of=(3,))

    outcome = simulate(CALM, 1, watching)

    assert [snapshot.round for snapshot in outcome.snapshots] == [0, 7, 20]
    assert {step.round for step in outcome.steps} == {3}
    assert replace(outcome, snapshots=(), steps=()) == simulate(CALM, 1)
    copies = sum(len(step.receivers) for step in outcome.steps)
    assert copies * 20 == outcome.data.sent and all(all(step.arrived) for step in outcome.steps)
    publishers = {node for node, role in enumerate(outcome.roles) if role == "publisher"}
    for step in outcome.steps:
        assert step.publisher in publishers
        assert outcome.published[step.publisher] == step.event
