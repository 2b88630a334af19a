"""Figures that follow from what is written down of a run."""

from dataclasses import replace

import pytest

from purport.network.outcome import Delivery, Outcome
from purport.network.scenario import Field, Scenario
from purport.network.simulate import simulate


@pytest.fixture
def outcome() -> Outcome:
    return simulate(Scenario("unicast", field=Field(nodes=20), rounds=1), 1)


def test_lives_are_told_by_the_rounds_of_deaths(outcome: Outcome) -> None:
    died = (0, 5, 0, 9, 5, 0)

    short = replace(outcome, died=died, rounds=12)

    assert (short.first_death, short.half_dead) == (5, 9)
    assert short.alive == ((0, 6), (5, 4), (9, 3), (12, 3))
    assert replace(short, died=(0,) * 6).first_death is None
    assert replace(short, died=(0, 5, 0, 0, 5, 0)).half_dead is None
    assert replace(short, died=(0, 2, 3)).half_dead == 3  # two of three


def test_precision_and_recall_are_those_of_the_paper() -> None:
    delivery = Delivery(
        published=4,
        due=10,
        delivered=6,
        forbidden=2,
        unconnected=1,
        receptions=24,
        relevant=6,
        hops=(0, 3, 2, 1),
    )

    assert delivery.precision == 6 / 24
    assert delivery.recall == 6 / 10
    assert delivery.recall_where_allowed == 6 / 7
    assert delivery.mean_hops == (3 + 4 + 3) / 6


def test_where_nothing_was_due_or_received_nothing_was_wrong() -> None:
    nothing = Delivery(0, 0, 0, 0, 0, 0, 0, ())

    assert (nothing.precision, nothing.recall, nothing.recall_where_allowed) == (1.0, 1.0, 1.0)
    assert nothing.mean_hops == 0.0


def test_an_outcome_says_who_is_what(outcome: Outcome) -> None:
    assert [outcome.roles.count(role) for role in ("publisher", "subscriber", "relay")] == [4, 8, 8]
    for role, published, asked in zip(
        outcome.roles, outcome.published, outcome.subscriptions, strict=True
    ):
        assert (published >= 0) == (role == "publisher")
        assert bool(asked) == (role == "subscriber")
    assert len(outcome.events) > max(outcome.published)
