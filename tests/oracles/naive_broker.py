"""A broker as plain as can be: lists, loops, and subscriptions as functions of an event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.oracles.naive_subscribers import Heard, NaiveSubscribers

Reading = Mapping[str, int]


@dataclass(frozen=True)
class Asked:
    """What a text of the language means, said again in Python."""

    text: str
    matches: Callable[[Reading], bool]
    opposite: Callable[[Reading], bool] | None = None  # of a subscription `on change`
    seconds_apart: int = 0
    expires: int | None = None  # seconds after the beginning
    derives: Callable[[Reading], Reading] | None = None


@dataclass(kw_only=True)
class HeardEvents(Heard):
    """A subscription, and the ids of the events that it was told of."""

    asked: Asked
    told_at: int | None = None
    is_armed: bool = True


class NaiveBroker(NaiveSubscribers[HeardEvents]):
    """Publishes to everybody in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.published: list[str] = []

    def subscribe(self, name: str, asked: Asked) -> None:
        """The same text again changes nothing."""
        self.heard.setdefault(name, HeardEvents(self.ended.get(name, 0), asked=asked))

    def let_time_pass(self, seconds: int) -> list[str]:
        super().let_time_pass(seconds)
        over = [name for name, one in self.heard.items() if self._is_over(one.asked)]
        for name in over:
            self.unsubscribe(name)
        return over

    def publish(self, events: list[tuple[str, Reading]]) -> None:
        """All events, then what is derived from them, and so on."""
        while events:
            derived: list[tuple[str, Reading]] = []
            for identifier, reading in events:
                self.published.append(identifier)
                for name, one in self.heard.items():
                    if self._tell(one, identifier, reading) and one.asked.derives is not None:
                        derived.append((f"{identifier}>{name}", one.asked.derives(reading)))
            events = derived

    def _tell(self, one: HeardEvents, identifier: str, reading: Reading) -> bool:
        asked = one.asked
        if one.is_paused:
            return False
        if not asked.matches(reading):
            if asked.opposite is not None and asked.opposite(reading):
                one.is_armed = True
            return False
        if asked.opposite is not None and not one.is_armed:
            return False
        if one.told_at is not None and self.now - one.told_at < asked.seconds_apart:
            return False
        one.told.append(identifier)
        one.told_at, one.is_armed = self.now, False
        if asked.derives is not None:
            one.acknowledged = len(one.told) - 1
        return True

    def _is_over(self, asked: Asked) -> bool:
        return asked.expires is not None and asked.expires <= self.now
