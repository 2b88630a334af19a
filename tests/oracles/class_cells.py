"""How statements answer predicates of classes and bags, one by one: slow, and plainly so."""

from purport.matching.individuals import thing_of, type_level
from purport.model.class_expression import Named, OneOf
from purport.model.comparison import Operator, holds
from purport.model.event import Event, Statement
from purport.model.rdf import XSD
from purport.model.subscription import (
    AskedAttribute,
    ClassOrder,
    ClassRelation,
    ContainsAll,
    HasProperty,
    IsA,
    Within,
)
from purport.model.term import Resource, Term, Text, folded
from purport.model.words import said, says_words
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.description import Description
from purport.ontology.ontology import Ontology
from purport.relatedness.measure import Measure
from tests.oracles.approximate_matcher import Cell, nearness


def bag_cells(predicate: ContainsAll | Within, event: Event, measure: Measure) -> list[Cell]:
    """The bag of each attribute at its weakest statement; nothing anywhere else."""
    cells = [Cell(0.0, False) for _ in event.statements]
    asked = predicate.attribute
    same = [holds(one.attribute, Operator.EQUAL, asked.term) for one in event.statements]
    bags: dict[object, list[int]] = {}
    for place, one in enumerate(event.statements):
        if same[place] or asked.approximation is not None:
            is_iri = isinstance(one.attribute, Resource)
            name = str(one.attribute) if is_iri else folded(str(one.attribute))
            bags.setdefault(None if same[place] else (is_iri, name), []).append(place)
    for places in bags.values():
        told = [event.statements[place] for place in places]
        near = [[nearness(one, value, measure) for one in told] for value in predicate.values]
        is_exact = [value.approximation is None for value in predicate.values]
        if isinstance(predicate, ContainsAll):
            best = [max(row) for row in near]
            score = min(best)
            row = near[best.index(score)]
            at = places[row.index(score)]
            holds_so = all(one == 1 or not exact for one, exact in zip(best, is_exact, strict=True))
        else:
            best = [max(row[column] for row in near) for column in range(len(told))]
            score = min(best)
            at = places[best.index(score)]
            holds_so = score == 1 or not all(is_exact)
        near_name = 1.0 if same[at] else measure.score(said(asked.term), said(told[0].attribute))
        cells[at] = Cell(near_name * score, holds_so)
    return cells


def class_cells(
    predicate: IsA | ClassOrder | HasProperty, event: Event, measure: Measure, ontology: Ontology
) -> list[Cell]:
    """Each statement by itself, or with what else its level tells where it says a type."""
    cells = []
    for one in event.statements:
        name, is_named = _name(predicate.attribute, one, measure)
        score, is_so = _class_score(predicate, one, event, measure, ontology)
        cells.append(Cell(name * score, is_named and is_so))
    return cells


def _name(asked: AskedAttribute, statement: Statement, measure: Measure) -> tuple[float, bool]:
    thing = thing_of(statement.attribute)
    told = [statement.attribute] if thing is None else [statement.attribute, thing]
    is_same = any(holds(one, Operator.EQUAL, asked.term) for one in told)
    if asked.approximation is None:
        return float(is_same), is_same
    near = max(measure.score(said(asked.term), said(one)) for one in told)
    return 1.0 if is_same else near, True


def _class_score(
    predicate: IsA | ClassOrder | HasProperty,
    statement: Statement,
    event: Event,
    measure: Measure,
    ontology: Ontology,
) -> tuple[float, bool]:
    if isinstance(predicate, ClassOrder):
        told = ontology.names.find_class(str(statement.value))
        is_text = isinstance(statement.value, Text | Resource)
        is_so = told is not None and is_text and _stands(told, predicate, ontology)
        return float(is_so), is_so
    described = _described(statement, event, ontology)
    if isinstance(predicate, HasProperty):
        return _has(predicate, described, measure, ontology)
    is_text = predicate.expression == Named("xsd:string")
    wanted = Named(XSD + "string") if is_text else ontology.resolved(predicate.expression)
    is_literal = type_level(statement.attribute) is None and is_data_range(wanted)
    is_so = ontology.is_member(statement.value if is_literal else described, wanted)
    return float(is_so), is_so


def _described(statement: Statement, event: Event, ontology: Ontology) -> Description:
    level = type_level(statement.attribute)
    if level is None:
        return ontology.described(statement.value)
    facts: list[tuple[Text, Term]] = []
    told = _of_one_object(event, statement, level)
    first = next(one for one in told if type_level(one.attribute) == level)
    for one in told:
        name = str(one.attribute)
        if one is not first:
            facts.append((Text(name.removeprefix(level + ".") if level else name), one.value))
    return ontology.described(first.value, facts)


def _of_one_object(event: Event, statement: Statement, level: str) -> list[Statement]:
    """The statements of a level that are of the same object, one step after the other."""
    told = list(event.statements)
    for depth in range(1, len(level.split(".")) + 1 if level else 0):
        above = ".".join(level.split(".")[:depth]) + "."
        told = [one for one in told if str(one.attribute).startswith(above)]
        names = [str(one.attribute).removeprefix(above).split(".")[0] for one in told]
        begins = [0]
        for place in range(len(told)):
            before = names[begins[-1] : place]
            if names[place] in before and names[place] != before[-1]:
                begins.append(place)
        place = next(number for number, one in enumerate(told) if one is statement)
        begin = max(one for one in begins if one <= place)
        end = min((one for one in begins if one > place), default=len(told))
        told = told[begin:end]
    return told


def _stands(told: str, predicate: ClassOrder, ontology: Ontology) -> bool:
    asked = ontology.resolved(predicate.expression)
    below = ontology.subsumes_expression(asked, Named(told))
    above = ontology.subsumes_expression(Named(told), asked)
    return {
        ClassRelation.MORE_SPECIFIC: below and not above,
        ClassRelation.LESS_SPECIFIC: above and not below,
        ClassRelation.EQUIVALENT: below and above,
    }[predicate.relation]


def _has(
    predicate: HasProperty, described: Description, measure: Measure, ontology: Ontology
) -> tuple[float, bool]:
    name = ontology.names.property_named(predicate.property.name)
    found = ontology.values_of(described, name)
    if predicate.value.approximation is None:
        is_so = any(_is_answer(one, predicate.operator, predicate, ontology) for one in found)
        return float(is_so), is_so
    near = [_near(one, predicate, measure, ontology) for one in found]
    if predicate.operator is Operator.NOT_EQUAL:
        near = [1 - one for one in near]
    return max(near, default=0.0), bool(near)


def _is_answer(
    told: Description | Term, operator: Operator, predicate: HasProperty, ontology: Ontology
) -> bool:
    asked = predicate.value.term
    assert isinstance(asked, Term)
    if not isinstance(told, Description):
        return holds(told, operator, asked)
    name = ontology.names.find_individual(str(asked))
    is_same = name is not None and ontology.is_member(told, OneOf((Named(name),)))
    return operator in (Operator.EQUAL if is_same else Operator.NOT_EQUAL,)


def _near(
    told: Description | Term, predicate: HasProperty, measure: Measure, ontology: Ontology
) -> float:
    if _is_answer(told, Operator.EQUAL, predicate, ontology):
        return 1.0
    if isinstance(told, Description):
        name = told.name or next(iter(told.types), None)
        told = Text("") if name is None else Resource(name)
    return measure.score(str(predicate.value.term), said(told)) if says_words(told) else 0.0
