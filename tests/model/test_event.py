from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from purport import Event, EventError, Interval, Statement
from purport.model.rdf import Syntax, descriptions
from purport.model.term import Boolean, Resource, Text, Time
from purport.model.units import Quantity
from tests.strategies.terms import attributes, moments, terms, texts

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def said(event: Event) -> list[tuple[str, object]]:
    return [(str(statement.attribute), statement.value) for statement in event.statements]


def test_nesting_becomes_dots_and_lists_repeat_and_types_stay() -> None:
    event = Event.from_json(
        '{"sensor": {"name": "t1", "floors": [1, 2.5]}, "ok": true, "none": null, "empty": []}'
    )

    assert said(event) == [
        ("sensor.name", Text("t1")),
        ("sensor.floors", Quantity(1)),
        ("sensor.floors", Quantity(2.5)),
        ("ok", Boolean(True)),
    ]


def test_reserved_keys_give_the_id_and_the_interval() -> None:
    event = Event.from_json(
        {"@id": "e1", "@start": "2026-01-01T10:00:00Z", "@end": 1767261660, "a": 1}
    )

    assert event.id == "e1"
    assert event.interval == Interval(
        datetime(2026, 1, 1, 10, tzinfo=UTC), datetime(2026, 1, 1, 10, 1, tzinfo=UTC)
    )
    assert said(event) == [("a", Quantity(1))]


def test_an_event_may_be_going_on_or_only_have_ended() -> None:
    assert Event.from_json({"@start": 0}).interval == Interval(
        datetime(1970, 1, 1, tzinfo=UTC), None
    )
    assert Event.from_json({"@end": 0}).interval == Interval(None, datetime(1970, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": ', "not valid JSON: Input data was truncated"),
        ('{"a": }', "not valid JSON: invalid character (byte 6)"),
        ("[1]", "expected a JSON object, got a list"),
        ("3", "expected a JSON object, got a number"),
        ('{"a": 1e999}', "a number is too large"),
        ('{"a": ' + "9" * 400 + "}", "'a': the number is too large, or not a number"),
        (b'{"a": "\xff"}', "the text is not UTF-8"),
        ('{"": 1}', "an attribute has an empty name"),
        ('{"a": {"": 1}}', "'a': an attribute is a text that is not empty, got ''"),
        ('{"@context": {}, "a": ' + "[" * 70 + "]" * 70 + "}", "nested deeper than 64 levels"),
        (
            '{"@type": "x"}',
            "the key '@type' is reserved; expected one of @context, @end, @id, @start, @statements",
        ),
        ('{"@statements": 3}', "'@statements' must be a list of pairs [attribute, value]"),
        ('{"@statements": [1]}', "'@statements': expected a pair [attribute, value], got 1"),
        ('{"@statements": [["a", []]]}', "'@statements': expected a term, got []"),
        ('{"@statements": [["a", {"iri": "b"}]]}', "'@statements': not an absolute IRI: 'b'"),
        ('{"@statements": [["a", {"number": 1, "unit": "x"}]]}', "'@statements': no unit 'x'"),
        ('{"@statements": [[1, "a"]]}', "an attribute is a text or a resource, got '1'"),
        ('{"@id": "x", "@id": "y"}', "duplicate '@id' in one event"),
        ('{"a": "\ud800"}', "the text is not UTF-8"),
        ('{"@id": 3}', "'@id' must be a text that is not empty, got 3"),
        ('{"@id": ""}', "'@id' must be a text that is not empty, got ''"),
        ('{"@start": "soon"}', "'@start': not an ISO 8601 time: 'soon'"),
        ('{"@start": true}', "'@start' must be an ISO 8601 time or seconds since 1970, got True"),
        ('{"@start": 1e300}', "'@start': not a time within the calendar: 1e+300 s"),
        (
            '{"@start": "2026-01-02", "@end": "2026-01-01"}',
            "the interval ends (2026-01-01T00:00:00+00:00) before it starts "
            "(2026-01-02T00:00:00+00:00)",
        ),
        ('{"a":' * 70 + "1" + "}" * 70, "nested deeper than 64 levels"),
        ('{"a":' * 100_000, "nested deeper than 64 levels"),
    ],
)
def test_bad_json_says_what_is_wrong(text: str | bytes, reason: str) -> None:
    with pytest.raises(EventError) as error:
        Event.from_json(text)

    assert str(error.value) == reason


def test_a_value_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(EventError, match="'a': expected a JSON value, got set"):
        Event.from_json({"a": {1, 2}})
    with pytest.raises(EventError, match="an attribute is a text, got 1"):
        Event.from_json({1: 2})  # type: ignore[dict-item]
    with pytest.raises(EventError, match="not a number"):
        Event.from_json({"a": float("nan")})


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(min_size=1).filter(str.strip), inner, max_size=3)
    ),
    max_leaves=8,
)


