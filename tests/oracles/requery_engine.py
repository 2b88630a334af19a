"""The slow engine: after every update every query is asked again, and answers are compared."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from pyoxigraph import (
    BlankNode,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    Store,
)

from purport.sparql.graph_store import WHOLE, Dataset

Row = frozenset[tuple[str, str]]
Description = tuple[str, ...]

_ROUNDS = 8


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


def renamed(rows: Counter[Row]) -> Counter[Description]:
    """Triples that are the same for two answers that differ in the names of blank nodes alone."""
    named = (dict(one) for one in rows.elements())
    return described((one["subject"], one["predicate"], one["object"]) for one in named)


def canonical(quads: Iterable[Quad]) -> Counter[Description]:
    """Quads that are the same for two stores that differ in the names of blank nodes alone."""
    return described(
        tuple(map(str, (one.subject, one.predicate, one.object, one.graph_name))) for one in quads
    )


def described(facts: Iterable[Description]) -> Counter[Description]:
    """Facts, with a description in the place of the name of each blank node.

    A node is described by the facts that it is in, and in these other nodes by theirs, as far as
    there are nodes. (Where all nodes look the same from everywhere, such as in one ring of six and
    two of three, this tells no difference. A canonical form would, but takes for ever over many
    nodes that are alike.)
    """
    found = list(facts)
    nodes = {term for fact in found for term in fact if term.startswith("_:")}
    colours = dict.fromkeys(nodes, "_:")
    for _ in range(min(len(nodes), _ROUNDS)):
        seen: dict[str, list[str]] = {node: [] for node in nodes}
        for fact in found:
            for place, term in enumerate(fact):
                if term in seen:
                    seen[term].append(f"{place} {[colours.get(one, one) for one in fact]}")
        colours = {
            node: "_:" + sha256("".join(sorted(texts)).encode()).hexdigest()
            for node, texts in seen.items()
        }
    return Counter(tuple(colours.get(term, term) for term in fact) for fact in found)


def take_over(store: Store, quads: Iterable[Quad], graphs: Iterable[NamedNode | BlankNode]) -> None:
    """Let a store hold exactly this, so that blank nodes have the same names on both sides."""
    found, named = list(quads), list(graphs)
    store.clear()
    store.extend(found)
    for graph in named:
        store.add_graph(graph)


def _nodes(iris: Sequence[str] | None) -> list[NamedNode] | None:
    return None if iris is None else [NamedNode(iri) for iri in iris]
