"""`purport serve` as a process: how it begins, what it is told while it runs, and how it ends."""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from purport import Broker
from purport.broker.records import Published
from purport.service.desk import Desk
from purport.service.tokens import token_hash
from purport.whole_file import write_whole
from tests.commands import Run
from tests.oracles.prometheus_text import ReadFamily, read_exposition
from tests.service.secured import bearing, known, secured, token_of
from tests.service.server_process import ServerProcess, running_server

_LATEST_SECONDS = 30.0
_FREE = ("--port", "0", "--subscribe-port", "0")


def wait_until(holds: Callable[[], object]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + _LATEST_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def metrics(url: str) -> dict[str, ReadFamily]:
    return read_exposition(httpx.get(f"{url}/metrics", timeout=30).raise_for_status().text)


def hung_post(server: ServerProcess) -> socket.socket:
    """A connection over which half of a publication has come."""
    made = socket.create_connection(("127.0.0.1", server.port))
    head = "POST /events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    made.sendall(f"{head}Content-Length: {len(_EVENT)}\r\n\r\n".encode() + _EVENT[:5])
    return made


_EVENT = b'{"@id": "the last", "a": 1}'


@pytest.fixture
def serve(run: Run) -> Iterator[Run]:
    """Starts a service in this process, which leaves the logs of the tests as they were."""
    loggers = [logging.getLogger(name) for name in ("purport", "uvicorn.error", "asyncio")]
    before = [(one.handlers[:], one.level, one.propagate) for one in loggers]
    yield run.below("serve")
    for one, (handlers, level, propagate) in zip(loggers, before, strict=True):
        one.handlers[:] = handlers
        one.setLevel(level)
        one.propagate = propagate


def test_a_check_says_what_would_hold_and_keeps_secrets(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = token_hash("x" * 40)
    path = tmp_path / "service.toml"
    path.write_text(
        '[broker]\njournal = "postgresql://me:secret@host/place"\n'
        '[listen]\nhost = "::1"\nport = 1\nsubscribe_port = 1\n'
        f'[[auth.tokens]]\nname = "operator"\nhash = "{hashed}"\n'
    )
    monkeypatch.setenv("PURPORT_LISTEN__PORT", "2")
    monkeypatch.setenv("PURPORT_LISTEN__SUBSCRIBE_PORT", "2")

    done = run("serve", "--config", path, "--port", 3, "--folder", tmp_path / "kept", "--check")

    lines = done.output.splitlines()
    assert (done.status, done.errors) == (0, "")
    assert {'listen.host = "::1"', "listen.port = 3", "listen.subscribe_port = 2"} < set(lines)
    assert {'auth.tokens[0].name = "operator"', "auth.tokens[0].hash = ..."} < set(lines)
    assert 'broker.journal = "postgresql://...@host/place"' in lines
    assert f'broker.folder = "{tmp_path / "kept"}"' in lines
    assert "secret" not in done.output and hashed not in done.output
    assert not (tmp_path / "kept").exists()


def test_a_token_is_made_or_taken_and_only_its_hash_is_kept(run: Run) -> None:
    made = run("serve", "--hash-token")
    again = run("serve", "--hash-token", given=made.output.splitlines()[0].rpartition(" ")[2])
    short = run("serve", "--hash-token", given="secret")

    assert made.output.splitlines()[-1] == again.output.splitlines()[-1]
    assert "token" not in again.output.replace("[[auth.tokens]]", "")
    assert (short.status, "32 ASCII letters" in short.errors) == (2, True)


def test_what_keeps_it_from_starting_is_told_in_one_line(
    serve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("not a folder")
    Path("unknown.toml").write_text("[listen]\nprot = 1\n")
    Path("rules.toml").write_text('[[rules]]\nfile = "city.purport"\n')
    Path("city.purport").write_text("{a = 1} as one\n{a = } as two\n")
    Path("mixed").mkdir()
    Path("mixed/journal.sqlite").write_bytes(b"\xff" * 4096)
    Path("keys.toml").write_text('[listen.tls]\ncertificate = "none.pem"\nkey = "none.pem"\n')
    Path("clients").mkdir()
    Path("clients/clients.json").write_text("{")

    def said(*arguments: object) -> str:
        done = serve(*_FREE, *arguments)
        assert (done.status, done.output) == (2, "")
        assert done.errors.startswith("purport: ")
        return done.errors.removeprefix("purport: ")

    def told(*arguments: object) -> str:
        line, end, rest = said(*arguments).partition("\n")
        assert (end, rest) == ("\n", "")
        return line

    with socket.create_server(("127.0.0.1", 0)) as taken, Broker.open("taken"):
        port = taken.getsockname()[1]
        assert told("--in-memory", "--port", port) == (
            f"listen: 127.0.0.1, port {port} cannot be had: Address already in use"
        )
        assert told("--folder", "taken").startswith("taken: the journal is open in process ")
    assert "Not a directory" in told("--folder", "file/below")
    assert "did you mean 'port'?" in told("--config", "unknown.toml")
    assert told("--config", "none.toml") == "none.toml: No such file or directory"
    assert told("--config", "keys.toml").startswith("listen.tls: none.pem and none.pem cannot be")
    assert said("--config", "rules.toml").startswith("city.purport: line 2, column 6: found '}'")
    assert told("--folder", "mixed").startswith("mixed/journal.sqlite: expected a journal")
    assert "clients.json: not a file of clients" in told("--folder", "clients")
    Path("triples.toml").write_text('[[triples]]\nname = "r"\nof = "{t > "\n')
    Path("changes.toml").write_text('[[changes]]\nname = "c"\nof = "ASK {}"\ntopic = "a/#"\n')
    for check in ((), ("--check",)):
        assert told("--config", "triples.toml", *check).startswith("triples, 'r': line 1, column 5")
        assert told("--config", "changes.toml", *check).startswith("changes, 'c': 'a/#'")
    assert told("--ready-file", "nowhere/file") == "nowhere/file: its folder is not there"
    assert told("--host", "0.0.0.0").startswith("the settings: listen.host: 0.0.0.0 can be")
    assert told("--folder", "here", "--in-memory") == "either --folder or --in-memory"


def test_a_damaged_journal_is_told_in_one_line(serve: Run, tmp_path: Path) -> None:
    with Broker.open(tmp_path) as broker:
        broker.publish_all([{"a": "x" * 1000}] * 100)
    path = tmp_path / "journal.sqlite"
    whole = bytearray(path.read_bytes())
    whole[8192:24576] = b"\xff" * 16384
    path.write_bytes(whole)

    done = serve(*_FREE, "--folder", tmp_path)

    assert (done.status, done.output) == (1, "")
    assert done.errors == f"purport: {path}: the journal is damaged: {_MALFORMED}\n"


_MALFORMED = "database disk image is malformed"


def test_the_ready_file_is_there_while_it_serves(tmp_path: Path) -> None:
    ready, folder = tmp_path / "ready.json", tmp_path / "kept"
    ready.write_text("left by one that was killed")

    server = ServerProcess(folder, "--ready-file", str(ready))
    told = json.loads(ready.read_text())
    alive = httpx.get(f"{told['url']}/health").json()

    assert told == {
        "url": server.url, "subscribe": server.subscribe_url,
        "process": server.process.pid, "folder": str(folder),
    }  # fmt: skip
    assert alive == {"status": "alive"}
    with connect(told["subscribe"]):
        assert server.stop() == 0
    assert not ready.exists()


def test_a_service_that_stops_ends_what_has_begun(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, ThreadPoolExecutor(2) as threads:
        asked = {"purport": "{a > 0} as kept"}
        httpx.post(f"{server.url}/subscriptions", json=asked).raise_for_status()
        kept = f"{server.url}/subscriptions/kept"
        poll = threads.submit(httpx.get, f"{kept}/notifications?wait=30", timeout=60)
        stream: Future[list[str]] = threads.submit(_lines_of, f"{kept}/events")
        with hung_post(server) as post, connect(server.subscribe_url) as listening:
            listening.send('{"subscribe": {"purport": "{b > 0}"}}')
            assert "subscribed" in json.loads(listening.recv(30))
            wait_until(lambda: metrics(server.url)["purport_open_requests"].value == 4)

            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed) as closed:
                listening.recv(30)
            polled, streamed = poll.result(30), stream.result(30)
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", server.port))
            still = server.process.poll()
            post.sendall(_EVENT[5:])
            answer = post.makefile("rb").read()
        ended_with = server.process.wait(30)
        log = server.log

    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1001, "the service stops")
    assert (polled.status_code, polled.json()) == (200, {"notifications": []})
    assert streamed == [": hello", ""]
    assert still is None
    assert answer.startswith(b"HTTP/1.1 200 OK") and b'"id":"the last"' in answer
    assert (ended_with, "Traceback" in log) == (0, False)
    assert [line.split(" ", 3)[-1] for line in log.splitlines()] == [
        "the service stops: requests that have begun are answered",
        "the service has stopped",
    ]
    with Broker.open(tmp_path) as broker:
        assert _published(broker) == ["the last"]
        assert [one.id for one in broker.registrations()] == ["kept"]


def test_one_that_is_told_twice_to_stop_does_so_at_once(tmp_path: Path) -> None:
    (tmp_path / "service.toml").write_text("[listen]\ndrain_seconds = 60\n")
    server = ServerProcess(tmp_path / "kept", "--config", str(tmp_path / "service.toml"))
    httpx.post(f"{server.url}/events", json={"@id": "first", "a": 1}).raise_for_status()
    with hung_post(server):
        wait_until(lambda: metrics(server.url)["purport_open_requests"].value == 2)

        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "the service stops" in server.log)
        is_waiting = server.process.poll() is None
        ended_with = server.stop()

    assert is_waiting
    assert ended_with == 128 + signal.SIGTERM
    with Broker.open(tmp_path / "kept") as broker:
        assert _published(broker) == ["first"]


def _lines_of(url: str) -> list[str]:
    """The lines of a stream, until it ends."""
    with httpx.stream("GET", url, timeout=60) as stream:
        return list(stream.iter_lines())


def _published(broker: Broker) -> list[str | None]:
    return [
        one.event.id for one in broker.entries(0) if isinstance(one.record, Published) and one.event
    ]


class Configured:
    """A server with a file of settings, which a test writes anew."""

    def __init__(self, folder: Path) -> None:
        self.path, self.rules = folder / "service.toml", folder / "city.purport"
        self.rules.write_text("{heat > 30} as hot\n")
        self.tokens, self.rate, self.more, self.actions = ["operator"], 1000, "", '"publish"'
        self.write()
        self.server = ServerProcess(folder / "kept", "--config", str(self.path))

    def write_rules(self, text: str) -> None:
        """Have other rules, and no moment without any."""
        write_whole(self.rules, text.encode(), is_lasting=False)

    def write(self) -> None:
        tokens = "".join(
            f'[[auth.tokens]]\nname = "{name}"\nhash = "{token_hash(token_of(name))}"\n'
            for name in self.tokens
        )
        self.path.write_text(
            f'[listen]\nlog = "json"\n[limits]\nrequests_per_second = {self.rate}\n{tokens}'
            '[[access.rules]]\nwho = ["operator", "service"]\n'
            'actions = ["publish", "subscribe", "manage"]\n'
            f'[[access.rules]]\nwho = ["sensor", "new"]\nactions = [{self.actions}]\n'
            f'[[rules]]\nfile = "{self.rules}"\n{self.more}'
        )

    def records(self) -> list[dict[str, str]]:
        """What was logged so far; each line is JSON."""
        return [json.loads(line) for line in self.server.log.splitlines()]

    def reload(self) -> None:
        """Have the settings read again, if nobody has noticed yet that they have changed."""
        self.write()
        self.server.process.send_signal(signal.SIGHUP)

    def said(self, words: str) -> list[dict[str, str]]:
        """What was logged with some words."""
        return [one for one in self.records() if words in one["message"]]

    def ask(self, method: str, path: str, who: str | None = "operator", **more: object) -> int:
        """The status of an answer."""
        answer = httpx.request(method, self.server.url + path, headers=bearing(who), **more)  # type: ignore[arg-type]
        return answer.status_code

    def publish(self, who: str | None) -> int:
        return self.ask("POST", "/events", who, json={"heat": 31})

    def text(self, name: str) -> str | None:
        """What is subscribed to under a name."""
        url = f"{self.server.url}/subscriptions/{name}"
        found: str | None = httpx.get(url, headers=bearing("operator")).json().get("text")
        return found


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Configured]:
    made = Configured(tmp_path_factory.mktemp("configured"))
    yield made
    assert made.server.stop() == 0
    assert all(set(one) == {"at", "level", "logger", "message"} for one in made.records())


