"""One round of a network, each message an object in a queue, each battery a number."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field

from purport.network.network import Network
from purport.network.scenario import Overhearing, Scenario
from purport.network.traffic_kernel import ANYHOW
from purport.network.ways import Ways

_MASK = (1 << 64) - 1
_START, _PUBLISHES, _LOST, _CONFIRMATION_LOST, _PAUSE = 1, 2, 3, 4, 5


def mixed(key: int, number: int) -> int:
    found = (key + 0x9E3779B97F4A7C15 * (number + 1)) & _MASK
    found = ((found ^ found >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    found = ((found ^ found >> 27) * 0x94D049BB133111EB) & _MASK
    return found ^ found >> 31


def chance(key: int, what: int, number: int, other: int) -> float:
    return (mixed(mixed(mixed(key, what), number), other) >> 11) / 2**53


@dataclass(eq=False)
class Copy:
    """What one receiver is to have of a message."""

    receiver: int
    hops: int
    number: int
    arrived: bool = False
    confirmed: bool = False


@dataclass(eq=False)
class Message:
    """One transmission, which goes on from a copy, from the publisher, or from any copy."""

    number: int
    event: int
    sender: int
    origin: Copy | int
    work_pj: int
    copies: list[Copy]
    attempt: int = 0
    addressed: set[int] = field(default_factory=set)


@dataclass
class Books:
    """Batteries, what was spent for what, who died, and what was counted."""

    left: list[int]
    spent: dict[str, list[int]]
    up: list[bool]
    fell: set[int] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    hops: Counter[int] = field(default_factory=Counter)

    def pay(self, node: int, amount: int, purpose: str) -> bool:
        if self.left[node] < amount:
            self.up[node] = False
            self.fell.add(node)
            return False
        self.left[node] -= amount
        self.spent[purpose][node] += amount
        return True


def messages_of(ways: Ways, is_shared: bool) -> list[Message]:
    """The transmissions of some ways, one leg after the other."""
    legs, copies = ways.legs, 0
    found: list[Message] = []
    last: list[Copy | int | dict[int, Copy]] = []
    before, reached = None, {}
    for leg in range(len(legs.event)):
        event, source = int(legs.event[leg]), int(legs.source[leg])
        via, row, work = int(legs.via[leg]), int(legs.row[leg]), int(legs.work_pj[leg])
        origin: Copy | int = via
        if via >= 0:
            known = last[via]
            origin = known[source] if isinstance(known, dict) else known
        hops = origin.hops if isinstance(origin, Copy) else 0
        if row < 0:
            if via == ANYHOW:
                hops = int(legs.target[leg])
            receivers = legs.receivers[legs.first[leg] : legs.first[leg + 1]].tolist()
            sent = [Copy(node, hops + 1, copies + place) for place, node in enumerate(receivers)]
            copies += len(sent)
            found.append(Message(len(found), event, source, origin, work, sent))
            last.append({one.receiver: one for one in sent})
            before = None
            continue
        if not is_shared or (event, source, via, row) != before:
            before, reached = (event, source, via, row), {source: origin}
        node, path = int(legs.target[leg]), []
        while node not in reached:
            path.append(node)
            node = int(ways.parents[row, node])
        at = reached[node]
        for there in reversed(path):
            copy = Copy(there, (at.hops if isinstance(at, Copy) else 0) + 1, copies)
            copies += 1
            found.append(Message(len(found), event, node, at, work, [copy]))
            reached[there] = at = copy
            node, work = there, 0
        last.append(at)
    return found


class PlainRound:
    """Events on their way, in one network, by the rules that `round_kernel` tells of."""

    def __init__(
        self, network: Network, events: list[tuple[int, int, int, int]], ways: Ways, books: Books
    ) -> None:
        """Each event has a publisher, a number, its bits, and what its publisher computes."""
        self.network, self.events, self.books = network, events, books
        self.scenario: Scenario = network.scenario
        self.messages = messages_of(ways, self.scenario.shared_paths)
        self.received: set[tuple[int, int]] = set()
        self.free_at: Counter[int] = Counter()
        self.queue: list[tuple[int, int, Message]] = []

    def run(self, key: int, *, in_perfect_air: bool = False) -> None:
        self.key, self.is_perfect = key, in_perfect_air
        air = self.scenario.air
        begins = []
        for number, (publisher, *_) in enumerate(self.events):
            chances = 1.0 if in_perfect_air else self.scenario.publishing.chance
            if chances < 1 and chance(key, _PUBLISHES, publisher, 0) >= chances:
                continue
            begins.append((self._awake(int(chance(key, _START, publisher, 0) * air.slots)), number))
        begins.sort()
        slot = 0
        while begins or self.queue:
            while begins and begins[0][0] == slot:
                self._publish(begins.pop(0)[1], slot)
            active = []
            while self.queue and self.queue[0][0] == slot:
                active.append(heapq.heappop(self.queue)[2])
            sent = [one for one in active if self._sends(one)]
            for one in sent:
                self._deliver(one, sent, slot)
                self._overhear(one, sent)
                self._repeat(one, slot)
            slot += 1

    def _awake(self, slot: int) -> int:
        awake = max(1, round(self.scenario.air.awake * 100))
        while slot % 100 >= awake:
            slot += 1
        return slot

    def _enqueue(self, one: Message, slot: int) -> None:
        at = self._awake(max(slot, self.free_at[one.sender]))
        self.free_at[one.sender] = at + 3
        heapq.heappush(self.queue, (at, one.number, one))

    def _publish(self, number: int, slot: int) -> None:
        publisher, _, _, work = self.events[number]
        if not self.books.up[publisher]:
            return
        self.books.counts["published"] += 1
        self.books.counts[f"published {number}"] += 1
        if self.books.pay(publisher, work, "computation"):
            for one in self.messages:
                if one.event == number and one.origin == -1:
                    self._enqueue(one, slot)

    def _sends(self, one: Message) -> bool:
        books = self.books
        if not books.up[one.sender]:
            return False
        if one.attempt == 0 and not books.pay(one.sender, one.work_pj, "computation"):
            return False
        bits = self.events[one.event][2]
        if not books.pay(one.sender, self._sending(bits, self._reach_m2(one)), "data"):
            return False
        books.counts["transmissions"] += 1
        books.counts["sent"] += sum(not copy.confirmed for copy in one.copies)
        return True

    def _deliver(self, one: Message, sent: list[Message], slot: int) -> None:
        air = self.scenario.air
        one.addressed = {copy.receiver for copy in one.copies if not copy.confirmed}
        for copy in one.copies:
            if copy.confirmed:
                continue
            if not self._arrives(one, copy, sent):
                self.books.counts["lost"] += 1
                continue
            self.books.counts["received"] += 1
            self._take(one, copy, slot)
            if not copy.arrived:
                copy.arrived = True
                for next_one in self.messages:
                    if next_one.origin is copy:
                        self._enqueue(next_one, slot + 1)
            if air.retransmissions:
                copy.confirmed = self._confirms(one, copy)

    def _arrives(self, one: Message, copy: Copy, sent: list[Message]) -> bool:
        air, books, node = self.scenario.air, self.books, copy.receiver
        clocks = self.network.clock_s
        if not books.up[node]:
            return False
        if not self.is_perfect:
            if air.half_duplex and any(other.sender == node for other in sent):
                return False
            apart = abs(clocks[one.sender] - clocks[node])
            if air.drift_ppm and apart > air.guard_ms / 1000:
                return False
        if not books.pay(node, self._receiving(self.events[one.event][2]), "data"):
            return False
        if self.is_perfect:
            return True
        if air.interference:
            for other in sent:
                if other.sender not in (one.sender, node) and self._apart(
                    other.sender, node
                ) <= self._reach_m2(other):
                    return False
        return not air.loss or chance(self.key, _LOST, copy.number, one.attempt) >= air.loss

    def _take(self, one: Message, copy: Copy, slot: int) -> None:
        node, (publisher, kind, _, _) = copy.receiver, self.events[one.event]
        if node == publisher or (one.event, node) in self.received:
            return
        self.received.add((one.event, node))
        self.books.counts["receptions"] += 1
        meaning = self.network.meaning
        if any(meaning.answers[kind, asked] for asked in meaning.asked[node]):
            self.books.counts["relevant"] += 1
            self.books.hops[copy.hops] += 1
        work = sum(int(meaning.work_pj[kind, asked]) for asked in meaning.asked[node])
        self.books.pay(node, work, "computation")
        for next_one in self.messages:
            if (next_one.event, next_one.sender, next_one.origin) == (one.event, node, ANYHOW):
                self._enqueue(next_one, slot + 1)

    def _confirms(self, one: Message, copy: Copy) -> bool:
        bits, books = 8 * self.scenario.radio.header_bytes, self.books
        cost = self._sending(bits, self._apart(one.sender, copy.receiver))
        if not books.up[copy.receiver] or not books.pay(copy.receiver, cost, "control"):
            return False
        books.counts["confirmations"] += 1
        is_heard = books.up[one.sender] and books.pay(one.sender, self._receiving(bits), "control")
        loss = 0.0 if self.is_perfect else self.scenario.air.loss
        if is_heard and loss:
            is_heard = chance(self.key, _CONFIRMATION_LOST, copy.number, one.attempt) >= loss
        books.counts["confirmations heard"] += is_heard
        return is_heard

    def _overhear(self, one: Message, sent: list[Message]) -> None:
        radio, air = self.scenario.radio, self.scenario.air
        bits = self.events[one.event][2]
        if radio.overhearing is Overhearing.NOTHING:
            return
        if radio.overhearing is Overhearing.HEADER:
            bits = min(bits, 8 * radio.header_bytes)
        for node in range(len(self.books.up)):
            is_near = self._apart(one.sender, node) <= self._reach_m2(one)
            if (
                node == one.sender
                or node in one.addressed
                or not is_near
                or not self.books.up[node]
            ):
                continue
            is_sending = any(other.sender == node for other in sent)
            if not (air.half_duplex and not self.is_perfect and is_sending):
                self.books.pay(node, self._receiving(bits), "data")

    def _repeat(self, one: Message, slot: int) -> None:
        is_over = one.attempt >= self.scenario.air.retransmissions
        if not is_over and not all(copy.confirmed for copy in one.copies):
            one.attempt += 1
            pause = 1 + int(chance(self.key, _PAUSE, one.number, one.attempt) * 16)
            self._enqueue(one, slot + pause)

    def _apart(self, one: int, other: int) -> float:
        x, y = self.network.positions[one] - self.network.positions[other]
        return float(x * x + y * y)

    def _reach_m2(self, one: Message) -> float:
        needed = max(self._apart(one.sender, copy.receiver) for copy in one.copies)
        levels = sorted(level**2 for level in self.scenario.radio.levels_m)
        return next((level for level in levels if level >= needed), needed)

    def _sending(self, bits: int, apart_m2: float) -> int:
        radio = self.scenario.radio
        return round((radio.nj_per_bit * 1000 + radio.amplifier_pj_per_bit_m2 * apart_m2) * bits)

    def _receiving(self, bits: int) -> int:
        return round(self.scenario.radio.nj_per_bit * 1000 * bits)
