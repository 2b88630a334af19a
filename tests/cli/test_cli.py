import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import purport
from purport.cli.app import app
from tests.commands import Run
from tests.strategies.wine_cellar import cellar_file

DRINKS = '{"@id": "d1", "drink": "Merlot"}\n'
EVENTS = """\
{"@id": "e1", "device": "Laptop", "temperature": "80 °F", "tags": ["a", "b"]}
{broken
{"@id": "e2", "device": "kettle", "temperature": 99}
"""
HOT = "{device = laptop, temperature > 25 °C} as hot"
STREAM = ("stream", "--from", "file:.", "--to", "console:", "-s", "{a = 1}")


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    path.write_text(EVENTS)
    return path


def test_matches_are_printed_for_people(run: Run, events: Path) -> None:
    done = run("match", events, "-s", HOT, "--explain")

    assert done.status == 0
    assert "e1  hot  1.00\n  device = laptop  <->  device: Laptop  (1.00)\n" in done.output
    assert "2 events" in done.output
    assert done.errors == (
        "refused: events.jsonl, line 2: not valid JSON: object keys must be strings (byte 1)\n"
    )


def test_matches_are_printed_as_json_lines(run: Run, events: Path) -> None:
    done = run("match", events, "-s", HOT, "--json")

    assert [json.loads(line) for line in done.output.splitlines()] == [
        {
            "event": "e1",
            "subscription": "hot",
            "probability": 1.0,
            "mapping": ["device: Laptop", "temperature: 80 °F"],
        }
    ]


def test_events_may_come_from_the_input_and_subscriptions_from_files(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "s.purport"
    file.write_text(f"# two\n{HOT}\n{{device = kettle}}\n")

    done = run("match", "-", "-s", file, "-s", "{temperature > 90} as scalding", given=EVENTS)

    assert done.status == 0
    assert done.output.count("\ne2  ") + done.output.startswith("e2  ") == 2


def test_classes_are_judged_by_an_ontology(run: Run, tmp_path: Path) -> None:
    ontology = cellar_file(tmp_path)
    wanted = "{drink isa Wine} as wine"

    done = run("match", "-", "-s", wanted, "--ontology", ontology, "--explain", given=DRINKS)

    assert done.status == 0
    assert "wine  1.00" in done.output
    assert "by the ontology" in done.output
    assert "Merlot isa Wine" in done.output


def test_a_reader_that_goes_away_is_no_error(events: Path) -> None:
    events.write_text('{"a": 1}\n' * 50_000)
    command = f"'{sys.executable}' -m purport match '{events}' -s '{{a = 1}}' | head -1"

    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert done.stdout == "events.jsonl:1  {a = 1}  1.00\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("match", "missing.jsonl", "-s", HOT), "missing.jsonl: No such file or directory"),
        (("match", "x", "-s", "missing.purport"), "missing.purport: No such file or directory"),
        (("match", "x"), "Missing option '--subscriptions' / '-s'."),
        (("match", "x", "-s", "{device isa net:Laptop}"), "asks an ontology, and none is given"),
        (("match", "x", "-s", HOT, "--imports", "x"), "--imports is for an ontology: add"),
        (("match", "x", "-s", "device = laptop"), "a subscription stands in braces"),
        (("match", "x", "-s", ""), "no such file: ''; a subscription stands in braces"),
        (("match", "x", "-s", "{a = }"), "line 1, column 6: found '}', expected a value"),
        (
            ("match", "x", "-s", "when {a = 1} publish {b = 1}"),
            "not supported here: a rule (when), which takes a broker",
        ),
        (("match", "x", "-s", "{a = 1} as x", "-s", "{a = 2} as x"), "the name 'x' is taken"),
        (("relate", "a", "b", "-m", "ESA"), "did you mean 'esa'?"),
        (("relate", "a", "b", "-m", "remote"), "needs the url of its service"),
        (("relate", "a", "b", "--space", "missing"), "missing is not a concept space"),
        (("concepts", "info", "missing"), "missing is not a concept space"),
        (("concepts", "build", "missing.jsonl", "-o", "x"), "missing.jsonl: No such file"),
        (("concepts",), "Missing command"),
        (("relate", "a", "b", "-m", "calibrate"), "did you mean 'calibrated'?"),
        (("relate", "a", "b", "--space", "nowhere"), "nowhere is not a concept space"),
        (("relate", "a", "b", "--lexicon", "nowhere"), "nowhere: No such file"),
        (("relate", "--matrix", "nowhere", "nowhere"), "nowhere: No such file"),
        (("relate", "a", "b", "--matrix", "--explain"), "--explain is for two words"),
        (("relate", "a", "b", "-m", "remote"), "needs the url"),
        (("concepts", "calibrate", "nowhere", "-o", "x"), "nowhere: No such file"),
        (("concepts", "calibrate", "nowhere", "-o", "."), ".: is a folder"),
        (("concepts", "count", "/dev/null", "-o", "/dev/null/x"), "/dev/null is not a folder"),
        (("concepts", "build", "/dev/null", "-o", "/dev/null/x"), "/dev/null is not a folder"),
        (("concepts", "tabulate", "nowhere", "b", "-o", "x"), "nowhere: No such file"),
        (("concepts", "count", "nowhere", "-o", "x"), "nowhere: No such file"),
        (("events", "missing.nt", "-o", "x"), "missing.nt: No such file or directory"),
        (("events", "/dev/null"), "Missing option '--output' / '-o'."),
        (("events", "/dev/null", "-o", "/dev/null"), "expected an empty folder, or none"),
        (("events", "/dev/null", "-o", "/dev/null/x"), "/dev/null/x: /dev/null is not a folder"),
        (("events", "/dev/null", "-o", "x", "--type", "Event"), "expected the IRI of a class"),
        (("events", "/dev/null", "-o", "x", "--most-statements", "0"), "Invalid value for"),
        (("archive", "info", "nowhere"), "nowhere is not an archive: archive.json: No such file"),
        (("archive", "build", "--from", "files:x", "-o", "y"), "no source 'files'"),
        (("archive", "build", "--from", "file:nowhere", "-o", "y"), "nowhere: No such file"),
        (("archive", "build", "--from", "file:.", "-o", "/dev/null"), "/dev/null: not a folder"),
        (("archive", "build", "--from", "file:.", "-o", "/dev/null/x"), "/dev/null is not a"),
        (("archive", "tabulate", "nowhere", "-s", "{a = b~}", "-o", "y"), "is not an archive"),
        ((*STREAM, "--mode", "quick"), "no mode 'quick': there are default, paper"),
        ((*STREAM, "--lexicon", "nowhere"), "nowhere: No such file"),
        ((*STREAM, "--ontology", "nowhere"), "nowhere: No such file"),
        (("nonsense",), "No such command 'nonsense'."),
        (("demo", "--events", "0"), "Invalid value for '--events'"),
        (("demo", "-o", "/dev/null/x"), "/dev/null/x: "),
    ],
)
def test_bad_input_ends_in_a_clear_line_and_exit_code_2(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments)

    assert done.status == 2
    assert done.errors.startswith("purport: ")
    assert message in done.errors
    assert "Traceback" not in done.errors
    assert done.output == ""


