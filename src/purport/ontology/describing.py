"""The individual that told values and attributes describe, with names looked up in an ontology.

The value names an individual that is known, or a class: then it is some member of it. Attributes
that name no property say nothing; `hasMaker.locatedIn` tells of the maker. A name below `hasMaker`
that comes again after another one begins to tell of a second maker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from purport.model.paths import path_steps, told_objects
from purport.model.term import Attribute, Resource, Term, Text
from purport.ontology.description import Description, is_type_name
from purport.ontology.names import Names

Fact = tuple[Attribute, Term]


def described(
    value: Term, facts: Sequence[Fact], names: Names, *, is_type: bool = False
) -> Description:
    """The individual that a value names, with what else is told of it.

    Where the value may name an individual or a class, the name that is written just so counts, or
    else that of the individual; if the value `is_type`, the class does.
    """
    name, type_name = _named(str(value), names, is_type=is_type)
    if name is None and type_name is None and isinstance(value, Resource):
        name = value.iri
    types = [] if type_name is None else [type_name]
    told, nested = [], dict[str, list[Fact]]()
    for attribute, term in facts:
        if is_type_name(str(attribute)):
            types += filter(None, [names.find_class(str(term))])
        elif (found := names.find_property(str(attribute))) is not None:
            told.append((found, _value(found, term, names)))
        else:
            head, *rest = path_steps(str(attribute))
            if any(rest):
                nested.setdefault(head, []).append((Text(".".join(rest)), term))
    return Description(name, tuple(dict.fromkeys(types)), (*told, *_nested(nested, names)))


def _named(text: str, names: Names, *, is_type: bool) -> tuple[str | None, str | None]:
    """The individual and the class of a name; both only if one IRI is that of both."""
    individual, kind = names.find_individual(text), names.find_class(text)
    if individual is None or kind is None or individual == kind:
        return individual, kind
    is_written = [names.is_written_so(text, one) for one in (individual, kind)]
    takes_class = is_type if is_written[0] == is_written[1] else is_written[1]
    return (None, kind) if takes_class else (individual, None)


def _value(property: str, term: Term, names: Names) -> Description | Term:
    if names.is_data_property(property) or not isinstance(term, Text | Resource):
        return term
    return described(term, (), names)


def _nested(
    nested: Mapping[str, Sequence[Fact]], names: Names
) -> Iterator[tuple[str, Description]]:
    """The values of properties that are told of below the name of the property."""
    for head, facts in nested.items():
        property = names.find_property(head)
        if property is not None:
            heads = (path_steps(str(attribute))[0] for attribute, _ in facts)
            for places in told_objects(heads):
                yield property, _unnamed([facts[place] for place in places], names)


def _unnamed(facts: Sequence[Fact], names: Names) -> Description:
    """An individual that is told of by facts alone, of which a type may name it."""
    types = [str(term) for attribute, term in facts if is_type_name(str(attribute))]
    rest = [one for one in facts if not is_type_name(str(one[0]))]
    found = described(Text(types[0]) if types else Text(""), rest, names, is_type=True)
    more = [names.find_class(one) for one in types[1:]]
    return Description(found.name, (*found.types, *filter(None, more)), found.facts)
