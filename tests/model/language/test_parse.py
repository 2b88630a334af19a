"""The language, form by form, with the examples of the papers."""

import pickle
from datetime import UTC, datetime, timedelta

import pytest

from purport import SubscriptionSyntaxError, parse, write
from purport.model import class_expression as owl
from purport.model.comparison import Operator
from purport.model.subscription import (
    Absence,
    After,
    Aggregation,
    AllenRelated,
    AllenRelation,
    Alternation,
    Approximation,
    AskedAttribute,
    AskedValue,
    ClassOrder,
    ClassRelation,
    Coincidence,
    Comparison,
    Conjunction,
    ContainsAll,
    Derivation,
    During,
    Endpoint,
    Exactness,
    Function,
    HasProperty,
    HistoryFilter,
    InRange,
    IsA,
    Multiplicity,
    OneOfValues,
    Options,
    Post,
    Predicate,
    Publish,
    Reference,
    Repetition,
    Rule,
    Sequence,
    Simultaneous,
    Update,
    WindowAggregate,
    Within,
)
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit

RELATED, BY_ESA = Approximation(), Approximation("esa")


def attribute(text: str, approximation: Approximation | None = None) -> AskedAttribute:
    return AskedAttribute(Text(text), approximation)


def value(term: str | Term | Reference, approximation: Approximation | None = None) -> AskedValue:
    return AskedValue(Text(term) if isinstance(term, str) else term, approximation)


def equal(asked: AskedAttribute, to: AskedValue) -> Comparison:
    return Comparison(asked, Operator.EQUAL, to)


def predicates(text: str) -> tuple[Predicate, ...]:
    return parse(text).predicates


def test_toit_example_4_2_parses_as_printed() -> None:
    expected = (
        equal(attribute("type"), value("increased energy consumption event")),
        equal(attribute("device"), value("laptop", RELATED)),
        equal(attribute("room", BY_ESA), value("room 112")),
    )

    text = "{type = increased energy consumption event, device = laptop~, room~esa = room 112}"
    assert predicates(text) == expected
    assert predicates(text.replace("~", " ~ ")) == expected


def test_toit_example_6_2_and_6_4_and_6_5_parse_as_printed() -> None:
    exact = "{type=increased energy consumption event, device=laptop, floor=ground floor}"
    approximate = (
        "{type=increased energy consumption event~ esa, device~ esa=laptop~ esa, "
        "floor=ground floor}"
    )
    rewritten = (
        "{type = increased energy use event, appliance = portable computer, floor = ground floor}"
    )

    assert predicates(exact)[1] == equal(attribute("device"), value("laptop"))
    assert predicates(approximate) == (
        equal(attribute("type"), value("increased energy consumption event", BY_ESA)),
        equal(attribute("device", BY_ESA), value("laptop", BY_ESA)),
        equal(attribute("floor"), value("ground floor")),
    )
    assert len(predicates(rewritten)) == 3


def test_toit_section_4_and_5_5_1_parse_as_printed() -> None:
    assert predicates("{type=heater energy consumption increased ~}") == (
        equal(attribute("type"), value("heater energy consumption increased", RELATED)),
    )
    assert predicates("{temperature > 25}") == (
        Comparison(attribute("temperature"), Operator.GREATER, value(Quantity(25))),
    )
    assert predicates("{temperature ~esa > 25}") == (
        Comparison(attribute("temperature", BY_ESA), Operator.GREATER, value(Quantity(25))),
    )


@pytest.mark.parametrize(
    "text",
    [
        'event type "Football Match" event team "Spain national football team" '
        'event stadium "FNB Stadium"',
        'event type "Football Match" event place "FNB Stadium"',
        'event type "Event" event place "Wembley Stadium"',
        'event type "Charity" event place "Wembley Stadium"',
        'event type "Charity" event type "Rock" event place "Wembley Stadium"',
        'event type "Football Match" event stadium "United Kingdom"',
        'event type "Football Match" event team "South America" event stadium "Europe"',
    ],
)
def test_the_seven_subscriptions_of_debs_are_approximate_on_both_sides(text: str) -> None:
    found = predicates(text)

    assert len(found) == text.count("event ")
    for predicate in found:
        assert isinstance(predicate, Comparison)
        assert predicate.attribute.approximation == RELATED
        assert predicate.value.approximation == RELATED


