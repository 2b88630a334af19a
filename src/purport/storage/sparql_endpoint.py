"""A store behind a SPARQL 1.1 endpoint: everything is asked for, and changed, over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import BlankNode, NamedNode, QuerySolutions

from purport.errors import InvalidInput
from purport.sparql.change import Change
from purport.sparql.diagnosis import require_query
from purport.sparql.errors import (
    EndpointFailed,
    EndpointRefused,
    NotAddressable,
    StoreFailed,
)
from purport.sparql.graph_store import WHOLE, Answer, Dataset
from purport.sparql.terms import DEFAULT, Fact, Graph, Subject, Term, can_be_said, has_blank_node
from purport.sparql.tokens import Kind, after_prologue, tokens_of
from purport.storage.endpoint_texts import (
    held,
    in_all_graphs,
    in_graph,
    in_named_graphs,
    matched,
    update_texts,
)
from purport.storage.kept_literals import KeptLiterals
from purport.storage.sparql_answers import answer_of_results, answer_of_triples
from purport.storage.sparql_protocol import Parameters, SparqlService

_FACTS_ASKED_FOR = 200  # in one query: it takes some endpoints time with the square of their number
_RESULTS = "application/sparql-results+json"
_TRIPLES = "application/n-triples, text/turtle;q=0.5"
_NOWHERE = "urn:purport:nowhere"  # a graph that is not there, for datasets without graphs
_GRAPHS = "SELECT DISTINCT ?g WHERE { { GRAPH ?g {} } UNION { GRAPH ?g { ?s ?p ?o } } }"
_BAD_REQUEST = 400


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an endpoint is, and what is to be known about it.

    `default_graph` is the named graph that stands for the default graph, where an endpoint has no
    default graph of its own (Virtuoso's is all graphs together). `hidden_graphs` are left alone:
    they are not listed, and not found. `most_facts_per_request` is for endpoints that cannot read
    long updates: longer ones go in several requests, which others may see the middle of.
    """

    query_url: str
    update_url: str | None = None  # the same
    default_graph: str | None = None
    hidden_graphs: frozenset[str] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float = 30.0
    most_facts_per_request: int | None = None
    checks_literals: bool = True

    def __post_init__(self) -> None:
        if self.timeout_seconds <= 0:
            raise InvalidInput(f"a timeout is longer than 0 s, got {self.timeout_seconds}")
        if self.most_facts_per_request is not None and self.most_facts_per_request < 1:
            raise InvalidInput(f"expected 1 fact or more, got {self.most_facts_per_request}")
        for graph in (self.default_graph, *self.hidden_graphs):
            if graph is not None:
                _node(graph)

    def build(self) -> SparqlEndpoint:
        """The store there."""
        return SparqlEndpoint(self)


