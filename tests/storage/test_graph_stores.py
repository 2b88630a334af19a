"""The contract of a graph store, for those that there are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase

from purport.sparql.graph_store import GraphStore, MemoryStore
from purport.storage.oxigraph_disk import DiskStore
from purport.storage.sparql_endpoint import Endpoint
from tests.contracts.graph_store import GraphStoreContract, empty
from tests.storage.virtuoso_server import VirtuosoServer

DEFAULT_GRAPH = "urn:purport:default"


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