def test_a_file_without_a_single_event_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"\x00\x01\n[1]\n")

    done = run("match", tmp_path / "x.jsonl", "-s", HOT)

    assert done.status == 2
    assert "no line of it is an event" in done.errors


def test_the_examples_of_the_readme_run(run: Run) -> None:
    examples = Path(__file__).parents[2] / "examples"

    done = run("match", examples / "readings.jsonl", "-s", examples / "building.purport", "--json")

    found = [json.loads(line) for line in done.output.splitlines()]
    assert [(row["event"], row["subscription"]) for row in found] == [
        ("reading-1", "hot-laptops"),
        ("reading-2", "energy"),
        ("reading-3", "batteries"),
        ("reading-3", "comfortable"),
    ]


@pytest.mark.usefixtures("spark")
def test_a_dump_becomes_events_that_can_be_matched(run: Run, tmp_path: Path) -> None:
    dump, output = tmp_path / "dump.nt", tmp_path / "events of a dump"
    dump.write_text(
        "<urn:x:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:x:FootballMatch> .\n"
        '<urn:x:1> <urn:x:venue> "Wembley"@en .\n'
        '<urn:x:1> <urn:x:venue> "Wembley-Stadion"@de .\n'
        "broken\n"
    )

    done = run("events", dump, "-o", output, "--json")
    matched = run(
        "match", output / "events" / "events-00000.jsonl", "-s", "{type = football match}"
    )

    assert done.status == 0, done.errors
    assert json.loads(done.output) == {
        "triples": 3,
        "events": 1,
        "statements": 2,
        "in_other_languages": 1,
        "unnamed": 0,
        "dead_letters": 1,
        "folder": str(output),
    }
    assert "refused: dump.nt, line 4: not a triple: " in done.errors
    assert matched.output.startswith("urn:x:1  {type = football match}  1.00\n")


def test_a_name_is_printed_as_it_is(run: Run, events: Path) -> None:
    done = run("match", events, "-s", '{device = kettle} as "a[/b] [bold]c"')

    assert done.status == 0, done.errors
    assert done.output.count("a[/b] [bold]c") == 2


