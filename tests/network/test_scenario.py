"""Scenarios: what may be, what may not, and files."""

import math
from pathlib import Path
from typing import Any

import pytest

from purport.errors import InvalidInput
from purport.network.errors import ScenarioError
from purport.network.routing.catalogue import ROUTINGS
from purport.network.scenario import (
    Air,
    Electronics,
    Field,
    Radio,
    Scenario,
    Until,
    Wiring,
)
from purport.network.scenario_file import line_of, read_scenario, scenario_of
from purport.network.simulate import simulate

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"hop_limit": 0}, "hop_limit: expected 1 or more, got 0"),
    ({"rounds": 0}, "rounds: expected 1 or more"),
    ({"field": {"nodes": 1}}, "field.nodes: expected 2 or more, got 1"),
    ({"field": {"side_m": -1}}, "field.side_m: expected more than 0 m"),
    ({"field": {"side_m": math.inf}}, "field.side_m"),
    ({"field": {"side_m": math.nan}}, "field.side_m"),
    ({"field": {"weights": []}}, "field.weights: expected one weight or more"),
    ({"field": {"weights": [-1]}}, "field.weights: expected weights of 0 or more"),
    ({"field": {"wiring": "geometric"}}, "field.link_m: expected metres"),
    ({"field": {"link_m": 5}}, "field.link_m: expected metres, for geometric wiring"),
    ({"field": {"wiring": "file"}}, "field.file: expected a path"),
    ({"field": {"file": "here"}}, "field.file: expected a path, for wiring = file"),
    ({"roles": {"publishers": 0}}, "roles.publishers: expected a share between 0 and 1"),
    ({"roles": {"publishers": 0.7}}, "roles: expected shares .* of at most 1"),
    ({"roles": {"most_subscriptions": 0}}, "roles.most_subscriptions"),
    ({"radio": {"range_m": 0}}, "radio.range_m"),
    ({"radio": {"levels_m": [10, 0]}}, "radio.levels_m"),
    ({"radio": {"electronics_nj_per_bit": -1}}, "radio.electronics_nj_per_bit"),
    ({"radio": {"amplifier_pj_per_bit_m2": -1}}, "radio.amplifier_pj_per_bit_m2"),
    ({"radio": {"header_bytes": -1}}, "radio.header_bytes"),
    ({"battery": {"joules": -1}}, "battery.joules: expected more than 0, at most 1e6, got -1"),
    ({"battery": {"joules": 1e9}}, "battery.joules"),
    ({"battery": {"spread": 1}}, "battery.spread"),
    ({"battery": {"idle_uj_per_round": -1}}, "battery.idle_uj_per_round"),
    ({"publishing": {"events_per_round": 0}}, "publishing.events_per_round"),
    ({"publishing": {"chance": 0}}, "publishing.chance"),
    ({"clusters": {"share": 1}}, "clusters.share"),
    ({"clusters": {"cycle_rounds": 0}}, "clusters.cycle_rounds"),
    ({"computing": {"nj_per_instruction": -1}}, "computing.nj_per_instruction"),
    ({"air": {"loss": 1}}, "air.loss"),
    ({"air": {"retransmissions": -1}}, "air.retransmissions"),
    ({"air": {"awake": 0}}, "air.awake"),
    ({"air": {"drift_ppm": -1}}, "air.drift_ppm"),
    ({"air": {"guard_ms": -1}}, "air.guard_ms"),
    ({"air": {"sync_every_rounds": 0}}, "air.sync_every_rounds"),
    ({"air": {"round_s": 0}}, "air.round_s"),
    ({"air": {"slots": 0}}, "air.slots"),
    ({"motion": {"leaving": 2}}, "motion.leaving"),
    ({"motion": {"speed_m_per_round": -1}}, "motion.speed_m_per_round"),
    ({"motion": {"every_rounds": 0}}, "motion.every_rounds"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_what_cannot_be_is_refused_with_its_place(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        scenario_of(options)


def test_the_default_is_what_the_paper_tells() -> None:
    scenario = Scenario()

    assert scenario.field.nodes == 500
    assert (scenario.roles.publishers, scenario.roles.subscribers) == (0.2, 0.4)
    assert (scenario.roles.most_subscriptions, scenario.clusters.share) == (3, 0.05)
    assert (scenario.radio.nj_per_bit, scenario.radio.amplifier_pj_per_bit_m2) == (50.0, 100.0)
    assert Radio(Electronics.WORKED).nj_per_bit == 4.0
    assert scenario.computing.nj_per_instruction == 2.0
    assert Air().is_perfect and scenario.field.wiring is Wiring.WEIGHTED


def test_an_unknown_routing_is_told_with_those_there_are() -> None:
    with pytest.raises(ScenarioError, match=r"no routing 'sems'.* unicast, .*did you mean 'semps'"):
        simulate(Scenario("sems"), 1)


FILE = """# a small field
routing = "mte"
until = "first death"

[field]
nodes = 50
side_m = 80

[battery]
joules = 0.5
"""


def test_a_scenario_is_read_from_a_file_and_flags_count_for_more(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(FILE)

    read = read_scenario(path, {"field": {"side_m": 90.0}, "routing": "unicast"})

    assert read.field == Field(nodes=50, side_m=90.0)
    assert (read.routing, read.until) == ("unicast", Until.FIRST_DEATH)
    assert read.battery.joules == 0.5


def test_paths_in_a_file_are_meant_from_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        '[field]\nwiring = "file"\nfile = "rooms"\n[interests]\nontology = ["a.ttl", "/b.ttl"]\n'
    )

    read = read_scenario(path, {"field": {"file": "mine"}})

    assert read.interests.ontology == (tmp_path / "a.ttl", Path("/b.ttl"))
    assert read.field.file == Path("mine")
    assert read_scenario(path).field.file == tmp_path / "rooms"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("joulez = 1", "line 11: no option 'battery.joulez' .*did you mean 'joules'"),
        ("spread = 2", "line 11: battery.spread: expected a share"),
        ("spread = 'much'", "line 11: battery.spread: Expected `float`"),
        ("[radio]\nrange_m = -3", "line 12: radio.range_m"),
        ("[radios]", "line 11: no option 'radios'"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(
    tmp_path: Path, line: str, said: str
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(f"{FILE}{line}\n")

    with pytest.raises(InvalidInput, match=f"{path}, {said}"):
        read_scenario(path)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text("routing =")

    with pytest.raises(InvalidInput, match="not TOML"):
        read_scenario(path)


def test_lines_are_those_of_the_option_in_its_table() -> None:
    assert line_of(FILE, "routing") == 2
    assert line_of(FILE, "field.nodes") == 6
    assert line_of(FILE, "battery.spread") == 9
    assert line_of(FILE, "radio.range_m") is None


def test_every_routing_can_be_named() -> None:
    assert {"unicast", "mte", "flooding", "semps", "sparing"} <= ROUTINGS.keys()
