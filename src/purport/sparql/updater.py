"""Runs updates: what they change is found, and then made, all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from purport.sparql.change import NO_CHANGE, Change
from purport.sparql.context_store import ContextStore
from purport.sparql.diagnosis import missing_names, require_update
from purport.sparql.engine_time import asks_for_time, at_time
from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.graph_store import GraphStore
from purport.sparql.inferring_store import InferringStore
from purport.sparql.modesty import require_modest
from purport.sparql.operation_changes import OperationChanges
from purport.sparql.overlay import NeedsQuery, Overlay
from purport.sparql.services import may_load, refuse_services
from purport.sparql.shape import ShapeCache, Shaped
from purport.sparql.token_reader import NotRead
from purport.sparql.update_plan import UpdatePlan, update_plan
from purport.sparql.update_reader import Modify, Operation, read_update


@dataclass(frozen=True, slots=True)
class _Step:
    """An operation, and the quick way to do it, if there is one."""

    operation: Operation
    plan: UpdatePlan | None


@dataclass(frozen=True, slots=True)
class _Request:
    """What the text of an update says."""

    steps: tuple[_Step, ...]
    asks_for_time: bool


class Updater:
    """Runs updates on a store, all of a request or, if something fails, nothing of it.

    `context` has some of what the store has, where it is found quicker; `now` says what time it is,
    if an update asks. `LOAD` reads local files, where it is allowed. In a store that shows what
    follows from its facts, patterns see all of it; what is inserted and deleted is asserted.
    """

    def __init__(
        self,
        store: GraphStore,
        context: ContextStore,
        now: Callable[[], datetime],
        *,
        may_load: bool = False,
    ) -> None:
        self._store, self.context, self._now, self._may_load = store, context, now, may_load
        self._inferring = store if isinstance(store, InferringStore) else None
        self._requests: ShapeCache[_Request] = ShapeCache(_request)

    @property
    def read_texts(self) -> int:
        """How many texts had to be read: those alike but for constants are read once."""
        return self._requests.made

    def run(self, text: str) -> Change:
        """Run a request; gives what it changed for those who look."""
        steps, constants = self._steps(text)
        try:
            change = self._known_change(text, steps, constants)
        except NeedsQuery:
            _, seen = self._run_in_parts(steps, constants)
            return seen
        return self.make(change) if change else change

    def change_of(self, text: str) -> Change:
        """What a request would change; afterwards the store is as it was."""
        steps, constants = self._steps(text)
        try:
            return self._known_change(text, steps, constants)
        except NeedsQuery:
            change, _ = self._run_in_parts(steps, constants)
            if change:
                self._store.apply(change.undone())
            return change

    def make(self, change: Change) -> Change:
        """Make a change; gives what it changed for those who look."""
        if self._inferring is not None:
            return self._inferring.make(change)
        self._store.apply(change)
        return change

    def _known_change(self, text: str, steps: Sequence[_Step], constants: Sequence[str]) -> Change:
        """What a request changes, found without making it.

        `NeedsQuery` if an operation asks for what one before it has changed.
        """
        try:
            if len(steps) == 1:
                return self._changed(steps[0], constants, self._store, self.context)
            if self._inferring is not None:  # where only the store knows what follows from a change
                raise NeedsQuery
            overlay = Overlay(self._store)
            for step in steps:
                overlay.apply(self._changed(step, constants, overlay, ContextStore(overlay)))
            return overlay.change
        except SparqlSyntaxError as error:  # a constant is none: say where
            raise (error if error.line else missing_names(text) or error) from None

    def _run_in_parts(
        self, steps: Sequence[_Step], constants: Sequence[str]
    ) -> tuple[Change, Change]:
        """Make the change operation by operation, and undo it if one fails.

        Gives the change, and what it changed for those who look.
        """
        done = seen = NO_CHANGE
        try:
            for step in steps:
                beside = ContextStore(self._store)  # what is known elsewhere is not yet true
                change = self._changed(step, constants, self._store, beside)
                if change:
                    seen = seen.then(self.make(change))
                done = done.then(change)
        except BaseException:
            if done:
                self._store.apply(done.undone())
            raise
        return done, seen

    def _changed(
        self, step: _Step, constants: Sequence[str], store: GraphStore, context: ContextStore
    ) -> Change:
        """What an operation will change."""
        asserted = None if self._inferring is None else self._inferring.asserted
        if step.plan is not None:
            return step.plan.change(constants, store, context, asserted)
        changes = OperationChanges(store, asserted or store, constants, self._may_load)
        return changes.of(step.operation)

    def check(self, text: str) -> None:
        """Raise `SparqlSyntaxError` if a text is no update."""
        self._steps(text)

    def _steps(self, text: str) -> tuple[tuple[_Step, ...], Sequence[str]]:
        request, constants = self._requests.get(text)
        if request.asks_for_time:
            request, constants = self._requests.get(at_time(text, self._now()))
        return request.steps, constants


def _request(shaped: Shaped) -> tuple[_Request, frozenset[int]]:
    """The operations of a request that pyoxigraph's parser takes for one too."""
    require_modest(shaped.text)
    refuse_services(shaped.text)
    try:
        read, free = read_update(shaped)
    except (NotRead, RecursionError) as error:
        if not may_load(shaped.text):  # which would be loaded
            require_update(shaped.text)
        raise SparqlSyntaxError(
            f"an update of a form that is not supported, such as triples within triples: at {error}"
        ) from None
    except SparqlSyntaxError as error:
        raise (error if error.line else missing_names(shaped.text) or error) from None
    operations = read.operations
    if not may_load(shaped.text):
        for text in read.texts:
            require_update(text)
    steps = tuple(
        _Step(one, update_plan(one, shaped.constants) if isinstance(one, Modify) else None)
        for one in operations
    )
    return _Request(steps, asks_for_time(shaped.text)), free
