"""What a simulated run is: a field, its nodes, their radios and batteries, who says and asks what.

All of it is written down before anything is run, and nothing else decides what happens, but for the
seed. A *round* is the unit of time: in it every living publisher publishes `events_per_round`
events, and each event is routed to its end before the next round. A *cycle* is a number of rounds
between two elections of cluster heads; routes that look at batteries are made anew then, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from purport.network.bounds import require_within_bounds
from purport.network.errors import require


class Electronics(StrEnum):
    """What the radio's circuits take for a bit, sent or received.

    SemPS'12 states 50 nJ/bit; its two worked examples (132 and 46 µJ) come of 4 nJ/bit.
    """

    STATED = "stated"
    WORKED = "worked"

    @property
    def nj_per_bit(self) -> float:
        return 50.0 if self is Electronics.STATED else 4.0


class Wiring(StrEnum):
    """Who is linked to whom."""

    WEIGHTED = "weighted"  # SemPS'12, section 5: F_m = H + w_m · D
    GRID = "grid"
    GEOMETRIC = "geometric"  # all within `link_m` of each other
    FILE = "file"


class Succession(StrEnum):
    """Who publishes in place of a publisher that has died."""

    NOBODY = "nobody"
    NEAREST = "nearest"  # the nearest living relay goes on with its events
    DRAWN = "drawn"  # in every cycle, publishers are drawn anew among living relays and publishers


class Overhearing(StrEnum):
    """What nodes in range receive of a message that is not addressed to them."""

    NOTHING = "nothing"  # as in the paper's model
    HEADER = "header"
    ALL = "all"


class Until(StrEnum):
    """When a run is over, if not before because nobody publishes or `rounds` have passed."""

    FIRST_DEATH = "first death"
    HALF_DEAD = "half dead"
    ALL_DEAD = "all dead"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True)
class Field:
    """Where nodes are, and which of them are linked: `link_m` only for `geometric`.

    Links are the neighbours that a node knows from the beginning, and what messages are relayed
    along. A file has a line `node NAME X Y` (metres) or `link NAME NAME` for each.
    """

    wiring: Wiring = Wiring.WEIGHTED
    nodes: int = 500
    side_m: float = 200.0
    weights: tuple[float, ...] = (5.0, 15.0, 45.0)  # w_m, with distances in sides of the field
    link_m: float | None = None
    file: Path | None = None

    def __post_init__(self) -> None:
        require_within_bounds(self, "field")
        require(bool(self.weights), "field.weights", "one weight or more", list(self.weights))
        is_geometric, given = self.wiring is Wiring.GEOMETRIC, self.link_m
        is_right = is_geometric == (given is not None)
        require(is_right, "field.link_m", "metres, for geometric wiring", given)
        is_file = self.wiring is Wiring.FILE
        require(
            is_file == (self.file is not None), "field.file", "a path, for wiring = file", self.file
        )


@dataclass(frozen=True, slots=True)
class Roles:
    """Which share of the nodes publishes, and which subscribes; the rest are relays."""

    publishers: float = 0.2
    subscribers: float = 0.4
    most_subscriptions: int = 3  # each subscriber has 1 to so many
    succession: Succession = Succession.NEAREST

    def __post_init__(self) -> None:
        require_within_bounds(self, "roles")
        both = self.publishers + self.subscribers
        require(both <= 1, "roles", "shares of publishers and subscribers of at most 1", both)


@dataclass(frozen=True, slots=True)
class Interests:
    """What is published and asked for: class expressions over an ontology.

    Without `ontology`, the one that is shipped. `events` are classes, or `Class that property value
    5`; without them, the lowest classes. `subscriptions` are drawn from those given, else from the
    classes and from pairs of them that have something below both.
    """

    ontology: tuple[Path, ...] = ()
    events: tuple[str, ...] = ()
    subscriptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Radio:
    """The first-order radio: E·k + amplifier·k·d² to send k bits over d metres, E·k to receive.

    A message is a header and what it says: for an event its coded message and `data_bytes` of
    readings, for a subscription its coded message, and so on. `range_m` is as far as a node can
    send, `levels_m` the distances that its power can be set for (none: any).
    """

    electronics: Electronics = Electronics.STATED
    electronics_nj_per_bit: float | None = None  # in place of the preset
    amplifier_pj_per_bit_m2: float = 100.0
    range_m: float | None = None
    levels_m: tuple[float, ...] = ()
    header_bytes: int = 16
    data_bytes: int = 32
    overhearing: Overhearing = Overhearing.HEADER

    def __post_init__(self) -> None:
        require_within_bounds(self, "radio")

    @property
    def nj_per_bit(self) -> float:
        """What the circuits take for a bit."""
        given = self.electronics_nj_per_bit
        return self.electronics.nj_per_bit if given is None else given

    @property
    def reach_m(self) -> float:
        """As far as a node can send, at most."""
        limits = [] if self.range_m is None else [self.range_m]
        return min([*limits, *([max(self.levels_m)] if self.levels_m else [])], default=math.inf)


@dataclass(frozen=True, slots=True)
class Battery:
    """What a node has at the beginning: `joules`, more or less by up to a share of `spread`."""

    joules: float = 5.0
    spread: float = 0.0
    idle_uj_per_round: float = 0.0  # what listening takes while awake, whether or not there is news

    def __post_init__(self) -> None:
        require_within_bounds(self, "battery")


@dataclass(frozen=True, slots=True)
class Publishing:
    """How much is published: by each publisher, in each round, with a chance."""

    events_per_round: int = 1
    chance: float = 1.0  # below 1, events come without a period

    def __post_init__(self) -> None:
        require_within_bounds(self, "publishing")


@dataclass(frozen=True, slots=True)
class Clusters:
    """How often heads are elected, and how many: P of LEACH."""

    share: float = 0.05
    cycle_rounds: int = 20

    def __post_init__(self) -> None:
        require_within_bounds(self, "clusters")


@dataclass(frozen=True, slots=True)
class Computing:
    """What a test takes, whether a coded event is in a class: mostly a look, seldom a division.

    With a division in 5 to 10 % of tests it comes to SemPS'12's 50 instructions.
    """

    nj_per_instruction: float = 2.0
    instructions_per_test: float = 35.0
    instructions_per_division: float = 200.0

    def __post_init__(self) -> None:
        require_within_bounds(self, "computing")


@dataclass(frozen=True, slots=True)
class Air:
    """What the paper assumes away (its section 5.4), each alone: as given, it does.

    Time within a round is cut into `slots`; a message takes one.
    """

    half_duplex: bool = False  # who sends in a slot receives nothing in it
    loss: float = 0.0  # the chance that a message is lost to one of those it is for
    interference: bool = False  # who is in range of two senders in a slot understands neither
    retransmissions: int = 0  # how often a message is sent again that nobody confirms
    awake: float = 1.0  # the share of slots in which nodes listen, all the same ones
    drift_ppm: float = 0.0  # how much clocks differ: in parts of a million, as a deviation
    guard_ms: float = 2.0  # two clocks that are further apart miss each other
    sync_every_rounds: int = 100  # a beacon sets all clocks
    round_s: float = 10.0
    slots: int = 1_000

    def __post_init__(self) -> None:
        require_within_bounds(self, "air")

    @property
    def is_perfect(self) -> bool:
        """Whether what is sent by who lives, to who lives, is received."""
        is_clear = not (self.half_duplex or self.interference)
        return is_clear and self.loss == 0 and self.drift_ppm == 0


@dataclass(frozen=True, slots=True)
class Motion:
    """Nodes that move to random places, one after the other, and nodes that go and come back."""

    moving: float = 0.0  # the share of nodes that move
    speed_m_per_round: float = 1.0
    leaving: float = 0.0  # the chance that a node leaves, each time
    returning: float = 0.5  # and that one that has left comes back, with the battery it had
    every_rounds: int = 20

    def __post_init__(self) -> None:
        require_within_bounds(self, "motion")

    @property
    def is_still(self) -> bool:
        return self.moving == 0 and self.leaving == 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """A run, but for its seed."""

    routing: str = "semps"
    hop_limit: int | None = None  # of an event, from its publisher to a subscriber
    shared_paths: bool = False  # copies of one event that go the same way go as one message
    until: Until = Until.HALF_DEAD
    rounds: int = 1_000_000  # at most
    field: Field = Field()
    roles: Roles = Roles()
    interests: Interests = Interests()
    radio: Radio = Radio()
    battery: Battery = Battery()
    publishing: Publishing = Publishing()
    clusters: Clusters = Clusters()
    computing: Computing = Computing()
    air: Air = Air()
    motion: Motion = Motion()

    def __post_init__(self) -> None:
        require_within_bounds(self)
