"""What can be wrong with a scenario."""

from __future__ import annotations

from purport.errors import InvalidInput


class ScenarioError(InvalidInput):
    """A scenario that cannot be run; `place` is the option, e.g. `battery.joules`.

    `where` is the file and the line on which it stands, if it comes from one.
    """

    def __init__(self, place: str, message: str, where: str = "") -> None:
        super().__init__(place, message, where)
        self.place = place
        self.message = message
        self.where = where

    def __str__(self) -> str:
        said = f"{self.place}: {self.message}"
        return f"{self.where}: {said}" if self.where else said


def require(is_right: bool, place: str, expected: str, got: object) -> None:
    """Refuse a value of an option."""
    if not is_right:
        raise ScenarioError(place, f"expected {expected}, got {got}")
