"""What is published and asked for: coded messages over a real ontology."""

from pathlib import Path

import numpy as np
import pytest

from purport.network.computing import Work, Workbench, mean_instructions
from purport.network.energy import Picojoules
from purport.network.errors import ScenarioError
from purport.network.interests import Pool, pool_of
from purport.network.meaning import Meaning, drawn_meaning
from purport.network.scenario import Computing, Interests
from purport.ontology.codes.message_matching import message_matches
from purport.ontology.codes.messages import read_event, read_subscription

ONTOLOGIES = Path(__file__).parent.parent / "ontologies"
WINE = Interests(
    (ONTOLOGIES / "wine.rdf", ONTOLOGIES / "food.rdf"),
    ("vin:Chianti", "vin:DryWhiteWine that vin:hasSugar value vin:Dry", "vin:SweetRiesling"),
    ("vin:Wine", "vin:RedWine", "vin:WhiteWine and vin:DryWine", "vin:hasSugar value vin:Dry"),
)


_ANY = Interests()


def divided(works: list[Work]) -> float:
    """The share of tests that need a division."""
    return sum(one.divisions for one in works) / sum(one.tests for one in works)


def drawn(interests: Interests = _ANY, seed: int = 1) -> tuple[Pool, Meaning]:
    pool = pool_of(interests)
    roles = range(30), range(30, 90), 3
    return pool, drawn_meaning(pool, Computing(), roles, 120, np.random.default_rng(seed))


@pytest.mark.parametrize("interests", [Interests(), WINE])
def test_answers_and_sizes_are_those_of_coded_messages(interests: Interests) -> None:
    pool, meaning = drawn(interests)

    events = [pool.event_message(text) for text in meaning.events]
    subscriptions = [pool.subscription_message(text) for text in meaning.subscriptions]

    assert meaning.event_bytes.tolist() == [len(one) for one in events]
    assert meaning.subscription_bytes.tolist() == [len(one) for one in subscriptions]
    expected = [[message_matches(event, one) for one in subscriptions] for event in events]
    assert meaning.answers.tolist() == expected
    assert meaning.answers.any() and not meaning.answers.all()


@pytest.mark.parametrize("interests", [Interests(), WINE])
def test_who_covers_another_answers_all_that_it_answers(interests: Interests) -> None:
    _, meaning = drawn(interests)

    covers, answers = meaning.covers, meaning.answers
    assert covers.diagonal().all()
    assert covers.sum() > len(covers)
    for wider, narrower in np.argwhere(covers).tolist():
        assert not (answers[:, narrower] & ~answers[:, wider]).any()


def test_the_first_subscribe_and_the_last_do_nothing() -> None:
    _, meaning = drawn()

    assert (meaning.published[:30] >= 0).all() and (meaning.published[30:] == -1).all()
    counts = [len(asked) for asked in meaning.asked]
    assert counts[:30] == counts[90:] == [0] * 30
    assert set(counts[30:90]) == {1, 2, 3}
    for node, asked in enumerate(meaning.asked):
        assert np.flatnonzero(meaning.asks[node]).tolist() == sorted(asked)
        for kind in range(len(meaning.events)):
            expected = any(meaning.answers[kind, number] for number in asked)
            assert meaning.wanted[kind, node] == expected
            own = sum(int(meaning.work_pj[kind, number]) for number in asked)
            assert meaning.own_work_pj[kind, node] == own


def test_the_same_seed_draws_the_same() -> None:
    one, other, different = (drawn(seed=seed)[1] for seed in (1, 1, 2))

    assert one.subscriptions == other.subscriptions != different.subscriptions
    assert one.events == other.events
    assert one.asked == other.asked


def test_going_down_from_the_widest_leaves_out_what_cannot_match() -> None:
    _, meaning = drawn()
    asked = meaning.asks[30:60].any(axis=0)

    found: Picojoules = meaning.descending_pj(np.asarray(asked))

    for kind in range(len(meaning.events)):
        expected = 0
        for number in np.flatnonzero(asked).tolist():
            above = [
                one
                for one in np.flatnonzero(asked).tolist()
                if meaning.covers[one, number] and not meaning.covers[number, one]
            ]
            if all(meaning.answers[kind, one] for one in above):
                expected += int(meaning.work_pj[kind, number])
        assert found[kind] == expected
    assert (found < meaning.work_pj[:, asked].sum(axis=1)).all()


@pytest.mark.parametrize("interests", [Interests(), WINE])
def test_what_events_show_is_what_would_be_inferred(interests: Interests) -> None:
    _, meaning = drawn(interests)
    nothing = np.zeros((0, len(meaning.subscriptions)), np.bool_)

    inferred = Pool(interests).covers(meaning.subscriptions, nothing)

    assert meaning.covers.tolist() == inferred


def test_two_classes_take_about_fifty_instructions_and_seldom_a_division() -> None:
    """As SemPS'12 counts, section 5.1: each pair of concepts is compared."""
    pool = pool_of(Interests())
    names = [pool.ontology.names.short(name) for name in pool.ontology.classes]

    works = [one for row in pool.works(names, names) for one in row]

    assert {one.tests for one in works} == {1}
    assert 0.04 <= divided(works) <= 0.10  # the paper: 5-10 %
    assert 43 <= mean_instructions(works, Computing()) <= 55  # the paper: 50
    assert not any(one.divisions for one in works if not one.matches)


def test_more_take_one_in_a_network_where_a_test_follows_one_that_held() -> None:
    """Of two classes, or a class and a level, the second is asked about only after a yes."""
    pool, meaning = drawn()

    works = np.array(pool.works(meaning.events, meaning.subscriptions))

    is_plain = np.array([" " not in text for text in meaning.subscriptions])
    plain, others = (works[:, which].ravel().tolist() for which in (is_plain, ~is_plain))
    assert divided(plain) < 0.10 < divided(others)
    assert mean_instructions(plain, Computing()) < 55 < mean_instructions(others, Computing())
    assert meaning.work_pj[0, 0] == works[0, 0].picojoules(Computing())


def test_what_a_match_takes_is_counted_by_what_is_really_done() -> None:
    pool = pool_of(Interests())
    bench = Workbench(pool.ontology.encodings)
    event = read_event(pool.event_message("Smoke"))

    def work(text: str) -> tuple[bool, int, int]:
        found = bench.work(event, read_subscription(pool.subscription_message(text)))
        return found.matches, found.tests, found.divisions

    assert work("Smoke") == (True, 1, 0)  # its own gene
    assert work("Hazard") == (True, 1, 1)
    assert work("PowerCut")[0] is False and work("PowerCut")[2] == 0
    assert work("Hazard and AirQuality") == (True, 2, 2)
    assert work("PowerCut or Smoke")[1] == 2


@pytest.mark.parametrize(
    ("interests", "said"),
    [
        (Interests(subscriptions=("Smokee",)), "interests.subscriptions: 'Smokee': .*did you mean"),
        (Interests(subscriptions=("Smoke and",)), "interests.subscriptions: 'Smoke and'"),
        (
            Interests(events=("Smoke or Rain",)),
            "interests.events: 'Smoke or Rain': expected classes",
        ),
        (Interests(events=("Nothing known",)), "interests.events"),
    ],
)
def test_a_name_that_the_ontology_does_not_know_is_told(interests: Interests, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        Pool(interests)


def test_any_ontology_has_events_and_subscriptions() -> None:
    pool, meaning = drawn(Interests((ONTOLOGIES / "sosa.ttl",)))

    assert len(pool.events) > 3 and len(meaning.subscriptions) > 3
    assert meaning.answers.any()
