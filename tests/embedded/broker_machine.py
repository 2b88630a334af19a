"""A durable broker that hypothesis drives beside a plain one, through crashes and restarts."""

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis.stateful import RuleBasedStateMachine, rule

from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.subscriber import Subscriber
from purport.model.clock import ManualClock
from purport.storage.opening import open_sqlite_journal
from tests.embedded.brokers import NOON, exact


class BrokerMachine(RuleBasedStateMachine):
    """Does the same with both, and compares what subscribers are told."""

    def __init__(self) -> None:
        super().__init__()
        self._home = tempfile.TemporaryDirectory()
        self._folder, self._copies = Path(self._home.name) / "0", 0
        self._clock = ManualClock(NOON)
        self._written: dict[str, int] = {}  # how far acknowledgements are known to be on disk
        self._left: list[Broker] = []

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

    def _crash(self) -> None:
        """Go on with the files as they are, of a broker that did not close."""
        self._left.append(self._broker)
        self._copies += 1
        copy = self._folder.with_name(str(self._copies))
        shutil.copytree(self._folder, copy, ignore=shutil.ignore_patterns(".lock"))
        self._folder = copy
        self._open()

    def _acknowledged(self, name: str, first: int, count: int, before: int) -> int:
        """How far a subscriber is after a crash: acknowledgements may be lost, but no others."""
        again = self._broker.subscriber(name).take()
        acknowledged = count - 1 if again is None else again.sequence - first - 1
        assert self._written.get(name, -1) <= acknowledged <= before
        return acknowledged

    @rule()
    def compact(self) -> None:
        self._broker.compact()

    def teardown(self) -> None:
        try:
            if hasattr(self, "_broker"):
                self._compare_what_is_kept()
        finally:
            for broker in (*self._left, *([self._broker] if hasattr(self, "_broker") else [])):
                broker.close()
            self._home.cleanup()

    def _compare_what_is_kept(self) -> None:
        raise NotImplementedError
