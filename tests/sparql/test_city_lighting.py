"""The benchmark of SPS'16 is the paper's: its knowledge base, its profiles, what they trigger."""

from __future__ import annotations

from collections import Counter

import pytest
from pyoxigraph import Literal

from benchmarks import city_lighting, sps16_published
from benchmarks.city_lighting import KINDS, RDF_TYPE, ROADS, lamp_node, node, quads
from benchmarks.lighting_profiles import (
    Experiment,
    Spelling,
    load_of,
    subscriptions,
    update_road,
    updates,
)
from benchmarks.lit_city import LitCity, NaiveRival


def test_the_terminology_has_as_many_of_each_sort_as_the_paper_says() -> None:
    published = sps16_published.knowledge_base()

    for names, sort in (
        (city_lighting.CLASSES, "classes"),
        (city_lighting.INDIVIDUALS, "individuals"),
        (city_lighting.OBJECT_PROPERTIES, "object_properties"),
        (city_lighting.DATATYPE_PROPERTIES, "datatype_properties"),
    ):
        assert len(set(names)) == published[sort]


def test_every_name_that_the_city_uses_is_in_its_terminology() -> None:
    properties = {node(name) for name in city_lighting.OBJECT_PROPERTIES}
    properties |= {node(name) for name in city_lighting.DATATYPE_PROPERTIES}
    classes = {node(name) for name in city_lighting.CLASSES} | {city_lighting.INDIVIDUAL}
    posts = [quad for quad in quads() if "_310_" in str(quad.subject)]

    assert {quad.predicate for quad in posts} <= properties | {RDF_TYPE}
    assert {quad.object for quad in posts if quad.predicate == RDF_TYPE} <= classes


def test_the_city_has_the_paper_s_number_of_roads_posts_and_triples() -> None:
    published = sps16_published.knowledge_base()
    found = list(quads())
    predicates = Counter(quad.predicate.value.partition("#")[2] for quad in found)

    assert len(ROADS) == predicates["hasRoadType"] == published["roads"]
    assert predicates["hasLamp"] == predicates["hasPosition"] == published["lamp_posts"]
    assert predicates["hasSensor"] == 2 * published["lamp_posts"]
    assert len(set(found)) == len(found)
    assert round(len(found), -3) == published["triples"]
    assert [kind.roads * kind.lamps for kind in KINDS] == [1_000, 2_500, 5_000, 1_000]


@pytest.mark.parametrize("experiment", Experiment)
def test_the_profiles_load_an_engine_as_the_paper_s_do(experiment: Experiment) -> None:
    load, published = load_of(experiment), sps16_published.indicators(experiment)

    assert round(load.triples_per_update) == published.triples_per_update
    assert round(load.hit_rate_percent, 2) == published.hit_rate_percent
    assert load.notifications == published.notifications


def test_every_subscription_and_every_update_is_another() -> None:
    assert len(set(subscriptions())) == 1_004
    for experiment in Experiment:
        assert len(set(updates(experiment, "1"))) == 310


def test_a_road_in_the_pattern_means_the_same_as_in_a_filter() -> None:
    store = city_lighting.city()

    for spelling in Spelling:
        store.update(update_road(308, spelling, spelling))

        changed = store.quads_for_pattern(None, node("hasDimmingValue"), Literal(spelling))
        assert {quad.subject for quad in changed} == {lamp_node(308, y) for y in range(1, 101)}
    assert "FILTER" in update_road(308, "1", Spelling.PRINTED)
    assert "FILTER" not in update_road(308, "1", Spelling.PUSHED)


@pytest.mark.parametrize("experiment", Experiment)
def test_an_engine_tells_as_many_as_the_paper_s_and_the_same_as_a_naive_rival(
    experiment: Experiment,
) -> None:
    lit = LitCity.subscribed(subscriptions())
    naive = NaiveRival(subscriptions(Spelling.PUSHED))

    told = [lit.news(text) for text in updates(experiment, "new")]

    assert sum(map(len, told)) == sps16_published.indicators(experiment).notifications
    naive_texts = updates(experiment, "new", Spelling.PUSHED)
    for place in (0, 5, 104, 200, 203, 305, 307):  # each of them tells somebody, or everybody
        assert told[place] == naive.news(naive_texts[place])