def test_files_that_change_are_read_again(configured: Configured) -> None:
    assert configured.text("hot") == "{heat > 30} as hot"

    configured.rules.write_text("{heat > 40} as hot\n{smoke = yes} as fire\n")
    wait_until(lambda: configured.text("fire"))

    assert configured.text("hot") == "{heat > 40} as hot"
    configured.rules.write_text("{heat > 40} as hot\n")
    wait_until(lambda: configured.text("fire") is None)
    assert configured.text("hot") == "{heat > 40} as hot"


def test_a_signal_has_them_read_again_though_none_has_changed(configured: Configured) -> None:
    before = len(configured.said("the settings were read again"))

    configured.server.process.send_signal(signal.SIGHUP)

    wait_until(lambda: len(configured.said("the settings were read again")) == before + 1)
    assert configured.publish("operator") == 200


def test_tokens_access_and_rates_hold_when_they_are_read(configured: Configured) -> None:
    def published() -> list[int]:
        return [configured.publish(who) for who in ("operator", "sensor")]

    assert published() == [200, 401]
    configured.tokens = ["operator", "sensor"]
    configured.reload()
    wait_until(lambda: published() == [200, 200])
    configured.tokens, configured.actions = ["sensor"], '"subscribe"'
    configured.reload()
    wait_until(lambda: published() == [401, 403])
    configured.tokens, configured.actions, configured.rate = ["sensor"], '"publish"', 1
    configured.reload()
    wait_until(lambda: configured.publish("sensor") == 429)
    assert [configured.ask("GET", path, "sensor") for path in ("/health", "/metrics") * 2] == [
        200
    ] * 4
    configured.tokens, configured.rate = ["operator", "sensor"], 1000
    configured.reload()
    wait_until(lambda: published() == [200, 200])
    assert [published() for _ in range(3)] == [[200, 200]] * 3


