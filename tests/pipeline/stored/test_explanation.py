"""A match that was written down is explained by what it was made of."""

import gzip
import math
import shutil
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, Matcher, parse
from purport.errors import UnusablePath
from purport.matching.batches import as_event
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.sinks.batch_folders import BatchFolders, FileKind
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import Files
from purport.pipeline.stored.explanation import StoredExplanations
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.source_events import EventGone
from purport.pipeline.watched import Fixed
from tests.pipeline.left_behind import LeftBehind

NEAR = parse("{device~ = laptop~, floor~ = ground floor} threshold 0.3 as near")
TOLD = {"device": "computer", "floor": "Ground floor"}
TRIPLES = """
<urn:e:{id}> <urn:x:device> "computer" .
<urn:e:{id}> <urn:x:floor> "Ground floor" .
"""


def write_events(folder: Path) -> dict[str, str]:
    """Files of every format, each with an event that matches; their ids, by the files' names."""
    folder.mkdir()
    line = b'{"x": 1}\n\n' + msgspec.json.encode({"@id": "j", **TOLD}) + b"\n"
    (folder / "lines.jsonl").write_bytes(line)
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(line.replace(b'"j"', b'"z"')))
    (folder / "rows.csv").write_text('@id,device,floor\n1,2,"3\n4"\nc,computer,Ground floor\n')
    columns = {"@id": [None, "p"], "device": ["x", "computer"], "floor": ["y", "Ground floor"]}
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    (folder / "triples.nt").write_text(f"no triple{TRIPLES.format(id='n')}")
    (folder / "triples.ttl").write_text(f"<urn:e:other> a <urn:T> . {TRIPLES.format(id='t')}")
    (folder / "nameless.jsonl").write_bytes(b"{}\n" + msgspec.json.encode(TOLD))
    return {
        "lines.jsonl": "j", "packed.jsonl.gz": "z", "rows.csv": "c", "rows.parquet": "p",
        "triples.nt": "urn:e:n", "triples.ttl": "urn:e:t", "nameless.jsonl": "nameless.jsonl:2",
    }  # fmt: skip


@pytest.mark.parametrize("kind", list(FileKind))
def test_events_of_every_format_are_read_again_and_explained(
    spark: SparkSession, tmp_path: Path, kind: FileKind
) -> None:
    ids = write_events(tmp_path / "events")
    sink = BatchFolders(tmp_path / "matches", kind)
    job = JobFolder(tmp_path / "checkpoint")
    MatchStream(Files(tmp_path / "events"), sink, Fixed([NEAR]), job).run(spark)

    stored = StoredJob.at(tmp_path / "checkpoint")
    explanations = StoredExplanations(stored)

    assert sum(map(len, stored.require_matches().batches())) == len(ids)
    for name, event_id in ids.items():
        [match] = stored.require_matches().of_event(event_id)
        explained = explanations.explain(match)
        assert match.source == name
        assert explained.probability == pytest.approx(match.probability, abs=1e-6)
        assert [pair.statement.rpartition(": ")[2] for pair in explained.pairs] == [
            "computer",
            "Ground floor",
        ]
        assert "by calibrated" in explained.text()


def test_matches_out_of_an_archive_are_explained_though_the_files_are_gone(
    spark: SparkSession, tmp_path: Path
) -> None:
    ids = write_events(tmp_path / "events")
    archive = BuildArchive(Files(tmp_path / "events"), tmp_path / "archive").run(spark)
    shutil.rmtree(tmp_path / "events")
    sink = BatchFolders(tmp_path / "matches")
    MatchStream(Archived(archive.folder), sink, Fixed([NEAR]), JobFolder(sink.home)).run(spark)
    stored = StoredJob.at(tmp_path / "matches")
    explanations = StoredExplanations(stored)

    for name, event_id in ids.items():
        [match] = stored.require_matches().of_event(event_id)
        explained = explanations.explain(match)
        assert match.source == name
        assert explained.probability == pytest.approx(match.probability, abs=1e-6)

    with pytest.raises(EventGone, match=r"archive: the event is gone, nothing of lines\.jsonl, 9"):
        explanations.explain(msgspec.structs.replace(match, source="lines.jsonl", offset=9))
    with pytest.raises(EventGone, match=r"it is 'nameless\.jsonl:2' now and was 'other'"):
        explanations.explain(msgspec.structs.replace(match, event_id="other"))


