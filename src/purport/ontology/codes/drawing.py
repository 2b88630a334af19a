"""Pictures of orders of names with their genes and codes, as in SemPS'12's figures 2 and 3."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from purport.model.iris import last_part
from purport.model.term import printable
from purport.ontology.codes.boxes import MOST_BOXES, Box, Chart, draw_chart
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.prime_encoding import Encoding
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.hierarchy import Hierarchy
from purport.plots import COLOURS, require_picture, short

_LONGEST_PRODUCT = 30


def draw_encodings(
    path: Path,
    encodings: Encodings,
    *,
    around: str | None = None,
    depth: int | None = None,
    label: Callable[[str], str] | None = None,
    long_label: Callable[[str], str] = str,
    title: str = "",
) -> list[str]:
    """Draw classes and properties (.svg, .png, .pdf); which ones were left out.

    `around` leaves only what is above and below one class or property, `depth` only so many steps
    from it, or from the top. More than 150 boxes are refused: nobody could read them. Names with
    one label have the long one. Classes that can have no members are left out.
    """
    require_picture(path)
    shown = _labels(encodings, label or last_part, long_label)
    chart = _chart(encodings, around, depth, shown)
    if not chart.boxes:
        raise OntologyError("there is no class or property to draw")
    if len(chart.boxes) > MOST_BOXES:
        raise OntologyError(
            f"{len(chart.boxes):,} boxes, of which at most {MOST_BOXES} can be read: narrow it "
            + ("with a smaller depth" if around else "to what is around one name, or by depth")
        )
    left_out = [] if around is not None else _without_members(encodings)
    if left_out and title:
        title += f" (without {len(left_out):,} that can have no members)"
    draw_chart(path, chart, title)
    return left_out


def _without_members(encodings: Encodings) -> list[str]:
    return sorted(name for name in encodings.classes if encodings.classes.code(name) == 0)


def _labels(
    encodings: Encodings, label: Callable[[str], str], long_label: Callable[[str], str]
) -> Callable[[str], str]:
    """The label of each name, or the long one where others have the same."""
    drawn = {*encodings.classes, *encodings.properties} - {*encodings.individuals}
    often = Counter(map(label, drawn))
    return lambda name: long_label(name) if often[label(name)] > 1 else label(name)


def _chart(
    encodings: Encodings, around: str | None, depth: int | None, label: Callable[[str], str]
) -> Chart:
    if (
        around is not None
        and around not in encodings.classes
        and around not in encodings.properties
    ):
        raise UnknownName("class or property", around)
    classes = encodings.classes.part(
        name for name in encodings.classes if name not in encodings.individuals or name == around
    )
    boxes: dict[int, Box] = {}
    parents: dict[int, list[int]] = {}
    for encoding, colour in ((classes, COLOURS[0]), (encodings.properties, COLOURS[1])):
        if around is not None and around not in encoding:
            continue
        order = encoding.hierarchy()
        numbers: dict[str, int] = {}
        for names in _chosen(order, around, depth):
            number = len(boxes)
            numbers.update(dict.fromkeys(names, number))
            boxes[number] = _box(names, encoding, order, label, colour)
            found = {numbers[one] for one in order.parents(names[0]) if one in numbers}
            parents[number] = sorted(found)
    return Chart(boxes, parents)


def _chosen(order: Hierarchy, around: str | None, depth: int | None) -> Iterable[tuple[str, ...]]:
    """The groups to be drawn, parents first."""
    kept: set[str] = set()
    if around is None:
        roots = [names[0] for names in order.groups if not order.parents(names[0])]
        kept = _within(roots, order.children, depth)
    else:
        kept = _within([around], order.children, depth) | _within([around], order.parents, depth)
    return [
        names
        for names in order.groups
        if names[0] not in order.unsatisfiable and not kept.isdisjoint(names)
    ]


def _within(
    names: Iterable[str], near: Callable[[str], Iterable[str]], depth: int | None
) -> set[str]:
    """These names, and what is so many steps away from them."""
    found = set(names)
    edge, steps = set(found), 0
    while edge and (depth is None or steps < depth):
        edge = {one for name in edge for one in near(name)} - found
        found |= edge
        steps += 1
    return found


def _box(
    names: tuple[str, ...],
    encoding: Encoding,
    order: Hierarchy,
    label: Callable[[str], str],
    colour: str,
) -> Box:
    gene, code = encoding.gene(names[0]), encoding.code(names[0])
    genes = {encoding.gene(one) for one in order.ancestors(names[0])}
    rest = code // math.prod(genes) // gene
    factors = [*sorted(genes | ({rest} if rest > 1 else set())), gene]
    shown = " ≡ ".join(short(printable(label(name))) for name in names[:3])
    return Box(shown, str(gene), product_text(factors, code), colour)


def product_text(factors: Sequence[int], code: int) -> str:
    """A code and its factors, shortened where they are long.

    >>> product_text([2, 3, 23], 138)
    '2·3·23 = 138'
    """
    if len(factors) == 1:
        return str(code)
    product = "·".join(map(str, factors))
    if len(product) > _LONGEST_PRODUCT:
        product = f"{factors[0]}·{factors[1]}·…·{factors[-1]}"
        return f"{product}  ({len(factors)} genes, {code.bit_length()} bits)"
    return f"{product} = {code}" if len(product) + len(str(code)) < _LONGEST_PRODUCT else product