@pytest.mark.parametrize(
    ("more", "text", "told"),
    [
        ("[listen", "", "not TOML"),
        ("[[auth.tokens]]\nname = 'x'\nhash = 'x'", "", "auth.tokens[3].hash: Expected `str`"),
        ("", "{heat > 50} as hot\n{a = } as wrong", "city.purport: line 2, column 6: found '}'"),
        ("", "{heat > 50} as hot\n{a = b~nosuch} as wrong", "no measure 'nosuch'"),
        ("[[rules]]\nfile = 'none.purport'", "", "none.purport: No such file"),
        ("[auth]\nsigning_keys = ['none.key']", "", "none.key: No such file"),
    ],
)
def test_what_is_wrong_changes_nothing_and_is_logged_in_one_line(
    configured: Configured, more: str, text: str, told: str
) -> None:
    before, rules = configured.text("hot"), configured.rules.read_text()
    configured.more, configured.tokens = more, ["operator", "sensor", "new"]
    configured.write_rules(text or rules)
    try:
        configured.reload()
        wait_until(lambda: configured.said(told))

        [*_, said] = configured.said(told)
        assert said["level"] == "error"
        assert said["message"].startswith("the settings stay as they were: ")
        assert "\n" not in said["message"]
        assert configured.text("hot") == before
        assert [configured.publish(who) for who in ("operator", "new")] == [200, 401]
    finally:
        configured.more = ""
        configured.write_rules(rules)
        configured.reload()
    wait_until(lambda: configured.publish("new") == 200)
    assert configured.text("hot") == before
    configured.tokens = ["operator", "sensor"]
    configured.reload()
    wait_until(lambda: configured.publish("new") == 401)


