"""A live query: what its answer is, and how that changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import BlankNode, Literal, NamedNode, QueryBoolean, QuerySolutions, QueryTriples
from pyoxigraph import Triple as OxigraphTriple

from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.graph_store import Answer
from purport.sparql.tokens import Kind, tokens_of

Value = NamedNode | BlankNode | Literal | OxigraphTriple
Binding = Mapping[str, Value]  # a variable that is not bound is absent
Row = tuple[Value | None, ...]

ASKED = "answer"  # the one variable of ASK
TRIPLE = ("subject", "predicate", "object")  # those of CONSTRUCT


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """Rows that came and rows that went, as often as they did; nothing is false."""

    added: Counter[Row]
    removed: Counter[Row]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


class StandingQuery:
    """A query whose answer is kept; `advance` asks again, and says what is different.

    Answers are multisets: without DISTINCT, a solution may be there more than once.
    """

    def __init__(self, text: str, ask: Callable[[str], Answer]) -> None:
        self._text, self._ask = text, ask
        first = ask(text)
        self.variables = _variables(text, first)
        self.answer = self._rows(first)

    def advance(self) -> AnswerChange:
        """After an update that may have touched it."""
        now = self._rows(self._ask(self._text))
        change = AnswerChange(now - self.answer, self.answer - now)
        self.answer = now
        return change

    def bindings(self, rows: Counter[Row]) -> list[Binding]:
        """Rows as mappings."""
        return [
            {
                name: value
                for name, value in zip(self.variables, row, strict=True)
                if value is not None
            }
            for row in rows.elements()
        ]

    def _rows(self, answer: Answer) -> Counter[Row]:
        if isinstance(answer, QueryBoolean):
            return Counter([(Literal(bool(answer)),)])
        if isinstance(answer, QueryTriples):
            return Counter({(one.subject, one.predicate, one.object): 1 for one in answer})
        return Counter(tuple(one[name] for name in self.variables) for one in answer)


def _variables(text: str, answer: Answer) -> Sequence[str]:
    """The variables of an answer; of `SELECT *`, in the order in which they first appear."""
    if isinstance(answer, QueryBoolean):
        return (ASKED,)
    if isinstance(answer, QueryTriples):
        return TRIPLE
    assert isinstance(answer, QuerySolutions)
    names = [variable.value for variable in answer.variables]
    tokens = tokens_of(text)
    for place, token in enumerate(tokens):
        if token.is_word("SELECT"):
            after = [
                one
                for one in tokens[place + 1 : place + 3]
                if not one.is_word("DISTINCT", "REDUCED")
            ]
            if not after or not after[0].is_sign("*"):
                return names
            met = (one.text[1:] for one in tokens[place:] if one.kind is Kind.VARIABLE)
            order = {name: number for number, name in enumerate(dict.fromkeys(met))}
            return sorted(names, key=lambda name: order.get(name, len(order)))
    raise SparqlSyntaxError("expected SELECT, ASK, CONSTRUCT or DESCRIBE")
