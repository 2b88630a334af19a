"""A live query: how its answer changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, QueryBoolean, QueryTriples

from purport.sparql.basic_plan import ShapedBasic
from purport.sparql.errors import TooManyRows
from purport.sparql.graph_store import Answer
from purport.sparql.heads import ASKED, TRIPLE, remembered
from purport.sparql.lookup_index import FactPattern
from purport.sparql.operators import Changes, Operator
from purport.sparql.row_counts import Row, RowCounts, count
from purport.sparql.row_limit import most_rows
from purport.sparql.terms import Term, as_kept
from purport.sparql.tokens import Kind, tokens_of

Binding = Mapping[str, Term]  # a variable that is not bound is absent


@dataclass(slots=True, eq=False)
class KeptQuery:
    """A query whose answer is kept up to date from what changes, and never asked for again."""

    variables: tuple[str, ...]
    operator: Operator
    leaves: tuple[ShapedBasic, ...]

    @property
    def size(self) -> int:
        """How many rows it remembers."""
        return self.operator.size

    @property
    def remembered(self) -> RowCounts | None:
        """The whole answer, if it is remembered."""
        return remembered(self.operator)

    @property
    def is_stateless(self) -> bool:
        """Whether it remembers nothing, so that it can begin as often as one likes."""
        return self.operator.is_stateless

    def begin(self, rows: Callable[[ShapedBasic], RowCounts]) -> RowCounts:
        """Take up what there is; `rows` are the solutions of its triple patterns.

        Gives the whole answer.
        """
        return self.operator.advance(
            {number: rows(leaf) for number, leaf in enumerate(self.leaves)}
        )

    def advance(self, changes: Changes) -> RowCounts:
        """How its answer changes when the solutions of its triple patterns do."""
        return self.operator.advance(changes)


@dataclass(slots=True, eq=False)
class AskedQuery:
    """A query that is asked again whenever a change may touch it, and why it is not kept.

    If its answer has nodes without names, which would be others each time, `head` makes it out of
    solutions, and those are asked for.
    """

    variables: tuple[str, ...]
    ask: Callable[[], RowCounts]
    patterns: frozenset[FactPattern] | None  # None: any change may touch it
    sees_graphs: bool  # empty graphs matter to it
    reason: str
    answer: RowCounts
    head: Operator | None = None

    @property
    def remembered(self) -> RowCounts:
        """The whole answer, as it was when it was last asked for."""
        found = None if self.head is None else remembered(self.head)
        return self.answer if found is None else found

    def advance(self) -> RowCounts:
        """After a change that may have touched it: how its answer is different."""
        before, self.answer = self.answer, self.ask()
        change = dict(self.answer)
        for row, times in before.items():
            count(change, row, -times)
        return change if self.head is None else self.head.advance({0: change})


def bindings_of(variables: Sequence[str], rows: RowCounts) -> tuple[list[Binding], list[Binding]]:
    """A change of rows as mappings: those that came, and those that went."""
    came: list[Binding] = []
    went: list[Binding] = []
    for row, times in rows.items():
        binding = {
            name: term for name, term in zip(variables, row, strict=True) if term is not None
        }
        (came if times > 0 else went).extend([binding] * abs(times))
    return came, went


def rows_of(answer: Answer, variables: Sequence[str]) -> RowCounts:
    """An answer as a multiset of rows."""
    if isinstance(answer, QueryBoolean):
        return {(Literal(bool(answer)),): 1}
    if isinstance(answer, QueryTriples):
        return {(one.subject, one.predicate, as_kept(one.object)): 1 for one in answer}
    found: RowCounts = {}
    most = most_rows()
    for one in answer:
        if most is not None and len(found) >= most:
            raise TooManyRows(most)
        row: Row = tuple([one[name] for name in variables])
        found[row] = found.get(row, 0) + 1
    return found


def variables_of(text: str, answer: Answer) -> tuple[str, ...]:
    """The variables of an answer; of `SELECT *`, in the order in which they first appear."""
    if isinstance(answer, QueryBoolean):
        return ASKED
    if isinstance(answer, QueryTriples):
        return TRIPLE
    names = tuple(variable.value for variable in answer.variables)
    tokens = tokens_of(text)
    place = next((n for n, token in enumerate(tokens) if token.is_word("SELECT")), 0)
    after = [one for one in tokens[place + 1 : place + 3] if not one.is_word("DISTINCT", "REDUCED")]
    if not after or not after[0].is_sign("*"):
        return names
    met = (one.text[1:] for one in tokens[place:] if one.kind is Kind.VARIABLE)
    order = {name: number for number, name in enumerate(dict.fromkeys(met))}
    return tuple(sorted(names, key=lambda name: order.get(name, len(order))))
