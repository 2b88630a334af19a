"""The contract of a graph store, for those that there are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase

from purport.assembly import graph_store_at
from purport.errors import InvalidInput
from purport.model.class_expression import Named
from purport.ontology.axioms import SubClass
from purport.sparql.graph_store import GraphStore
from purport.sparql.inferring_store import InferringStore
from purport.sparql.memory_store import MemoryStore
from purport.sparql.ontology_rules import rules_of
from purport.storage.oxigraph_disk import DiskStore
from purport.storage.sparql_endpoint import Endpoint, SparqlEndpoint
from tests.contracts.graph_store import GraphStoreContract, empty
from tests.storage.virtuoso_server import VirtuosoServer
from tests.strategies.told_ontologies import ToldOntology

DEFAULT_GRAPH = "urn:purport:default"
_OF_TYPES = ToldOntology.of(SubClass(Named("urn:A"), Named("urn:B")))  # which no test speaks of


class TestMemoryStore(GraphStoreContract):
    @pytest.fixture
    def store(self) -> GraphStore:
        return MemoryStore()


class TestDiskStore(GraphStoreContract):
    examples = 0.2

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[GraphStore]:
        store = DiskStore(tmp_path / "store")
        yield store
        store.close()


class TestInferringStore(GraphStoreContract):
    @pytest.fixture
    def store(self) -> GraphStore:
        return InferringStore(rules_of(_OF_TYPES))


class TestInferringStoreOverDisk(GraphStoreContract):
    examples = 0.2

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[GraphStore]:
        base = DiskStore(tmp_path / "store")
        yield InferringStore(rules_of(_OF_TYPES), base)
        base.close()


class _EndpointContract(GraphStoreContract):
    addresses_blank_nodes = False
    examples = 0.05
    phases = (Phase.explicit, Phase.reuse, Phase.generate)  # to shrink takes minutes over HTTP


class TestOxigraphEndpoint(_EndpointContract):
    @pytest.fixture
    def store(self, oxigraph: str) -> Iterator[GraphStore]:
        store = Endpoint(oxigraph).build()
        yield store
        empty(store)


class TestOxigraphEndpointWithANameForItsDefaultGraph(_EndpointContract):
    @pytest.fixture
    def store(self, oxigraph: str) -> Iterator[GraphStore]:
        store = Endpoint(oxigraph, default_graph=DEFAULT_GRAPH, most_facts_per_request=100).build()
        yield store
        empty(store)
        empty(Endpoint(oxigraph).build())


class TestVirtuoso(_EndpointContract):
    keeps_empty_graphs = False

    @pytest.fixture
    def store(self, virtuoso: VirtuosoServer) -> Iterator[GraphStore]:
        store = virtuoso.endpoint(DEFAULT_GRAPH).build()
        yield store
        empty(store)


def test_an_address_says_which_store_is_meant(tmp_path: Path, oxigraph: str) -> None:
    assert isinstance(graph_store_at(), MemoryStore)
    assert isinstance(graph_store_at("memory:"), MemoryStore)
    assert isinstance(graph_store_at(str(tmp_path / "one")), DiskStore)
    assert isinstance(graph_store_at(tmp_path / "two"), DiskStore)
    assert isinstance(graph_store_at(oxigraph), SparqlEndpoint)
    with pytest.raises(InvalidInput, match="http"):
        graph_store_at("ftp://somewhere")
