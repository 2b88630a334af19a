"""Services that are neighbours, against one central broker: whatever breaks, and returns."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.embedded.broker import Broker
from tests.embedded.brokers import exact
from tests.service.overlay_services import OverlayNetwork, OverlayService, near
from tests.strategies.overlays import Shape, asked_texts, meshes, readings, trees

_STEPS = ("subscribe", "unsubscribe", *["publish"] * 3, "cut", "sever", "kill", "restart")


@dataclass
class Story:
    """What is done to many services, and to one broker in which all subscribe."""

    shape: Shape
    data: st.DataObject
    made: OverlayNetwork = field(default_factory=OverlayNetwork)
    central: Broker = field(default_factory=lambda: Broker.in_memory(matcher=exact))
    where: dict[str, str] = field(default_factory=dict)  # who subscribes at which service
    before: dict[str, int] = field(default_factory=dict)  # how many events there were by then
    count: int = 0

    async def run(self, steps: list[str]) -> None:
        """Take the steps, have all that was killed return, and compare."""
        try:
            for one in range(self.shape.count):
                neighbours = [near(str(other)) for other in self.shape.neighbours(one)]
                await self.made.add(str(one), *neighbours)
            for step in steps:
                await getattr(self, step)()
            await self._settle()
            for name in self.where:
                self._compare(name)
        finally:
            await self.made.close()
            self.central.close()

    async def subscribe(self) -> None:
        """Somebody subscribes, and waits until all brokers know."""
        await self._settle()
        name, text = self.data.draw(st.sampled_from("abc")), self.data.draw(asked_texts())
        if name in self.where:
            await self._end(name)
        self.where[name] = self._drawn()
        await self._at(name).subscribe(f"{text} as {name}")
        self.central.subscribe(f"{text} as {name}")
        self.before[name] = self.count
        await self._settle()

    async def unsubscribe(self) -> None:
        """Somebody wants to hear no more."""
        name = self.data.draw(st.sampled_from("abc"))
        if name in self.where and self._at(name).is_up:
            await self._end(name)

    async def publish(self) -> None:
        """An event is published somewhere."""
        service = self.made.services[self._drawn()]
        reading: Mapping[str, object] = self.data.draw(readings())
        if service.is_up:
            self.count += 1
            event = {**reading, "number": self.count}
            await service.publish(event)
            self.central.publish(event)

    async def cut(self) -> None:
        """A link breaks; both ends will open it again."""
        one, other = self.data.draw(st.sampled_from(sorted(self.shape.links)))
        self.made.cut(str(one), str(other))

    async def sever(self) -> None:
        """A link breaks for good, if there is another way, while something is told over it."""
        await self.publish()
        link = self.data.draw(st.sampled_from(sorted(self.shape.links)))
        if Shape(self.shape.count, self._left() - {link}).is_connected:
            self.made.sever(str(link[0]), str(link[1]))

    def _left(self) -> frozenset[tuple[int, int]]:
        """The links that are not severed."""
        return frozenset(
            (a, b) for a, b in self.shape.links if {str(a), str(b)} not in self.made.severed
        )

    async def kill(self) -> None:
        """A service dies in the middle of it."""
        await self.publish()
        service = self.made.services[self._drawn()]
        if service.is_up:
            await service.end(is_killed=True)

    async def restart(self) -> None:
        """Those that died return."""
        for service in self.made.services.values():
            if not service.is_up:
                await service.start()

    async def _end(self, name: str) -> None:
        service = self._at(name)
        await service.desk.write(lambda: service.broker.unsubscribe(name))
        self.central.unsubscribe(name)
        del self.where[name]

    async def _settle(self) -> None:
        await self.restart()
        await self.made.settle()

    def _at(self, name: str) -> OverlayService:
        return self.made.services[self.where[name]]

    def _drawn(self) -> str:
        return str(self.data.draw(st.integers(0, self.shape.count - 1), "where"))

    def _compare(self, name: str) -> None:
        heard, owed = self._numbers(self._at(name).broker, name), self._numbers(self.central, name)
        assert max(heard.values(), default=1) == 1, "told twice"
        assert owed <= heard, "not told"
        assert all(number <= self.before[name] for number in heard - owed), "told too much"

    def _numbers(self, broker: Broker, name: str) -> Counter[int]:
        return Counter(
            int(str(statement.value))
            for one in broker.subscriber(name).replay()
            for statement in one.match.event.statements
            if str(statement.attribute) == "number"
        )


@settings(max_examples=30)
@given(
    st.one_of(trees(most=4), meshes(most=4)),
    st.lists(st.sampled_from(_STEPS), min_size=5, max_size=25),
    st.data(),
)
def test_who_subscribes_is_told_as_by_one_central_broker(
    shape: Shape, steps: list[str], data: st.DataObject
) -> None:
    asyncio.run(Story(shape, data).run(steps))
