"""Pictures of orders: boxes below their parents, such as names with their genes and codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from purport.model.term import printable
from purport.ontology.codes.layered_layout import Layout, layered
from purport.plots import FAINT, INK, picture, without_glyph_warnings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BOXES = 150  # more of them nobody could read
_WIDEST_IN = 15.0  # a picture whose layers are wider has them from left to right
_MARGIN_IN, _BOX_IN, _TITLE_IN = 0.25, 0.46, 0.45
_NAME_SIZE, _CODE_SIZE = 9.5, 8.0
_SPARE = 1.03  # pixels round a long line up


@dataclass(frozen=True, slots=True)
class Box:
    """A label beside a chip, which is a short text on a ground of colour, and a line below it."""

    label: str
    chip: str
    line: str
    colour: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Boxes by number, parents first, and the parents of each."""

    boxes: Mapping[int, Box]
    parents: Mapping[int, Sequence[int]]


def draw_chart(path: Path, chart: Chart, title: str = "") -> None:
    """Draw boxes below their parents (.svg, .png, .pdf); wide layers go from left to right."""
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
    """The chip, beside it the label, and the line below that."""
    from matplotlib.patches import Rectangle

    (x, y), (width, height), chip = corner, size, _chip_width(box)
    axes.add_patch(Rectangle(corner, width, height, facecolor="white", edgecolor=FAINT, lw=1.0))
    axes.add_patch(Rectangle(corner, chip, height, facecolor=box.colour, lw=0))
    axes.text(
        x + chip / 2, y + height / 2, box.chip, color="white", weight="bold", size=_NAME_SIZE,
        ha="center", va="center",
    )  # fmt: skip
    left = x + chip + 0.08
    axes.text(left, y + 0.31 * height, box.label, color=INK, size=_NAME_SIZE, va="center")
    axes.text(left, y + 0.73 * height, box.line, color="#64748b", size=_CODE_SIZE, va="center")


def _width(box: Box) -> float:
    texts = _text_width(box.label, _NAME_SIZE), _text_width(box.line, _CODE_SIZE)
    return _chip_width(box) + 0.18 + max(texts)


def _chip_width(box: Box) -> float:
    return max(0.34, 0.16 + _text_width(box.chip, 1.12 * _NAME_SIZE))


def _text_width(text: str, size: float) -> float:
    """How wide a text is, in inches."""
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    with without_glyph_warnings():
        return _SPARE * float(TextPath((0, 0), text, size=size).get_extents().width) / 72