def test_a_default_space_that_is_not_there_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PURPORT_CACHE", str(tmp_path))

    done = run("relate", "parking", "garage")

    assert done.status == 2
    assert "`purport concepts default` makes it" in done.errors
    assert run("concepts", "list").output == ""


def test_two_words_are_related_and_explained(run: Run, tmp_path: Path) -> None:
    (tmp_path / "house.lexicon").write_text("treat notebook as laptop\n")

    done = run(
        "relate", "notebook", "computer", "--explain", "--lexicon", tmp_path / "house.lexicon"
    )

    assert done.status == 0, done.errors
    assert float(done.output.splitlines()[0]) > 0.5
    for part in (
        "read as\n  laptop\n  computer\n",
        "esa\n", "calibrated\n", "wordnet\n", "embedding\n",
        "laptop, laptop computer > portable computer",
        "treat notebook as laptop (line 1)",
    ):  # fmt: skip
        assert part in done.output


def test_an_explanation_is_json_too(run: Run) -> None:
    done = run("relate", "temperature", "outdoor_temp_F", "--attributes", "--explain", "--json")

    row = json.loads(done.output)
    assert row["score"] == row["scores"]["calibrated"] > 0.9
    assert row["right_words"] == ["outdoor", "temperature"]
    assert {"exact", "esa", "wordnet", "calibrated"} <= row["scores"].keys()
    assert row["concepts"]


def test_a_matrix_is_printed_and_drawn(run: Run, tmp_path: Path) -> None:
    (tmp_path / "left.txt").write_text("laptop\nparking\n\n")
    (tmp_path / "right.txt").write_text("computer\ncar park\nweather\n")
    picture = tmp_path / "map.png"
    files = tmp_path / "left.txt", tmp_path / "right.txt"

    done = run("relate", "--matrix", *files, "--picture", picture)

    assert done.status == 0, done.errors
    assert [line.split()[:2] for line in done.output.splitlines()] == [
        ["laptop:", "computer"],
        ["parking:", "car"],
    ]
    assert picture.read_bytes().startswith(b"\x89PNG")
    as_json = run("relate", "--matrix", *files, "--picture", picture, "--json", "-m", "exact")
    assert json.loads(as_json.output.splitlines()[0]) == {
        "left": "laptop",
        "scores": {"computer": 0.0, "car park": 0.0, "weather": 0.0},
    }


def test_ratings_are_fitted_and_the_fit_is_used(run: Run, tmp_path: Path) -> None:
    words = "car bus tram street road city energy power heat cold rain wind".split()
    lines = [
        f"{left} {right} {(7 * number) % 10}\n"
        for number, (left, right) in enumerate(zip(words * 3, words[5:] * 4, strict=False))
        if left != right
    ]
    (tmp_path / "pairs.txt").write_text("".join(lines))
    parameters, picture = tmp_path / "calibration.json", tmp_path / "reliability.svg"

    done = run(
        "concepts", "calibrate", tmp_path / "pairs.txt", "-o", parameters, "--picture", picture
    )

    assert done.status == 0, done.errors
    assert "Spearman" in done.output
    assert "pairs left out" in picture.read_text()
    fitted = purport.load_measure("calibrated", calibration=parameters)
    assert fitted.score("car", "bus") != purport.load_measure("calibrated").score("car", "bus")


def test_a_file_without_subscriptions_is_named(run: Run, tmp_path: Path, events: Path) -> None:
    (tmp_path / "empty.purport").write_text("# nothing here\n")

    done = run("match", events, "-s", tmp_path / "empty.purport")

    assert done.status == 2
    assert "no subscription in there" in done.errors


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").output == f"purport {purport.__version__}\n"


def _commands() -> Iterator[str]:
    """Every command and subcommand, as it is typed."""
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", None)
        yield from [name] if below is None else (f"{name} {one}" for one in below)


@pytest.mark.parametrize("command", list(_commands()))
def test_every_command_has_help_with_an_example_that_can_be_copied(run: Run, command: str) -> None:
    told = run(*command.split(), "--help").output

    [example] = re.findall(r"^  Example: (purport .*)$", told, re.M)
    assert example.startswith(f"purport {command}")
    shlex.split(example)  # no quotation is left open at the end of the line
    assert "--json" in told or command == "journal export"  # which prints nothing else
    options = told.partition("Options:")[2]
    assert re.findall(r"--[\w-]+ <(?!total)", options) == []  # what stands there is a word


@pytest.mark.parametrize("group", ["archive", "concepts", "evaluate", "journal", "ontology"])
def test_a_group_without_a_command_says_where_to_look(run: Run, group: str) -> None:
    done = run(group)

    assert done.status == 2
    assert done.errors == f"purport: Missing command. (see purport {group} --help)\n"