def test_the_triple_form_may_have_options_and_line_breaks() -> None:
    subscription = parse('event type "Football Match"\nevent place "Wembley" threshold 0.7')

    assert subscription.options == Options(threshold=0.7)
    assert write(subscription) == "{type~ = Football Match~, place~ = Wembley~} threshold 0.7"


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("25", Quantity(25)),
        ("-2.5e3", Quantity(-2500.0)),
        ("25 °C", Quantity(25, find_unit("°C"))),
        ("50%", Quantity(50, find_unit("%"))),
        ("true", Boolean(True)),
        ("2016-04-11T13:24:19Z", Time(datetime(2016, 4, 11, 13, 24, 19, tzinfo=UTC))),
        ("2016-04-11", Time(datetime(2016, 4, 11, tzinfo=UTC))),
        ("<http://example.org/a b>".replace(" ", "_"), Resource("http://example.org/a_b")),
        ("http://example.org/a#b", Resource("http://example.org/a#b")),
        ("wine:Red", Resource("wine:Red")),
        ("room 112", Text("room 112")),
        ("desk 112c", Text("desk 112c")),
        ("007", Text("007")),
        ('"25"', Text("25")),
        ('"say \\"hi\\""', Text('say "hi"')),
        ('"Spiel"@de', Text("Spiel", "de")),
        ("door in use", Text("door in use")),
        ("kilowatt per hour", Text("kilowatt per hour")),
        ("$port", Reference("port")),
        ('$"measurement unit"', Reference("measurement unit")),
    ],
)
def test_what_a_value_spells(text: str, term: Term | Reference) -> None:
    assert predicates(f"{{a = {text}}}") == (equal(attribute("a"), value(term)),)


@pytest.mark.parametrize(
    ("symbol", "operator"),
    [("=", "="), ("!=", "!="), ("≠", "!="), ("<=", "<="), ("≤", "<="), (">=", ">="), ("≥", ">=")],
)
def test_comparisons_and_their_signs(symbol: str, operator: str) -> None:
    assert predicates(f"{{a {symbol} 1}}") == (
        Comparison(attribute("a"), Operator(operator), value(Quantity(1))),
    )


def test_lists_ranges_and_bags() -> None:
    a, b = value("a"), value("b", RELATED)

    assert predicates("{tags in (a, b~)}") == (OneOfValues(attribute("tags"), (a, b)),)
    assert predicates("{t in [1, 5]}") == (
        InRange(attribute("t"), value(Quantity(1)), value(Quantity(5))),
    )
    assert predicates("{tags contains all (a, b~)}") == (ContainsAll(attribute("tags"), (a, b)),)
    assert predicates("{tags within (a, b~)}") == (Within(attribute("tags"), (a, b)),)


def test_ontological_predicates() -> None:
    wine, red = attribute("wine"), owl.Named("wine:RedWine")

    assert predicates("{wine isa wine:RedWine}") == (IsA(wine, red),)
    assert predicates("{wine isa (wine:Wine that wine:hasColor value wine:Red)}") == (
        IsA(
            wine,
            owl.And(
                (
                    owl.Named("wine:Wine"),
                    owl.HasValue(owl.Named("wine:hasColor"), owl.Named("wine:Red")),
                )
            ),
        ),
    )
    assert predicates("{wine has wine:hasColor = wine:Red}") == (
        HasProperty(wine, owl.Named("wine:hasColor"), Operator.EQUAL, value(Resource("wine:Red"))),
    )
    assert predicates("{kind more specific than net:Fault}") == (
        ClassOrder(attribute("kind"), ClassRelation.MORE_SPECIFIC, owl.Named("net:Fault")),
    )
    assert predicates("{kind equivalent to net:Outage}") == (
        ClassOrder(attribute("kind"), ClassRelation.EQUIVALENT, owl.Named("net:Outage")),
    )


def test_manchester_syntax_binds_not_before_and_before_or() -> None:
    a, b, c, p = (owl.Named(name) for name in "ABCp")

    [found] = predicates("{x isa not A and B or p some C}")

    assert found == IsA(attribute("x"), owl.Or((owl.And((owl.Not(a), b)), owl.Some(p, c))))


