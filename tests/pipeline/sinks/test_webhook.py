"""Matches posted over loopback, to a service that is up, down, slow, or something between."""

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, parse
from purport.model.event_lines import DeadLetter
from purport.pipeline.contracts import SinkContract
from purport.pipeline.job_file import JobOptions, read_job
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.match_message import match_id
from purport.pipeline.sinks.webhook import Endpoint, Webhook, WebhookOptions
from purport.pipeline.sources.files import Files
from purport.pipeline.tables import MATCHES, record_batch_of_rows
from purport.pipeline.watched import Fixed
from tests.pipeline.sinks.service import Answer, Service, running

HURRIED = WebhookOptions(
    per_request=3, tries=3, first_wait_seconds=0.01, longest_wait_seconds=0.02, timeout_seconds=5
)


@pytest.fixture
def service() -> Iterator[Service]:
    with running(Service()) as up:
        yield up


def rows(count: int) -> list[pa.RecordBatch]:
    """Matches, of events `e0` and so on."""
    made = [
        (f"e{number}", "hot", 1, 0.8, [0, 2], [0.8, 1.0], "events.jsonl", number + 1, None)
        for number in range(count)
    ]
    return [record_batch_of_rows(MATCHES, made[start : start + 4]) for start in range(0, count, 4)]


def sent(service: Service, count: int, options: WebhookOptions = HURRIED) -> list[DeadLetter]:
    return list(Endpoint(service.url, {}, options).undelivered(rows(count)))


def ids(numbers: Sequence[int]) -> list[str]:
    return [match_id(f"e{number}", "hot") for number in numbers]


class TestWebhook(SinkContract):
    keeps_once = False

    @pytest.fixture(autouse=True)
    def _up(self, service: Service) -> None:
        self.service = service

    def sink(self, folder: Path) -> Webhook:
        return Webhook(self.service.url, HURRIED)

    def arrived(self, folder: Path) -> Sequence[str]:
        return self.service.taken()

    def unusable(self, folder: Path) -> Webhook:
        return Webhook("http:///hook")


def test_a_request_holds_several_matches_and_a_key(service: Service) -> None:
    assert sent(service, 7) == []
    assert sent(service, 7) == []

    first, *_ = service.requests
    assert [len(request.matches) for request in service.requests] == [3, 3, 1] * 2
    assert first.matches[1] == {
        "id": match_id("e1", "hot"),
        "event_id": "e1",
        "subscription": "hot",
        "version": 1,
        "probability": 0.8,
        "mapping": [0, 2],
        "similarities": [0.8, 1.0],
        "source": "events.jsonl",
        "offset": 2,
    }
    keys = [request.headers["Idempotency-Key"] for request in service.requests]
    assert keys[:3] == keys[3:]
    assert len(set(keys)) == 3
    assert first.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "failing",
    [Answer(500), Answer(503), Answer(None), Answer(429, {"Retry-After": "0"})],
    ids=["500", "503", "cut", "429"],
)
def test_a_service_that_fails_twice_is_tried_again(service: Service, failing: Answer) -> None:
    service.answers = [failing, failing]

    assert sent(service, 2) == []

    assert service.taken() == ids(range(2))
    assert len(service.requests) == 3
    assert len({request.headers["Idempotency-Key"] for request in service.requests}) == 1


def test_a_request_that_is_refused_is_a_dead_letter_at_once(service: Service) -> None:
    service.answers = [Answer(400)]

    letters = sent(service, 6)

    assert len(service.requests) == 2
    assert service.taken() == ids([3, 4, 5])
    assert [(one.source, one.line) for one in letters] == [("events.jsonl", n) for n in (1, 2, 3)]
    assert {one.reason for one in letters} == {
        "not delivered: the service answers 400: Bad Request"
    }
    assert [msgspec.json.decode(one.text)["id"] for one in letters] == ids([0, 1, 2])


def test_a_redirect_is_not_followed(service: Service) -> None:
    service.always = Answer(302, {"Location": "/elsewhere"})

    assert len(sent(service, 1)) == 1


def test_a_service_that_is_slow_is_given_up(service: Service) -> None:
    service.always = Answer(after_seconds=0.5)
    options = msgspec.structs.replace(HURRIED, timeout_seconds=0.05)

    letters = sent(service, 6, options)

    assert {one.reason for one in letters} == {
        "not delivered: the service does not answer: timed out"
    }
    assert len(letters) == 6
    assert len(service.requests) == 3 + 1  # down after the tries of the first request


