"""Class expressions alone, in Manchester syntax."""

import pytest
from hypothesis import given

from purport.errors import SubscriptionSyntaxError
from purport.model import class_expression as owl
from purport.model.class_expression import Bound, Facet, Named, TextFacet
from purport.model.comparison import Operator
from purport.model.language.parse import parse, parse_class
from purport.model.language.write import write_class
from purport.model.subscription import Conjunction, IsA
from purport.model.term import Boolean, Text
from purport.model.units import Quantity
from tests.strategies.subscriptions import class_expressions

A, B, C, P, Q = map(Named, "ABCpq")
XSD_INTEGER, XSD_STRING = Named("xsd:integer"), Named("xsd:string")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", A),
        ("p some A and q some B", owl.And((owl.Some(P, A), owl.Some(Q, B)))),
        ("p only (A or B)", owl.Only(P, owl.Or((A, B)))),
        ("p all A", owl.Only(P, A)),
        ("A or B and C", owl.Or((A, owl.And((B, C))))),
        ("A and B or C", owl.Or((owl.And((A, B)), C))),
        ("A and (B or C)", owl.And((A, owl.Or((B, C))))),
        ("not (A)", owl.Not(A)),
        ("not A and B", owl.And((owl.Not(A), B))),
        ("not p some A", owl.Not(owl.Some(P, A))),
        ("p some not A", owl.Some(P, owl.Not(A))),
        ("p some q some A", owl.Some(P, owl.Some(Q, A))),
        ("A that p some B", owl.And((A, owl.Some(P, B)))),
        ("p value 25", owl.HasValue(P, Quantity(25))),
        ("p value -1.5", owl.HasValue(P, Quantity(-1.5))),
        ("p value true", owl.HasValue(P, Boolean(True))),
        ('p value "x"', owl.HasValue(P, Text("x"))),
        ('p value "x"@en', owl.HasValue(P, Text("x", "en"))),
        ('p value "25"^^xsd:integer', owl.HasValue(P, Quantity(25))),
        ('p value "x"^^xsd:string and A', owl.And((owl.HasValue(P, Text("x")), A))),
        ("p value A and B", owl.And((owl.HasValue(P, A), B))),
        ("p min 2", owl.Cardinality(P, Bound.MIN, 2)),
        ("p min 2 and A", owl.And((owl.Cardinality(P, Bound.MIN, 2), A))),
        ("p exactly 1 A", owl.Cardinality(P, Bound.EXACTLY, 1, A)),
        ("p max 1 (A or B)", owl.Cardinality(P, Bound.MAX, 1, owl.Or((A, B)))),
        ("p Self", owl.HasSelf(P)),
        ("inverse p some A", owl.Some(owl.Inverse(P), A)),
        ("inverse (p) some A", owl.Some(owl.Inverse(P), A)),
        ("{A, B}", owl.OneOf((A, B))),
        ('{1, "x", A}', owl.OneOf((Quantity(1), Text("x"), A))),
        (
            "xsd:integer[>= 5, < 9]",
            owl.Restricted(
                XSD_INTEGER,
                (Facet(Operator.AT_LEAST, Quantity(5)), Facet(Operator.LESS, Quantity(9))),
            ),
        ),
        (
            'p some xsd:string[minLength 2, pattern "[a-z]+"]',
            owl.Some(
                P,
                owl.Restricted(
                    XSD_STRING,
                    (
                        Facet(TextFacet.MIN_LENGTH, Quantity(2)),
                        Facet(TextFacet.PATTERN, Text("[a-z]+")),
                    ),
                ),
            ),
        ),
        ("length some pattern", owl.Some(Named("length"), Named("pattern"))),
        ("'Red Wine' and A", owl.And((Named("Red Wine"), A))),
        ("p value 'Big Bob'", owl.HasValue(P, Named("Big Bob"))),
        ("<http://x.org/A>", Named("http://x.org/A")),
        ("http://x.org/A", Named("http://x.org/A")),
        ("A AND (B\n  # a comment\n  OR C)", owl.And((A, owl.Or((B, C))))),
    ],
)
def test_every_form_is_read_with_the_usual_precedence(
    text: str, expected: owl.ClassExpression
) -> None:
    assert parse_class(text) == expected


def test_known_prefixes_are_expanded() -> None:
    prefixes = {"wine": "http://x.org/wine#"}

    found = parse_class("wine:p some wine:Red or food:Meal", prefixes=prefixes)

    red = owl.Some(Named("http://x.org/wine#p"), Named("http://x.org/wine#Red"))
    assert found == owl.Or((red, Named("food:Meal")))


def test_the_example_of_the_paper_is_a_subscription() -> None:
    pattern = parse("{type isa Student or Person that hasAge all xsd:integer[<= 25]}").pattern

    young = owl.Restricted(XSD_INTEGER, (Facet(Operator.AT_MOST, Quantity(25)),))
    person = owl.And((Named("Person"), owl.Only(Named("hasAge"), young)))
    assert isinstance(pattern, Conjunction)
    (predicate,) = pattern.predicates
    assert isinstance(predicate, IsA)
    assert predicate.expression == owl.Or((Named("Student"), person))


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 1, 1, "the text ends here, expected a class"),
        ("A and", 1, 6, "the text ends here, expected a class"),
        ("A and\n  (or B)", 2, 7, "found 'B', expected"),
        ("(A", 1, 3, "the text ends here, expected ')'"),
        ("A)", 1, 2, "found ')'"),
        ("A B", 1, 3, "found 'B', expected"),
        ("p some", 1, 7, "expected a class"),
        ("p min x", 1, 3, "found 'min'"),
        ("p max 1.5 A", 1, 7, "found '1.5', expected a whole number"),
        ("p max 1.5", 1, 7, "found '1.5', expected a whole number"),
        ("p min 2A", 1, 7, "found '2A', expected a whole number"),
        ("p value", 1, 8, "expected a name (such as wine:RedWine) or a quoted text"),
        ("{}", 1, 2, "found '}'"),
        ("xsd:integer[5]", 1, 13, "expected a comparison (= != < <= > >=) or a facet"),
        ("xsd:integer[<= ]", 1, 16, "found ']'"),
        ('p value "x', 1, 9, "the quoted text is not closed"),
        ('p value "x"^^integer', 1, 9, "the datatype 'integer' is no IRI"),
        ('p value "abc"^^xsd:integer', 1, 9, "'abc' is no xsd:integer"),
        ('p value "maybe"^^xsd:boolean', 1, 9, "'maybe' is no xsd:boolean"),
        ("not " * 200 + "A", 1, 1, "nested too deeply"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, line: int, column: int, said: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as mistake:
        parse_class(text)

    assert (mistake.value.line, mistake.value.column) == (line, column)
    assert said in mistake.value.message


@given(class_expressions)
def test_what_is_written_is_read_back_as_the_same(expression: owl.ClassExpression) -> None:
    assert parse_class(write_class(expression)) == expression
