"""Messages survive their bytes, and numbers match where names do."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    Facet,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.rdf import XSD
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.gene_names import in_genes
from purport.ontology.codes.message_bytes import MessageError
from purport.ontology.codes.message_matching import message_matches
from purport.ontology.codes.messages import (
    event_message,
    in_codes,
    named_event,
    named_subscription,
    read_event,
    read_subscription,
    subscription_message,
)
from purport.ontology.codes.prime_encoding import Encoding
from purport.ontology.description import Description
from purport.ontology.errors import UnknownName
from purport.ontology.hierarchy import Hierarchy
from tests.oracles.told_members import ToldMembers

CLASSES = Hierarchy.of(
    {
        "Student": ["Person"],
        "PhdStudent": ["Student"],
        "Professor": ["Person", "Employee"],
        "Tenured": ["Professor"],
        "Void": [],
    },
    unsatisfiable=["Void"],
)
PROPERTIES = Hierarchy.of({"isFatherOf": ["isParentOf"], "isParentOf": ["knows"], "hasAge": []})
KNOWN = {"ann": ["PhdStudent"], "bob": ["Tenured", "Student"], "cat": []}
ENCODINGS = Encodings.of(CLASSES, PROPERTIES, KNOWN)
FIGURE_2 = Encodings(
    Encoding(
        {"Person": 2, "Student": 3, "TenuredProfessor": 13, "PhdStudent": 23},
        {"Person": 2, "Student": 6, "TenuredProfessor": 26, "PhdStudent": 138},
    ),
    Encoding({"isParentOf": 2, "isFatherOf": 3}, {"isParentOf": 2, "isFatherOf": 6}),
)
GRANDFATHER = And(
    (
        Named("TenuredProfessor"),
        Some(
            Named("isFatherOf"),
            And((Named("Person"), Some(Named("isParentOf"), Named("Student")))),
        ),
    )
)

quantities = st.builds(
    Quantity,
    st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([None, find_unit("°C"), find_unit("km/h")]),
)
YEARS = [datetime(year, 1, 1, tzinfo=UTC).replace(tzinfo=None) for year in (2, 9998)]
zones = st.sampled_from([UTC, timezone(timedelta(hours=5))])
times = st.builds(Time, st.datetimes(*YEARS, timezones=zones))
terms: st.SearchStrategy[Term] = st.one_of(
    quantities,
    st.builds(Text, st.text(max_size=20), st.sampled_from([None, "en"])),
    st.builds(Boolean, st.booleans()),
    times,
    st.just(Resource("http://example.org/x?y=1")),
)
METRE = Quantity(1, find_unit("m"))
few_terms: st.SearchStrategy[Term] = st.sampled_from(
    [Quantity(1), Quantity(2), Quantity(30.5), Text("a"), Boolean(True), Text("2"), METRE]
)
class_names = st.sampled_from(CLASSES.names)
property_names = st.sampled_from(PROPERTIES.names)
individual_names = st.sampled_from([*KNOWN, "eve", "http://example.org/zed"])


def descriptions(values: st.SearchStrategy[Term]) -> st.SearchStrategy[Description]:
    def larger(inner: st.SearchStrategy[Description]) -> st.SearchStrategy[Description]:
        facts = st.tuples(property_names, inner | values)
        return st.builds(
            Description,
            st.none() | individual_names,
            st.lists(class_names, max_size=9).map(tuple),
            st.lists(facts, max_size=9).map(tuple),
        )

    return st.recursive(st.builds(Description, st.none() | individual_names), larger, max_leaves=8)


def expressions(values: st.SearchStrategy[Term]) -> st.SearchStrategy[ClassExpression]:
    properties = st.builds(Named, property_names) | st.builds(
        Inverse, st.builds(Named, property_names)
    )
    members = st.builds(Named, individual_names) | values
    datatypes = st.sampled_from([Named(XSD + "integer"), Named(XSD + "string")])
    facets = st.builds(Facet, st.sampled_from(Operator), st.builds(Quantity, st.integers(-3, 40)))
    leaves: st.SearchStrategy[ClassExpression] = st.one_of(
        st.builds(Named, class_names),
        datatypes,
        st.builds(Restricted, st.just(Named(XSD + "integer")), st.tuples(facets)),
        st.builds(OneOf, st.lists(members, max_size=3).map(tuple)),
        st.builds(HasValue, properties, members),
        st.builds(HasSelf, properties),
        st.builds(Cardinality, properties, st.sampled_from(Bound), st.integers(0, 3)),
    )

    def larger(inner: st.SearchStrategy[ClassExpression]) -> st.SearchStrategy[ClassExpression]:
        several = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(
            st.builds(And, several),
            st.builds(Or, several),
            st.builds(Not, inner),
            st.builds(Some, properties, inner),
            st.builds(Only, properties, inner),
            st.builds(Cardinality, properties, st.sampled_from(Bound), st.integers(0, 3), inner),
        )

    return st.recursive(leaves, larger, max_leaves=6)


@given(descriptions(terms))
def test_an_event_survives_its_bytes(description: Description) -> None:
    message = event_message(description, ENCODINGS)

    assert read_event(message) == in_codes(description, ENCODINGS)
    assert named_event(message, ENCODINGS) == description


@given(expressions(terms))
def test_a_subscription_survives_its_bytes(expression: ClassExpression) -> None:
    message = subscription_message(expression, ENCODINGS)

    assert read_subscription(message) == in_genes(expression, ENCODINGS)
    assert named_subscription(message, ENCODINGS) == expression


@settings(max_examples=300)
@given(descriptions(few_terms), expressions(few_terms))
def test_numbers_match_where_names_do(
    description: Description, expression: ClassExpression
) -> None:
    told = ToldMembers(description, CLASSES, PROPERTIES, KNOWN)

    event = event_message(description, ENCODINGS)
    subscription = subscription_message(expression, ENCODINGS)

    assert message_matches(event, subscription) == told.is_member(told.root, expression)


def test_the_grandfather_of_a_student_as_in_the_paper() -> None:
    subscription = subscription_message(GRANDFATHER, FIGURE_2)
    student = Description(types=("PhdStudent",))
    parent = Description(types=("Person",), facts=(("isFatherOf", student),))
    professor = Description(
        "http://example.org/leo", ("TenuredProfessor",), (("isFatherOf", parent),)
    )

    assert len(subscription) == 8
    assert message_matches(event_message(professor, FIGURE_2), subscription)
    assert not message_matches(event_message(parent, FIGURE_2), subscription)


def test_everything_and_nothing_need_no_gene() -> None:
    event = event_message(Description(), ENCODINGS)

    assert message_matches(event, subscription_message(THING, ENCODINGS))
    assert not message_matches(event, subscription_message(NOTHING, ENCODINGS))


def test_small_numbers_take_few_bytes() -> None:
    def size(term: Term) -> int:
        facts = (("hasAge", term),)
        return len(event_message(Description(facts=facts), ENCODINGS)) - 3

    assert [size(Quantity(one)) for one in (7, 25, 21.5, -3)] == [1, 2, 3, 1]
    assert size(Time(datetime(2026, 1, 1, tzinfo=UTC))) == 6
    assert size(Text("on")) == 3


def test_what_has_no_number_cannot_be_told() -> None:
    with pytest.raises(UnknownName, match="class 'Dean'"):
        event_message(Description(types=("Dean",)), ENCODINGS)
    with pytest.raises(UnknownName, match="property 'isBossOf'"):
        subscription_message(Some(Named("isBossOf"), THING), ENCODINGS)
    with pytest.raises(UnknownName, match="code 0x8a"):
        named_event(event_message(Description(types=("PhdStudent",)), FIGURE_2), ENCODINGS)


def test_a_time_that_is_before_all_years_in_utc_cannot_be_told() -> None:
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))

    with pytest.raises(MessageError, match="no year of it"):
        event_message(Description(facts=(("hasAge", Time(early)),)), ENCODINGS)


@given(st.binary(max_size=60), st.sampled_from([0x11, 0x12, None]))
def test_any_bytes_are_a_message_or_an_error(junk: bytes, head: int | None) -> None:
    message = junk if head is None else bytes([head]) + junk

    for read in (read_event, read_subscription):
        try:
            found = read(message)
        except MessageError as error:
            assert str(error)
        else:
            assert found is not None


@given(descriptions(terms), expressions(terms), st.data())
def test_a_truncated_message_is_an_error(
    description: Description, expression: ClassExpression, data: st.DataObject
) -> None:
    for message, read in (
        (event_message(description, ENCODINGS), read_event),
        (subscription_message(expression, ENCODINGS), read_subscription),
    ):
        kept = data.draw(st.integers(0, len(message) - 1))
        with pytest.raises(MessageError):
            read(message[:kept])
        with pytest.raises(MessageError, match="the message is over"):
            read(message + b"\0")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"", "1 bytes expected, 0 left"),
        (b"\x21\x00", "expected version 1, not 2"),
        (b"\x12\x00", "of kind subscription"),
        (b"\x11" + b"\x03" * 100 + b"\x20", "more than 64 expressions"),
        (b"\x11\xf1" + b"\xff" * 8 + b"\x7f", "items expected"),
        (b"\x11\xf0" + b"\xff" * 200, "a number of more than 160 bytes"),
        (b"\x11\x0f", "not form 15"),
        (b"\x11\xea", "datatypes, not 14"),
        (b"\x11\x0a\x0213", "expected a datatype, not '13'"),
        (b"\x11\x19\x0b\x0213", "expected a name, not '13'"),
    ],
)
def test_malformed_messages(message: bytes, expected: str) -> None:
    with pytest.raises(MessageError, match=expected):
        read_subscription(message)


def test_malformed_events() -> None:
    for message, expected in (
        (b"\x12\x03", "expected no name, a code or a text"),
        (b"\x12\x04\xff\xff\xff\xff\x7f", "bytes expected"),
        (b"\x12" + b"\x20\x02\x0a" * 80 + b"\x00", "more than 64 individuals"),
        (b"\x12\x20\x02\x24\xff\xfe", "not UTF-8"),
        (b"\x12\x20\x02\x09\x03xyz\x00", "no unit 'xyz'"),
        (b"\x12\x20\x02\x03" + b"\xff" * 8, "not a number"),
        (b"\x12\x20\x02\x07" + b"\xff" * 9 + b"\x7f", "byte 14"),
    ):
        with pytest.raises(MessageError, match=expected):
            read_event(message)
