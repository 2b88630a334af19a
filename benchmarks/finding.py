"""How things are measured: the quickest of several runs, which a busy machine disturbs least."""

import time
from collections.abc import Callable
from dataclasses import dataclass

RUNS = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One measured figure, with the bar it is held against if there is one."""

    what: str
    measured: str
    bar: str = ""
    is_within: bool | None = None
    published: str = ""  # what a paper reports for it
    goal: str = ""  # a bar that it need not reach, and whether it does


def quickest_seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """The seconds that the quickest of several runs took."""
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def microseconds(what: str, seconds: float, most: float) -> Finding:
    """A time for one operation, against the most it may take."""
    taken = seconds * 1e6
    return Finding(what, f"{taken:,.1f} µs", f"{most:,.0f} µs", taken <= most)


def ratio(what: str, numerator: float, denominator: float) -> Finding:
    """How many times more one way takes than another, in one run on one machine."""
    return Finding(what, f"{numerator / denominator:,.1f} x")


def at_least(what: str, measured: float, least: float | None = None, unit: str = "") -> Finding:
    """A figure, against the least that it may be."""
    bar = "" if least is None else f">= {least:,.{_digits(least)}f}{unit}"
    shown = f"{measured:,.{_digits(measured)}f}{unit}"
    return Finding(what, shown, bar, None if least is None else measured >= least)


def at_most(what: str, measured: float, most: float, unit: str = "") -> Finding:
    """A figure, against the most that it may be."""
    shown = f"{measured:,.{_digits(measured)}f}{unit}"
    return Finding(what, shown, f"<= {most:,.{_digits(most)}f}{unit}", measured <= most)


def _digits(number: float) -> int:
    return 0 if abs(number) >= 100 else 1
