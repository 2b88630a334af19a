"""Expressions over rows: what is compared without pyoxigraph is compared as it does."""

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QueryBoolean, Store

from purport.model.rdf import XSD
from purport.sparql.expressions import RowExpression
from purport.sparql.terms import Term, as_kept

NUMBERS = (
    "5", "-3", "+7", "-0", "2.5", "-0.10", "100", "0.30000000000000004", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-99999999999999999999", "1.0000000000000000001",
)  # fmt: skip
SPELLINGS = (
    *NUMBERS,
    "1e2",
    "1E400",
    "NaN",
    "INF",
    "nan",
    "inf",
    "1_0",
    " 7 ",
    "٣",
    "5.",
    ".5",
    "",
)
KINDS = ("integer", "decimal", "double", "float", "int", "string", "boolean")

literals = st.builds(
    lambda value, kind: Literal(value, datatype=NamedNode(XSD + kind)),
    st.sampled_from(SPELLINGS),
    st.sampled_from(KINDS),
)
terms = st.one_of(literals, literals, st.sampled_from([None, NamedNode("urn:a"), BlankNode("b")]))


@given(
    st.sampled_from(["<", "<=", "=", "!=", ">=", ">"]), st.sampled_from(NUMBERS), st.lists(terms)
)
def test_a_comparison_with_a_number_is_pyoxigraph_s(
    sign: str, number: str, some: list[Term | None]
) -> None:
    text = f"?x {sign} {number}"
    rows = [(None if term is None else as_kept(term),) for term in some]

    one_by_one = [RowExpression("", text, ["x"], ["x"]).truths([row])[0] for row in rows]

    assert one_by_one == [_is_true(text, term) for (term,) in rows]
    assert RowExpression("", text, ["x"], ["x"]).truths(rows) == one_by_one


def _is_true(text: str, term: Term | None) -> bool:
    store = Store()
    if term is not None:
        store.add(Quad(NamedNode("urn:s"), NamedNode("urn:p"), term))
    found = store.query(f"ASK {{ <urn:s> <urn:p> ?x FILTER({text}) }}")
    assert isinstance(found, QueryBoolean)
    return bool(found)