def test_manchester_restrictions() -> None:
    p, c = owl.Named("p"), owl.Named("C")
    adult = owl.Restricted(
        owl.Named("xsd:integer"),
        (
            owl.Facet(Operator.AT_LEAST, Quantity(18)),
            owl.Facet(Operator.LESS, Quantity(99)),
        ),
    )
    forms: dict[str, owl.ClassExpression] = {
        "p only C": owl.Only(p, c),
        "p all C": owl.Only(p, c),
        "inverse p some C": owl.Some(owl.Inverse(p), c),
        "p Self": owl.HasSelf(p),
        "p min 2": owl.Cardinality(p, owl.Bound.MIN, 2),
        "p exactly 3 C": owl.Cardinality(p, owl.Bound.EXACTLY, 3, c),
        "p value 5": owl.HasValue(p, Quantity(5)),
        'p value "C"': owl.HasValue(p, Text("C")),
        "{C, p}": owl.OneOf((c, p)),
        "p some xsd:integer[>= 18, < 99]": owl.Some(p, adult),
    }

    for text, expression in forms.items():
        assert predicates(f"{{x isa {text}}}") == (IsA(attribute("x"), expression),)
        assert predicates(f"{{x isa ({text})}}") == (IsA(attribute("x"), expression),)


def test_temporal_predicates() -> None:
    small = Conjunction((Comparison(attribute("A"), Operator.LESS, value(Quantity(5))),))

    assert predicates("{start after(10 s) {A < 5}}") == (
        After(Endpoint.START, timedelta(seconds=10), small),
    )
    assert predicates("{end AFTER {A < 5}}") == (After(Endpoint.END, None, small),)
    assert predicates("{end during {A < 5}}") == (During(Endpoint.END, small),)
    assert predicates("{start with {A < 5}}") == (Simultaneous(Endpoint.START, small),)
    assert predicates("{A filter(<, last 200) {A < 5}}") == (
        HistoryFilter(attribute("A"), Operator.LESS, 200, small),
    )
    assert predicates("{A filter(=) {A < 5}}") == (
        HistoryFilter(attribute("A"), Operator.EQUAL, None, small),
    )


@pytest.mark.parametrize("relation", AllenRelation)
def test_allens_relations_by_name(relation: AllenRelation) -> None:
    [found] = predicates(f"{{interval {relation} {{type = maintenance}}}}")

    assert isinstance(found, AllenRelated)
    assert found.relation is relation


def test_temporal_filters_nest_and_refer_to_the_outer_event() -> None:
    [_, after] = predicates(
        "{type = vpn down, start after(10 s) {alarm isa net:LinkFault, port = $port, "
        "end during {a = 1}}}"
    )

    assert isinstance(after, After)
    assert after.inner.predicates[1] == equal(attribute("port"), value(Reference("port")))
    assert isinstance(after.inner.predicates[2], During)


def test_compositions() -> None:
    a, b = (Conjunction((equal(attribute(name), value(Quantity(1))),)) for name in "ab")
    ten = timedelta(seconds=10)
    forms = {
        "{a = 1} then {b = 1} within 10 s": Sequence((a, b), ten),
        "{a = 1} then {b = 1}": Sequence((a, b)),
        "{a = 1} 3 times within 10 s": Repetition(a, 3, ten),
        "{a = 1} or {b = 1}": Alternation((a, b)),
        "not {b = 1} within 10 s after {a = 1}": Absence(b, ten, a),
        "({a = 1} or {b = 1}) then {b = 1}": Sequence((Alternation((a, b)), b)),
        "{a = 1} then {b = 1} or {b = 1}": Alternation((Sequence((a, b)), b)),
        "{a = 1} 2 times within 10 s then {b = 1}": Sequence((Repetition(a, 2, ten), b)),
        "{a = 1} and {b = 1}": Coincidence((a, b)),
        "{a = 1} AND {b = 1} and {a = 1} within 10 s": Coincidence((a, b, a), ten),
        "{a = 1} and {b = 1} or {b = 1} and {a = 1} within 10 s": Alternation(
            (Coincidence((a, b)), Coincidence((b, a), ten))
        ),
        "{a = 1} and {b = 1} 2 times within 10 s": Coincidence((a, Repetition(b, 2, ten))),
        "({a = 1} and {b = 1}) then {b = 1}": Sequence((Coincidence((a, b)), b)),
        "({a = 1} then {b = 1} within 10 s) and {b = 1}": Coincidence((Sequence((a, b), ten), b)),
        "{a = 1} and not {b = 1} within 10 s after {a = 1} within 10 s": Coincidence(
            (a, Absence(b, ten, a)), ten
        ),
    }

    for text, pattern in forms.items():
        assert parse(text).pattern == pattern


