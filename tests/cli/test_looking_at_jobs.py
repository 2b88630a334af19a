"""Commands that run a job, and that look at one."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest

from purport import Event, Matcher, parse
from purport.demo.city import City
from purport.demo.run import demo_subscriptions
from tests.commands import Run
from tests.oracles.html_page import HtmlPage
from tests.oracles.prometheus_text import read_exposition
from tests.pipeline.left_behind import LeftBehind


@pytest.fixture
def left(tmp_path: Path) -> LeftBehind:
    left = LeftBehind(tmp_path)
    left.events.mkdir()
    (left.events / "e.jsonl").write_text(
        '{"@id": "e1", "device": "computer", "floor": "cellar"}\n{broken\n'
    )
    left.match([parse("{device = laptop~} as near"), parse("{floor = cellar} as below")])
    return left


def test_a_stored_match_is_explained_to_people(run: Run, left: LeftBehind) -> None:
    done = run("explain", left.matches, "e1")

    assert done.status == 0, done.errors
    below, near = re.split(r"^(?=e1)", done.output, flags=re.M)[1:]
    assert below.startswith("e1  below  1.00\n  e.jsonl:1, version 1 of the subscriptions\n")
    assert "{device = laptop~} as near\n  device = laptop~  <->  device: computer" in near
    assert "by calibrated: " in near


def test_a_stored_match_is_explained_to_programs_and_drawn(run: Run, left: LeftBehind) -> None:
    done = run("explain", left.matches, "e1", "-s", "near", "--json")
    drawn = run("explain", left.matches, "e1", "-s", "near", "--svg", left.folder / "why.svg")

    [row] = map(json.loads, done.output.splitlines())
    assert (row["event"], row["subscription"], row["version"]) == ("e1", "near", 1)
    assert row["explanation"]["chosen"] == [0]
    assert drawn.output == f"{left.folder / 'why.svg'}\n"
    assert ElementTree.parse(left.folder / "why.svg").getroot().tag.endswith("svg")


def test_a_report_is_written_and_told(run: Run, left: LeftBehind) -> None:
    page = left.folder / "page.html"

    done = run("report", left.matches, "-o", page)

    assert done.status == 0, done.errors
    assert done.output == f"{page}\n"
    assert "What the stream found" in HtmlPage(page.read_text()).text
    totals = json.loads(run("report", left.matches, "--json").output)
    assert totals["matches_by_subscription"] == {"near": 1, "below": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("explain", "{matches}", "e2"), "no match of an event 'e2'; there are 'e1'"),
        (("explain", "{matches}", "e1", "-s", "far"), "'far', but with 'below', 'near'"),
        (("explain", "{matches}", "e1", "--svg", "x.svg"), "e1 has 2 matches: name one with -s"),
        (("explain", "{matches}", "e1", "--svg", "x", "--json"), "give one of them"),
        (("explain", "{matches}", "e1", "-s", "near", "--svg", "/no/x"), "/no/x: No such file"),
        (("explain", "{events}", "e1"), "is no job's folder"),
        (("explain", "nowhere", "e1"), "nowhere: no such folder"),
        (("explain", "{matches}"), "Missing argument 'EVENT_ID'"),
        (("report", "nowhere"), "nowhere: no such folder"),
        (("report", "{events}"), "is no job's folder"),
        (("report", "{matches}", "-o", "/no/x.html"), "/no/x.html: No such file or directory"),
        (("stream", "--metrics-port", "99999"), "Invalid value for '--metrics-port'"),
        (("stream", "--metrics-port", "-1"), "Invalid value for '--metrics-port'"),
    ],
)  # fmt: skip
def test_bad_input_ends_in_a_clear_line_and_exit_code_2(
    run: Run, left: LeftBehind, arguments: tuple[str, ...], message: str
) -> None:
    places = {"matches": left.matches, "events": left.events}

    done = run(*(argument.format(**places) for argument in arguments))

    assert done.status == 2
    assert done.errors.startswith("purport: ")
    assert done.errors.count("\n") == 1
    assert message in done.errors
    assert done.output == ""


def test_a_stream_serves_its_metrics_and_leaves_them_behind(tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    (events / "e.jsonl").write_text('{"@id": "e1", "a": 1}\n{broken\n')
    command = [
        sys.executable, "-u", "-m", "purport", "stream", "--from", f"file:{events}",
        "--to", f"jsonl:{tmp_path / 'm'}", "-s", "{a = 1} as one", "--metrics-port", "0",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        lines = iter(running.stdout.readline, "")
        address = next(lines).split()[1]
        told = [next(lines), next(lines)]
        with urlopen(address) as answer:
            families = read_exposition(answer.read().decode())
        running.terminate()
        summary = "".join(lines)
        running.wait(60)

    assert "set aside: e.jsonl:2: not valid JSON" in told[0]
    assert "batch 0: 1 events" in told[1]
    assert families["purport_events_total"].value == 1
    assert families["purport_job_state"].by("state")["running"] == 1
    assert "dead letters" in summary
    left = json.loads((tmp_path / "m" / "_purport" / "metrics.json").read_text())
    assert (left["state"], left["events"]) == ("stopped", 1)


@pytest.mark.usefixtures("spark")
def test_json_lines_stay_apart_from_what_is_told_to_people(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"@id": "e1", "a": 1}\n')

    done = run(
        "stream", "--from", f"file:{tmp_path / 'e.jsonl'}", "--to", f"jsonl:{tmp_path / 'm'}",
        "-s", "{a = 1} as one", "--until-end", "--json",
    )  # fmt: skip

    assert done.status == 0, done.errors
    [row] = map(json.loads, done.output.splitlines())
    assert row["counts"]["matches"] == {"one": 1}
    assert "batch 0: 1 events" in done.errors


@pytest.mark.usefixtures("spark")
def test_a_match_in_time_is_explained_by_the_events_that_made_it(run: Run, tmp_path: Path) -> None:
    lines = [
        {"@id": "link 7", "@start": 1, "@end": 1, "type": "link down", "port": 7},
        {"@id": "link 9", "@start": 2, "@end": 2, "type": "link down", "port": 9},
        {"@id": "vpn", "@start": 5, "@end": 5, "type": "vpn down", "port": 9},
    ]
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, lines)))
    cause = "{type = vpn down, start after(10 s) {type = link down, port = $port}} as cause"
    done = run(
        "stream", "--from", f"file:{tmp_path / 'e.jsonl'}", "--to", f"jsonl:{tmp_path / 'm'}",
        "-s", cause, "--until-end", "--measure", "exact",
    )  # fmt: skip
    assert done.status == 0, done.errors

    told = run("explain", tmp_path / "m", "vpn")
    told_programs = run("explain", tmp_path / "m", "vpn", "--json")

    assert told.status == 0, told.errors
    assert told.output.startswith("vpn  cause  1.00\n")
    assert "start after(10 s) {type = link down, port = $port}" in told.output
    assert "link 9, 1970-01-01T00:00:02+00:00: type: link down, port: 9  (1.00)" in told.output
    assert "link 7" not in told.output
    [row] = map(json.loads, told_programs.output.splitlines())
    assert "link 9" in json.dumps(row)
    assert "link 7" not in json.dumps(row)


@pytest.mark.usefixtures("spark")
def test_an_aggregate_is_explained_by_the_events_of_its_window(run: Run, tmp_path: Path) -> None:
    lines = [{"@id": f"e{n}", "@start": n, "@end": n, "room": "hall", "n": n} for n in range(3)]
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = run(
        "stream", "--from", f"file:{tmp_path / 'e.jsonl'}", "--to", f"jsonl:{tmp_path / 'm'}",
        "-s", "{room = hall, sum(n) over 5 s > 2} as much", "--until-end", "--measure", "exact",
    )  # fmt: skip
    assert done.status == 0, done.errors

    told = run("explain", tmp_path / "m", "e2").output.splitlines()
    [row] = map(json.loads, run("explain", tmp_path / "m", "e2", "--json").output.splitlines())

    place = "sum(n) over 5 s > 2 (3 from 3 values)"
    assert [line.split(",")[0] for line in told[-3:]] == [f"  {place}  <->  e{n}" for n in range(3)]
    assert [part["place"] for part in row["explanation"]["parts"]] == [place] * 3


def test_the_example_of_the_guide_is_true() -> None:
    root = Path(__file__).parents[2]
    guide = (root / "docs" / "guides" / "watching.md").read_text()
    subscriptions = demo_subscriptions()
    [said] = [one.said for one in City().happenings() if one.said["@id"] == "city-925"]

    [match] = Matcher(subscriptions).match(Event.from_json(said))

    assert f"city-925  {match.subscription.name}  {match.probability:.2f}" in guide
    assert match.explain() in guide
