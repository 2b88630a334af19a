"""`purport covers`, as a person types it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.commands import Run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
MANY = " ".join(f"{{a = {number}}}" for number in range(151))
CLASSES = ("--ontology", EXAMPLES / "network.ttl")


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `purport covers`."""
    return run.below("covers")


@pytest.fixture
def heat(tmp_path: Path) -> Path:
    """A file of subscriptions, of which some cover others."""
    file = tmp_path / "heat.purport"
    file.write_text(
        "{temperature > 20 °C} as warm\n"
        "{temperature > 30 °C, room = hall} as hot-hall\n"
        "{room = hall} as hall\n"
        "{room = Hall, temperature > 30 °C} as the-same\n"
        "{room = hall, temperature > 30 °C, floor = 1} as first-floor\n"
        "{room = cellar} as cellar\n"
    )
    return file


@pytest.mark.parametrize(
    ("general", "specific"),
    [
        ("{temperature > 20 °C}", "{temperature > 25 °C, room = hall}"),
        ("{room in (hall, cellar)}", "{room = Hall}"),
        ("{start after(1 min) {a = 1}}", "{start after(30 s) {a = 1, b = 2}, c = 3}"),
        ("{c = 3}", "{a = 1} then {c = 3} within 5 s"),
    ],
)
def test_what_is_covered_ends_with_yes(run: Run, general: str, specific: str) -> None:
    assert run(general, specific) == (0, "yes\n", "")


def test_what_is_not_covered_ends_with_no_and_why(run: Run) -> None:
    done = run("{temperature > 25 °C, floor = 1}", "{temperature > 20 °C, floor = 1}")

    assert done == (1, "no\n  does not follow: temperature > 25 °C\n", "")


def test_an_answer_as_json(run: Run) -> None:
    found = [
        run(*texts, "--json") for texts in (("{a > 1} as x", "{a > 2}"), ("{a > 2}", "{a > 1}"))
    ]

    assert [done.status for done in found] == [0, 1]
    assert [json.loads(done.output) for done in found] == [
        {"general": "x", "specific": "{a > 2}", "covers": True, "not_implied": [], "reasons": []},
        {
            "general": "{a > 2}", "specific": "{a > 1}", "covers": False,
            "not_implied": ["a > 2"], "reasons": [],
        },
    ]  # fmt: skip


def test_an_ontology_says_which_classes_are_covered(run: Run) -> None:
    assert run("{type isa Fault}", "{type isa LinkFault}", *CLASSES).output == "yes\n"
    assert run("{type isa LinkFault}", "{type isa Fault}", *CLASSES).output.startswith("no\n")


def test_the_mode_says_what_is_meant_where_nothing_is_said(run: Run) -> None:
    subscriptions = ("{a = 1}", "{a = 1, b = 1} threshold 0.4")

    assert run(*subscriptions).status == 0
    assert run(*subscriptions, "--mode", "paper").status == 1


def test_subscriptions_of_a_file_are_shown_below_those_that_cover_them(
    run: Run, heat: Path
) -> None:
    done = run(heat)

    assert done.status == 0, done.errors
    assert done.output.splitlines() == [
        "6 subscriptions, 3 of which no other one covers",
        "warm  {temperature > 20 °C}",
        "  hot-hall = the-same  {temperature > 30 °C, room = hall}",
        "    first-floor  {room = hall, temperature > 30 °C, floor = 1}",
        "hall  {room = hall}",
        "  hot-hall = the-same  {temperature > 30 °C, room = hall} ...",
        "cellar  {room = cellar}",
    ]


def test_the_order_as_json_lines(run: Run, heat: Path) -> None:
    rows = [json.loads(line) for line in run(heat, "--json").output.splitlines()]

    assert rows[1] == {
        "subscription": "hot-hall",
        "pattern": "{temperature > 30 °C, room = hall}",
        "parents": ["warm", "hall"],
        "children": ["first-floor"],
        "equivalents": ["the-same"],
    }
    both = rows[1]["parents"]
    assert [row["parents"] for row in rows] == [[], both, [], both, ["hot-hall"], []]


def test_a_long_order_ends_with_where_all_of_it_is(run: Run) -> None:
    texts = " ".join(f"{{a > {number}}}" for number in range(500))

    done = run(texts)

    assert len(done.output.splitlines()) == 402
    assert done.output.endswith("... more than 400 lines: take --json\n")
    assert len(run(texts, "--json").output.splitlines()) == 500


def test_the_order_as_a_picture(run: Run, heat: Path, tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    picture = tmp_path / "heat.svg"
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        done = run(heat, "-o", picture)

    assert done == (0, f"picture in {picture}\n", "")
    drawn = picture.read_text()
    for text in ("warm", "hot-hall ≡ the-same", "{room = hall}", "heat: which covers which", ">3<"):
        assert text in drawn
    assert json.loads(run(heat, "-o", picture, "--json").output) == {"picture": str(picture)}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{a = 1", "{a = 1}"], "line 1, column 7: the text ends here"),
        (["a = 1", "{a = 1}"], "a subscription stands in braces"),
        (["missing.purport"], "missing.purport: No such file or directory"),
        (["{a = 1} {b = 1}", "{a = 1}"], "expected one subscription, got 2; leave out SPECIFIC"),
        (["{a = 1}", "{a = 1}", "-o", "x.svg"], "--output draws the order"),
        (["{a = 1}", "-o", "x.txt"], "x.txt: a picture is one of .png, .svg, .pdf"),
        (["{a = 1}", "{a = 1}", "--mode", "strict"], "no mode 'strict'"),
        (["{a isa Fault}", "{a isa Fault}"], "a isa Fault asks an ontology, and none is given"),
        (["{a isa Foult}", *CLASSES], "the ontology knows no class 'Foult'"),
        (["{start after(1 s) {a isa Foult}}", *CLASSES], "the ontology knows no class 'Foult'"),
        (["{a = 1}", "--imports", "x.owl"], "--imports is for an ontology"),
        ([MANY, "-o", "x.svg"], "151 different subscriptions, of which at most 150 can be read"),
    ],
)  # fmt: skip
def test_mistakes_end_in_one_clear_line(
    run: Run, tmp_path: Path, arguments: list[str], told: str
) -> None:
    done = run(*arguments, folder=tmp_path)

    assert done.status == 2
    assert done.errors.startswith("purport: ")
    assert told in done.errors
    assert "Traceback" not in done.errors
    assert not (tmp_path / "x.svg").exists()


def test_an_empty_file_has_no_subscription(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none.purport").write_text("# nothing yet\n")

    done = run("none.purport", folder=tmp_path)

    assert (done.status, done.errors) == (2, "purport: none.purport: no subscription in there\n")


def test_what_no_engine_runs_is_covered_as_it_is_written(run: Run) -> None:
    assert run("{a = $x}", "{a = $x}").status == 0
    assert "no engine runs it" in run("{a = $x}", "{a = 1}").output


def test_the_commands_of_the_guide_print_what_it_says(run: Run) -> None:
    guide = (EXAMPLES.parent / "docs" / "guides" / "covering.md").read_text()
    blocks = re.findall(r"```console\n(.*?)```", guide, re.DOTALL)
    shown = [one for block in blocks for one in block.split("$ purport covers ")[1:]]

    assert len(shown) == 4
    for each in shown:
        command, _, printed = each.partition("\n")
        done = run(*shlex.split(command), folder=EXAMPLES.parent)
        assert done.output == printed
        assert done.status == (1 if printed.startswith("no") else 0)
