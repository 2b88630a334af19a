"""Events become triples and changes of answers become events, as the settings say, each once."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from pyoxigraph import QuerySolutions

from purport.broker.access import AccessRule, AccessRules, Action
from purport.broker.records import Overflow
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.errors import InvalidInput
from purport.service.settings import Changes, Keeping, ServiceSettings, Triples, read_settings
from purport.service.translating import RESERVED, Translating, register
from tests.embedded.brokers import exact
from tests.service.server_process import ServerProcess
from tests.service.serving import service_of

READINGS = Triples("readings", "{heat > 0}", subject="sensor", keep="latest")
HOT = Changes("hot", "SELECT ?sensor WHERE { ?sensor <urn:purport:heat> ?heat FILTER(?heat > 30) }")
_LATEST_SECONDS = 20.0


@pytest.fixture
def broker() -> Iterator[Broker]:
    reserving = BrokerSettings(reserved=RESERVED)
    with Broker.in_memory(matcher=exact, settings=reserving) as made:
        yield made


def settings(
    *, triples: tuple[Triples, ...] = (), changes: tuple[Changes, ...] = ()
) -> ServiceSettings:
    return ServiceSettings(broker=Keeping(in_memory=True), triples=triples, changes=changes)


def translated(
    broker: Broker, given: ServiceSettings, act: Callable[[], object], until: Callable[[], bool]
) -> None:
    """Translate what an act brings about until something holds."""

    async def run() -> None:
        service = service_of(broker, given)
        translating = Translating(service)
        await translating.begin()
        await asyncio.to_thread(act)
        async with asyncio.timeout(_LATEST_SECONDS):
            while not await asyncio.to_thread(until):
                await asyncio.sleep(0.005)
        await translating.stop()
        service.close()

    register(broker, given)
    asyncio.run(run())


def heats(broker: Broker) -> set[tuple[str, str]]:
    answer = broker.query("SELECT ?s ?h WHERE { ?s <urn:purport:heat> ?h }")
    assert isinstance(answer, QuerySolutions)
    return {(row["s"].value, row["h"].value) for row in answer}


def test_an_event_becomes_triples_and_what_changes_by_them_an_event(broker: Broker) -> None:
    heard = broker.subscribe("{change = added} as heard")
    gone = broker.subscribe("{change = removed} as gone")
    given = settings(triples=(READINGS,), changes=(HOT,))

    def act() -> None:
        for heat in (20, 35, 36, 10):
            broker.publish({"sensor": "urn:s1", "heat": heat})

    translated(broker, given, act, lambda: broker.status("gone").waiting > 0)

    assert heats(broker) == {("urn:s1", "10")}
    [added] = heard.waiting()
    assert added.match.event.id == "changes:hot:1:0"
    assert [str(one) for one in added.match.event.statements] == [
        "change: added",
        "sensor: urn:s1",
    ]
    [removed] = gone.waiting()
    assert removed.match.event.id == "changes:hot:2:0"


def test_what_was_told_while_nothing_was_translated_is_translated_later(broker: Broker) -> None:
    given = settings(triples=(READINGS,))
    register(broker, given)
    broker.publish({"sensor": "urn:s1", "heat": 5})

    translated(broker, given, lambda: None, lambda: bool(heats(broker)))

    assert heats(broker) == {("urn:s1", "5")}


def test_what_tells_of_a_change_becomes_no_triples(broker: Broker) -> None:
    every = Triples("every", '{change in ("added", "removed") }')
    given = settings(triples=(READINGS, every), changes=(HOT,))
    broker.subscribe("{change = added} as heard")

    def act() -> None:
        broker.publish({"sensor": "urn:s1", "heat": 40})

    def told_of_change() -> bool:
        return broker.status("heard").waiting > 0

    translated(broker, given, act, lambda: waiting(broker, "every") == 0 and told_of_change())

    assert not broker.failures()
    assert not broker.query("ASK { ?s <urn:purport:change> ?c }")


def waiting(broker: Broker, name: str) -> int:
    return broker.status(f"into-triples:{name}").waiting


def test_an_update_by_a_change_goes_no_further(broker: Broker) -> None:
    broker.subscribe(
        "when {change = added, sensor = $sensor} as again "
        'update "DELETE DATA { <urn:s1> <urn:purport:heat> 40 } ; '
        'INSERT DATA { <urn:s2> <urn:purport:heat> 41 }"'
    )
    given = settings(triples=(READINGS,), changes=(HOT,))

    def act() -> None:
        broker.publish({"sensor": "urn:s1", "heat": 40})

    translated(broker, given, act, lambda: bool(broker.failures()))

    [failure] = broker.failures()
    assert "told no further" in failure.reason


def test_an_event_that_has_no_subject_is_a_failure_and_the_next_one_goes_on(broker: Broker) -> None:
    given = settings(triples=(READINGS,))

    def act() -> None:
        broker.publish({"@id": "nobody's", "heat": 5})
        broker.publish({"sensor": "urn:s1", "heat": 6})

    translated(broker, given, act, lambda: bool(heats(broker)))

    [failure] = broker.failures()
    assert failure.event_id == "nobody's"
    assert "nothing under 'sensor'" in failure.reason


def changes_told(broker: Broker) -> list[tuple[str, ...]]:
    """What events have told of changes: what of which values, in their order."""
    told = [one.event for one in broker.entries(0) if one.event is not None]
    return [
        (str(one.statements[0].value), *(str(said.value) for said in one.statements[1:]))
        for one in told
        if one.id is not None and one.id.startswith("changes:")
    ]


HOTTEST = Changes("hottest", "SELECT (MAX(?h) AS ?m) WHERE { ?s <urn:purport:heat> ?h }")


def test_a_whole_answer_becomes_events_only_as_far_as_it_is_another(broker: Broker) -> None:
    given = settings(changes=(HOT,))

    def heat(sensor: str, degrees: int) -> None:
        broker.update(f"INSERT DATA {{ <urn:{sensor}> <urn:purport:heat> {degrees} }}")

    def act() -> None:
        for number in range(300):  # more than are looked at at once
            heat(f"s{number}", 31)
        broker.pause("into-events:hot")
        heat("late", 40)
        broker.update("DELETE WHERE { <urn:s7> <urn:purport:heat> ?h }")
        broker.resume("into-events:hot")
        broker.pause("into-events:hot")
        broker.resume("into-events:hot")
        heat("last", 50)

    translated(broker, given, act, lambda: ("added", "urn:last") in changes_told(broker))

    added = [("added", f"urn:s{number}") for number in range(300)]
    assert changes_told(broker) == [
        *added, ("removed", "urn:s7"), ("added", "urn:late"), ("added", "urn:last"),
    ]  # fmt: skip


def test_a_restart_publishes_no_answer_anew(tmp_path: Path) -> None:
    given = settings(triples=(READINGS,), changes=(HOTTEST,))
    reserving = BrokerSettings(reserved=RESERVED)
    for heat in (5, 7, 7, 3):
        with Broker.open(tmp_path, matcher=exact, settings=reserving) as broker:
            event = {"@id": f"e{heat}", "sensor": f"urn:s{heat}", "heat": heat}
            translated(
                broker,
                given,
                partial(broker.publish, event),
                lambda: not any(broker.status(one.id).waiting for one in broker.registrations()),
            )

    with Broker.open(tmp_path, matcher=exact, settings=reserving) as broker:
        assert changes_told(broker) == [
            ("added",), ("removed",), ("added", "5"), ("removed", "5"), ("added", "7"),
        ]  # fmt: skip


def test_publishers_wait_for_what_is_translated_rather_than_that_something_is_lost(
    broker: Broker,
) -> None:
    register(broker, settings(triples=(READINGS,), changes=(HOT,)))

    assert {one.overflow for one in broker.registrations()} == {Overflow.REFUSE}


def test_what_is_no_longer_wanted_is_no_longer_subscribed_to(broker: Broker) -> None:
    register(broker, settings(triples=(READINGS,), changes=(HOT,)))

    register(broker, settings(changes=(HOT,)))

    assert [one.id for one in broker.registrations()] == ["into-events:hot"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            settings(triples=(Triples("t", "SELECT ?s WHERE { ?s ?p ?o }"),)),
            "expected a subscription",
        ),
        (settings(triples=(Triples("t", "{heat >}"),)), "line 1, column"),
        (settings(changes=(Changes("c", "{heat > 1}"),)), "expected a SPARQL query"),
        (settings(changes=(Changes("c", "SELECT ?s WHERE {"),)), "changes, 'c'"),
    ],
)
def test_what_cannot_be_translated_is_told_before_anybody_is_let_in(
    broker: Broker, given: ServiceSettings, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        register(broker, given)


def test_names_of_translations_are_nobody_elses(broker: Broker) -> None:
    line = '{"id": "into-events:mine", "subscription": "{a > 0}"}'

    for take in (
        lambda: broker.subscribe("{a > 0}", name="into-triples:mine"),
        lambda: broker.import_registry(line),
    ):
        with pytest.raises(InvalidInput, match="belong to whoever keeps the broker"):
            take()


def test_what_is_no_longer_wanted_goes_though_there_are_access_rules() -> None:
    rule = AccessRule(frozenset({"service"}), frozenset({Action.SUBSCRIBE}))
    access = BrokerSettings(access=AccessRules((rule,)), reserved=RESERVED)

    with Broker.in_memory(matcher=exact, settings=access) as broker:
        register(broker, settings(triples=(READINGS,), changes=()))
        register(broker, settings())
        assert not broker.reserved_registrations()


def test_an_owner_needs_to_be_allowed() -> None:
    rule = AccessRule(frozenset({"service"}), frozenset({Action.SUBSCRIBE}))
    access = BrokerSettings(access=AccessRules((rule,)), reserved=RESERVED)
    other = Triples("t", "{heat > 1}", owner="ann")

    with Broker.in_memory(matcher=exact, settings=access) as broker:
        register(broker, settings(triples=(READINGS,)))
        with pytest.raises(InvalidInput, match="'t': ann may not subscribe"):
            register(broker, settings(triples=(READINGS, other)))


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('[[triples]]\nname = "t"\nof = "{a > 1}"\ngraph = "x"', r"triples\[0\].graph: expected"),
        ('[[triples]]\nname = "t"\nof = "{a > 1}"\nvocabulary = ""', r"triples\[0\].vocabulary"),
        ('[[changes]]\nname = "t"\nof = ""\n[[changes]]\nname = "t"\nof = ""', "more than once"),
        ('[[triples]]\nname = "t"\nof = "{a > 1}"\nkept = "all"', "did you mean 'keep'"),
    ],
)
def test_settings_that_are_wrong_are_told_with_their_place(
    tmp_path: Path, table: str, problem: str
) -> None:
    path = tmp_path / "service.toml"
    path.write_text(table, encoding="utf-8")

    with pytest.raises(InvalidInput, match=problem):
        read_settings(path, environment={})


def test_a_kill_loses_and_doubles_nothing(tmp_path: Path) -> None:
    config = tmp_path / "service.toml"
    config.write_text(
        '[[triples]]\nname = "readings"\nof = "{heat > 0}"\nsubject = "sensor"\n'
        '[[changes]]\nname = "all"\nof = "SELECT ?s ?h WHERE { ?s <urn:purport:heat> ?h }"\n',
        encoding="utf-8",
    )
    folder = tmp_path / "broker"
    first = ServerProcess(folder, "--config", str(config))
    events = "\n".join(
        f'{{"@id": "e{n}", "sensor": "urn:s{n}", "heat": {n + 1}}}' for n in range(300)
    )
    kind = {"content-type": "application/x-ndjson"}
    assert httpx.post(f"{first.url}/events", content=events, headers=kind).status_code == 200
    first.kill()

    second = ServerProcess(folder, "--config", str(config))
    asked = {"query": "SELECT (COUNT(*) AS ?n) WHERE { ?s <urn:purport:heat> ?h }"}

    async def arrived() -> None:
        async with asyncio.timeout(_LATEST_SECONDS), httpx.AsyncClient() as client:
            while True:
                answer = (await client.get(f"{second.url}/query", params=asked)).json()
                found = int(answer["results"]["bindings"][0]["n"]["value"])
                status = (await client.get(f"{second.url}/subscriptions/into-events%3Aall")).json()
                if found == 300 and status["status"]["waiting"] == 0:
                    return
                await asyncio.sleep(0.05)

    asyncio.run(arrived())
    assert second.stop() == 0
    with Broker.open(folder, matcher=exact) as broker:
        published = Counter(
            entry.event.id
            for entry in broker.entries(0)
            if entry.event is not None and entry.event.id and entry.event.id.startswith("changes:")
        )
    assert len(published) == 300
    assert set(published.values()) == {1}
