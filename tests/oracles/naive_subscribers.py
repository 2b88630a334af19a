"""How far subscribers are, as plain as can be."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar


@dataclass
class Heard:
    """A subscription, and what it was told; numbers begin at `first`."""

    first: int = 0
    told: list[Any] = field(default_factory=list)
    acknowledged: int = -1  # of `told`
    is_paused: bool = False


One = TypeVar("One", bound=Heard)


class NaiveSubscribers(Generic[One]):
    """All that is subscribed to, by name."""

    def __init__(self) -> None:
        self.heard: dict[str, One] = {}
        self.ended: dict[str, int] = {}
        self.now = 0

    def unsubscribe(self, name: str) -> None:
        """Numbers are never used again."""
        one = self.heard.pop(name)
        self.ended[name] = one.first + len(one.told)

    def pause(self, name: str, is_paused: bool) -> None:
        """Whoever is paused hears nothing."""
        self.heard[name].is_paused = is_paused

    def let_time_pass(self, seconds: int) -> list[str]:
        """Gives the names of the subscriptions whose time is up."""
        self.now += seconds
        return []