class SparqlEndpoint:
    """A store behind an endpoint; what others change there is seen by those who ask for it.

    A change is one request, and as whole as the endpoint's requests are. After an error other than
    `EndpointRefused` it is not known whether it was made: making it again is harmless.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._default = None if endpoint.default_graph is None else _node(endpoint.default_graph)
        self._hidden = frozenset(map(_node, endpoint.hidden_graphs))
        self._queries = self._service(endpoint.query_url)
        self._updates = self._service(endpoint.update_url or endpoint.query_url)
        self._literals = KeptLiterals(self._updates.updated, self._rows)

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        """The answer to a query, all of it: there is nothing more to wait for."""
        tokens = tokens_of(text)
        words = {token.text.upper() for token in tokens if token.kind is Kind.WORD}
        start = after_prologue(tokens)
        has_triples = start < len(tokens) and tokens[start].is_word("CONSTRUCT", "DESCRIBE")
        parameters = self._parameters(dataset, words)
        try:
            if has_triples:
                return self._triples(text, parameters)
            return self._results(text, parameters)
        except EndpointRefused as error:
            if error.status == _BAD_REQUEST:
                require_query(text)
            raise

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        if self._is_out_of_sight(graph) or not can_be_said(subject, predicate, graph):
            return
        terms = (subject, predicate, value, graph)
        if any(isinstance(term, BlankNode) for term in terms):
            raise NotAddressable(_blank_nodes("asked for", self._queries.url))
        for row in self._rows(matched(subject, predicate, value, self._where(graph))):
            found = row["g"] if graph is None else graph
            yield (
                subject or row["s"],
                predicate or row["p"],
                row["o"] if value is None else value,
                DEFAULT if found is None or found == self._default else found,
            )

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        if any(map(has_blank_node, facts)):
            raise NotAddressable(_blank_nodes("asked for", self._queries.url))
        found: set[Fact] = set()
        for some in _batches([f for f in facts if not self._is_out_of_sight(f[3])]):
            placed = [(*fact[:3], self._place(fact[3])) for fact in some]
            for row in self._rows(held(placed)):
                found.add(some[int(row["n"].value)])
        return found

    def named_graphs(self) -> Collection[NamedNode]:
        """The named graphs; an endpoint may keep empty ones or not."""
        found = (row["g"] for row in self._rows(_GRAPHS))
        graphs = {graph for graph in found if isinstance(graph, NamedNode)}
        return graphs - self._hidden - {self._default}

    def apply(self, change: Change) -> None:
        self._require_addressable(change)
        change = self._placed(change)
        if self._endpoint.checks_literals:
            self._literals.require({fact[2] for fact in change.added})
        texts = list(update_texts(change, self._endpoint.most_facts_per_request))
        try:
            for text in texts:
                self._updates.updated(text)
        except EndpointFailed as error:
            if len(texts) > 1:
                self._take_back(change, error)
            raise

    def _take_back(self, change: Change, because: EndpointFailed) -> None:
        try:
            for text in update_texts(change.undone(), self._endpoint.most_facts_per_request):
                self._updates.updated(text)
        except EndpointFailed as error:
            raise StoreFailed(
                f"{because}; a part of the change was made, and is still there: {error}"
            ) from None

    def _service(self, url: str) -> SparqlService:
        endpoint = self._endpoint
        return SparqlService(
            url, timeout_seconds=endpoint.timeout_seconds, headers=endpoint.headers
        )

    def _results(self, text: str, parameters: Parameters) -> Answer:
        data, _ = self._queries.asked(text, parameters, _RESULTS)
        try:
            return answer_of_results(data)
        except ValueError as error:
            raise self._queries.nonsense(error) from None

    def _triples(self, text: str, parameters: Parameters) -> Answer:
        data, content_type = self._queries.asked(text, parameters, _TRIPLES)
        try:
            return answer_of_triples(data, content_type)
        except ValueError as error:
            raise self._queries.nonsense(error) from None

    def _rows(self, text: str) -> QuerySolutions:
        """The solutions of a query of our own, over all graphs."""
        answer = self._results(text, ())
        if not isinstance(answer, QuerySolutions):
            raise self._queries.nonsense("a boolean, where solutions were asked for")
        return answer

    def _parameters(self, dataset: Dataset, words: Collection[str]) -> Parameters:
        """The dataset of a query, as the protocol says it; nothing if it is the endpoint's own."""
        default, named = dataset.default_graphs, dataset.named_graphs
        if default is None and named is None and (self._default is None or "FROM" in words):
            return ()
        if default is None:
            if self._default is None:
                raise InvalidInput(
                    f"the endpoint {self._queries.url} has no name for its default graph: name the "
                    "default graphs of the query, or give the endpoint a default_graph"
                )
            default = (self._default.value,)
        if named is None:
            named = tuple(one.value for one in self.named_graphs()) if "GRAPH" in words else ()
        if not named and self._default is not None and "GRAPH" in words:
            named = (_NOWHERE,)  # or Virtuoso would take all of its graphs
        return [
            *(("default-graph-uri", iri) for iri in default or (_NOWHERE,)),
            *(("named-graph-uri", iri) for iri in named),
        ]

    def _is_out_of_sight(self, graph: Graph | None) -> bool:
        return graph is not None and (graph in self._hidden or graph == self._default)

    def _place(self, graph: Graph) -> Graph:
        """Where the facts of a graph are at the endpoint."""
        return self._default if graph == DEFAULT and self._default is not None else graph

    def _where(self, graph: Graph | None) -> str:
        if graph is not None:
            return in_graph(self._place(graph))
        return (in_all_graphs if self._default is None else in_named_graphs)(self._hidden)

    def _placed(self, change: Change) -> Change:
        if self._default is None:
            return change
        added, removed = (
            frozenset((*fact[:3], self._place(fact[3])) for fact in facts)
            for facts in (change.added, change.removed)
        )
        return Change(added, removed, change.created, change.dropped)

    def _require_addressable(self, change: Change) -> None:
        facts = (*change.added, *change.removed)
        if any(map(has_blank_node, facts)):
            raise NotAddressable(_blank_nodes("changed", self._updates.url))
        graphs = {fact[3] for fact in facts} | change.created | change.dropped
        for graph in graphs:
            if self._is_out_of_sight(graph):
                raise NotAddressable(
                    f"the graph {graph} of the endpoint {self._updates.url} is left alone: it is "
                    "hidden, or stands for the default graph"
                )


def _node(iri: str) -> NamedNode:
    try:
        return NamedNode(iri)
    except ValueError as error:
        raise InvalidInput(f"{iri!r} is no IRI of a graph: {error}") from None


def _batches(facts: Sequence[Fact]) -> Iterator[Sequence[Fact]]:
    for start in range(0, len(facts), _FACTS_ASKED_FOR):
        yield facts[start : start + _FACTS_ASKED_FOR]


def _blank_nodes(what: str, url: str) -> str:
    return (
        f"blank nodes cannot be {what} at the endpoint {url}: over HTTP their labels hold for one "
        "answer only; give the nodes IRIs"
    )