def test_aggregates() -> None:
    assert predicates("{avg(temperature~) over 5 min > 25}") == (
        WindowAggregate(
            Function.AVG,
            attribute("temperature", RELATED),
            timedelta(minutes=5),
            Operator.GREATER,
            value(Quantity(25)),
        ),
    )
    assert predicates("{count() over 1 h >= 3, max = 3}") == (
        WindowAggregate(
            Function.COUNT, None, timedelta(hours=1), Operator.AT_LEAST, value(Quantity(3))
        ),
        equal(attribute("max"), value(Quantity(3))),
    )


def test_rules() -> None:
    rule = parse("when {type = overheating~, room = $room} publish {type = alert, room = $room}")

    assert isinstance(rule, Rule)
    assert rule.action == Publish(
        (
            Derivation(Text("type"), Text("alert")),
            Derivation(Text("room"), Reference("room")),
        )
    )
    update, post = parse('when {a = 1} update "CLEAR ALL"'), parse('when {a = 1} post "http://x/"')
    assert isinstance(update, Rule)
    assert isinstance(post, Rule)
    assert (update.action, post.action) == (Update("CLEAR ALL"), Post("http://x/"))


def test_options() -> None:
    subscription = parse(
        "{a = 1} threshold 0.6 top 3 mapping 1:1 aggregation mean exact scored as hot-rooms "
        "expires 2030-01-01T00:00:00Z at most once per 5 min on change"
    )

    assert subscription.name == "hot-rooms"
    assert subscription.options == Options(
        threshold=0.6,
        top=3,
        mapping=Multiplicity.ONE_TO_ONE,
        aggregation=Aggregation.MEAN,
        exact=Exactness.SCORED,
        expires=datetime(2030, 1, 1, tzinfo=UTC),
        at_most_once_per=timedelta(minutes=5),
        on_change=True,
    )


