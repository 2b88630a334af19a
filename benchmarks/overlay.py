"""How many messages brokers forward, against flooding: a tree of 15 with clustered interests.

Messages are counted, not timed. Each broker belongs to a cluster of three that are next to each
other, and what is published there is about the cluster. So is most of what is asked for: one kind
of event above some level, or all of it; from farther away, one kind at the highest levels.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.finding import Finding, at_least
from purport import Event, Matcher, parse
from purport.covering.forwarding import Forwarding
from purport.covering.topology import LinkState, Topology
from tests.service.server_process import ServerProcess
from tests.service.test_overlay_processes import free_ports, is_settled, until

TREE = frozenset(((child - 1) // 2, child) for child in range(1, 15))
MESH = TREE | {(3, 4), (5, 6), (8, 9), (10, 11), (12, 13)}  # five more links
CLUSTERS = [0, 0, 0, 1, 2, 3, 4, 1, 1, 2, 2, 3, 3, 4, 4]  # three of each, next to each other
SUBSCRIPTIONS, EVENTS = 40, 1_000  # at each broker
KINDS, LEVELS = 10, 10
NEAR = 0.9  # of what is asked for, that is about the own cluster
OVERVIEWS = 0.05  # of that, for all of it
ALARM = 8  # the level above which others than those near are interested
SEED = 2026
_BAR = 5.0

SMALL = frozenset({(0, 1), (1, 2), (1, 3), (3, 4)})  # five brokers, in processes of their own
SMALL_CLUSTERS = [0, 0, 1, 1, 1]


def findings() -> Iterator[Finding]:
    for near in (NEAR, 1.0, 0.75, 0.5):
        counted = _counted(TREE, CLUSTERS, near)
        bar = _BAR if near == NEAR else None
        share = f"{near:.0%} of it near"
        yield at_least(f"messages, {share}: times fewer than flooding", counted.ratio, bar, " x")
        if near == NEAR:
            yield from _details(counted)
    mesh = _counted(_used(MESH), CLUSTERS, NEAR)
    yield Finding("with five more links: events forwarded, over those used", f"{mesh.events:,}")
    yield Finding("  interests told and withdrawn", f"{mesh.interests:,}")
    flooded = mesh.published * len(MESH)
    yield Finding("  times fewer than flooding", f"{flooded / mesh.told:.1f} x")
    yield from _in_processes()


Links = Set[tuple[int, int]]  # pairs of brokers


def _used(links: Links) -> Links:
    """Those that are not spare, as all brokers of a mesh find out."""
    topology = Topology("0")
    for broker in range(max(map(max, links)) + 1):
        near = [str(sum(link) - broker) for link in links if broker in link]
        if broker == 0:
            topology.set_near(near)
        else:
            topology.take(LinkState(str(broker), 1, tuple(near)))
    return frozenset((min(map(int, link)), max(map(int, link))) for link in topology.tree())


@dataclass
class Workload:
    """What is asked for at each broker, and what is published there."""

    asked: list[list[str]]
    published: list[list[dict[str, object]]]

    @classmethod
    def drawn(cls, clusters: Sequence[int], near: float, count: int, events: int) -> Workload:
        """A workload that is the same each time."""
        drawn = random.Random(SEED)

        def asked(of: int) -> str:
            kind = f"kind = k{drawn.randrange(KINDS)}"
            if drawn.random() >= near:
                other = drawn.choice([one for one in sorted(set(clusters)) if one != of])
                return f"{{cluster = c{other}, {kind}, level > {ALARM}}}"
            if drawn.random() < OVERVIEWS:
                return f"{{cluster = c{of}}}"
            return f"{{cluster = c{of}, {kind}, level > {drawn.randrange(LEVELS)}}}"

        def told(of: int) -> dict[str, object]:
            kind, level = drawn.randrange(KINDS), drawn.randrange(LEVELS + 1)
            return {"cluster": f"c{of}", "kind": f"k{kind}", "level": level}

        return cls(
            [[asked(one) for _ in range(count)] for one in clusters],
            [[told(one) for _ in range(events)] for one in clusters],
        )


@dataclass
class Counted:
    """Messages over all links: of interests, and of events."""

    links: int
    subscriptions: int
    published: int
    delivered: int = 0  # events, to brokers at which somebody wants them
    interests: int = 0
    events: int = 0

    @property
    def flooded(self) -> int:
        """If each event went over each link, and nobody had to say what is wanted."""
        return self.published * self.links

    @property
    def ratio(self) -> float:
        return self.flooded / self.told

    @property
    def told(self) -> int:
        return self.interests + self.events


@dataclass
class _Brokers:
    """Brokers that only say what they want, and where events go by it."""

    links: Links
    wanted: list[Forwarding] = field(default_factory=list)
    said: int = 0

    def __post_init__(self) -> None:
        for broker in range(max(map(max, self.links)) + 1):
            self.wanted.append(Forwarding())
            for neighbour in self.neighbours(broker):
                self.wanted[broker].add_neighbour(str(neighbour))

    def neighbours(self, broker: int) -> list[int]:
        return [sum(link) - broker for link in sorted(self.links) if broker in link]

    def subscribe(self, broker: int, name: str, text: str) -> None:
        """Somebody subscribes, and all who have to know are told."""
        self.wanted[broker].want({name: {text}})
        asking = [broker]
        while asking:
            one = asking.pop()
            for neighbour in self.neighbours(one):
                news = self.wanted[one].next_asking(str(neighbour))
                if news:
                    self.said += len(news.wanted) + len(news.unwanted)
                    self.wanted[neighbour].take(str(one), news.wanted, news.unwanted)
                    asking.append(neighbour)


def _counted(links: Links, clusters: Sequence[int], near: float) -> Counted:
    """Count what a workload costs, and see that all who want an event get it."""
    work = Workload.drawn(clusters, near, SUBSCRIPTIONS, EVENTS)
    brokers = _Brokers(links)
    for number in range(SUBSCRIPTIONS):  # here and there, as people come
        for broker, asked in enumerate(work.asked):
            brokers.subscribe(broker, f"s{number}", asked[number])
    happened = [(broker, told) for broker, some in enumerate(work.published) for told in some]
    events = [Event.from_json(told) for _, told in happened]
    going = {
        (here, there): _answering(brokers.wanted[here].taken(str(there)), events)
        for here in range(len(clusters))
        for there in brokers.neighbours(here)
    }
    wanting = [_answering(asked, events) for asked in work.asked]
    counted = Counted(
        len(links), len(clusters) * SUBSCRIPTIONS, len(clusters) * EVENTS, interests=brokers.said
    )
    for number, (broker, _) in enumerate(happened):
        reached, sent = _reached(brokers, going, broker, number)
        owed = {one for one, answering in enumerate(wanting) if number in answering}
        assert owed <= reached, "an event did not come to somebody who wants it"
        counted.delivered += len(owed - {broker})
        counted.events += sent
    return counted


def _answering(texts: Iterable[str], events: Sequence[Event]) -> set[int]:
    """The numbers of the events that answer one of some subscriptions."""
    unique = [parse(one) for one in dict.fromkeys(texts)]
    if not unique:
        return set()
    return set(Matcher(unique, measure="exact").match_batch(list(events)).events.tolist())


def _reached(
    brokers: _Brokers, going: dict[tuple[int, int], set[int]], begin: int, event: int
) -> tuple[set[int], int]:
    """The brokers to which an event comes, and how often it is told."""
    reached, sent, at = {begin}, 0, [(begin, -1)]
    while at:
        here, came_from = at.pop(0)
        for there in brokers.neighbours(here):
            if there != came_from and event in going[here, there]:
                sent += 1
                if there not in reached:
                    at.append((there, here))
                reached.add(there)
    return reached, sent


def _details(counted: Counted) -> Iterator[Finding]:
    yield Finding("  events published, on 15 brokers", f"{counted.published:,}")
    yield Finding("  events forwarded, over 14 links", f"{counted.events:,}")
    yield Finding("    by flooding", f"{counted.flooded:,}")
    yield Finding("    brokers that wanted one of another", f"{counted.delivered:,}")
    yield Finding("  interests told and withdrawn", f"{counted.interests:,}")
    subscriptions = counted.subscriptions * counted.links
    yield Finding("    by telling each subscription over each link", f"{subscriptions:,}")
    yield at_least(
        "  interests: times fewer than that", subscriptions / counted.interests, _BAR, " x"
    )


def _in_processes() -> Iterator[Finding]:
    """The same between five real brokers, as they count it themselves."""
    work = Workload.drawn(SMALL_CLUSTERS, NEAR, 10, 20)
    with tempfile.TemporaryDirectory() as home, ExitStack() as at_end:
        clients = _started(Path(home), at_end)

        def overlays() -> list[dict[str, list[dict[str, dict[str, int]]]]]:
            return [one.get("/overlay").json() for one in clients]

        for client, asked in zip(clients, work.asked, strict=True):
            for number, text in enumerate(asked):
                body = {"purport": text, "name": f"s{number}"}
                assert client.post("/subscriptions", json=body).status_code == 201
        for _ in range(3):  # what one has just told, another may pass on
            until(lambda: all(map(is_settled, overlays())))
        for client, published in zip(clients, work.published, strict=True):
            lines = "\n".join(map(json.dumps, published))
            headers = {"Content-Type": "application/x-ndjson"}
            assert client.post("/events", content=lines, headers=headers).status_code == 200
        before, sent = -1, 0
        while before != sent:
            before = sent
            time.sleep(1.0)
            links = [one for found in overlays() for one in found["neighbours"]]
            sent = sum(one["events"]["sent"] for one in links)
        assert not any(one["events"]["waiting"] for one in links)
        flooded = sum(map(len, work.published)) * len(SMALL)
    yield Finding(
        "five brokers in processes: events forwarded, by flooding", f"{sent:,} of {flooded:,}"
    )


def _started(home: Path, at_end: ExitStack) -> list[httpx.Client]:
    ports = free_ports(len(SMALL) + 1)
    clients = []
    for broker, port in enumerate(ports):
        above = [one for one, other in sorted(SMALL) if other == broker]
        below = [other for one, other in sorted(SMALL) if one == broker]
        lines = [f'[overlay]\nname = "b{broker}"']
        for other in above + below:
            lines.append(f'[[overlay.neighbours]]\nname = "b{other}"')
            if other in above:
                lines.append(f'url = "http://127.0.0.1:{ports[other]}"')
        config = home / f"{broker}.toml"
        config.write_text("\n".join(lines))
        arguments = ("--config", str(config), "--port", str(port), "--subscribe-port", str(port))
        server = ServerProcess(home / str(broker), *arguments)
        at_end.callback(server.stop)
        clients.append(at_end.enter_context(httpx.Client(base_url=server.url, timeout=60)))
    return clients
