"""Algorithm 1 of SemPS'12, line by line: peers with mailboxes."""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import dataclass, field

from purport.network.network import Network

Subscription = tuple[int, int]  # who subscribes, and the number of the expression


@dataclass
class Peer:
    number: int
    own: tuple[int, ...]
    adjacent: list[int]
    received: set[Subscription] = field(default_factory=set)
    out_of_interest: dict[int, set[int]] = field(default_factory=dict)  # by peers, expressions


class PlainPolyhierarchy:
    """All peers build the subscription hierarchy; what they send is added up."""

    def __init__(self, network: Network) -> None:
        self.network, self.covers = network, network.meaning.covers
        adjacent: dict[int, list[int]] = {node: [] for node in range(len(network))}
        for one, other in network.pairs.tolist():
            adjacent[one].append(other)
            adjacent[other].append(one)
        asked = network.meaning.asked
        self.peers = [Peer(node, asked[node], sorted(adjacent[node])) for node in adjacent]
        self.sent: Counter[str] = Counter()
        self.cost_pj = [0] * len(network)

    def build(self) -> None:
        limit = self.network.scenario.hop_limit
        for peer in self.peers:
            for number in peer.own:
                subscription = peer.number, number
                peer.received.add(subscription)
                mail: deque[tuple[int, int, Subscription, float]] = deque()
                self._forward(peer, -1, subscription, math.inf if limit is None else limit, mail)
                while mail:
                    self._receive(*mail.popleft(), mail)

    def _receive(
        self,
        to: int,
        sender: int,
        subscription: Subscription,
        hops_left: float,
        mail: deque[tuple[int, int, Subscription, float]],
    ) -> None:
        peer = self.peers[to]
        if subscription in peer.received:
            self._feedback(peer, sender, "duplicate")
            return
        peer.received.add(subscription)
        is_relevant = any(self.covers[subscription[1], own] for own in peer.own)
        is_forwarded = hops_left > 0 and self._forward(peer, sender, subscription, hops_left, mail)
        if not is_forwarded and not is_relevant and peer.own:
            self._feedback(peer, sender, "out of interest")
            self.peers[sender].out_of_interest.setdefault(to, set()).add(subscription[1])

    def _forward(
        self,
        peer: Peer,
        sender: int,
        subscription: Subscription,
        hops_left: float,
        mail: deque[tuple[int, int, Subscription, float]],
    ) -> bool:
        chosen = [
            other
            for other in peer.adjacent
            if other != sender
            and not any(
                self.covers[wider, subscription[1]] for wider in peer.out_of_interest.get(other, ())
            )
        ]
        mail.extend((other, peer.number, subscription, hops_left - 1) for other in chosen)
        size = int(self.network.meaning.subscription_bytes[subscription[1]])
        if chosen:
            self._send(peer.number, chosen, size)
        return bool(chosen)

    def _feedback(self, peer: Peer, to: int, what: str) -> None:
        self.sent[what] += 1
        self._send(peer.number, [to], 3)

    def _send(self, sender: int, receivers: list[int], size: int) -> None:
        radio, positions = self.network.scenario.radio, self.network.positions
        bits = 8 * (radio.header_bytes + size)
        reach = max(math.dist(positions[sender], positions[one]) ** 2 for one in receivers)
        electronics = radio.nj_per_bit * 1000
        self.cost_pj[sender] += round(bits * (electronics + radio.amplifier_pj_per_bit_m2 * reach))
        for node in receivers:
            self.cost_pj[node] += round(bits * electronics)
        self.sent["transmissions"] += 1
        self.sent["copies"] += len(receivers)
