"""Simulations over seeds and grids: figures, statements, films, and the same on Spark."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from purport.errors import InvalidInput
from purport.evaluation.semps.figures import Figures, figures_of
from purport.evaluation.semps.film import DEAD, Film, Showing, film_of, films_of
from purport.evaluation.semps.grid import Axis, Cell, Point, cells_of, points_of, scenarios_of
from purport.evaluation.semps.intervals import Interval
from purport.evaluation.semps.on_spark import (
    run_cells_on,
    scenario_from,
    scenario_text,
    simulated,
    simulations,
)
from purport.evaluation.semps.page_report import Findings, options_of, page_of
from purport.evaluation.semps.pictures import alive_share
from purport.evaluation.semps.processes import done_in_processes
from purport.evaluation.semps.running import run_cell, run_cells
from purport.evaluation.semps.standings import Standing, standings
from purport.evaluation.semps.statements import STATEMENTS, Statement, Verdict, judgements
from purport.evaluation.semps.text_report import report, verdicts
from purport.evaluation.semps.topics import EVERYTHING, Topics
from purport.network.interests import pool_of
from purport.network.scenario import Battery, Field, Interests, Scenario
from purport.network.scenario_file import scenario_of
from purport.network.simulate import simulate
from purport.pipeline.tables import SIMULATED

SMALL = Scenario(field=Field(nodes=24, side_m=100), battery=Battery(joules=0.05))


def silent(done: int, total: int, said: str) -> None:
    """Nobody looks."""


def run(routing: str = "mte", seed: int = 1, scenario: Scenario = SMALL) -> Figures:
    return run_cell(Cell(Point(), replace(scenario, routing=routing), seed), lambda said: None)


def standing(routing: str, half_dead: list[int | None], precision: float = 0.5) -> Standing:
    runs = [
        replace(run(), routing=routing, half_dead=one, precision=precision) for one in half_dead
    ]
    return Standing(Point(), routing, tuple(runs))


# Grids


def test_an_axis_is_read_with_values_of_every_kind() -> None:
    assert Axis.read("battery.joules=5,2.5") == Axis("battery.joules", (5, 2.5))
    assert Axis.read(" radio.electronics = stated, worked") == Axis(
        "radio.electronics", ("stated", "worked")
    )
    assert Axis.read("air.half_duplex=true,false").values == (True, False)
    assert Axis.read("field.weights=[1,2,3],[4]").values == ((1, 2, 3), (4,))
    assert Axis.read("until=half dead").values == ("half dead",)


@pytest.mark.parametrize("text", ["field.nodes", "=3", "field.nodes=", "routing=mte"])
def test_what_is_no_axis_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Axis.read(text)


@pytest.mark.parametrize("text", ["rounds={a=1}", "field.weights=[{a=1}]"])
def test_a_table_is_no_value(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^.*: expected values of an option, got the table"):
        Axis.read(text)


def test_a_grid_has_every_combination() -> None:
    points = points_of([Axis.read("field.side_m=100,200"), Axis.read("battery.joules=5,20")])

    assert [str(point) for point in points] == [
        "field.side_m = 100, battery.joules = 5",
        "field.side_m = 100, battery.joules = 20",
        "field.side_m = 200, battery.joules = 5",
        "field.side_m = 200, battery.joules = 20",
    ]
    assert points[0].options == {"field": {"side_m": 100}, "battery": {"joules": 5}}
    assert points_of([]) == [Point()]
    with pytest.raises(InvalidInput, match="swept twice"):
        points_of([Axis.read("rounds=1"), Axis.read("rounds=2")])


def test_a_mistake_in_a_grid_names_the_point() -> None:
    with pytest.raises(InvalidInput, match=r"^battery.joules = -1: battery.joules: expected more"):
        scenarios_of(points_of([Axis.read("battery.joules=5,-1")]), scenario_of)
    with pytest.raises(InvalidInput, match=r"^field.nodez = 3: no option 'field.nodez'"):
        scenarios_of(points_of([Axis.read("field.nodez=3")]), scenario_of)


def test_every_routing_runs_over_every_seed_at_every_point() -> None:
    scenarios = scenarios_of(points_of([Axis.read("field.nodes=20,30")]), scenario_of)

    cells = cells_of(scenarios, ["mte", "semps"], [1, 2])

    assert len(cells) == 8
    assert {(one.scenario.field.nodes, one.scenario.routing, one.seed) for one in cells} == {
        (nodes, routing, seed)
        for nodes in (20, 30)
        for routing in ("mte", "semps")
        for seed in (1, 2)
    }


# Figures


def test_figures_are_those_of_the_outcome() -> None:
    outcome = simulate(replace(SMALL, routing="semps"), 3)

    found = figures_of(outcome)

    assert (found.half_dead, found.first_death) == (outcome.half_dead, outcome.first_death)
    assert found.precision == outcome.delivery.precision
    assert found.data_lost == outcome.data.lost
    assert found.control_sent == outcome.control.sent
    assert found.control_j == outcome.energy.control_j
    assert list(zip(found.alive_after, found.alive, strict=True)) == list(outcome.alive)
    assert (found.electronics, found.nj_per_bit) == ("stated", 50.0)


def test_who_is_alive_is_read_between_deaths() -> None:
    found = replace(run(), nodes=4, alive_after=(0, 10, 20), alive=(4, 3, 2))

    assert alive_share(found, np.array([0, 9, 10, 19, 20, 99])).tolist() == [
        100, 100, 75, 75, 50, 50,
    ]  # fmt: skip


def test_students_interval_is_that_of_the_tables() -> None:
    found = Interval.of([1.0, 2.0, 3.0])  # t of 2 degrees of freedom at 97.5 % is 4.3027

    assert found.mean == 2
    assert found.half_width == pytest.approx(4.302653 / 3**0.5, abs=1e-6)
    assert found.said(1) == "2.0 ± 2.5"
    assert Interval.of([7.0]).said() == "7"
    assert Interval.of([-0.1, 0.1]).said().startswith("0 ±")


# Statements


@pytest.mark.parametrize(
    ("better", "worse", "verdict"),
    [
        ([100, 110, 120], [10, 21, 29], Verdict.HOLDS),
        ([10, 21, 29], [100, 110, 120], Verdict.FAILS),
        ([10, 100], [100, 10], Verdict.OPEN),
        ([10, 10], [10, 10], Verdict.FAILS),
        ([10, None], [1, 1], Verdict.OPEN),
    ],
)
def test_a_statement_is_judged_seed_by_seed(
    better: list[int | None], worse: list[int | None], verdict: Verdict
) -> None:
    [judged] = judgements([standing("semps", better), standing("mte", worse)], STATEMENTS[:1])

    assert judged.verdict is verdict


def test_as_much_is_enough_where_the_statement_says_so() -> None:
    equal = Statement("", "a", "b", "half_dead", or_equal=True)
    [judged] = judgements([standing("a", [5, 6]), standing("b", [5, 6])], [equal])

    assert judged.verdict is Verdict.HOLDS


def test_a_factor_is_taken_of_the_other() -> None:
    fifth = Statement("", "a", "b", "half_dead", factor=1.2)

    [enough] = judgements([standing("a", [130, 131]), standing("b", [100, 101])], [fifth])
    [little] = judgements([standing("a", [110, 111]), standing("b", [100, 101])], [fifth])

    assert (enough.verdict, little.verdict) == (Verdict.HOLDS, Verdict.FAILS)


def test_nothing_is_judged_without_both_routings() -> None:
    assert judgements([standing("semps", [1, 2]), standing("flooding", [1, 2])]) == []


def test_statements_are_told_with_their_difference_and_where() -> None:
    some = [standing("semps", [100, 102]), standing("mte", [10, 12])]
    there = [replace(one, point=Point((("rounds", 5),))) for one in some]

    told = verdicts(judgements([*some, *there], STATEMENTS[:1]))

    assert told.splitlines()[1].split("  ")[0] == ""
    assert "rounds = 5" in told
    assert told.count("90 ± 0") == 2


# Running


def test_runs_in_processes_are_those_of_this_one() -> None:
    cells = cells_of({Point(): SMALL}, ["mte", "flooding"], [1, 2])
    told: list[tuple[int, int]] = []

    found = run_cells(cells, 2, lambda done, total, said: told.append((done, total)))

    assert found == run_cells(cells, 1, silent)
    assert told[-1] == (4, 4)


def test_a_mistake_in_a_process_comes_out_of_it() -> None:
    apart = scenario_of(
        {"field": {"nodes": 20, "wiring": "geometric", "link_m": 1}, "routing": "mte"}
    )
    cells = [Cell(Point(), apart, seed) for seed in (1, 2)]

    with pytest.raises(InvalidInput, match=r"to be connected.*\(seed \d\)"):
        run_cells(cells, 2, silent)
    assert done_in_processes(run_cell, [], 2, silent) == []


def test_spark_gives_what_this_process_gives(spark: SparkSession) -> None:
    scenarios = scenarios_of(
        points_of([Axis.read("battery.joules=0.02,0.04")]),
        lambda options: scenario_of({**options, "field": {"nodes": 20, "side_m": 90}}),
    )
    cells = cells_of(scenarios, ["mte", "semps"], [1])

    assert run_cells_on(spark, cells) == run_cells(cells, 1, silent)
    asked = simulations(spark, cells)
    assert asked.columns == ["run", "scenario", "seed"]
    assert simulated(asked).schema == SIMULATED


def test_a_scenario_survives_being_a_text(tmp_path: Path) -> None:
    named = replace(SMALL, interests=Interests(ontology=(tmp_path / "a.ttl",)), hop_limit=3)

    assert scenario_from(scenario_text(named)) == named


# Films and pages


@pytest.fixture(scope="module")
def film() -> Film:
    cell = Cell(Point(), replace(SMALL, routing="semps"), 1)
    return film_of(Showing(cell, run("semps").rounds), lambda said: None)


def test_a_film_shows_the_run_from_its_beginning_to_its_end(film: Film) -> None:
    found = run("semps")

    assert film.stills[0].round == 0
    assert film.stills[-1].round == found.rounds
    assert DEAD not in film.stills[0].levels
    for before, after in pairwise(film.stills):
        assert all(one >= other for one, other in zip(before.levels, after.levels, strict=True))
    assert film.stills[-1].levels.count(DEAD) == 24 - found.alive[-1]
    assert [one.alive for one in film.stills] == sorted(
        (o.alive for o in film.stills), reverse=True
    )


def test_links_of_a_film_come_and_go(film: Film) -> None:
    cell = Cell(Point(), replace(SMALL, routing="semps"), 1)
    [again] = films_of([Showing(cell, run("semps").rounds)], 1, silent)
    links: set[tuple[int, int]] = set()
    for one in film.stills:
        gone = set(zip(one.unlinked[::2], one.unlinked[1::2], strict=True))
        assert gone <= links
        links = links - gone | set(zip(one.linked[::2], one.linked[1::2], strict=True))
        dead = {node for node, level in enumerate(one.levels) if level == DEAD}
        assert not dead & {node for pair in links for node in pair}
    assert again == film


def test_the_way_of_an_event_reaches_those_who_want_it(film: Film) -> None:
    first = [way for way in film.ways if way.round == 1]

    assert first
    for way in first:
        has = {way.publisher} | {
            node for hop in way.hops for node in set(hop.receivers) - set(hop.lost)
        }
        assert set(way.due) <= has
        assert all(hop.sender in has for hop in way.hops)
        assert [hop.slot for hop in way.hops] == sorted(hop.slot for hop in way.hops)


def test_topics_are_classes_near_the_top() -> None:
    topics = Topics(pool_of(Interests()))

    assert topics.of("sensing:Humidity that sensing:level value 3") == "Weather"
    assert topics.of("sensing:Observation") == EVERYTHING
    assert topics.of("sensing:Observation and sensing:Dust") == "AirQuality"


def test_a_page_stands_alone_and_has_every_routing(film: Film) -> None:
    cells = cells_of({Point(): SMALL}, ["unicast", "mte", "semps"], [1, 2])
    told = standings(run_cells(cells, 1, silent))
    findings = Findings({Point(): SMALL}, [1, 2], told, judgements(told), [film])

    made = page_of(findings)

    assert "50 nJ/bit (stated)" in made
    for name in ("unicast", "mte", "semps", "Nodes alive over rounds", "semps outlives mte"):
        assert name in made
    assert "src=" not in made
    assert "</script>" not in made.split('id="films">')[1].split("</script>")[0]
    assert dict(options_of(SMALL))["field.nodes"] == "24"


def test_what_a_node_says_ends_no_script(film: Film) -> None:
    told = standings(run_cells(cells_of({Point(): SMALL}, ["mte"], [1]), 1, silent))
    nasty = replace(film, says=("</script><b>", *film.says[1:]))

    made = page_of(Findings({Point(): SMALL}, [1], told, [], [nasty]))

    assert "</script><b>" not in made


def test_the_text_says_under_which_electronics_it_holds() -> None:
    worked = scenario_of({"field": {"nodes": 20}, "radio": {"electronics": "worked"}})
    told = standings(
        run_cells(cells_of({Point(): replace(worked, rounds=5)}, ["mte"], [1]), 1, silent)
    )

    said = report(told, {Point(): worked}, [1])

    assert "4 nJ/bit (worked)" in said
    assert "not reached" in said
