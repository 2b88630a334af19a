"""Class expressions and data ranges as py-horned-owl has them, as nodes of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyhornedowl.model as model
import pyoxigraph

from purport.model import class_expression as owl
from purport.model.comparison import Operator
from purport.model.rdf import literal_term
from purport.model.term import Term
from purport.ontology.normal_forms import counted, intersection, union

_FACETS: dict[Any, Operator | owl.TextFacet] = {
    model.Facet.MinInclusive: Operator.AT_LEAST,
    model.Facet.MinExclusive: Operator.GREATER,
    model.Facet.MaxInclusive: Operator.AT_MOST,
    model.Facet.MaxExclusive: Operator.LESS,
    model.Facet.Length: owl.TextFacet.LENGTH,
    model.Facet.MinLength: owl.TextFacet.MIN_LENGTH,
    model.Facet.MaxLength: owl.TextFacet.MAX_LENGTH,
    model.Facet.Pattern: owl.TextFacet.PATTERN,
    model.Facet.LangRange: owl.TextFacet.LANGUAGE_RANGE,
    model.Facet.TotalDigits: owl.TextFacet.TOTAL_DIGITS,
    model.Facet.FractionDigits: owl.TextFacet.FRACTION_DIGITS,
}


@dataclass(frozen=True, slots=True)
class HornedExpressions:
    """Turns the library's nodes into ours; `blanks` tells the unnamed of one file from others'."""

    blanks: str

    def expression(self, given: Any) -> owl.ClassExpression:
        """A class expression or data range."""
        match given:
            case model.Class() | model.Datatype():
                return owl.Named(str(given.first))
            case model.ObjectIntersectionOf() | model.DataIntersectionOf():
                return intersection(tuple(map(self.expression, given.first)))
            case model.ObjectUnionOf() | model.DataUnionOf():
                return union(tuple(map(self.expression, given.first)))
            case model.ObjectComplementOf() | model.DataComplementOf():
                return owl.Not(self.expression(given.first))
            case model.ObjectOneOf() | model.DataOneOf():
                return owl.OneOf(tuple(map(self.value, given.first)))
            case model.DatatypeRestriction():
                return self._restricted(given)
            case _:
                return self._restriction(given)

    def _restriction(self, given: Any) -> owl.ClassExpression:
        match given:
            case model.ObjectSomeValuesFrom():
                return owl.Some(self.property(given.ope), self.expression(given.bce))
            case model.ObjectAllValuesFrom():
                return owl.Only(self.property(given.ope), self.expression(given.bce))
            case model.DataSomeValuesFrom():
                return owl.Some(self.property(given.dp), self.expression(given.dr))
            case model.DataAllValuesFrom():
                return owl.Only(self.property(given.dp), self.expression(given.dr))
            case model.ObjectHasValue():
                return owl.HasValue(self.property(given.ope), self.value(given.i))
            case model.DataHasValue():
                return owl.HasValue(self.property(given.dp), self.value(given.l))
            case model.ObjectHasSelf():
                return owl.HasSelf(self.property(given.first))
            case model.ObjectMinCardinality() | model.DataMinCardinality():
                return self._cardinality(given, owl.Bound.MIN)
            case model.ObjectMaxCardinality() | model.DataMaxCardinality():
                return self._cardinality(given, owl.Bound.MAX)
            case model.ObjectExactCardinality() | model.DataExactCardinality():
                return self._cardinality(given, owl.Bound.EXACTLY)
        raise TypeError(f"no class expression: {given}")

    def _cardinality(self, given: Any, bound: owl.Bound) -> owl.Cardinality:
        if hasattr(given, "ope"):
            name, filler = self.property(given.ope), self.expression(given.bce)
        else:
            name, filler = self.property(given.dp), self.expression(given.dr)
        return counted(name, bound, given.n, filler)

    def _restricted(self, given: Any) -> owl.ClassExpression:
        datatype = owl.Named(str(given.first.first))
        facets = tuple(owl.Facet(_FACETS[one.f], _literal(one.l)) for one in given.second)
        return owl.Restricted(datatype, facets) if facets else datatype

    def property(self, given: Any) -> owl.Property:
        """A property, or the inverse of one."""
        if isinstance(given, model.InverseObjectProperty):
            return owl.Inverse(owl.Named(str(given.first.first)))
        return owl.Named(str(given.first))

    def value(self, given: Any) -> owl.Named | Term:
        """An individual or a literal."""
        if isinstance(given, model.NamedIndividual | model.AnonymousIndividual):
            return owl.Named(self.individual(given))
        return _literal(given)

    def individual(self, given: Any) -> str:
        """An individual by its name."""
        if isinstance(given, model.AnonymousIndividual):
            return f"_:{self.blanks}{str(given.first).removeprefix('_:')}"
        return str(given.first)


def _literal(given: Any) -> Term:
    match given:
        case model.LanguageLiteral():
            return literal_term(pyoxigraph.Literal(given.literal, language=given.lang))
        case model.DatatypeLiteral():
            datatype = pyoxigraph.NamedNode(str(given.datatype_iri))
            return literal_term(pyoxigraph.Literal(given.literal, datatype=datatype))
        case _:
            return literal_term(pyoxigraph.Literal(given.literal))
