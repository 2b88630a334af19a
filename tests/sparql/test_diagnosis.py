"""What is wrong with a text is told with its place, in words that help."""

import pytest

from purport.errors import InvalidInput
from purport.sparql import Dataset, Engine
from purport.sparql.errors import SparqlSyntaxError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: the text ends here, expected SELECT, ASK"),
        ("INSERT DATA {}", "line 1, column 1: found 'INSERT', expected SELECT, ASK"),
        ("PREFIX e: <urn:>\nSELEC ?s {}", "line 2, column 1: found 'SELEC', expected SELECT"),
        ("SELECT ?x {\n ex:a <urn:p> ?x }", "line 2, column 2: the prefix of ex:a is not declared"),
        ("SELECT ?x { <foo> <urn:p> ?x }", "line 1, column 13: <foo> is no absolute IRI"),
        ("SELECT ?x { ?x <urn:p> }", "line 1, column 24: expected"),
    ],
)
def test_a_query_that_is_none_is_told_with_its_place(text: str, said: str) -> None:
    engine = Engine()

    for ask in (engine.query, engine.subscribe):
        with pytest.raises(SparqlSyntaxError) as error:
            ask(text)
        assert said in str(error.value)
    assert engine.update("INSERT DATA { <urn:a> <urn:p> 1 }") == []


def test_a_mistake_in_an_update_alike_to_one_that_was_read_is_told_with_its_place() -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")

    with pytest.raises(SparqlSyntaxError, match="line 1, column 15: <foo> is no absolute IRI"):
        engine.update("INSERT DATA { <foo> <urn:p> 1 }")


def test_graphs_that_are_no_iris_are_told() -> None:
    with pytest.raises(InvalidInput, match="got a text"):
        Dataset("urn:g")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="got 5"):
        Dataset(None, 5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no IRIs"):
        Engine().query("ASK {}", Dataset(("not an IRI",)))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT" + "(" * 5_000,
        "SELECT * {" + "{" * 3_000 + "?s ?p ?o" + "}" * 3_000 + "}",
        "ASK { FILTER(" + "!" * 20_000 + "true)}",
        "ASK { ?a " + "/".join(["<urn:p>"] * 20_000) + " ?b }",
        "SELECT * {{}" + " UNION {}" * 10_000 + "}",
        "SELECT * {" + " OPTIONAL { ?s ?p ?o }" * 20_000 + "}",
        "SELECT * {" + " ?s ?p ?o ." * 200 + "}",
    ],
)
def test_what_is_nested_beyond_reason_is_refused(text: str) -> None:
    engine = Engine()

    for ask in (engine.query, engine.subscribe, engine.update):
        with pytest.raises(InvalidInput, match=r"(nested )?more than|found"):
            ask(text)


def test_what_is_nested_within_reason_is_subscribed_to() -> None:
    engine = Engine()
    live = engine.subscribe(
        "SELECT ?s {" + " UNION ".join(f"{{ ?s <urn:p{n}> 1 }}" for n in range(1_000)) + "}"
    )

    [news] = engine.update("INSERT DATA { <urn:a> <urn:p300> 1 ; <urn:p5> 1 }")

    assert (news.subscription_id, len(news.added)) == (live.id, 2)


def test_signs_of_different_triples_do_not_count_together() -> None:
    engine = Engine()
    engine.subscribe("SELECT ?s { ?s <urn:p> ?v }")

    [news] = engine.update(
        "INSERT DATA {" + " . ".join(f"<urn:a{n}> <urn:p> -1" for n in range(1_500)) + "}"
    )

    assert len(news.added) == 1_500


def test_an_unknown_prefix_in_an_update_is_told_with_its_place() -> None:
    with pytest.raises(SparqlSyntaxError) as error:
        Engine().update("INSERT DATA { <urn:a> ex:b 1 }")

    assert str(error.value) == "line 1, column 23: the prefix of ex:b is not declared"
