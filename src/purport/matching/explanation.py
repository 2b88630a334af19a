"""Why an event matches: every similarity, the mapping that was chosen, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import msgspec

from purport.matching.plan import SubscriptionPlan
from purport.model.event import Event
from purport.model.language.write import write, write_predicate
from purport.model.term import printable
from purport.relatedness.explanation import esa_of

EXACT = "exact"
_RUNNERS_UP = 3
_CONCEPTS = 3
_CELL, _LABEL, _TOP, _LINE = 64, 250, 46, 30


@dataclass(frozen=True, slots=True)
class SideScore:
    """How one side of a correspondence scored, by which measure, through which concepts."""

    side: str
    measure: str
    score: float
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainedPair:
    """A predicate, the statement chosen for it, and what their similarity is the product of."""

    predicate: str
    statement: str
    similarity: float
    sides: tuple[SideScore, ...]


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """A mapping that was nearly as good."""

    probability: float
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """Everything that the matcher saw of one event and one subscription."""

    subscription: str
    probability: float
    statements: tuple[str, ...]
    similarities: tuple[tuple[float, ...], ...]
    chosen: tuple[int, ...]
    pairs: tuple[ExplainedPair, ...]
    runners_up: tuple[RunnerUp, ...]

    def text(self) -> str:
        """For people: the chosen pairs with their sides, then the mappings that came next."""
        lines = []
        for pair in self.pairs:
            lines.append(f"  {pair.predicate}  <->  {pair.statement}  ({pair.similarity:.2f})")
            for side in pair.sides:
                if side.measure == EXACT:
                    continue
                because = f": {'; '.join(side.concepts)}" if side.concepts else ""
                lines.append(f"    {side.side} {side.score:.2f} by {side.measure}{because}")
        lines += [
            f"  or {other.probability:.2f}: {', '.join(other.statements)}"
            for other in self.runners_up
        ]
        return "\n".join(lines)

    def json(self) -> str:
        """For programs."""
        return msgspec.json.encode(self).decode()

    def svg(self) -> str:
        """A small picture: predicates by statements, the darker the nearer, the chosen framed."""
        rows, columns = len(self.pairs), len(self.statements)
        width, height = max(520, _LABEL + _CELL * columns + 20), _TOP + _LINE * rows + 120
        title = f"{self.probability:.2f} · {_short(self.subscription, width // 8)}"
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            f'<text x="10" y="22" font-size="14">{escape(title)}</text>',
        ]
        for row, pair in enumerate(self.pairs):
            middle = _TOP + _LINE * row + _LINE / 2 + 4
            label = escape(_short(pair.predicate, 34))
            parts.append(f'<text x="{_LABEL - 8}" y="{middle}" text-anchor="end">{label}</text>')
            for column, score in enumerate(self.similarities[row]):
                parts += _cell(row, column, score, self.chosen[row] == column)
        for column, statement in enumerate(self.statements):
            x, y = _LABEL + _CELL * column + _CELL / 2, _TOP + _LINE * rows + 14
            label = escape(_short(statement, 22))
            parts.append(
                f'<text x="{x}" y="{y}" text-anchor="end" transform="rotate(-35 {x} {y})">'
                f"{label}</text>"
            )
        return "\n".join([*parts, "</svg>"])


def explain_match(plan: SubscriptionPlan, event: Event) -> MatchExplanation | None:
    """What the matcher sees of an event under a plan; None if there is no mapping at all."""
    mappings = plan.vectors(event, 1 + _RUNNERS_UP)
    if not mappings:
        return None
    similarities, _ = plan.similarities(event)
    statements = tuple(printable(str(one)) for one in event.statements)
    best, *others = mappings
    return MatchExplanation(
        printable(write(plan.subscription)),
        best.probability,
        statements,
        tuple(tuple(round(float(score), 6) for score in row) for row in similarities),
        best.vector,
        tuple(
            ExplainedPair(
                printable(write_predicate(predicate)),
                statements[column],
                float(similarities[row, column]),
                _sides(plan, event, row, column),
            )
            for row, (predicate, column) in enumerate(
                zip(plan.subscription.predicates, best.vector, strict=True)
            )
        ),
        tuple(
            RunnerUp(other.probability, tuple(statements[column] for column in other.vector))
            for other in others
        ),
    )


def _sides(plan: SubscriptionPlan, event: Event, row: int, column: int) -> tuple[SideScore, ...]:
    return tuple(
        SideScore(
            side.name,
            side.measure_name,
            float(side.scores[column]),
            side.reasons[column : column + 1]
            or _concepts(side.measure, side.asked, side.told[column]),
        )
        for side in plan.lines[row].sides(event)
    )


def _concepts(measure: object, asked: Sequence[str], told: str) -> tuple[str, ...]:
    """The concepts that make an approximate side near, where the measure rests on concepts."""
    esa = esa_of(measure)
    if esa is None:
        return ()
    found = [one for text in asked for one in esa.shared_concepts(text, told, _CONCEPTS)]
    found.sort(key=lambda one: -one.share)
    return tuple(dict.fromkeys(one.title for one in found[:_CONCEPTS]))


def _cell(row: int, column: int, score: float, is_chosen: bool) -> list[str]:
    x, y = _LABEL + _CELL * column, _TOP + _LINE * row
    shade = round(255 - 175 * score)
    frame = ' stroke="#0f766e" stroke-width="3"' if is_chosen else ' stroke="#e2e8f0"'
    ink = "white" if score > 0.7 else "#1f2a37"
    return [
        f'<rect x="{x + 2}" y="{y + 2}" width="{_CELL - 4}" height="{_LINE - 4}" '
        f'fill="rgb({shade},{min(255, shade + 45)},255)"{frame}/>',
        f'<text x="{x + _CELL / 2}" y="{y + _LINE / 2 + 4}" text-anchor="middle" fill="{ink}">'
        f"{score:.2f}</text>",
    ]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
