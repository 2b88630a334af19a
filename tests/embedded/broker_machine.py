"""A durable broker that hypothesis drives beside a plain one, through crashes and restarts."""

import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.subscriber import Subscriber
from purport.model.clock import ManualClock
from purport.model.notification import Notification
from purport.storage.opening import open_sqlite_journal
from tests.embedded.brokers import NOON, exact, quick_folder
from tests.oracles.naive_subscribers import Heard, NaiveSubscribers

names = st.runner().flatmap(lambda machine: st.sampled_from(machine.subscribable))


class BrokerMachine(RuleBasedStateMachine):
    """Does the same with both, and compares what subscribers are told."""

    subscribable: Sequence[str]  # names

    def __init__(self, naive: NaiveSubscribers[Any]) -> None:
        super().__init__()
        self._plain = naive
        self._home = quick_folder()
        self._folder, self._copies = Path(self._home.name) / "0", 0
        self._clock = ManualClock(NOON)
        self._written: dict[str, int] = {}  # how far acknowledgements are known to be on disk
        self._left: list[Broker] = []

    @initialize()
    def start(self) -> None:
        self._open()

    @rule()
    def compact(self) -> None:
        self._broker.compact()

    @rule(name=names)
    def unsubscribe(self, name: str) -> None:
        if name in self._plain.heard:
            self._broker.unsubscribe(name)
            self._plain.unsubscribe(name)
            self._forget(name)

    @rule(name=names, is_paused=st.booleans())
    def pause(self, name: str, is_paused: bool) -> None:
        if name in self._plain.heard:
            (self._broker.pause if is_paused else self._broker.resume)(name)
            self._plain.pause(name, is_paused)

    @rule(name=names, count=st.integers(1, 4))
    def take(self, name: str, count: int) -> None:
        one = self._listening().get(name)
        if one is None:
            return
        expected = list(enumerate(one.told, one.first))[one.acknowledged + 1 :][:count]
        subscriber = self._subscriber(name)

        taken = [subscriber.take() for _ in range(count)]
        subscriber.acknowledge()

        found = [(note.sequence, self._said(note)) for note in taken if note is not None]
        assert found == expected
        if found:
            one.acknowledged = found[-1][0] - one.first

    @rule(seconds=st.integers(1, 5))
    def let_time_pass(self, seconds: int) -> None:
        self._pass(seconds)
        self._broker.run_due()

    @rule(seconds=st.integers(0, 5))
    def restart(self, seconds: int) -> None:
        self._broker.close()
        self._pass(seconds)
        self._open()
        self._written = {name: one.acknowledged for name, one in self._plain.heard.items()}

    @rule()
    def crash(self) -> None:
        """The files as they are, of a broker that did not close; acknowledgements may be lost."""
        self._left.append(self._broker)
        self._copies += 1
        copy = self._folder.with_name(str(self._copies))
        shutil.copytree(self._folder, copy, ignore=shutil.ignore_patterns(".lock"))
        self._folder = copy
        self._open()
        for name, one in self._listening().items():
            again = self._broker.subscriber(name).take()
            end = one.first + len(one.told) if again is None else again.sequence
            assert self._written.get(name, -1) <= end - one.first - 1 <= one.acknowledged
            one.acknowledged = end - one.first - 1

    def teardown(self) -> None:
        try:
            if hasattr(self, "_broker"):
                self._compare_what_is_kept()
        finally:
            for broker in (*self._left, *([self._broker] if hasattr(self, "_broker") else [])):
                broker.close()
            self._home.cleanup()

    def _said(self, notification: Notification) -> object:
        """What the plain one has of a notification."""
        raise NotImplementedError

    def _listening(self) -> dict[str, Heard]:
        """The subscriptions whose notifications can be taken."""
        return self._plain.heard

    def _compare_what_is_kept(self) -> None:
        """What is not acknowledged is kept, and of the rest the last."""
        for name, one in self._listening().items():
            said = [self._said(note) for note in self._broker.subscriber(name).replay()]
            assert said == one.told[len(one.told) - len(said) :]
            assert len(said) >= len(one.told) - 1 - one.acknowledged

    def _pass(self, seconds: int) -> None:
        self._clock.advance(timedelta(seconds=seconds))
        for name in self._plain.let_time_pass(seconds):
            self._forget(name)

    def _open(self) -> None:
        self._broker = Broker(
            open_sqlite_journal(self._folder, stretch_size=4),
            matcher=exact,
            clock=self._clock,
            settings=BrokerSettings(
                snapshot_every=7, retention=Retention(most_age=timedelta(seconds=5))
            ),
        )
        self._subscribers: dict[str, Subscriber] = {}

    def _subscriber(self, name: str) -> Subscriber:
        if name not in self._subscribers:
            self._subscribers[name] = self._broker.subscriber(name)
        return self._subscribers[name]

    def _forget(self, name: str) -> None:
        """A subscription has ended."""
        self._subscribers.pop(name, None)
        self._written.pop(name, None)
