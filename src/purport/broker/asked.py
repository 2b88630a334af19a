"""What can be subscribed to: events, in our own language, or the answer to a SPARQL query."""

from __future__ import annotations

from dataclasses import dataclass

from purport.errors import InvalidInput, PurportError
from purport.model.language.parse import parse
from purport.model.language.write import write
from purport.model.subscription import Options, Subscription
from purport.remembering import remembered
from purport.sparql.engine_time import asks_for_time
from purport.sparql.graph_store import WHOLE, Dataset
from purport.sparql.memory_store import MemoryStore
from purport.sparql.modesty import require_modest
from purport.sparql.standing_query import variables_of as variables_in
from purport.sparql.tokens import tokens_of

_FIRST_WORDS = ("BASE", "PREFIX", "SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_NO_OPTIONS = Options()
_UNSTEADY_WORDS = (
    "RAND", "UUID", "STRUUID", "BNODE", "SAMPLE", "GROUP_CONCAT", "LIMIT", "OFFSET", "REDUCED",
    "SUM", "AVG", "MIN", "MAX",  # rounded by the order of values; of equal ones, any
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Query:
    """A SPARQL query whose answer somebody wants to know, and how it changes."""

    text: str
    dataset: Dataset = WHOLE  # which graphs it sees


Asked = Subscription | Query


def asked_in(text: str, dataset: Dataset = WHOLE) -> Asked:
    """What a text asks for, of the graphs of a dataset if it is a query.

    >>> asked_in("SELECT ?lamp WHERE { ?lamp <urn:dim> 5 }").text
    'SELECT ?lamp WHERE { ?lamp <urn:dim> 5 }'
    """
    if is_query(text):
        return Query(text, dataset)
    if dataset != WHOLE:
        raise InvalidInput("only a query has a dataset: events are in no graph")
    return parse(text)


def is_query(text: str) -> bool:
    """Whether a text is SPARQL: no subscription of ours begins with such a word."""
    first = next(iter(tokens_of(text[:_FIRST_LETTERS])), None)
    if first is None and len(text) > _FIRST_LETTERS:  # which begins with a long comment
        first = next(iter(tokens_of(text)), None)
    return first is not None and first.is_word(*_FIRST_WORDS)


def is_steady(query: Query) -> bool:
    """Whether a query has one answer to one graph, whenever and however often it is asked.

    >>> is_steady(Query("ASK { ?s ?p ?o }")), is_steady(Query("ASK { FILTER(RAND() < 0.5) }"))
    (True, False)
    """
    return not asks_for_time(query.text) and not any(
        token.is_word(*_UNSTEADY_WORDS) for token in tokens_of(query.text)
    )


@remembered(1_024, longest=16_384, length=len)
def variables_of(query: str) -> tuple[str, ...]:
    """The variables of a query's answer, in their order; none of one that cannot be read.

    >>> variables_of("SELECT * WHERE { ?lamp <urn:dim> ?dim }")
    ('lamp', 'dim')
    """
    try:
        require_modest(query)
        return variables_in(query, MemoryStore().query(query, WHOLE))
    except PurportError:
        return ()


def written(asked: Asked) -> str:
    """The text that asks for it."""
    return asked.text if isinstance(asked, Query) else write(asked)


def dataset_of(asked: Asked) -> Dataset:
    """The graphs that a query sees; whoever asks for events asks for none in particular."""
    return asked.dataset if isinstance(asked, Query) else WHOLE


def options_of(asked: Asked) -> Options:
    """When to tell; of a query, always."""
    return _NO_OPTIONS if isinstance(asked, Query) else asked.options


_FIRST_LETTERS = 200
