"""Joins of triple patterns as Python functions: written, compiled once, and used for all alike.

A join is one loop within another. Python nests no more than twenty blocks, so that longer joins are
several functions, each called in the innermost loop of the one before.

A pattern is four names, for subject, predicate, object and graph: of variables, or None where the
relation in which it looks has a fixed term. Names that begin with `c` are constants of subscribed
queries: they are found like variables, and whoever asked for them is looked up at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

Names = tuple[str | None, str | None, str | None, str | None]

_DEEPEST = 14  # blocks within blocks, from which on another function begins; a step adds up to five


@dataclass(frozen=True, slots=True)
class Look:
    """How a step finds facts of a pattern: by these places of a fact, for those."""

    pattern: int
    bound: tuple[int, ...]
    free: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """A step that goes through the constants of those who subscribed, given some of them."""

    bound: tuple[str, ...]
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JoinCode:
    """A function `join(facts, out, subscribers, *finders)`, and what its finders are to find.

    With a pattern to begin with, `facts` are facts of that one; `out` gets pairs of what
    `subscribers` has for the constants and the values of the variables.
    """

    run: Callable[..., None]
    steps: tuple[Look | Pick, ...]
    source: str


@lru_cache(maxsize=4096)
def join_code(
    patterns: tuple[Names, ...], begin: int | None, given: tuple[str, ...], wanted: tuple[str, ...]
) -> JoinCode:
    """The join of patterns, beginning with the facts of one, or with given names alone.

    `given` are the names whose values are in each of `facts` if there is no pattern to begin with.
    """
    return _Writer(patterns, wanted).write(begin, given)


@dataclass(slots=True)
class _Part:
    """A function of a join: the names that it is given, and its lines."""

    given: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    depth: int = 1


class _Writer:
    def __init__(self, patterns: tuple[Names, ...], wanted: tuple[str, ...]) -> None:
        self._patterns, self._wanted = patterns, wanted
        self._constants = _ordered(
            name for names in patterns for name in names if name and name[0] == "c"
        )
        self._part = _Part(("facts",))
        self._parts = [self._part]
        self._bound: set[str] = set()
        self._steps: list[Look | Pick] = []
        self._spare = 0

    def write(self, begin: int | None, given: tuple[str, ...]) -> JoinCode:
        left = [place for place in range(len(self._patterns)) if place != begin]
        if begin is None:
            self._loop(f"({', '.join(given)},)" if given else "_", "facts")
            self._bound.update(given)
        else:
            self._unpack(self._patterns[begin], (0, 1, 2, 3), "facts")
        while left:
            if self._part.depth > _DEEPEST:
                self._part = _Part(tuple(sorted(self._bound)))
                self._parts.append(self._part)
            place = max(left, key=self._preference)
            if self._needs_pick(place):
                self._pick()
                continue
            left.remove(place)
            self._look(place)
        self._finish()
        source = self._source()
        space: dict[str, Any] = {"NONE": ()}
        exec(compile(source, "<join>", "exec"), space)
        return JoinCode(space["join"], tuple(self._steps), source)

    def _source(self) -> str:
        """The functions of all parts; `join` is the first."""
        known = ["out", "subscribers", *(f"find{number}" for number in range(len(self._steps)))]
        heads = [
            f"{'join' if number == 0 else f'part{number}'}({', '.join([*part.given, *known])})"
            for number, part in enumerate(self._parts)
        ]
        for part, following in zip(self._parts, heads[1:], strict=False):
            part.lines.append("    " * part.depth + following)
        return "".join(
            f"def {head}:\n" + "\n".join(part.lines) + "\n"
            for head, part in zip(heads, self._parts, strict=True)
        )

    def _preference(self, place: int) -> tuple[int, int, int]:
        """The pattern with the most that is known goes first; else the first one."""
        names = [name for name in self._patterns[place] if name]
        known = sum(name in self._bound for name in names)
        return known, -(len(names) - known), -place

    def _needs_pick(self, place: int) -> bool:
        """Whether nothing of a pattern is known, but constants of it could be."""
        names = {name for name in self._patterns[place] if name}
        return not names & self._bound and any(name in self._constants for name in names)

    def _pick(self) -> None:
        bound = tuple(name for name in self._constants if name in self._bound)
        free = tuple(name for name in self._constants if name not in self._bound)
        number = self._add(Pick(bound, free))
        self._loop(_row(free), f"find{number}({_key(bound)}, NONE)")
        self._bound.update(free)

    def _look(self, place: int) -> None:
        names = self._patterns[place]
        bound = tuple(n for n in range(4) if names[n] is not None and names[n] in self._bound)
        free = tuple(n for n in range(4) if names[n] is not None and n not in bound)
        number = self._add(Look(place, bound, free))
        found = f"find{number}({_key([names[n] or '' for n in bound])}, NONE)"
        if free:
            self._unpack(names, free, found)
        else:
            self._block(f"if {found}:")

    def _unpack(self, names: Names, places: Sequence[int], found: str) -> None:
        """A loop over what was found, each part under its name; equal names are compared."""
        targets: list[str] = []
        checks: list[tuple[str, str]] = []
        for place in places:
            name = names[place]
            if name is None or name in targets or name in self._bound:
                self._spare += 1
                targets.append(f"x{self._spare}")
                if name is not None:
                    checks.append((targets[-1], name))
            else:
                targets.append(name)
        self._loop(_row(targets), found)
        self._bound.update(target for target in targets if target[0] != "x")
        for one, other in checks:
            self._block(f"if {one} == {other}:")

    def _finish(self) -> None:
        if self._constants:
            self._line(f"who = subscribers.get({_key(self._constants)})")
            self._block("if who is not None:")
        else:
            self._line("who = subscribers.get(None)")
        row = "".join(f"{name}, " for name in self._wanted)
        self._line(f"out.append((who, ({row})))")

    def _add(self, step: Look | Pick) -> int:
        self._steps.append(step)
        return len(self._steps) - 1

    def _loop(self, targets: str, found: str) -> None:
        self._block(f"for {targets} in {found}:")

    def _block(self, text: str) -> None:
        self._line(text)
        self._part.depth += 1

    def _line(self, text: str) -> None:
        self._part.lines.append("    " * self._part.depth + text)


def key_of(values: Sequence[Any]) -> Any:
    """How several values are looked up: one as it is, none as None, more as a tuple."""
    if len(values) == 1:
        return values[0]
    return tuple(values) if values else None


def key_at(places: Sequence[int]) -> Callable[[Sequence[Any]], Any]:
    """The key that the values at some places of something are."""
    return itemgetter(*places) if places else lambda _: None


def _key(names: Sequence[str]) -> str:
    if not names:
        return "None"
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _row(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "_"


def _ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, by its number."""
    return tuple(sorted(set(names), key=lambda name: int(name[1:])))