def test_prefixes_are_expanded_where_they_are_known() -> None:
    known = {"wine": "http://example.org/wine#"}

    assert parse("{a = wine:Red}", prefixes=known) == parse("{a = <http://example.org/wine#Red>}")
    assert parse("{wine:maker = x}", prefixes=known) == parse(
        "{<http://example.org/wine#maker> = x}"
    )
    assert parse("{a isa wine:Red}", prefixes=known) == parse(
        "{a isa <http://example.org/wine#Red>}"
    )


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "the text ends here, expected a subscription"),
        ("{}", 1, 2, "found '}', expected a predicate"),
        ("{a = }", 1, 6, "found '}', expected a value"),
        ("{a = 1", 1, 7, "the text ends here, expected ',', '}'"),
        ("{a = 1}}", 1, 8, "found '}', expected an option"),
        ("{a = 1,\n b}", 2, 3, "found '}', expected a comparison"),
        ("{device: laptop}", 1, 16, "joined by '=', not ':'"),
        ("{a = 1} {b = 2}", 1, 9, "found '{', expected the end"),
        ("{a = 1} threshold 1.5", 1, 19, "the threshold must be from 0 to 1, got 1.5"),
        ("{a = 1} threshold high", 1, 19, "found 'high', expected a number"),
        ("{a = 1} top 0", 1, 13, "top must be 1 or more, got 0"),
        ("{a = 1} top 1 top 2", 1, 15, "'top' is given twice"),
        ("{a = 1e999}", 1, 6, "the number is too large"),
        ('{a = "x}', 1, 6, "the quoted text is not closed"),
        ("{a = <b>}", 1, 6, "not an absolute IRI: 'b'"),
        ("{start after(500) {a = 1}}", 1, 14, "expected a duration (such as 10 s; in ms"),
        ("{A with {b = 1}}", 1, 4, "expected start or end before 'with'"),
        ("{start overlaps {b = 1}}", 1, 8, "write interval overlaps {...}"),
        ("{end during(5 s) {b = 1}}", 1, 6, "'during' takes no time limit here"),
        ("{A filter(<, last 0) {b = 1}}", 1, 19, "expected 1 or more"),
        ("{a isa }", 1, 8, "expected a class"),
        ("{start after(5 km) {a = 1}}", 1, 14, "in ms, s, min, h, d or w"),
        ("{interval foo {b = 1}}", 1, 15, "braces follow after, during, with"),
        ("not {a = 1} within 3 s after", 1, 29, "the text ends here, expected '{' or '('"),
        ("not {a = 1} within 3 s after\n  x", 2, 3, "found 'x', expected '{' or '('"),
        ("{avg(x) over 5 s = hello}", 1, 2, "avg is compared with a number, not hello"),
        ("{avg() over 5 min > 25}", 1, 2, "avg needs an attribute"),
        ('when {a = 1} post "ftp://x"', 1, 14, "http:// or https://"),
        ("when {a = 1}", 1, 13, "publish, update or post"),
        ("when {a = 1} publish {a > 1}", 1, 25, "written with '='"),
        ("{a = 1} expires 2030-13-01", 1, 17, "not an ISO 8601 time"),
        ("{a = 1} foo", 1, 9, "found 'foo'"),
        ("{start after " * 2000 + "{a = 1}" + "}" * 2000, 1, 1, "nested too deeply"),
        ("{x isa " + "not " * 5000 + "A}", 1, 1, "nested too deeply"),
        ("{a = 1} then {b = 1} within 999999999999 d", 1, 29, "the duration is too long"),
        ('{a = 1} as ""', 1, 12, "a name must not be empty"),
        ("{price > 100 EUR}", 1, 2, "the unit in '100 EUR' is not known, so it has no order"),
        ("{ok > true}", 1, 2, "true has no order"),
        ("{t in [30, 20]}", 1, 2, "nothing lies from 30 to 20"),
        ("{t in [18 °C, 25 kg]}", 1, 2, "nothing lies from 18 °C to 25 kg"),
        ("{a not in (1, 2)}", 1, 4, "'not' is no part of a predicate"),
        ("{not a = b}", 1, 2, "'not' is no part of a predicate"),
        ("{a ! = 5}", 1, 4, "write != in one piece"),
        ("{5 < a}", 1, 2, "the attribute comes first"),
        ("{a = 'b c'}", 1, 6, 'texts are quoted with "..."'),
        ('{"a": "b"}', 1, 5, "joined by '=', not ':'"),
        ("{a = b} and", 1, 12, "the text ends here, expected a pattern"),
        ("{a = b} and {a = c} then {a = d}", 1, 21, "found 'then', expected an option"),
        ("{a = b} then {a = c} and {a = d}", 1, 22, "found 'and', expected an option"),
        ("{a = b} then", 1, 13, "the text ends here, expected a pattern"),
        ("{a = b} threshold", 1, 18, "the text ends here, expected a number"),
        ("{a = b} 3 times", 1, 16, "the text ends here, expected 'within'"),
        ("{a isa b and}", 1, 13, "found '}', expected a class"),
        ("{a = 1} at most once per 0 s", 1, 26, "a duration is longer than 0"),
        ("{interval~ overlaps {a = 1}}", 1, 12, "'~' has no meaning before 'overlaps'"),
        ('{a = "x\\q"}', 1, 6, "an escape in the quoted text is none of JSON's"),
        ("{x isa p min " + "9" * 5000 + "}", 1, 14, "the number is too large"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as error:
        parse(text)

    assert (error.value.line, error.value.column) == (line, column)
    assert message in str(error.value)


def test_what_parses_can_be_compared_shown_and_sent() -> None:
    nested = parse("{start after " * 60 + "{a = 1}" + "}" * 60)

    assert pickle.loads(pickle.dumps(nested)) == nested
    assert parse(write(nested)) == nested
    assert len(repr(nested)) > 1000


def test_the_caret_points_at_the_mistake() -> None:
    with pytest.raises(SubscriptionSyntaxError) as error:
        parse("{a = 1,\n b = }")

    assert error.value.with_caret() == (
        "line 2, column 6: found '}', expected a value\n   b = }\n       ^"
    )
