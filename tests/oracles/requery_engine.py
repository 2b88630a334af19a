"""The slow engine: after every update every query is asked again, and answers are compared."""

from collections import Counter
from collections.abc import Mapping

from pyoxigraph import QueryBoolean, QuerySolutions, QueryTriples, Store

Row = frozenset[tuple[str, str]]


def answer(store: Store, text: str) -> Counter[Row]:
    """The answer to a query, as a multiset of bindings."""
    found = store.query(text)
    if isinstance(found, QueryBoolean):
        return Counter([frozenset({("answer", str(bool(found)).lower())})])
    if isinstance(found, QueryTriples):
        names = ("subject", "predicate", "object")
        rows = {
            tuple(zip(names, map(str, (t.subject, t.predicate, t.object)), strict=True))
            for t in found
        }
        return Counter(map(frozenset, rows))
    assert isinstance(found, QuerySolutions)
    variables = [one.value for one in found.variables]
    return Counter(
        frozenset((name, str(one[name])) for name in variables if one[name] is not None)
        for one in found
    )


def difference(before: Counter[Row], after: Counter[Row]) -> tuple[Counter[Row], Counter[Row]]:
    """What came and what went."""
    return after - before, before - after


def row(binding: Mapping[str, object]) -> Row:
    """A binding, to be compared."""
    return frozenset(
        (name, getattr(value, "value", str(value)) if name == "answer" else str(value))
        for name, value in binding.items()
    )
