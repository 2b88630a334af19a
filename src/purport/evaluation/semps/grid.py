"""A grid of scenarios: options that are given several values each."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from purport.errors import InvalidInput
from purport.network.beginning import begun
from purport.network.errors import ScenarioError
from purport.network.routing.catalogue import routing_named
from purport.network.scenario import Scenario
from purport.settings import OptionError, merged

Value = bool | int | float | str | tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """An option with the values that it is given, e.g. `field.side_m=100,200`."""

    option: str
    values: tuple[Value, ...]

    @classmethod
    def read(cls, text: str) -> Axis:
        """An axis as it is typed; `InvalidInput` if there is none."""
        option, sign, said = (part.strip() for part in text.partition("="))
        if not (option and sign and said):
            raise InvalidInput(f"expected OPTION=VALUE,VALUE..., got {text!r}")
        if option == "routing":
            raise InvalidInput(f"{text}: routings are named with --routing")
        try:
            return cls(option, tuple(dict.fromkeys(_values(said))))
        except InvalidInput as error:
            raise InvalidInput(f"{text}: {error}") from None


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a grid: an option with its value for each axis."""

    settings: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{option} = {shown(value)}" for option, value in self.settings)

    @property
    def options(self) -> dict[str, Any]:
        """The same as a scenario's file has it."""
        found: dict[str, Any] = {}
        for option, value in self.settings:
            nested: Any = value
            for name in reversed(option.split(".")):
                nested = {name: nested}
            found = merged(found, nested)
        return found


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a scenario with its routing, where it stands in the grid, and a seed."""

    point: Point
    scenario: Scenario
    seed: int


def points_of(axes: Sequence[Axis]) -> list[Point]:
    """Every combination of values; without axes there is one point."""
    options = [axis.option for axis in axes]
    for option in options:
        if options.count(option) > 1:
            raise InvalidInput(f"{option}: is swept twice")
    combined = product(*(axis.values for axis in axes))
    return [Point(tuple(zip(options, values, strict=True))) for values in combined]


def scenarios_of(
    points: Iterable[Point], read: Callable[[Mapping[str, Any]], Scenario]
) -> dict[Point, Scenario]:
    """The scenario of each point, as `read` gives it for options; mistakes name the point."""
    found = {}
    for point in points:
        try:
            found[point] = read(point.options)
        except OptionError as error:
            if not _is_swept(error.place, point):
                raise
            raise OptionError(f"{point}", error.place, error.message) from None
        except ScenarioError as error:
            if not _is_swept(error.place, point):
                raise
            raise ScenarioError(error.place, error.message, f"{point}") from None
    return found


def cells_of(
    scenarios: Mapping[Point, Scenario], routings: Sequence[str], seeds: Sequence[int]
) -> list[Cell]:
    """Every routing over every seed at every point."""
    return [
        Cell(point, routed(scenario, routing), seed)
        for point, scenario in scenarios.items()
        for routing in routings
        for seed in seeds
    ]


def routed(scenario: Scenario, routing: str) -> Scenario:
    """A scenario with another routing; `ScenarioError` if there is none of this name."""
    routing_named(routing)
    return replace(scenario, routing=routing)


def require_possible(scenarios: Iterable[Scenario], seed: int) -> None:
    """`ScenarioError` if one of the networks cannot be made, before any is run."""
    seen = set()
    for scenario in scenarios:
        parts = (scenario.field, scenario.roles, scenario.interests, scenario.radio.reach_m)
        if parts not in seen:
            seen.add(parts)
            begun(scenario, seed)


def shown(value: Value) -> str:
    """A value as people write it."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case tuple():
            return f"[{', '.join(map(shown, value))}]"
    return str(value)


def _is_swept(place: str, point: Point) -> bool:
    return any(place.partition("[")[0] in (option, "") for option, _ in point.settings)


def _values(said: str) -> list[Value]:
    """Values as TOML has them, or else texts between commas."""
    try:
        told = tomllib.loads(f"values = [{said}]")["values"]
    except tomllib.TOMLDecodeError:
        return [part.strip() for part in said.split(",")]
    return [_hashable(value) for value in told]


def _hashable(value: Any) -> Value:
    if isinstance(value, dict):
        raise InvalidInput(f"expected values of an option, got the table {value}")
    found: Value = tuple(map(_hashable, value)) if isinstance(value, list) else value
    return found
