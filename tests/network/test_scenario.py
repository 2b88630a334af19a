"""Scenarios: what may be, what may not, and files."""

import math
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from purport.errors import InvalidInput
from purport.network.bounds import BOUNDS
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
from purport.network.watching import Watching
from purport.settings import merged

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"hop_limit": 0}, "hop_limit: expected 1 to 1,000,000, got 0"),
    ({"rounds": 0}, "rounds: expected 1 to 1,000,000,000, got 0"),
    ({"field": {"nodes": 1}}, "field.nodes: expected 2 to 100,000, got 1"),
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
    ({"field": {"side_m": 1e200}}, "field.side_m: expected more than 0 m, at most 1e6, got 1e.200"),
    (
        {"radio": {"levels_m": [10, 2e6]}},
        "radio.levels_m: expected more than 0 m each, at most 1e6",
    ),
    ({"radio": {"electronics_nj_per_bit": 1e12}}, "electronics_nj_per_bit: .* at most 1e6"),
    ({"battery": {"idle_uj_per_round": 1e30}}, "idle_uj_per_round: .* at most 1e9, got 1e.30"),
    ({"computing": {"nj_per_instruction": 1e300}}, "nj_per_instruction: .* at most 1000, got"),
    ({"motion": {"speed_m_per_round": 1e9}}, "speed_m_per_round: .* at most 1e6, got"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_what_cannot_be_is_refused_with_its_place(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        scenario_of(options)


def numbers() -> list[tuple[str, str, bool]]:
    """The table and the name of each option that is a number, and whether it is many."""
    tables = [("", Scenario), *((one.name, type(one.default)) for one in fields(Scenario))]
    return [
        (table, one.name, "tuple" in str(one.type))
        for table, kind in tables
        if is_dataclass(kind)
        for one in fields(kind)
        if {"int", "float"} & set(re.findall(r"\w+", str(one.type)))
    ]


@pytest.mark.parametrize(("table", "name", "is_many"), numbers())
@pytest.mark.parametrize("number", [10**30, -(10**30)])
def test_no_number_is_without_bounds(table: str, name: str, is_many: bool, number: int) -> None:
    options: dict[str, Any] = {name: [number] if is_many else number}

    with pytest.raises(InvalidInput):  # where texts are read, whole numbers have 64 bits
        scenario_of({table: options} if table else options)
    place = f"{table}.{name}" if table else name
    bound = BOUNDS[place]
    assert bound.allows(bound.most) is not bound.without_most
    assert bound.allows(bound.least) is not bound.without_least
    assert not bound.allows(math.nextafter(bound.most, math.inf))
    assert not bound.allows(math.nextafter(bound.least, -math.inf))


SMALL: dict[str, Any] = {"routing": "mte", "rounds": 5, "until": "rounds", "field": {"nodes": 20}}


@pytest.mark.parametrize(
    "options",
    [
        {"battery": {"joules": 1e6, "spread": 0.99}},
        {"battery": {"joules": 1e6, "idle_uj_per_round": 1e9}, "until": "all dead"},
        {"radio": {"levels_m": [1e6], "amplifier_pj_per_bit_m2": 0.0}},
        {"computing": {"nj_per_instruction": 1e3, "instructions_per_test": 1e4}},
        {"radio": {"header_bytes": 65_535, "data_bytes": 65_535}},
        {"motion": {"moving": 1.0, "speed_m_per_round": 900.0}},
    ],
)
def test_what_is_allowed_can_be_counted(options: dict[str, Any]) -> None:
    outcome = simulate(scenario_of(merged(SMALL, options)), 1, Watching(snapshots_every=1))

    left = np.array([snapshot.energies_j for snapshot in outcome.snapshots])
    assert (left >= 0).all() and (np.diff(left, axis=0) <= 0).all()
    energy = outcome.energy
    assert min(energy.computation_j, energy.control_j, energy.data_j, energy.left_j) >= 0
    assert energy.left_j == pytest.approx(left[-1].sum())
    assert energy.spent_j == pytest.approx(sum(outcome.spent_j))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"field": {"side_m": 1e4}, "radio": {"amplifier_pj_per_bit_m2": 1e6}},
            "radio: expected rounds that take a node at most 9,007 J",
        ),
        (
            {"motion": {"moving": 0.5, "speed_m_per_round": 1e5}},
            r"motion.speed_m_per_round: expected at most 100 sides of the field \(.* got 2e.06 m",
        ),
    ],
)
def test_what_can_not_be_counted_is_refused(options: dict[str, Any], said: str) -> None:
    strong: dict[str, Any] = {"battery": {"joules": 1e6}}

    with pytest.raises(ScenarioError, match=said):
        simulate(scenario_of(merged(merged(SMALL, strong), options)), 1)


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