@pytest.mark.parametrize(
    ("picture", "problem"),
    [
        ("nowhere/map.png", "no such folder"),
        ("map.bmp", "a picture is one of .png, .svg, .pdf"),
        ("folder.png", "is a folder"),
    ],
)
def test_a_picture_that_cannot_be_written_is_told_before_the_work(
    run: Run, tmp_path: Path, picture: str, problem: str
) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "terms.txt").write_text("laptop\n")
    terms, place = tmp_path / "terms.txt", tmp_path / picture

    drawn = run("relate", "--matrix", terms, terms, "-m", "exact", "--picture", place)
    fitted = run("concepts", "calibrate", terms, "-o", tmp_path / "x", "--picture", place)

    for done in (drawn, fitted):
        assert (done.status, done.output) == (2, "")
        assert done.errors == f"purport: {place}: {problem}\n"


@pytest.mark.usefixtures("spark")
def test_an_experiment_prints_its_rivals_and_draws_them(run: Run, tmp_path: Path) -> None:
    done = run(
        "evaluate", "toit14", "--seeds", 1, "--first-seed", 3, "--events", 165, "--degrees", "50",
        "--mode", "paper", "--marks", "r", "--plot", tmp_path / "f1.png", "-o", tmp_path,
    )  # fmt: skip

    assert done.status == 0, done.errors
    every, marked = done.output.split("\n\n")
    assert every.startswith("curated thesaurus, all pairs\n")
    assert marked.startswith("curated thesaurus, pairs marked r\n")
    for block in (every, marked):
        assert "50%  ours" in block
        assert "rewriting without a bound" in block
        assert "by synonyms" in block
    assert (tmp_path / "f1.png").stat().st_size > 10_000
    runs = [json.loads(line) for line in (tmp_path / "toit14.jsonl").read_text().splitlines()]
    assert len(runs) == 18
    assert runs[1]["cell"]["matcher"] == {"expansion": ["synonyms"], "most_rules": 300_000}
    assert runs[-1]["cell"]["thesaurus"] == {"source": "curated", "marks": ["r"]}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--thesaurus", "webster"], "no thesaurus 'webster': there are curated, automatic"),
        (["--thesaurus", "automatic", "--marks", "r"], "only the pairs of the curated thesaurus"),
        (["--marks", "x"], "the marks are r and e, got 'x'"),
        (["--degrees", "half"], "expected percentages by commas, got 'half'"),
    ],
)
def test_an_experiment_that_cannot_be_run_is_told(
    run: Run, arguments: list[str], complaint: str
) -> None:
    done = run("evaluate", "toit14", *arguments)

    assert done.status == 2
    assert complaint in done.errors


@pytest.mark.usefixtures("spark")
def test_an_archive_is_built_scored_and_matched(run: Run, tmp_path: Path, events: Path) -> None:
    archive, scores = tmp_path / "archive", tmp_path / "scores"
    near = "{device = notebook~, temperature > 25 °C} threshold 0.1 as near"

    built = run("archive", "build", "--from", f"file:{events}", "-o", archive, "--json")
    assert built.status == 0, built.errors
    told = json.loads(built.output)
    assert (told["events"], told["dead_letters"], told["batches"]) == (2, 1, 1)
    assert run("archive", "info", archive, "--json").output == built.output
    assert "2 events of file:" in run("archive", "info", archive).output

    scored = run("archive", "tabulate", archive, "-s", near, "-o", scores)
    assert scored.status == 0, scored.errors
    assert f"{scores}/calibrated-values-" in scored.output
    assert ": 4 terms added; 1 x 4 scores" in scored.output
    again = run("archive", "tabulate", archive, "-s", near, "-o", scores, "--json")
    assert again.status == 0, again.errors
    table = json.loads(again.output)
    assert table["folder"].startswith(f"{scores}/calibrated-values-")
    assert (table["asked"], table["given"], table["new"]) == (1, 4, 0)

    matched = run(
        "stream", "--from", f"archive:{archive}", "--to", f"jsonl:{tmp_path / 'matches'}",
        "-s", near, "--scores", scores, "--until-end", "--json",
    )  # fmt: skip
    assert matched.status == 0, matched.errors
    assert json.loads(matched.output)["counts"]["matches"] == {"near": 1}
    parts = (tmp_path / "matches" / "batch=0").glob("part-*.json")
    found = json.loads("".join(path.read_text() for path in parts))
    assert (found["event_id"], found["source"], found["offset"]) == ("e1", "events.jsonl", 1)
