import json
from pathlib import Path

import pytest

from purport import Event
from purport.demo import vocabulary
from purport.demo.city import City
from purport.demo.run import demo_subscriptions
from purport.model.event_lines import DeadLetter, events_in_file
from tests.commands import Run
from tests.oracles.html_page import HtmlPage

TABLE_III = (
    "solar radiation, particles, speed, wind direction, wind speed, temperature, water flow, "
    "atmospheric pressure, noise, ozone, rainfall, parking, radiation par, co, ground temperature, "
    "light, no2, soil moisture tension, relative humidity, energy consumption, cpu usage, "
    "memory usage"
)


def test_the_city_has_the_sensor_capabilities_of_toit_table_iii() -> None:
    assert {capability.name for capability in vocabulary.CAPABILITIES} == set(TABLE_III.split(", "))


def test_the_same_seed_is_the_same_city_and_another_is_another() -> None:
    assert list(City(50, 1).happenings()) == list(City(50, 1).happenings())
    assert list(City(50, 1).happenings()) != list(City(50, 2).happenings())


def test_the_makers_say_the_same_in_words_of_their_own() -> None:
    said: dict[str, set[str]] = {}
    for event in City(2000).happenings():
        attributes = {str(s.attribute) for s in Event.from_json(event.said).statements}
        said.setdefault(event.maker, set()).update(attributes)

    assert set(said) == set(vocabulary.MAKERS)
    for maker, attributes in said.items():
        others = set().union(*(said[other] for other in said if other != maker))
        assert attributes - others


def test_files_hold_every_event_and_a_few_broken_lines(tmp_path: Path) -> None:
    City(3000).write_lines(tmp_path, files=4)

    found = [said for path in sorted(tmp_path.iterdir()) for said in events_in_file(path)]

    assert len(found) == 3000
    assert 0 < sum(isinstance(said, DeadLetter) for said in found) < 30


def test_the_demo_subscriptions_have_names() -> None:
    assert all(subscription.name for subscription in demo_subscriptions())


@pytest.mark.usefixtures("spark")
def test_the_demo_runs_to_its_report(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--events", 600, "-o", tmp_path, "--json")

    assert done.status == 0, done.errors
    rows = [json.loads(line) for line in done.output.splitlines()]
    assert [row["subscription"] for row in rows] == [s.name for s in demo_subscriptions()]
    assert sum(sum(row["heard"].values()) for row in rows) > 0
    assert all(sum(row["heard"].values()) <= sum(row["meant"].values()) for row in rows)
    assert "Report: " in done.errors
    page = HtmlPage((tmp_path / "report.html").read_text())
    assert page.count("tr") > len(rows)
    assert "A city of four makers" in page.text
