import json
from xml.etree import ElementTree

import pytest

from purport import Event, InvalidInput, Match, Matcher, parse

SUBSCRIPTION = "{device~ = laptop~, room = <b>&112, floor = ground floor} threshold 0.2"
EVENT = {"gadget": "computer", "room": "<b>&112", "floor": "Ground Floor", "city": "Galway"}


@pytest.fixture(scope="module")
def match() -> Match:
    quoted = SUBSCRIPTION.replace("<b>&112", '"<b>&112"')
    [found] = Matcher([parse(quoted)]).match(Event.from_json(EVENT))
    return found


def test_it_says_by_which_measure_and_through_which_concepts(match: Match) -> None:
    told = match.explain()

    assert "device~ = laptop~  <->  gadget: computer" in told
    assert "by calibrated: laptop, laptop computer" in told
    assert "floor = ground floor  <->  floor: Ground Floor  (1.00)" in told
    assert "  or " in told


def test_it_is_json_with_every_similarity(match: Match) -> None:
    told = json.loads(match.explain("json"))

    assert told["probability"] == pytest.approx(match.probability, abs=1e-6)
    assert told["chosen"] == [0, 1, 2]
    assert len(told["similarities"]) == 3
    assert all(len(row) == 4 for row in told["similarities"])
    [device, *_] = told["pairs"]
    sides = {side["side"]: side for side in device["sides"]}
    assert device["similarity"] == pytest.approx(
        sides["attribute"]["score"] * sides["value"]["score"], abs=1e-6
    )
    assert sides["value"]["measure"] == "calibrated"
    assert told["runners_up"][0]["probability"] <= told["probability"]


def test_it_is_a_picture_with_a_cell_for_each_pair(match: Match) -> None:
    picture = ElementTree.fromstring(match.explain("svg"))
    space = "{http://www.w3.org/2000/svg}"

    cells = [one for one in picture.iter(f"{space}rect") if one.get("stroke")]
    assert len(cells) == 12
    assert sum(one.get("stroke-width") == "3" for one in cells) == 3
    texts = [one.text for one in picture.iter(f"{space}text")]
    assert "room: <b>&112" in texts


def test_the_shares_of_exact_sides_are_not_told(match: Match) -> None:
    assert "by exact" not in match.explain()


def test_a_form_that_is_none_is_told(match: Match) -> None:
    with pytest.raises(InvalidInput, match="there are text, json and svg"):
        match.explain("pdf")
    alone = Match(match.subscription, match.event, match.mapping)
    assert alone.explain().count("<->") == 3
    assert alone == match
    with pytest.raises(InvalidInput, match="as text only"):
        alone.explain("svg")