def left_behind(folder: Path, *lines: str, settings: MatcherSettings | None = None) -> LeftBehind:
    left = LeftBehind(folder, settings or MatcherSettings())
    left.events.mkdir(parents=True, exist_ok=True)
    (left.events / "e.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return left


def only_match(left: LeftBehind, event_id: str = "e1") -> tuple[StoredMatch, StoredExplanations]:
    job = StoredJob.at(left.matches)
    [match] = job.require_matches().of_event(event_id)
    return match, StoredExplanations(job)


HOT = parse("{a = 1, b > 2} as hot")


@pytest.mark.parametrize(
    ("now", "complaint"),
    [
        (None, r"the event is gone: .*e\.jsonl: the file cannot be read: No such file"),
        ("", "e.jsonl, line 1: the event is gone, there is nothing there any more"),
        ("{", "e.jsonl, line 1: the event has changed, it is none: not valid JSON"),
        ('{"@id": "e1", "a": 1e999}', "e.jsonl, line 1: the event has changed, it is none"),
        ('{"@id": "e2", "a": 1, "b": 3}', "it is 'e2' now and was 'e1'"),
        ('{"@id": "e1", "a": 1}', "it has 1 statements, and was matched by its statements 1, 2"),
        ('{"@id": "e1", "a": 1, "c": 3}', "has nothing that answers"),
        ('{"@id": "e1", "b": 3, "a": 1}', "a = 1 was answered with 1.00, and b: 3 .* with 0.00"),
    ],
)
def test_an_event_that_is_gone_or_changed_is_told(
    tmp_path: Path, now: str | None, complaint: str
) -> None:
    left = left_behind(tmp_path, '{"@id": "e1", "a": 1, "b": 3}')
    left.match([HOT])
    if now is None:
        (left.events / "e.jsonl").unlink()
    else:
        (left.events / "e.jsonl").write_text(now)

    match, explanations = only_match(left)

    with pytest.raises(EventGone, match=complaint):
        explanations.explain(match)


def test_one_file_that_is_gone_is_named(tmp_path: Path) -> None:
    left = left_behind(tmp_path, '{"@id": "e1", "a": 1, "b": 3}')
    left.match([HOT])
    path = left.job.folder / "job.json"
    path.write_text(path.read_text().replace("/events", "/events/e.jsonl"))
    match, explanations = only_match(left)
    assert explanations.explain(match).chosen == (0, 1)

    (left.events / "e.jsonl").unlink()

    with pytest.raises(EventGone, match=r"events/e\.jsonl: the file cannot be read"):
        explanations.explain(match)


def test_an_old_match_is_explained_by_the_subscriptions_and_settings_of_its_time(
    tmp_path: Path,
) -> None:
    rules = tmp_path / "house.lexicon"
    rules.write_text("treat kettle as laptop\n")
    asked = parse("{device = laptop~} as one")
    left = left_behind(tmp_path, '{"@id": "e1", "device": "kettle"}')
    LeftBehind(left.folder, MatcherSettings(lexicon=rules)).match([asked])
    rules.write_text("laptop is never kettle\n")
    (left.events / "e.jsonl").write_text('{}\n{"@id": "e2", "device": "laptop"}\n')
    LeftBehind(left.folder, MatcherSettings("exact", lexicon=rules)).match([asked])
    (left.events / "e.jsonl").write_text('{"@id": "e1", "device": "kettle"}\n')

    match, explanations = only_match(left)

    assert match.version == 1
    assert explanations.explain(match).pairs[0].similarity == 1
    assert StoredJob.at(left.matches).versions.settings(2).measure == "exact"


def test_under_competition_the_other_subscriptions_have_their_say(tmp_path: Path) -> None:
    settings = MatcherSettings(competition=True)
    asked = [parse("{device = laptop~} threshold 0.1 as one"), parse("{device = tablet~} as two")]
    left = left_behind(tmp_path, '{"@id": "e1", "device": "computer"}', settings=settings)
    left.match(asked)

    job = StoredJob.at(left.matches)
    matches = job.require_matches().of_event("e1")

    assert matches[0].subscription == "one"
    for match in matches:
        explained = StoredExplanations(job).explain(match)
        assert explained.probability == pytest.approx(match.probability, abs=1e-6)
        assert "in competition" in explained.text()


def test_a_similarity_that_was_too_small_to_be_kept_is_no_change(tmp_path: Path) -> None:
    asked = parse("{device~ = laptop~, floor~ = cellar~} threshold 0.01 as faint")
    left = left_behind(tmp_path, '{"@id": "e1", "device": "laptop", "floor": "cellar"}')
    left.match([asked])
    match, explanations = only_match(left)
    faint = msgspec.structs.replace(match, similarities=(1.0, math.nan))

    assert explanations.explain(faint).chosen == (0, 1)


def test_a_job_whose_folders_were_moved_is_found(tmp_path: Path) -> None:
    left = left_behind(tmp_path / "old", '{"@id": "e1", "a": 1, "b": 3}')
    left.match([HOT])
    left.matches.rename(tmp_path / "elsewhere")

    job = StoredJob.at(tmp_path / "elsewhere" / "_purport")

    [match] = job.require_matches().of_event("e1")
    assert StoredExplanations(job).explain(match).probability == 1


def test_a_folder_of_no_job_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "matches").mkdir()
    (tmp_path / "matches" / "_job").write_text("abc")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "job.json").write_text("{")

    for name, error, complaint in [
        ("nowhere", UnusablePath, "no such folder"),
        ("file", UnusablePath, "not a folder"),
        ("empty", InvalidInput, "is no job's folder"),
        ("matches", InvalidInput, "name its checkpoint"),
        ("broken", InvalidInput, "the checkpoint cannot be read"),
    ]:
        with pytest.raises(error, match=complaint):
            StoredJob.at(tmp_path / name)