def test_what_needs_a_restart_is_told(configured: Configured) -> None:
    configured.more = "[broker]\nremembered_ids = 7\n"

    configured.reload()

    wait_until(lambda: configured.said("what was changed under [broker] holds after a restart"))
    assert not configured.said("under [limits]")


def test_settings_are_read_again_while_too_much_is_asked() -> None:
    with secured(auth=known("ann")) as service:
        service.settings = type(service.settings)(
            broker=service.settings.broker, listen=service.settings.listen, auth=known("eve")
        )

        asyncio.run(service._governing.reload(Desk(0), service._door))

        assert service.client("eve").get("/subscriptions").status_code == 200
        assert service.client("ann").get("/subscriptions").status_code == 401


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("kept")) as server:
        yield server


def test_figures_agree_with_what_was_done(kept: ServerProcess) -> None:
    before = metrics(kept.url)
    with httpx.Client(base_url=kept.url) as client, connect(kept.subscribe_url) as listening:
        client.post("/subscriptions", json={"purport": "{b > 0} as many"})
        client.post("/rules", json={"purport": "when {b > 8} as rule publish {c = 1}"})
        listening.send('{"subscribe": {"sparql": "SELECT ?x { ?x <urn:b> ?y }"}}')
        listening.recv(30)
        client.post("/events", json=[{"b": 1}, {"b": 9}, {"d": 1}])
        client.post("/update", data={"update": "INSERT DATA { <urn:a> <urn:b> 1 }"})
        listening.recv(30)
        client.get("/query", params={"query": "ASK {}"})
        client.post("/sparql", data={"query": "ASK {}"})
        client.get("/query", params={"query": "ASK {"})
        client.get("/nowhere")

        after = metrics(kept.url)

    def grown(name: str, label: str = "") -> object:
        if not label:
            return after[name].value - before[name].value
        was = before[name].by(label) if name in before else {}
        return {key: value - was.get(key, 0) for key, value in after[name].by(label).items()}

    assert grown("purport_events_total") == 4
    assert grown("purport_derived_events_total") == 1
    assert grown("purport_updates_total") == 1
    assert grown("purport_queries_total") == 2
    assert grown("purport_notifications_total", "kind") == {"match": 3, "answer change": 2}
    assert grown("purport_subscriptions") == 3
    assert grown("purport_waiting") in (2, 3)  # the last that was sent may not count yet
    assert grown("purport_errors_total", "code") == {"bad_request": 1, "not_found": 1}
    assert grown("purport_requests_total", "status") == {"200": 5, "201": 2, "400": 1, "404": 1}
    assert grown("purport_socket_messages_total", "direction") == {"received": 1, "sent": 2}
    assert after["purport_open_sockets"].value == after["purport_open_requests"].value == 1
    assert after["purport_publish_seconds"].count == before["purport_publish_seconds"].count + 1
    assert after["purport_publish_seconds"].sum > before["purport_publish_seconds"].sum
    wait_until(lambda: metrics(kept.url)["purport_open_sockets"].value == 0)


