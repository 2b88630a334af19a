"""The slow engine: after every update every query is asked again, and answers are compared."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    parse,
)
from pyoxigraph import Dataset as Quads

from purport.sparql.graph_store import WHOLE, Dataset

Row = frozenset[tuple[str, str]]


def answer(store: Store, text: str, dataset: Dataset = WHOLE) -> Counter[Row]:
    """The answer to a query, as a multiset of bindings."""
    found = store.query(
        text,
        default_graph=_nodes(dataset.default_graphs),  # type: ignore[arg-type]
        named_graphs=_nodes(dataset.named_graphs),  # type: ignore[arg-type]
    )
    if isinstance(found, QueryBoolean):
        return Counter([frozenset({("answer", str(bool(found)).lower())})])
    if isinstance(found, QueryTriples):
        names = ("subject", "predicate", "object")
        kept = Store()  # which writes 01 as 1; pyoxigraph leaves what a template says as it is
        kept.extend(Quad(one.subject, one.predicate, one.object) for one in found)
        return Counter(
            frozenset(zip(names, map(str, (one.subject, one.predicate, one.object)), strict=True))
            for one in kept
        )
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


def renamed(rows: Counter[Row]) -> Counter[str]:
    """Triples that are the same for two answers that differ in the names of blank nodes alone."""
    lines = (
        "{} {} {} .\n".format(*(dict(one)[name] for name in ("subject", "predicate", "object")))
        for one in rows.elements()
    )
    quads = list(parse("".join(lines), format=RdfFormat.N_TRIPLES))
    assert len(quads) == rows.total()
    return Counter(map(str, canonical(quads)))


def canonical(quads: Iterable[Quad]) -> set[Quad]:
    """Quads whose blank nodes have names that depend on nothing but what is said of them."""
    found = Quads(quads)
    found.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return set(found)


def take_over(store: Store, quads: Iterable[Quad], graphs: Iterable[NamedNode | BlankNode]) -> None:
    """Let a store hold exactly this, so that blank nodes have the same names on both sides."""
    found, named = list(quads), list(graphs)
    store.clear()
    store.extend(found)
    for graph in named:
        store.add_graph(graph)


def _nodes(iris: Sequence[str] | None) -> list[NamedNode] | None:
    return None if iris is None else [NamedNode(iri) for iri in iris]
