"""What is kept of a run: figures, without the nodes that they come from."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from purport.evaluation.semps.grid import Point
from purport.network.outcome import Outcome
from purport.network.scenario import Radio, Scenario

GIVEN = "given"  # in place of one of the presets


@dataclass(frozen=True, slots=True)
class Figures:
    """One run in figures; what they mean is said beside `purport.network.outcome.Outcome`.

    A round is null that was not reached. After round `alive_after[i]`, `alive[i]` nodes lived;
    `hops[i]` deliveries took i hops.
    """

    routing: str
    seed: int
    electronics: str  # the preset, or that another figure was given
    nj_per_bit: float
    nodes: int
    rounds: int
    first_death: int | None
    half_dead: int | None
    silent: int | None
    computation_j: float
    control_j: float
    data_j: float
    idle_j: float
    left_j: float
    published: int
    due: int
    delivered: int
    forbidden: int
    unconnected: int
    receptions: int
    relevant: int
    precision: float
    recall: float
    recall_where_allowed: float
    mean_hops: float
    data_transmissions: int
    data_sent: int
    data_received: int
    data_lost: int
    control_transmissions: int
    control_sent: int
    control_received: int
    control_lost: int
    hops: tuple[int, ...]
    alive_after: tuple[int, ...]
    alive: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A run in figures, and at which point of the grid it was."""

    point: Point
    figures: Figures


def figures_of(outcome: Outcome) -> Figures:
    """The figures of a run."""
    scenario, delivery = outcome.scenario, outcome.delivery
    after, alive = zip(*outcome.alive, strict=True)
    energy, due = asdict(outcome.energy), asdict(delivery)
    hops = due.pop("hops")
    sent = {
        f"{kind}_{name}": count
        for kind, messages in (("data", outcome.data), ("control", outcome.control))
        for name, count in asdict(messages).items()
    }
    return Figures(
        routing=scenario.routing,
        seed=outcome.seed,
        electronics=electronics_of(scenario.radio),
        nj_per_bit=scenario.radio.nj_per_bit,
        nodes=len(outcome.died),
        rounds=outcome.rounds,
        first_death=outcome.first_death,
        half_dead=outcome.half_dead,
        silent=outcome.silent,
        precision=delivery.precision,
        recall=delivery.recall,
        recall_where_allowed=delivery.recall_where_allowed,
        mean_hops=delivery.mean_hops,
        hops=hops,
        alive_after=after,
        alive=alive,
        **energy,
        **due,
        **sent,
    )


def electronics_of(radio: Radio) -> str:
    """Which preset holds, if one does."""
    return GIVEN if radio.electronics_nj_per_bit is not None else radio.electronics.value


def electronics_said(scenario: Scenario) -> str:
    """Under which electronics results hold, in words."""
    radio = scenario.radio
    return f"{radio.nj_per_bit:g} nJ/bit ({electronics_of(radio)})"
