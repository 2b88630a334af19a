"""Whatever a query or an update says, it reads and changes no graphs but those that are found."""

from collections import Counter

from hypothesis import given, settings
from pyoxigraph import DefaultGraph, NamedNode, Store

from purport.broker.access import EVERY_GRAPH
from purport.broker.asked import Query
from purport.broker.graph import DEFAULT, graph_names
from purport.broker.graph_access import graphs_of_update, graphs_read
from purport.errors import InvalidInput
from purport.sparql import Engine
from purport.sparql.graph_store import OxigraphStore
from purport.sparql.standing_query import rows_of, variables_of
from tests.strategies.sparql import Case, Comparison, cases

FEWER = settings(max_examples=max(20, settings().max_examples // 5))


def answer(store: Store, query: Query) -> Counter[object] | str:
    try:
        found = OxigraphStore(store).query(query.text, query.dataset)
        return Counter(rows_of(found, variables_of(query.text, found)))
    except InvalidInput as error:
        return str(error)


def without_others(whole: Store, graphs: frozenset[str]) -> Store:
    """A store with some of the graphs of another one."""
    store = Store()
    for graph in whole.named_graphs():
        store.add_graph(graph)
    store.extend(list(whole))
    for graph in list(store.named_graphs()):
        if isinstance(graph, NamedNode) and graph.value not in graphs:
            store.remove_graph(graph)
    if DEFAULT not in graphs:
        store.clear_graph(DefaultGraph())
    return store


@FEWER
@given(cases)
def test_graphs_that_a_query_does_not_read_make_no_difference_to_it(case: Case) -> None:
    for one in case.subscribed:
        query = Query(one.query.text, one.query.dataset)
        graphs = graphs_read(query)
        if one.query.comparison is Comparison.EXACT and EVERY_GRAPH not in graphs:
            whole = Store()
            whole.update(case.graph)
            assert answer(without_others(whole, graphs), query) == answer(whole, query)


@FEWER
@given(cases)
def test_an_update_changes_no_graphs_but_those_it_names(case: Case) -> None:
    engine = Engine()
    engine.update(case.graph)
    for text in case.updates:
        graphs = graphs_of_update(text)
        try:
            change = engine.change_of(text)
        except InvalidInput:
            continue
        assert EVERY_GRAPH in graphs or graph_names(change) <= graphs
        engine.apply(change)
