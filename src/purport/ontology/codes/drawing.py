"""Pictures of orders of names with their genes and codes, as in SemPS'12's figures 2 and 3."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from purport.model.iris import last_part
from purport.model.term import printable
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.layered_layout import Layout, layered
from purport.ontology.codes.prime_encoding import Encoding
from purport.ontology.errors import OntologyError, UnknownName
from purport.ontology.hierarchy import Hierarchy
from purport.plots import (
    COLOURS,
    FAINT,
    INK,
    picture,
    require_picture,
    short,
    without_glyph_warnings,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BOXES = 150
_WIDEST_IN = 15.0  # a picture whose layers are wider has them from left to right
_MARGIN_IN, _BOX_IN, _TITLE_IN = 0.25, 0.46, 0.45
_NAME_SIZE, _CODE_SIZE = 9.5, 8.0
_SPARE = 1.03  # pixels round a long line up
_LONGEST_PRODUCT = 30


@dataclass(frozen=True, slots=True)
class Box:
    """A name, or equivalent ones, with gene and code as they are shown."""

    label: str
    gene: str
    code: str
    colour: str


@dataclass(frozen=True, slots=True)
class _Chart:
    """Boxes by number, parents first, and the parents of each."""

    boxes: Mapping[int, Box]
    parents: Mapping[int, Sequence[int]]


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
    _draw(path, chart, title)
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
) -> _Chart:
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
    return _Chart(boxes, parents)


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


def _draw(path: Path, chart: _Chart, title: str) -> None:
    widths = {number: _width(box) for number, box in chart.boxes.items()}
    layout = layered(widths, chart.parents, gap=0.22)
    width = max(layout.middle[one] + widths[one] / 2 for one in widths)
    is_sideways = width > _WIDEST_IN
    if is_sideways:
        heights = dict.fromkeys(widths, _BOX_IN)
        layout = layered(heights, chart.parents, gap=0.1)
    frame = _Frame.of(layout, widths, is_sideways=is_sideways)
    head = _TITLE_IN if title else 0.0
    full = (frame.width + 2 * _MARGIN_IN, frame.height + 2 * _MARGIN_IN + head)
    with without_glyph_warnings(), picture(path, *full) as axes:
        axes.set_position((0, 0, 1, 1))
        axes.set(xlim=(-_MARGIN_IN, full[0] - _MARGIN_IN))
        axes.set(ylim=(frame.height + _MARGIN_IN, -_MARGIN_IN - head))
        axes.set_axis_off()
        if title:
            axes.text(0, -head, printable(title), size=12, va="center", parse_math=False)
        for line in layout.lines:
            _draw_line(axes, frame, line)
        for number, box in chart.boxes.items():
            _draw_box(axes, frame.corner(number), frame.size(number), box)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where boxes are, in inches from the upper left."""

    layout: Layout
    widths: Mapping[int, float]
    starts: tuple[float, ...]  # of layers
    depths: tuple[float, ...]
    is_sideways: bool

    @classmethod
    def of(cls, layout: Layout, widths: Mapping[int, float], *, is_sideways: bool) -> _Frame:
        """Layers far enough apart for the lines between them."""
        starts, depths, at = [], [], 0.0
        for places in layout.layers:
            boxes = [widths[one] for one in places if one in widths]
            depths.append(max(boxes, default=0.0) if is_sideways else _BOX_IN)
            starts.append(at)
            at += depths[-1] + (0.9 if is_sideways else 0.65)
        return cls(layout, widths, tuple(starts), tuple(depths), is_sideways)

    @property
    def width(self) -> float:
        return self._along if self.is_sideways else self._across

    @property
    def height(self) -> float:
        return self._across if self.is_sideways else self._along

    @property
    def _along(self) -> float:
        return self.starts[-1] + self.depths[-1]

    @property
    def _across(self) -> float:
        half = {
            one: (_BOX_IN if self.is_sideways else width) / 2 for one, width in self.widths.items()
        }
        return max(self.layout.middle[one] + half.get(one, 0) for one in self.layout.middle)

    def size(self, number: int) -> tuple[float, float]:
        """Width and height of a box; in a column all are as wide as the widest."""
        if self.is_sideways:
            return self.depths[self.layout.layer[number]], _BOX_IN
        return self.widths[number], _BOX_IN

    def corner(self, number: int) -> tuple[float, float]:
        """The upper left corner of a box."""
        start, middle = self.starts[self.layout.layer[number]], self.layout.middle[number]
        width, height = self.size(number)
        return (start, middle - height / 2) if self.is_sideways else (middle - width / 2, start)

    def point(self, place: int, *, is_end: bool) -> tuple[float, float]:
        """Where a line leaves a layer, or comes to it."""
        layer = self.layout.layer[place]
        along = self.starts[layer] + (self.depths[layer] if is_end else 0.0)
        across = self.layout.middle[place]
        return (along, across) if self.is_sideways else (across, along)


def _draw_line(axes: Axes, frame: _Frame, line: Sequence[int]) -> None:
    """Curves between layers, and straight through those that are passed."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    points, moves = [frame.point(line[0], is_end=True)], [Curve.MOVETO]
    for place in line[1:]:
        (x, y), (to_x, to_y) = points[-1], frame.point(place, is_end=False)
        if frame.is_sideways:
            bends = [((x + to_x) / 2, y), ((x + to_x) / 2, to_y)]
        else:
            bends = [(x, (y + to_y) / 2), (to_x, (y + to_y) / 2)]
        points += [*bends, (to_x, to_y)]
        moves += [Curve.CURVE4] * 3
        if place != line[-1]:
            points.append(frame.point(place, is_end=True))
            moves.append(Curve.LINETO)
    axes.add_patch(PathPatch(Curve(points, moves), fill=False, edgecolor="#94a3b8", lw=1.0))


def _draw_box(axes: Axes, corner: tuple[float, float], size: tuple[float, float], box: Box) -> None:
    """The gene on a ground of colour, beside it the name, and the code below that."""
    from matplotlib.patches import Rectangle

    (x, y), (width, height), chip = corner, size, _chip_width(box)
    axes.add_patch(Rectangle(corner, width, height, facecolor="white", edgecolor=FAINT, lw=1.0))
    axes.add_patch(Rectangle(corner, chip, height, facecolor=box.colour, lw=0))
    axes.text(
        x + chip / 2, y + height / 2, box.gene, color="white", weight="bold", size=_NAME_SIZE,
        ha="center", va="center",
    )  # fmt: skip
    left = x + chip + 0.08
    axes.text(left, y + 0.31 * height, box.label, color=INK, size=_NAME_SIZE, va="center")
    axes.text(left, y + 0.73 * height, box.code, color="#64748b", size=_CODE_SIZE, va="center")


def _width(box: Box) -> float:
    texts = _text_width(box.label, _NAME_SIZE), _text_width(box.code, _CODE_SIZE)
    return _chip_width(box) + 0.18 + max(texts)


def _chip_width(box: Box) -> float:
    return max(0.34, 0.16 + _text_width(box.gene, 1.12 * _NAME_SIZE))


def _text_width(text: str, size: float) -> float:
    """How wide a text is, in inches."""
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    with without_glyph_warnings():
        return _SPARE * float(TextPath((0, 0), text, size=size).get_extents().width) / 72
