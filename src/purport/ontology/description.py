"""What is told of one individual."""

from __future__ import annotations

from dataclasses import dataclass

from purport.model.term import Term


@dataclass(frozen=True, slots=True)
class Description:
    """An individual: its name if it has one, classes it is said to be in, values of properties.

    Names are full IRIs. A thing known by its class alone, as the value in `alarm: net:LinkDown`,
    has no name; a value of an object property is told of in a description of its own.
    """

    name: str | None = None
    types: tuple[str, ...] = ()
    facts: tuple[tuple[str, Description | Term], ...] = ()