def leaves(value: object) -> int:
    match value:
        case None:
            return 0
        case dict():
            return sum(map(leaves, value.values()))
        case list():
            return sum(map(leaves, value))
        case _:
            return 1


@given(
    st.dictionaries(
        st.text(min_size=1).filter(lambda key: bool(key.strip()) and key[0] != "@"), json_values
    )
)
def test_every_leaf_becomes_one_statement(data: dict[str, object]) -> None:
    assert len(Event.from_json(data).statements) == leaves(data)


few_names = st.sampled_from([Text("a"), Text("b"), Text("a", "en"), Text("@a")])
intervals = st.one_of(
    st.none(),
    moments.map(Interval.at),
    st.builds(Interval, moments, st.none()),
    st.tuples(moments, moments).map(lambda bounds: Interval(*sorted(bounds))),
)


@example([Statement(Text(name), Quantity(1)) for name in "aba"], None, None)
@given(
    st.lists(st.builds(Statement, st.one_of(few_names, attributes), terms), max_size=6),
    st.one_of(st.none(), texts.filter(bool)),
    intervals,
)
def test_an_event_is_what_its_json_says(
    statements: list[Statement], identifier: str | None, interval: Interval | None
) -> None:
    event = Event(tuple(statements), identifier, interval)

    assert Event.from_json(event.to_json()) == event


TURTLE = """
@prefix dbo: <http://dbpedia.org/ontology/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/e1> a dbo:FootballMatch ;
  dbo:location "Johannesburg"@en, "FNB Stadium" ;
  dbo:attendance 84490 ; dbo:temperature 14.5 ; dbo:cup true ;
  dbo:date "2010-07-11"^^xsd:date ; dbo:oddity "many"^^xsd:integer, "maybe"^^xsd:boolean .
"""


def test_turtle_about_one_subject_is_an_event() -> None:
    event = Event.from_turtle(TURTLE)

    assert event.id == "http://example.org/e1"
    assert [statement.value for statement in event.statements] == [
        Resource("http://dbpedia.org/ontology/FootballMatch"),
        Text("Johannesburg", "en"),
        Text("FNB Stadium"),
        Quantity(84490),
        Quantity(14.5),
        Boolean(True),
        Time(datetime(2010, 7, 11, tzinfo=UTC)),
        Text("many"),
        Text("maybe"),
    ]
    assert event.statements[0].attribute == Resource(TYPE)


def test_n_triples_and_json_ld_say_the_same_as_turtle() -> None:
    expected = Event.from_turtle("<urn:e> <urn:floor> 3 .")

    typed = '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert Event.from_ntriples(f"<urn:e> <urn:floor> {typed} .") == expected
    document = '{"@context": {"floor": "urn:floor"}, "@id": "urn:e", "floor": 3}'
    assert Event.from_jsonld(document) == expected
    assert Event.from_json(document) == expected


def test_json_ld_may_carry_an_interval() -> None:
    event = Event.from_json({"@context": {"a": "urn:a"}, "@id": "urn:e", "@start": 0, "a": 1})

    assert event.interval == Interval(datetime(1970, 1, 1, tzinfo=UTC), None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<urn:a> <urn:p> 1 . <urn:b> <urn:p> 1 .", "an event has one subject, got 2: "),
        ("", "the Turtle text describes nothing"),
        ("<urn:a> <urn:p>", "not valid Turtle: "),
        ("<urn:a> <urn:p> <ex:> .", "not an absolute IRI: 'ex:'"),
    ],
)
def test_bad_rdf_says_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(EventError) as error:
        Event.from_turtle(text)

    assert str(error.value).startswith(reason)


def test_a_context_behind_an_address_is_not_fetched() -> None:
    with pytest.raises(EventError, match="must stand in the text itself"):
        Event.from_json('{"@context": "https://example.org/context", "@id": "urn:e", "a": 1}')


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("<urn:a> <urn:p> _:b . _:b <urn:q> 1 .", ["urn:a"]),
        ("<urn:a> <urn:p> _:b ; <urn:o> _:b . _:b <urn:q> 1 .", ["urn:a", None]),
        ("<urn:a> <urn:p> _:b . <urn:c> <urn:p> _:b . _:b <urn:q> 1 .", ["urn:a", "urn:c", None]),
        ("_:b <urn:p> _:c . _:c <urn:p> _:b .", [None, None]),
    ],
)
def test_a_blank_node_is_told_of_below_the_one_that_refers_to_it_and_else_by_itself(
    text: str, subjects: list[str | None]
) -> None:
    assert [one.subject for one in descriptions(text, Syntax.TURTLE)] == subjects
