"""The rival: what it rewrites, how rules are bounded, and that listing them changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.evaluation.rule_index import RuleIndex
from purport.evaluation.toit14.experiment import Approximate, Cell, Rewriting, cells_of, run_cell
from purport.evaluation.toit14.rewriting import (
    EXPANSIONS,
    Alternatives,
    RewrittenSubscription,
    RewrittenTerm,
    answers_by_parts,
    answers_by_rules,
    rewritten,
    within,
    wordnet_alternatives,
)
from purport.evaluation.toit14.thesaurus import CURATED, Thesaurus
from purport.evaluation.toit14.workload import (
    AskedPredicate,
    ExpandedEvent,
    Workload,
    WorkloadSettings,
)
from purport.matching.plan import Mode
from purport.relatedness.wordnet_neighbours import Neighbour
from tests.relatedness.wordnets import small_wordnet

SMALL = WorkloadSettings(seed=3, seed_events=20, events=120, subscriptions=12)
LAPTOP = AskedPredicate("device", "red laptop", True, True)

WORDS = st.sampled_from("abc")
TERMS = st.lists(WORDS, min_size=1, max_size=2).map(" ".join)
SYNONYMS = st.dictionaries(WORDS, st.lists(TERMS, max_size=2, unique=True))
PREDICATES = st.builds(AskedPredicate, TERMS, TERMS, st.booleans(), st.booleans())
SUBSCRIPTIONS = st.lists(PREDICATES, min_size=1, max_size=3)
EVENTS = st.lists(st.tuples(TERMS, TERMS), min_size=1, max_size=5).map(tuple)


def alternatives_from(synonyms: dict[str, list[str]]) -> Alternatives:
    """Alternatives out of a small thesaurus, word by word."""

    def alternatives(term: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(dict.fromkeys((word, *synonyms.get(word, ())))) for word in term.split())

    return alternatives


def workload_of(events: list[tuple[tuple[str, str], ...]]) -> Workload:
    return Workload(SMALL, Thesaurus({}), (), tuple(ExpandedEvent(one, 0) for one in events), ())


def texts_of(subscription: RewrittenSubscription) -> Iterator[tuple[str, ...]]:
    for predicate in subscription.predicates:
        for term in (predicate.attribute, predicate.value):
            yield tuple(term.texts())


@given(SYNONYMS, st.lists(SUBSCRIPTIONS, min_size=1, max_size=4), st.lists(EVENTS, min_size=1))
def test_listing_rules_finds_what_checking_each_predicate_finds(
    synonyms: dict[str, list[str]],
    subscriptions: list[list[AskedPredicate]],
    events: list[tuple[tuple[str, str], ...]],
) -> None:
    every = [rewritten(one, alternatives_from(synonyms)) for one in subscriptions]
    workload = workload_of(events)

    listed = answers_by_rules(every, workload)
    unlisted = answers_by_parts(every, workload)

    wanted = [
        [
            all(set(predicate.statements()) & set(event) for predicate in one.predicates)
            for event in events
        ]
        for one in every
    ]
    assert [one.tolist() for one in listed] == wanted
    assert [one.tolist() for one in unlisted] == wanted


@given(SYNONYMS, st.lists(SUBSCRIPTIONS, min_size=1, max_size=5), st.integers(1, 400))
def test_a_bound_on_rules_is_kept_and_leaves_what_was_asked_for(
    synonyms: dict[str, list[str]], subscriptions: list[list[AskedPredicate]], most: int
) -> None:
    every = [rewritten(one, alternatives_from(synonyms)) for one in subscriptions]

    bounded = within(every, most)

    assert sum(one.rule_count for one in bounded) <= max(most, len(every))
    for subscription, cut in zip(every, bounded, strict=True):
        assert len(list(cut.rules())) == cut.rule_count
        for texts, kept in zip(texts_of(subscription), texts_of(cut), strict=True):
            assert kept[0] == texts[0]
            assert set(kept) <= set(texts)
    if sum(one.rule_count for one in every) <= most:
        assert list(bounded) == every


def test_a_subscription_that_needs_few_rules_leaves_the_rest_to_others() -> None:
    alternatives = alternatives_from({"red": ["crimson", "scarlet"], "laptop": list("abcdefg")})
    small = rewritten([AskedPredicate("device", "red", False, True)], alternatives)
    large = rewritten([LAPTOP], alternatives)

    assert [one.rule_count for one in within([large, small], 20)] == [15, 3]
    assert [one.rule_count for one in within([large, small], 1)] == [1, 1]


@pytest.mark.parametrize(("most", "rules"), [(3, 2), (4, 4), (5, 4), (6, 6), (8, 6), (9, 9)])
def test_a_bound_on_rules_may_be_met_exactly(most: int, rules: int) -> None:
    words = {"red": ["crimson", "scarlet"], "laptop": ["notebook", "computer"]}
    subscription = rewritten(
        [AskedPredicate("device", "red laptop", False, True)], alternatives_from(words)
    )

    assert subscription.within(most).rule_count == rules


def test_only_approximate_parts_are_rewritten() -> None:
    alternatives = alternatives_from({"device": ["gadget"], "laptop": ["notebook"]})
    both = rewritten([LAPTOP], alternatives)
    value = rewritten([AskedPredicate("device", "red laptop", False, True)], alternatives)

    assert list(both.rules()) == [
        (("device", "red laptop"),), (("device", "red notebook"),),
        (("gadget", "red laptop"),), (("gadget", "red notebook"),),
    ]  # fmt: skip
    assert list(value.rules()) == [(("device", "red laptop"),), (("device", "red notebook"),)]
    assert RewrittenTerm.as_it_is("a (b|c)").pattern().fullmatch("a (b|c)")


def test_a_phrase_of_wordnets_is_replaced_as_a_whole(tmp_path: Path) -> None:
    wordnet = small_wordnet(tmp_path)
    alternatives = wordnet_alternatives(wordnet, (Neighbour.SYNONYM, Neighbour.HYPERNYM))

    assert alternatives("large car park") == (("large",), ("car park", "place", "entity"))
    assert alternatives("bus place")[0] == ("bus", "vehicle", "conveyance")


def test_a_rule_may_find_all_of_its_predicates_in_one_statement() -> None:
    index = RuleIndex()
    index.add([("device", "laptop"), ("device", "laptop")], 7)
    index.add([("device", "laptop"), ("floor", "ground floor")], 8)

    assert index.answered([("device", "laptop")]) == {7}
    assert index.answered([("floor", "ground floor"), ("device", "laptop")]) == {7, 8}
    assert index.answered([("floor", "ground floor")]) == frozenset()
    assert len(index) == 2


def test_rewriting_finds_all_that_is_said_exactly_and_more_with_each_kind_of_word() -> None:
    exact, near = (run_cell(Cell(SMALL, degree, Rewriting(EXPANSIONS[0]))) for degree in (0.0, 0.5))
    unbounded = [
        run_cell(Cell(SMALL, 1.0, Rewriting(expansion, None))).f1_at_threshold
        for expansion in EXPANSIONS
    ]

    assert exact.f1 == 1
    assert exact.rules == exact.rules_needed == 12
    assert 12 < near.rules <= near.rules_needed
    assert unbounded[0] < min(unbounded[1:3])
    assert max(unbounded[1:3]) < unbounded[3]


@pytest.mark.parametrize("most_rules", [12, 2000])
def test_a_bound_that_is_met_is_told(most_rules: int) -> None:
    outcome = run_cell(Cell(SMALL, 1.0, Rewriting(tuple(Neighbour), most_rules)))

    assert 12 <= outcome.rules <= most_rules < outcome.rules_needed


def test_every_matcher_runs_on_the_same_workloads() -> None:
    cells = cells_of([SMALL], [0.5, 1.0], [Approximate(Mode.PAPER)], [CURATED])

    assert len(cells) == 2 * (1 + 2 * len(EXPANSIONS))
    assert [one.degree for one in cells[:9]] == [0.5] * 9
    assert cells[0].matcher == Approximate(Mode.PAPER)
    assert cells[1].matcher == Rewriting((Neighbour.SYNONYM,), 300_000)
