"""What came of a run.

A *reception* is one node receiving one event, however often and whether or not it asked for it;
relays count, and so do subscribers that only pass it on. *Precision* is the share of receptions by
nodes that have a matching subscription, *recall* the share of what was due that was received. Who
overhears a message that is not addressed to it pays for it but has not received it. An event is
*due* to every subscriber that lives when its round begins and has a subscription that it matches.
"""

from __future__ import annotations

from dataclasses import dataclass

from purport.network.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Energy:
    """Joules spent by all nodes together, by what for, and what is left in batteries.

    Control is all that is no event: subscriptions, links, elections, routes, confirmations, clocks;
    idle is listening, if that is counted.
    """

    computation_j: float
    control_j: float
    data_j: float
    idle_j: float
    left_j: float

    @property
    def spent_j(self) -> float:
        return self.computation_j + self.control_j + self.data_j + self.idle_j


@dataclass(frozen=True, slots=True)
class Messages:
    """Of events or of control: transmissions, and copies, one for each node that they are for.

    Every copy that was sent was received or lost.
    """

    transmissions: int = 0
    sent: int = 0
    received: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of what was due, and who received what.

    `forbidden` is what no route is allowed for, by hop limit or range; `unconnected` what no living
    nodes lead to; the rest that is not `delivered` was lost, to the radio or to deaths on the way.
    """

    published: int
    due: int
    delivered: int
    forbidden: int
    unconnected: int
    receptions: int
    relevant: int
    hops: tuple[int, ...]  # how many deliveries there were after 0, 1, 2, ... hops

    @property
    def precision(self) -> float:
        """The share of receptions that were asked for; 1 if there were none."""
        return self.relevant / self.receptions if self.receptions else 1.0

    @property
    def recall(self) -> float:
        """The share of what was due that was delivered; 1 if nothing was due."""
        return self.delivered / self.due if self.due else 1.0

    @property
    def recall_where_allowed(self) -> float:
        """The same without what is forbidden or unconnected."""
        allowed = self.due - self.forbidden - self.unconnected
        return self.delivered / allowed if allowed else 1.0

    @property
    def mean_hops(self) -> float:
        count = sum(self.hops)
        return sum(hops * times for hops, times in enumerate(self.hops)) / count if count else 0.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The network after a round: for pictures. Tuples go by the numbers of nodes.

    `heads` are the numbers of cluster heads, `clusters` pairs of a head and a member, `links` pairs
    of nodes.
    """

    round: int
    positions_m: tuple[tuple[float, float], ...]
    energies_j: tuple[float, ...]
    alive: tuple[bool, ...]
    publishers: tuple[int, ...]
    heads: tuple[int, ...]
    clusters: tuple[tuple[int, int], ...]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One message, in the order in which they were sent; `arrived` tells of each receiver."""

    round: int
    slot: int
    publisher: int  # whose event it is
    event: int  # the number of what it tells: `Outcome.events`
    sender: int
    receivers: tuple[int, ...]
    arrived: tuple[bool, ...]
    reach_m: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a run found; equal for equal scenarios and seeds.

    `died` has the round in which each node died, from 1; 0 of those that live. Control messages
    before a round count as that round's, so a run of r `rounds` may end with deaths in round r + 1.
    `silent` is the first round in which nobody was left to publish, if there was one.
    """

    scenario: Scenario
    seed: int
    rounds: int
    died: tuple[int, ...]
    silent: int | None
    energy: Energy
    data: Messages
    control: Messages
    delivery: Delivery
    spent_j: tuple[float, ...]  # by each node
    roles: tuple[str, ...]  # at the beginning: publisher, subscriber or relay
    events: tuple[str, ...]  # what is published, in words
    published: tuple[int, ...]  # which of them each node publishes at the beginning; -1: none
    subscriptions: tuple[tuple[str, ...], ...]  # of each node, in words
    snapshots: tuple[Snapshot, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def first_death(self) -> int | None:
        """The round in which the first node died."""
        return self._round_of_death(1)

    @property
    def half_dead(self) -> int | None:
        """The round in which half of the nodes were dead."""
        return self._round_of_death((len(self.died) + 1) // 2)

    @property
    def alive(self) -> tuple[tuple[int, int], ...]:
        """How many nodes lived after which round: at the beginning, at deaths and at the end."""
        rounds = sorted(one for one in self.died if one)
        count = len(self.died)
        curve = {0: count}
        for dead, one in enumerate(rounds, 1):
            curve[one] = count - dead
        curve[max([self.rounds, *rounds[-1:]])] = count - len(rounds)
        return tuple(sorted(curve.items()))

    def _round_of_death(self, count: int) -> int | None:
        rounds = sorted(one for one in self.died if one)
        return rounds[count - 1] if len(rounds) >= count else None
