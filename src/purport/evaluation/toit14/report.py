"""The outcomes of many runs beside the published figures: as a table, and as curves to draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from purport.evaluation.toit14.experiment import Approximate, Outcome, Rewriting
from purport.evaluation.toit14.thesaurus import ThesaurusChoice
from purport.plots import Curve, Mark


class Contender(StrEnum):
    """Who is compared."""

    OURS = "ours"
    COMPETING = "ours, terms competing"
    REWRITING = "rewriting"
    UNBOUNDED = "rewriting without a bound"


@dataclass(frozen=True, slots=True)
class PublishedF1:
    """What the paper gives for one of its matchers at a degree of approximation, in percent."""

    contender: Contender
    degree: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g}-{self.high:g}"


# Figures 10 and 12 of TOIT'14, and the text of sections 6.4.3 and 6.4.4.
PUBLISHED = (
    PublishedF1(Contender.OURS, 0.5, 94, 97),
    PublishedF1(Contender.OURS, 0.9, 90, 100),
    PublishedF1(Contender.OURS, 1.0, 40, 40),
    PublishedF1(Contender.REWRITING, 0.5, 89, 92),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a contender did at a degree of approximation, over all seeds, in percent."""

    contender: Contender
    degree: float
    f1: tuple[float, ...]
    f1_at_threshold: float
    rules: float
    rules_needed: float
    expansion: str = ""

    @property
    def mean(self) -> float:
        """The mean F1 of the seeds."""
        return fmean(self.f1)

    @property
    def rule_text(self) -> str:
        """How many rules there were, and how many there would be without a bound."""
        if self.contender is Contender.UNBOUNDED:
            return f"{self.rules_needed:.2g} in principle"
        if round(self.rules) < round(self.rules_needed):
            return f"{self.rules:,.0f} of {self.rules_needed:.2g}"
        return f"{self.rules:,.0f}"


def standings(outcomes: Sequence[Outcome], choice: ThesaurusChoice) -> list[Standing]:
    """Who stands where, degree by degree; of the rewritings the best, by its mean F1."""
    here = [one for one in outcomes if one.cell.thesaurus == choice]
    degrees = dict.fromkeys(one.cell.degree for one in here)
    return [
        max(some, key=lambda one: one.mean)
        for degree in degrees
        for contender in Contender
        if (some := list(_candidates([o for o in here if o.cell.degree == degree], contender)))
    ]


def table(choice: ThesaurusChoice, standing: Sequence[Standing]) -> str:
    """The standings as text, with a word where the bound on rules was met."""
    lines = [
        str(choice),
        f"degree  {'matcher':<27}  {'F1':>7}  {'(seeds)':<16}  at 0.5  {'rules':<20}  published",
    ]
    last = -1.0
    for one in standing:
        name = "" if one.degree == last else f"{one.degree:.0%}"
        last = one.degree
        spread = f"({min(one.f1):.1f} to {max(one.f1):.1f})"
        lines.append(
            f"{name:>6}  {one.contender:<27}  {one.mean:7.1f}  {spread:<16}  "
            f"{one.f1_at_threshold:6.1f}  {one.rule_text:<20}  {_published(one)}"
        )
        if one.expansion:
            lines.append(f"{'':6}    by {one.expansion}")
    if any(one.contender is Contender.REWRITING and " of " in one.rule_text for one in standing):
        lines.append("The bound on rules was met: 'a of b' is what was listed of all there are.")
    return "\n".join(lines) + "\n"


def curves(standing: Sequence[Standing]) -> list[Curve]:
    """A curve for each contender, over degrees in percent."""
    found = []
    for contender in Contender:
        some = sorted((s for s in standing if s.contender is contender), key=lambda s: s.degree)
        if some:
            found.append(
                Curve(
                    str(contender),
                    tuple(100 * one.degree for one in some),
                    tuple(one.mean for one in some),
                    tuple(min(one.f1) for one in some),
                    tuple(max(one.f1) for one in some),
                )
            )
    return found


def marks() -> list[Mark]:
    """The published figures, as they are drawn."""
    names = {Contender.OURS: "TOIT'14, its matcher", Contender.REWRITING: "TOIT'14, rewriting"}
    return [
        Mark(names[one.contender], str(one.contender), 100 * one.degree, one.low, one.high)
        for one in PUBLISHED
    ]


def _candidates(outcomes: Sequence[Outcome], contender: Contender) -> Iterator[Standing]:
    """A contender's standing with each of its expansions."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        who, expansion = _who(outcome)
        if who is contender:
            found.setdefault(expansion, []).append(outcome)
    for expansion, some in found.items():
        yield Standing(
            contender,
            some[0].cell.degree,
            tuple(100 * one.f1 for one in some),
            100 * fmean(one.f1_at_threshold for one in some),
            fmean(one.rules for one in some),
            fmean(one.rules_needed for one in some),
            expansion,
        )


def _who(outcome: Outcome) -> tuple[Contender, str]:
    match outcome.cell.matcher:
        case Approximate(_, competition):
            return (Contender.COMPETING if competition else Contender.OURS), ""
        case Rewriting(expansion, most_rules):
            who = Contender.UNBOUNDED if most_rules is None else Contender.REWRITING
            return who, ", ".join(expansion)


def _published(standing: Standing) -> str:
    told = [
        str(one)
        for one in PUBLISHED
        if one.contender is standing.contender and one.degree == standing.degree
    ]
    return told[0] if told else "-"
