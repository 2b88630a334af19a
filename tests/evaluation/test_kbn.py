"""KBN's tests, run again: the workload, the stores and what is said of them."""

import json
from contextlib import ExitStack
from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from purport import Event, InvalidInput, Matcher, parse
from purport.cli.app import app
from purport.evaluation.kbn.experiment import GROWTH, LIMITS, Outcome, Settings, run
from purport.evaluation.kbn.published import published
from purport.evaluation.kbn.report import panels, standings, table
from purport.evaluation.kbn.stores import LIVE, Databases, opened_stores
from purport.evaluation.kbn.workload import (
    EVERY_TEN_SECONDS,
    RED,
    SECOND,
    Cellar,
    happenings,
    publications,
    table_3_subscriptions,
)
from purport.model.event import Statement
from purport.model.term import Resource, Text

W3C = Path(__file__).parents[1] / "ontologies" / "wine.rdf"
TINY = Settings(events=6, stored=60, limits=(20, 40), events_for_each_limit=4)


@pytest.mark.parametrize("path", [None, W3C], ids=["ours", "the W3C's"])
def test_five_of_ten_wines_are_red(path: Path | None) -> None:
    cellar = Cellar.load(path)
    matcher = Matcher([parse(RED)], ontology=cellar.ontology)

    is_red = [
        bool(matcher.match(Event((Statement(Text("B"), Resource(wine)),)))) for wine in cellar.wines
    ]

    assert is_red == [True] * 5 + [False] * 5


def test_an_ontology_without_wines_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wine.ttl").write_text(
        "@prefix : <urn:wine#> . @prefix wine: <urn:wine#> .\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        ":hasColor a owl:ObjectProperty . :Red a :Color . :White a :Color .\n"
    )

    with pytest.raises(InvalidInput, match="0 wines that are Red"):
        Cellar.load(tmp_path / "wine.ttl")


def test_events_follow_from_the_seed_and_last_three_to_eight_seconds() -> None:
    cellar = Cellar.load()
    first, again = (
        list(islice(happenings(cellar, EVERY_TEN_SECONDS, Random(3)), 50)) for _ in range(2)
    )

    assert first == again
    lengths = [(one.end or 0) - one.start for one in first]
    assert min(lengths) >= 3 * SECOND and max(lengths) <= 8 * SECOND
    assert {later.start - one.start for one, later in pairwise(first)} == {10 * SECOND}


def test_all_stores_answer_the_same_subscribers(tmp_path: Path) -> None:
    cellar = Cellar.load()
    subscriptions = table_3_subscriptions(Random(1))
    events = list(islice(happenings(cellar, EVERY_TEN_SECONDS, Random(2)), 30))

    with ExitStack() as opened:
        told = []
        for store in opened_stores(Databases(tmp_path), cellar, opened):
            store.subscribe(subscriptions)
            both = [[store.publish(report) for report in publications(one)] for one in events]
            # an engine tells once of each event, a history is asked of its beginning and its end
            told.append([sum(one) if store.label == LIVE else one[1] for one in both])
            store.clear()

    live, in_process, in_database = told
    assert in_process == in_database == live
    assert sum(live) > 100


def test_a_run_has_both_tests_and_leaves_nothing_behind(tmp_path: Path) -> None:
    cellar = Cellar.load()

    with ExitStack() as opened:
        stores = opened_stores(Databases(tmp_path), cellar, opened)
        outcomes = [one for store in stores for one in run(store, cellar, TINY)]

    with ExitStack() as opened:
        assert len(opened_stores(Databases(tmp_path), cellar, opened)) == 3
    assert [one.test for one in outcomes[:3]] == [GROWTH, LIMITS, LIMITS]
    assert [one.limit for one in outcomes[:3]] == [None, 20, 40]
    assert len(outcomes) == 3 * (1 + 2 + 3)
    assert all(len(one.milliseconds) == 8 for one in outcomes if one.test == LIMITS)


def outcome(test: str, store: str, limit: int | None, *milliseconds: float) -> Outcome:
    return Outcome(test, store, 50_000, limit, 1.0, milliseconds)


OUTCOMES = [
    outcome(GROWTH, LIVE, None, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2),
    outcome(LIMITS, LIVE, 200, 0.5, 0.5),
    outcome(LIMITS, LIVE, 5000, 1, 3),
    outcome(GROWTH, "SQLite, in the database", None, 1, 1, 1, 1, 1, 1, 1, 1, 7, 7),
    outcome("operator D", "SQLite, in process", None, 2, 2),
]


def test_ours_stand_beside_the_published_figures() -> None:
    found = [(one.paper.where, one.store, one.ours, one.ratio) for one in standings(OUTCOMES)]

    assert found == [
        ("Figure 3", "SQLite, in the database", 7, 1000),
        ("Figure 4", LIVE, 0.5, 400),
        ("section VII", "SQLite, in process, D", 2, 5),
    ]
    assert str(published()["one temporal operator"]) == "10-63"


def test_the_table_tells_how_time_grows() -> None:
    text = table(OUTCOMES)

    assert "2.000 ms, 2.0 x the first (1.000 ms)" in text
    assert "200: 0.500 ± 0.000  5000: 2.000 ± 1.000" in text


def test_there_is_a_picture_for_each_figure_of_the_paper() -> None:
    found = panels(OUTCOMES)

    assert [one.title.partition(":")[0] for one in found] == [f"Figure {n}" for n in (2, 3, 4, 5)]
    assert found[3].curves[0].ys == (0.5, 2.0)
    assert dict(found[1].levels) == {"Advanced Oracle, at 250 events": 7000}


def test_the_command_prints_writes_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "quick", classmethod(lambda cls, seed: TINY))
    picture = tmp_path / "kbn.svg"

    done = CliRunner().invoke(
        app, ["evaluate", "kbn", "--quick", "-o", str(tmp_path), "--plot", str(picture)]
    )

    assert done.exit_code == 0, done.output
    assert "seed 1" in done.stdout and "test 2: by the limit of filter" in done.stdout
    machine, *runs = map(json.loads, (tmp_path / "kbn.jsonl").read_text().splitlines())
    assert machine["SQLite"] and len(runs) == 18
    assert picture.stat().st_size > 10_000
    as_json = CliRunner().invoke(app, ["evaluate", "kbn", "--quick", "--json"])
    printed = [json.loads(line) for line in as_json.stdout.splitlines()]
    assert printed[0] == machine
    assert [one.keys() for one in printed[1:]] == [one.keys() for one in runs]