def test_matches_that_went_elsewhere_and_sources_that_are_no_files_are_told(tmp_path: Path) -> None:
    left = left_behind(tmp_path, '{"@id": "e1", "a": 1, "b": 3}')
    left.match([HOT])
    path = left.job.folder / "job.json"
    path.write_text(path.read_text().replace("parquet:", "kafka:").replace("file:", "mqtt:"))

    job = StoredJob.at(left.matches)

    with pytest.raises(InvalidInput, match="not in files, they went to kafka:"):
        job.require_matches()
    with pytest.raises(InvalidInput, match=r"events from mqtt:.* cannot be read again"):
        StoredExplanations(job)


def test_ids_that_look_alike_are_found(tmp_path: Path) -> None:
    ids = [f"sensor-{number:03}" for number in range(300)]
    left = left_behind(tmp_path, *(f'{{"@id": "{one}", "a": 1, "b": 3}}' for one in ids))
    left.match([HOT])
    stored = StoredJob.at(left.matches).require_matches()

    for wrong, right in [
        ("sensr-123", "sensor-123"),
        ("sensor_012", "sensor-012"),
        ("xensor-299", "sensor-299"),
        ("sensor-2999", "sensor-299"),
    ]:
        assert right in stored.near_ids(wrong)
    assert stored.near_ids("nothing like it") == []
    assert stored.near_ids("") == []


def test_a_stored_match_is_explained_as_the_matcher_would(tmp_path: Path) -> None:
    asked = parse("{device~ = laptop~, floor~ = ground floor~} threshold 0.2 as near")
    told = {"gadget": "notebook", "storey": "cellar", "floor": "first floor"}
    left = left_behind(tmp_path, msgspec.json.encode({"@id": "e1", **told}).decode())
    left.match([asked])

    match, explanations = only_match(left)

    [fresh] = Matcher([asked]).match(as_event(told))
    assert explanations.explain(match).text() == fresh.explain()


def test_a_job_run_again_with_other_settings_has_a_new_version(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    sink = BatchFolders(tmp_path / "matches")
    for event_id, settings in [("e1", MatcherSettings()), ("e2", MatcherSettings("exact"))]:
        (events / f"{event_id}.jsonl").write_text(f'{{"@id": "{event_id}", "a": 1, "b": 3}}')
        MatchStream(Files(events), sink, Fixed([HOT]), JobFolder(sink.home), settings).run(spark)

    stored = StoredJob.at(sink.folder)

    found = [stored.require_matches().of_event(event_id)[0].version for event_id in ("e1", "e2")]
    assert found == [1, 2]
    assert [stored.versions.settings(number).measure for number in found] == [None, "exact"]
