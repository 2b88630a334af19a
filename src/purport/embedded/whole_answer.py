"""The answer that whoever subscribes to a query is told first, found before anybody subscribes."""

from __future__ import annotations

from collections.abc import Callable

from pyoxigraph import Literal, QueryBoolean, QueryTriples

from purport.broker.asked import Query
from purport.errors import InvalidInput
from purport.model.notification import AnswerChange
from purport.sparql.graph_store import Answer
from purport.sparql.row_counts import Row
from purport.sparql.standing_query import bindings_of, variables_of
from purport.sparql.terms import as_kept

GoOn = Callable[[], None]  # is called now and then, and raises what is wrong if it is to end
MOST_SOLUTIONS = 100_000  # that are kept in memory for whoever only wants to see


def for_ever() -> None:
    """It need not end."""


def whole_answer(query: Query, answer: Answer, go_on: GoOn) -> AnswerChange:
    """An answer as it is told; `InvalidInput` if it has too many solutions to be looked at."""
    variables = variables_of(query.text, answer)
    rows: dict[Row, int] = {}
    if isinstance(answer, QueryBoolean):
        rows[(Literal(bool(answer)),)] = 1
    elif isinstance(answer, QueryTriples):
        for triple in answer:
            _require_few(rows, go_on)
            rows[triple.subject, triple.predicate, as_kept(triple.object)] = 1
    else:
        for one in answer:
            _require_few(rows, go_on)
            row = tuple([one[name] for name in variables])
            rows[row] = rows.get(row, 0) + 1
    whole, _ = bindings_of(variables, rows)
    return AnswerChange(whole, (), is_whole=True, variables=variables)


def require_answerable(answer: Answer, go_on: GoOn) -> None:
    """Take all of an answer, and keep none of it."""
    go_on()
    if not isinstance(answer, QueryBoolean):
        for _ in answer:
            go_on()


def _require_few(rows: dict[Row, int], go_on: GoOn) -> None:
    go_on()
    if len(rows) > MOST_SOLUTIONS:
        raise InvalidInput(f"the answer has more than {MOST_SOLUTIONS:,} solutions: ask for less")
