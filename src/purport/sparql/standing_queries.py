"""All live queries of an engine: which of them a change touches, and how their answers change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from purport.errors import PurportError
from purport.sparql.algebra import Construct
from purport.sparql.basic_plan import BasicPlan, BasicShape, ShapedBasic
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore
from purport.sparql.engine_time import asks_for_time
from purport.sparql.graph_store import Answer, Dataset, GraphStore
from purport.sparql.heads import has_own_nodes
from purport.sparql.incremental import NotIncremental, constructed
from purport.sparql.lookup_index import LookupIndex, runs_of
from purport.sparql.operators import Leaf
from purport.sparql.query_template import QueryTemplate
from purport.sparql.row_counts import RowCounts
from purport.sparql.shape import ShapeCache
from purport.sparql.standing_query import AskedQuery, KeptQuery, rows_of, variables_of
from purport.sparql.terms import Fact
from purport.sparql.tokens import closing, tokens_of

Ask = Callable[[str, Dataset], Answer]


@dataclass(slots=True, eq=False)
class SharedQuery:
    """A query that is evaluated once, for all who subscribed to it."""

    number: int  # counted up: the oldest is told first
    key: tuple[str, Dataset]
    query: KeptQuery | AskedQuery
    sequences: dict[str, int] = field(default_factory=dict)  # of the subscriptions


_Leaf = tuple[SharedQuery, int]  # which part of a query
_Plan = BasicPlan[_Leaf]
_Target = tuple[_Plan, int] | SharedQuery  # a pattern of a plan, or a query to be asked again


class StandingQueries:
    """Live queries. `ask` answers a query; with an `executor`, several are asked at a time."""

    def __init__(
        self, store: GraphStore, context: ContextStore, ask: Ask, executor: Executor | None
    ) -> None:
        self._store, self._context, self._ask, self._executor = store, context, ask, executor
        self._templates: ShapeCache[QueryTemplate] = ShapeCache(QueryTemplate.of)
        self._plans: dict[BasicShape, _Plan] = {}
        self._index: LookupIndex[_Target] = LookupIndex()
        self._wide: dict[SharedQuery, None] = {}  # queries that any change may touch
        self._shared: dict[tuple[str, Dataset], SharedQuery] = {}
        self._stale: dict[SharedQuery, None] = {}  # could not be asked when they were touched
        self._next_number = 0

    @property
    def read_texts(self) -> int:
        """How many texts had to be read: those alike but for constants are read once."""
        return self._templates.made

    @property
    def size(self) -> int:
        """How many facts and rows are kept, for joins and by operators."""
        queries = (shared.query for shared in self._shared.values())
        rows = sum(len(q.answer) if isinstance(q, AskedQuery) else q.size for q in queries)
        return self._context.size + rows

    def all(self) -> list[SharedQuery]:
        """All queries, the oldest first."""
        return list(self._shared.values())

    def has(self, text: str, dataset: Dataset) -> bool:
        """Whether a query is told of changes."""
        return (text, dataset) in self._shared

    def begin(self, text: str, dataset: Dataset) -> tuple[SharedQuery, RowCounts]:
        """A query that is told of changes from now on, and its whole answer."""
        shared = self._shared.get((text, dataset))
        if shared is not None:
            return shared, self._whole(shared)
        query = self._query(text, dataset)
        shared = SharedQuery(self._next_number, (text, dataset), query)
        if isinstance(query, KeptQuery):
            rows = query.begin(self._solutions)
            try:
                self._listen(shared, query)
            except BaseException:
                self._unlisten(shared, query)
                raise
        elif query.patterns is None:
            self._wide[shared] = None
        else:
            for pattern in query.patterns:
                self._index.add(shared, pattern)
        self._next_number += 1
        self._shared[shared.key] = shared
        return shared, query.remembered if isinstance(query, AskedQuery) else rows

    def end(self, shared: SharedQuery) -> None:
        """Tell a query nothing more."""
        query = shared.query
        del self._shared[shared.key]
        self._wide.pop(shared, None)
        self._stale.pop(shared, None)
        if isinstance(query, AskedQuery):
            for pattern in query.patterns or ():
                self._index.remove(shared, pattern)
            return
        self._unlisten(shared, query)

    def advance(self, change: Change) -> list[tuple[SharedQuery, RowCounts]]:
        """How answers change with a change that the store has, of the oldest query first."""
        kept: dict[SharedQuery, dict[int, RowCounts]] = {}
        asked = self._stale | self._wide
        removed, added = runs_of(change.removed), runs_of(change.added)
        self._collect(self._index.touched(removed), -1, kept, asked)
        self._context.advance(removed, added)
        self._collect(self._index.touched(added), 1, kept, asked)
        if change.created or change.dropped:
            asked |= self._watching_graphs()
        changes = [(shared, _kept_change(shared, leaves)) for shared, leaves in kept.items()]
        if asked:
            changes += zip(asked, self._asked_changes(asked), strict=True)
        if len(changes) > 1:
            changes.sort(key=_age)
        return [one for one in changes if one[1]]

    # Beginning

    def _query(self, text: str, dataset: Dataset) -> KeptQuery | AskedQuery:
        answer = self._ask(text, dataset)  # the store's parser has the first word
        template, constants = self._templates.get(text)
        if template.variables is None:
            template.variables = variables_of(text, answer)
        try:
            if asks_for_time(text):
                raise NotIncremental("the time, which passes")
            found = template.incremental(constants, dataset)
        except NotIncremental as error:
            rows = rows_of(answer, template.variables)
            return self._asked(template, constants, (text, dataset), rows, str(error))
        return KeptQuery(template.variables, found.operator, found.leaves)

    def _asked(
        self,
        template: QueryTemplate,
        constants: Sequence[str],
        key: tuple[str, Dataset],
        rows: RowCounts,
        reason: str,
    ) -> AskedQuery:
        assert template.variables is not None
        (text, dataset), head, variables = key, None, template.variables
        query = template.read.query if template.read else None
        if isinstance(query, Construct) and has_own_nodes(query.template):
            text = _solutions_text(text)
            answer = self._ask(text, dataset)
            variables = variables_of(text, answer)
            rows = rows_of(answer, variables)
            assert template.read is not None
            head = constructed(Leaf(0, variables), query, template.read.prologue, constants)
            head.advance({0: rows})
        return AskedQuery(
            template.variables,
            lambda: rows_of(self._ask(text, dataset), variables),
            template.patterns(constants, dataset),
            template.sees_graphs,
            reason,
            rows,
            head,
        )

    def _whole(self, shared: SharedQuery) -> RowCounts:
        """The whole answer of a query, as those who subscribed before know it."""
        query = shared.query
        if isinstance(query, KeptQuery) and query.is_stateless:
            return query.begin(self._solutions)
        remembered = query.remembered
        if remembered is not None:
            return remembered
        again = self._query(*shared.key)
        assert isinstance(again, KeptQuery)
        return again.begin(self._solutions)

    def _listen(self, shared: SharedQuery, query: KeptQuery) -> None:
        for number, leaf in enumerate(query.leaves):
            plan = self._plans.get(leaf.shape)
            if plan is None:
                plan = self._plans[leaf.shape] = BasicPlan(leaf.shape, self._context)
            if plan.subscribe(leaf, (shared, number)):
                for place, target in enumerate(plan.targets):
                    self._index.add(target, leaf.lookup(place))

    def _unlisten(self, shared: SharedQuery, query: KeptQuery) -> None:
        for number, leaf in enumerate(query.leaves):
            plan, who = self._plans.get(leaf.shape), (shared, number)
            if plan is None:
                continue
            if plan.tells(leaf, who) and plan.unsubscribe(leaf, who):
                for place, target in enumerate(plan.targets):
                    self._index.remove(target, leaf.lookup(place))
            if not plan.is_used:
                del self._plans[leaf.shape]

    def _solutions(self, leaf: ShapedBasic) -> RowCounts:
        """The solutions of triple patterns as they are now."""
        return rows_of(self._store.query(leaf.text()), leaf.shape.variables)

    # Advancing

    def _collect(
        self,
        touched: dict[_Target, list[Fact]],
        sign: int,
        kept: dict[SharedQuery, dict[int, RowCounts]],
        asked: dict[SharedQuery, None],
    ) -> None:
        """Find the solutions through facts that came or went, and whom they concern."""
        by_plan: dict[_Plan, list[tuple[int, Iterable[Fact]]]] = {}
        for target, facts in touched.items():
            if isinstance(target, SharedQuery):
                asked[target] = None
                continue
            plan, place = target
            if plan in by_plan:
                by_plan[plan].append((place, facts))
            else:
                by_plan[plan] = [(place, facts)]
        for plan, places in by_plan.items():
            for leaves, row in plan.solutions(places):
                for shared, number in leaves:
                    rows = kept.setdefault(shared, {}).setdefault(number, {})
                    rows[row] = rows.get(row, 0) + sign

    def _asked_changes(self, asked: Iterable[SharedQuery]) -> list[RowCounts]:
        """How the answers of queries changed that are asked again; those that cannot be wait."""
        if self._executor is None:
            return [self._asked_change(shared) for shared in asked]
        return list(self._executor.map(self._asked_change, asked))

    def _asked_change(self, shared: SharedQuery) -> RowCounts:
        assert isinstance(shared.query, AskedQuery)
        try:
            change = shared.query.advance()
        except PurportError:
            self._stale[shared] = None
            return {}
        self._stale.pop(shared, None)
        return change

    def _watching_graphs(self) -> dict[SharedQuery, None]:
        return {
            shared: None
            for shared in self._shared.values()
            if isinstance(shared.query, AskedQuery) and shared.query.sees_graphs
        }


def _kept_change(shared: SharedQuery, leaves: dict[int, RowCounts]) -> RowCounts:
    assert isinstance(shared.query, KeptQuery)
    return shared.query.advance(leaves)


def _solutions_text(text: str) -> str:
    """A CONSTRUCT as a SELECT of all variables, over the same pattern."""
    tokens = tokens_of(text)
    place = next(n for n, token in enumerate(tokens) if token.is_word("CONSTRUCT"))
    end = place
    if tokens[place + 1].is_sign("{"):
        end = closing(tokens, place + 1)
    return f"{text[: tokens[place].start]}SELECT * {text[tokens[end].end :]}"


def _age(change: tuple[SharedQuery, RowCounts]) -> int:
    return change[0].number
