"""What a completion graph is made of: nodes, and the contradictions found among them."""

from __future__ import annotations

from dataclasses import dataclass, field

Grounds = int


class Contradiction(Exception):
    """Two things known that cannot both be so; `reason` says which, on which node."""

    def __init__(self, grounds: Grounds, node: int, reason: tuple[object, ...]) -> None:
        super().__init__(grounds)
        self.grounds, self.node, self.reason = grounds, node, reason


class OutOfBounds(Exception):
    """The graph grew too large, or took too many steps."""


@dataclass(slots=True)
class Node:
    """One thing: labels, values of properties by node, and what it is surely different from."""

    epoch: int
    parent: int | None
    is_data: bool
    label: dict[int, Grounds] = field(default_factory=dict)
    edges: dict[int, dict[int, Grounds]] = field(default_factory=dict)
    different: dict[int, Grounds] = field(default_factory=dict)
    onlys: list[tuple[int, int, int]] = field(default_factory=list)
    somes: list[int] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    signature: frozenset[int] | None = None

    def copy(self, epoch: int) -> Node:
        return Node(
            epoch,
            self.parent,
            self.is_data,
            dict(self.label),
            {node: dict(roles) for node, roles in self.edges.items()},
            dict(self.different),
            list(self.onlys),
            list(self.somes),
            list(self.limits),
            self.signature,
        )
