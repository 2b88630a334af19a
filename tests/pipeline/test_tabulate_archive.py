"""Scores of an archive's words, made beforehand, leave nothing to score."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from purport import Subscription, parse
from purport.demo.city import City
from purport.demo.run import demo_subscriptions
from purport.errors import NotSupportedYet, UnusablePath
from purport.pipeline.archive.folder import Archive
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.jobs.tabulate_archive import TabulateArchive
from purport.pipeline.session import spark_pattern
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import Files
from purport.pipeline.tables import MATCHES
from purport.pipeline.watched import Fixed
from tests.pipeline.counted import CountedSettings, often_asked

TEXTS = [
    "{device~ = laptop~} threshold 0.3 mapping 1:1 as one-to-one",
    "{place~ in (office~, room 112~)} threshold 0.2 top 3 as several",
    "{floor~ != ground floor~} threshold 0.1 as unlike",
    "{value~ = 25~} threshold 0.1 as number",
    "{device = laptop~, device~ = lap top} threshold 0.1 as mixed",
]


def asked() -> list[Subscription]:
    return [*map(parse, TEXTS), *demo_subscriptions()]


@pytest.fixture(scope="module")
def archive(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    folder = tmp_path_factory.mktemp("city")
    (folder / "events").mkdir()
    City(events=400, seed=11).write_lines(folder / "events", files=2)
    (folder / "events" / "graph.ttl").write_text(
        '@prefix : <http://example.org/> .\n:e :device :Lap_top , "Rechner"@de , "laptop"@en .'
    )
    (folder / "events" / "own.jsonl").write_text('{"device": "lap top"}')
    return BuildArchive(Files(folder / "events"), folder / "archive").run(spark)


def matched(
    spark: SparkSession, archive: Archive, output: Path, settings: CountedSettings
) -> list[tuple[object, ...]]:
    sink = BatchFolders(output)
    source = Archived(archive.folder)
    MatchStream(source, sink, Fixed(asked()), JobFolder(sink.home), settings).run(spark)
    found = spark.read.schema(MATCHES).parquet(spark_pattern(output)).collect()
    return sorted((row.event_id, row.subscription, row.probability, *row.mapping) for row in found)


@pytest.mark.parametrize("competition", [False, True])
def test_after_tabulating_matching_the_archive_scores_nothing(
    spark: SparkSession, archive: Archive, tmp_path: Path, competition: bool
) -> None:
    log = tmp_path / "log"
    settings = CountedSettings(competition=competition, scores=tmp_path / "scores", log=log)
    done = TabulateArchive(archive, asked(), settings).run(spark)
    names = {table.folder.name.rpartition("-")[0] for table in done}
    assert names == {"default-names", "default-values"}
    assert all(table.new == table.given > 10 for table in done)
    assert set(often_asked(log).values()) == {1}
    log.unlink()

    found = matched(spark, archive, tmp_path / "matches", settings)

    assert not log.exists()
    plain = CountedSettings(competition=competition, log=tmp_path / "other log")
    assert found == matched(spark, archive, tmp_path / "plain", plain)
    assert {row[1] for row in found} >= {"one-to-one", "several", "unlike", "mixed"}


def test_run_again_it_scores_only_what_is_new(
    spark: SparkSession, archive: Archive, tmp_path: Path
) -> None:
    settings = CountedSettings(scores=tmp_path / "scores", log=tmp_path / "log")
    TabulateArchive(archive, asked(), settings).run(spark)
    (tmp_path / "log").unlink()

    again = TabulateArchive(archive, asked(), settings).run(spark)
    assert [table.new for table in again] == [0, 0]
    assert not (tmp_path / "log").exists()


def test_without_an_approximate_part_there_is_nothing_to_score(
    spark: SparkSession, archive: Archive, tmp_path: Path
) -> None:
    settings = CountedSettings(scores=tmp_path / "scores", log=tmp_path / "log")

    assert TabulateArchive(archive, [parse("{a = 1}")], settings).run(spark) == []
    with pytest.raises(NotSupportedYet):
        TabulateArchive(archive, [parse("{end during {a = 1}}")], settings).run(spark)


def test_where_scores_cannot_be_written_no_subscription_is_blamed(
    spark: SparkSession, archive: Archive, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    settings = CountedSettings(scores=tmp_path / "file" / "scores", log=tmp_path / "log")
    told = f"^{settings.scores}: {tmp_path}/file is not a folder$"

    with pytest.raises(UnusablePath, match=told):
        TabulateArchive(archive, asked(), settings).run(spark)
    with pytest.raises(UnusablePath, match=told):
        matched(spark, archive, tmp_path / "matches", settings)