def test_a_service_that_comes_back_gets_the_rest(service: Service) -> None:
    service.answers = [Answer(503)] * (3 + 2)

    letters = sent(service, 15)

    assert [msgspec.json.decode(one.text)["id"] for one in letters] == ids(range(9))
    assert service.taken() == ids(range(9, 15))


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def job_of(tmp_path: Path, sink: Webhook) -> MatchStream:
    events = tmp_path / "events"
    events.mkdir()
    for number in range(2):
        text = "".join(f'{{"@id": "e{10 * number + n}", "a": 1}}\n' for n in range(10))
        (events / f"{number}.jsonl").write_text(text)
    source = Files(events, files_per_batch=1)
    return MatchStream(source, sink, Fixed([parse("{a = 1} as hot")]), JobFolder(tmp_path / "job"))


def refused(job: MatchStream) -> list[str]:
    """The ids of matches among a job's dead letters."""
    files = sorted(job.folder.dead_letters.glob("batch=*/*.parquet"))
    letters = [row for path in files for row in pq.ParquetFile(path).read().to_pylist()]
    return [msgspec.json.decode(letter["text"])["id"] for letter in letters]


def test_a_stream_to_a_service_that_is_down_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    job = job_of(tmp_path, Webhook(f"http://127.0.0.1:{free_port()}/", HURRIED))
    reports: list[BatchReport] = []

    job.run(spark, Watchers(reports.append))

    assert [(one.counts.dead_letters, one.counts.matches) for one in reports] == [
        (10, {"hot": 10})
    ] * 2
    assert sorted(refused(job)) == sorted(ids(range(20)))


def test_a_service_that_dies_in_the_middle_loses_nothing(
    spark: SparkSession, tmp_path: Path, service: Service
) -> None:
    service.answers = [Answer()] * 3
    service.always = Answer(None)
    job = job_of(tmp_path, Webhook(service.url, HURRIED))

    job.run(spark)

    assert service.taken()
    assert refused(job)
    assert sorted(service.taken() + refused(job)) == sorted(ids(range(20)))


def test_a_job_file_says_how_to_post(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(
        f'from = "file:events/"\nto = "{service.url}"\nsubscriptions = ["{{a = 1}}"]\n'
        'checkpoint = "job"\n[sink]\nper_request = 7\nheaders = {X-Team = "parking"}\n'
    )

    sink = read_job(path, {}).job().sink

    assert sink == Webhook(
        service.url, WebhookOptions(per_request=7, headers={"X-Team": "parking"})
    )


def test_a_job_that_posts_needs_a_checkpoint() -> None:
    options = JobOptions("file:events/", "http://localhost/?key=hush", ("{a = 1}",))

    with pytest.raises(InvalidInput, match=r"http://localhost/.*: name a checkpoint") as told:
        options.job()
    assert "hush" not in str(told.value)


@pytest.mark.parametrize(
    ("address", "options", "reason"),
    [
        ("http://", {}, "no address that can be asked"),
        ("https://me:hush@h/", {}, "names a user"),
        ("http://h/?key=hush", {"per_request": 0}, "per_request"),
        ("http://h/", {"tries": 0}, "tries"),
        ("http://h/", {"timeout_seconds": 0}, "timeout_seconds"),
        ("http://h/", {"header": {"a": "hush"}}, "did you mean 'headers'"),
        ("http://h/", {"headers": {"a": "hush\n"}}, "the header 'a' is not all printable ASCII"),
        ("http://h/", {"headers": {"a b": "hush"}}, "'a b' is no header that can be given"),
        ("http://h/", {"headers": {"Content-Type": "x"}}, "no header that can be given"),
        ("http://h/", {"token_variable": "NOT_SET"}, "no environment variable 'NOT_SET'"),
        (
            "http://h/",
            {"token_variable": "PATH", "headers": {"authorization": "hush"}},
            "both a token and a header",
        ),
    ],
)
def test_what_cannot_be_posted_to_is_told_without_its_secrets(
    address: str, options: dict[str, object], reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason) as told:
        sink_at(address, options)

    assert "hush" not in str(told.value)


def test_a_secret_is_sent_and_stands_nowhere_else(
    spark: SparkSession, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "hush-token\n")
    service.answers = [Answer(400)]
    options = replace_headers(HURRIED, {"X-Key": "hush-header"})
    sink = Webhook(f"{service.url}?key=hush-query", options)
    job = job_of(tmp_path, sink)

    job.run(spark)

    headers = service.requests[-1].headers
    assert (headers["Authorization"], headers["X-Key"]) == ("Bearer hush-token", "hush-header")
    assert "hush" not in repr(sink)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"hush" in path.read_bytes()]


def replace_headers(options: WebhookOptions, headers: dict[str, str]) -> WebhookOptions:
    return msgspec.structs.replace(options, headers=headers, token_variable="HOOK_TOKEN")


def test_jobs_with_other_keys_in_their_addresses_are_others() -> None:
    places = {Webhook(f"http://h/{rest}").place for rest in ("", "?key=a", "?key=b", "?")}

    assert len(places) == 4