def test_one_whose_disk_is_full_is_alive_and_not_ready_until_it_is_not(
    kept: ServerProcess,
) -> None:
    def most_bytes(of_a_file: int) -> None:
        limits = (of_a_file, resource.RLIM_INFINITY)
        resource.prlimit(kept.process.pid, resource.RLIMIT_FSIZE, limits)

    with httpx.Client(base_url=kept.url) as client:
        sequence = metrics(kept.url)["purport_journal_sequence"].value
        assert client.get("/ready").json() == {"status": "ready"}
        most_bytes(4096)

        refused = client.post("/events", json={"@id": "again", "a": 1})
        unready = client.get("/ready")
        alive = client.get("/health")
        most_bytes(resource.RLIM_INFINITY)
        ready = client.get("/ready")
        taken = client.post("/events", json={"@id": "again", "a": 1})

    assert (refused.status_code, refused.json()["error"]) == (503, "not_kept")
    assert "sqlite" not in refused.text
    assert (unready.status_code, unready.json()["error"]) == (503, "not_ready")
    assert "journal.sqlite" not in unready.text and "journal.sqlite" in kept.log
    assert (alive.status_code, ready.status_code) == (200, 200)
    [receipt] = taken.json()["events"]
    assert (receipt["id"], receipt["sequence"], receipt["repeated"]) == (
        "again", sequence + 1, False,
    )  # fmt: skip
