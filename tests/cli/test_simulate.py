"""`purport simulate`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from purport.network.scenario import Scenario
from purport.network.scenario_file import read_scenario
from tests.commands import Run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
QUICK = ("--sweep", "battery.joules=0.05", "--processes", "1", "--seeds", "2")


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `purport simulate`."""
    return run.below("simulate")


def test_a_small_network_is_told_in_tables(run: Run) -> None:
    done = run(EXAMPLES / "sensors.toml", *QUICK, "--paper")

    assert done.status == 0, done.errors
    assert "40 nodes on 120 by 120 m" in done.output
    assert "electronics 50 nJ/bit (stated); seeds 1 to 2" in done.output
    for routing in ("unicast", "mte", "flooding", "semps", "sparing"):
        assert done.output.partition("\nstatement ")[0].count(f"\n{routing} ") == 2
    assert "± is half of Student's 95 % interval of the mean over 2 seeds." in done.output
    assert "semps outlives mte: half dead later" in done.output


def test_runs_are_told_as_json_lines(run: Run) -> None:
    sweep = ("--sweep", "radio.electronics=stated,worked")
    done = run(EXAMPLES / "sensors.toml", *QUICK, *sweep, "--routing", "mte", "--json")

    rows = [json.loads(line) for line in done.output.splitlines()]
    assert [(row["electronics"], row["nj_per_bit"], row["seed"]) for row in rows] == [
        ("stated", 50.0, 1), ("stated", 50.0, 2), ("worked", 4.0, 1), ("worked", 4.0, 2),
    ]  # fmt: skip
    assert rows[0]["point"] == {"battery.joules": 0.05, "radio.electronics": "stated"}
    assert rows[0]["half_dead"] < rows[2]["half_dead"]


def test_of_a_grid_it_is_told_at_how_many_points_a_statement_holds(run: Run) -> None:
    sweep = ("--sweep", "field.side_m=60,120", "--routing", "unicast", "--paper")
    done = run(EXAMPLES / "sensors.toml", *QUICK, *sweep)

    counts = done.output.partition("\nstatement, at so many points")[2].splitlines()
    assert counts[0].split() == ["holds", "does", "not", "hold", "open"]
    (precise,) = (line for line in counts if line.startswith("unicast is more precise than mte "))
    assert precise.split()[-3:] == ["2", "0", "0"]


def test_statements_of_the_paper_are_told_at_each_point(run: Run) -> None:
    done = run(
        EXAMPLES / "sensors.toml", "--processes", "1", "--seeds", "2", "--routing", "semps",
        "--sweep", "battery.joules=0.05,0.1", "--paper", "--json",
    )  # fmt: skip

    judged = [row for row in map(json.loads, done.output.splitlines()) if "verdict" in row]
    assert {row["point"]["battery.joules"] for row in judged} == {0.05, 0.1}
    assert {row["verdict"] for row in judged} <= {"holds", "does not hold", "open"}
    assert "semps is more precise than mte" in {row["statement"] for row in judged}


def test_a_report_has_a_page_pictures_and_runs(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "found"
    done = run(EXAMPLES / "sensors.toml", *QUICK, "-r", "semps", "-r", "mte", "-o", folder)

    assert done.status == 0, done.errors
    assert {path.name for path in folder.iterdir()} == {
        "report.html", "runs.jsonl", "scenarios.jsonl",
        "network.svg", "alive.svg", "delivery.svg", "energy.svg",
    }  # fmt: skip
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 4
    assert json.loads((folder / "scenarios.jsonl").read_text())["scenario"]["field"]["nodes"] == 40
    assert "The network, played" in (folder / "report.html").read_text()


def test_a_picture_is_drawn_and_the_file_says_which_routing_is_run(
    run: Run, tmp_path: Path
) -> None:
    scenario = tmp_path / "one.toml"
    scenario.write_text('routing = "unicast"\n[field]\nnodes = 20\n[battery]\njoules = 0.05\n')

    done = run(scenario, "--seeds", 1, "--processes", 1, "--picture", tmp_path / "one.svg")

    assert done.status == 0, done.errors
    assert "\nunicast " in done.output
    assert "\nmte " not in done.output
    assert "Who lives" in (tmp_path / "one.svg").read_text()


def test_spark_tells_the_same(run: Run, spark: SparkSession) -> None:
    small = (EXAMPLES / "sensors.toml", *QUICK, "-r", "mte", "--json")

    assert run(*small, "--spark").output == run(*small).output


def test_the_example_of_the_paper_is_the_default() -> None:
    assert read_scenario(EXAMPLES / "paper.toml") == Scenario()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[field]\nnodez = 3\n", "line 2: no option 'field.nodez'"),
        ("[feild]\nnodes = 3\n", "line 1: no option 'feild'"),
        ("[battery]\njoules = -1\n", "line 2: battery.joules: expected more than 0"),
        ("rounds = 'many'\n", "line 1: Expected `int`"),
        ("routing = 'sempz'\n", "line 1: routing: no routing 'sempz'"),
        (
            "[field]\nnodes = 20\nwiring = 'geometric'\nlink_m = 1\n",
            "line 1: field: expected all nodes to be connected",
        ),
        (
            "[interests]\nsubscriptions = ['sensing:Smoke', 'Unicorn']\n",
            "line 2: interests.subscriptions: 'Unicorn': the ontology knows no class 'Unicorn'",
        ),
        ("[interests]\nevents = ['Smok']\n", "line 2: interests.events: 'Smok'"),
        ("[interests]\nontology = ['no.ttl']\n", "no.ttl: No such file"),
        ("[field\n", "not TOML"),
    ],
)
def test_a_mistake_in_a_scenario_is_told_in_one_line_with_its_place(
    run: Run, tmp_path: Path, text: str, message: str
) -> None:
    scenario = tmp_path / "wrong.toml"
    scenario.write_text(text)

    done = run(scenario, "--seeds", 1, "--processes", 1)

    assert done.status == 2
    assert message in done.errors
    assert done.errors.count("\n") == 1
    assert done.errors.startswith(f"purport: {tmp_path}")
    assert done.output == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no-such.toml",), "no-such.toml"),
        (("--routing", "sempz"), "--routing: no routing 'sempz'"),
        (("--sweep", "field.nodes"), "expected OPTION=VALUE"),
        (("--sweep", "battery.joules=1,-1"), "battery.joules = -1: battery.joules: expected"),
        (("--sweep", "routing=mte"), "--routing"),
        (("--picture", "picture.doc"), "picture.doc"),
        (("-o", EXAMPLES / "sensors.toml"), "sensors.toml"),
        (("--seeds", "0"), "--seeds"),
    ],
)
def test_what_cannot_be_run_is_told_before_the_work(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments)

    assert done.status == 2
    assert message in done.errors
    assert done.output == ""
