"""Classes that are read as what they are defined as.

A definition such as `Harmless ≡ contains only (not Poison)` gives a rule nothing to wait for: it
would have to be decided for everything there is. If nothing else is said of the class, its name can
be replaced by the definition wherever it occurs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Set

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Restricted,
    Some,
)
from purport.ontology.axioms import Axioms, EquivalentClasses, SubClass
from purport.ontology.definitions import named_in


def definitions_to_expand(axioms: Axioms) -> Mapping[str, ClassExpression]:
    """The definitions to write out, none of which leads back to its own name."""
    definitions: dict[str, list[ClassExpression]] = defaultdict(list)
    said: Counter[str] = Counter()
    for axiom in axioms.axioms:
        match axiom:
            case SubClass(Named(name), _):
                said[name] += 1
            case EquivalentClasses((Named(name), definition)):
                definitions[name].append(definition)
                said.update([definition.name] if isinstance(definition, Named) else [])
            case EquivalentClasses((definition, Named(name))):
                definitions[name].append(definition)
            case EquivalentClasses(operands):
                said.update(one.name for one in operands if isinstance(one, Named))
    candidates = {
        name: found[0]
        for name, found in definitions.items()
        if len(found) == 1 and not said[name] and not _has_trigger(found[0], axioms.data_properties)
    }
    return _without_cycles(candidates)


def _has_trigger(expression: ClassExpression, data_properties: Set[str]) -> bool:
    """Whether a label could show that something may be in the class."""
    match expression:
        case Named():
            return True
        case OneOf(members):
            return all(isinstance(one, Named) for one in members)
        case And(operands):
            return any(_has_trigger(one, data_properties) for one in operands)
        case Or(operands):
            return all(_has_trigger(one, data_properties) for one in operands)
        case Some(property_, filler):
            is_data = isinstance(property_, Named) and property_.name in data_properties
            return not is_data and _has_trigger(filler, data_properties)
        case HasValue(_, value):
            return isinstance(value, Named)
        case Cardinality(_, Bound.MIN, count, filler):
            return count == 1 and (filler is None or _has_trigger(filler, data_properties))
        case Not() | Only() | HasSelf() | Restricted() | Cardinality():
            return False


def _without_cycles(candidates: dict[str, ClassExpression]) -> dict[str, ClassExpression]:
    kept: dict[str, ClassExpression] = {}
    for name, definition in candidates.items():
        waiting, seen = [definition], {name}
        is_cyclic = False
        while waiting and not is_cyclic:
            for used in named_in(waiting.pop()):
                is_cyclic |= used == name
                if used in kept and used not in seen:
                    seen.add(used)
                    waiting.append(kept[used])
        if not is_cyclic:
            kept[name] = definition
    return kept
