"""Marks beside a distribution. In: values by label. Out: lines, and labels that do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memeloc.reports.cells import clean, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

_GAP = 0.015
"""Between two labels in a row, as a fraction of the axis."""
_ISOLATE, _END = "\u2068", "\u2069"
"""Around a name of any direction (UAX #9, FSI and PDI): its figure stays behind it."""
_ROW = 0.085
"""Height of a row of labels, as a fraction of the axes' height."""
_BARS = 2.4
"""Height of the axes without labels above, in inches."""


def place_marks(
    figure: Figure,
    axes: Axes,
    marks: Mapping[str, float],
    colours: Sequence[str],
    low: float,
    high: float,
) -> None:
    """Draw a vertical line at each value, its label above the distribution in the first free row.

    Args:
        marks: finite values by label.
        low, high: the ends of the distribution, which stay in view.
    """
    low, high = min(low, *marks.values()), max(high, *marks.values())
    margin = 0.06 * (high - low or 1.0)
    axes.set_xlim(low - margin, high + margin)
    left, right = axes.get_xlim()
    figure.draw_without_rendering()  # fixes the axes' width, which labels are measured by
    width = axes.get_window_extent().width
    ends: list[float] = []
    drawn: list[tuple[Annotation, Line2D]] = []
    for number, (name, value) in enumerate(sorted(marks.items(), key=lambda mark: mark[1])):
        colour = colours[number % len(colours)]
        label = axes.annotate(
            f"{_ISOLATE}{clean(name)}{_END} {shown(value)}",
            (value, 0),
            xycoords=axes.get_xaxis_transform(),
            color=colour,
            va="bottom",
            fontsize="small",
            annotation_clip=False,
            # Lines that end above pass behind it.
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )
        size = label.get_window_extent().width / width
        place = (value - left) / (right - left)
        begin = min(max(0.0, place - size / 2), max(0.0, 1 - size))
        free = (row for row, end in enumerate(ends) if end + _GAP <= begin)
        row = next(free, len(ends))
        ends[row : row + 1] = [begin + size]
        height = 1.02 + row * _ROW
        label.set_position((left + begin * (right - left), height))
        (line,) = axes.plot(
            [value, value],
            [0, height],
            transform=axes.get_xaxis_transform(),
            color=colour,
            linewidth=1,
            zorder=0.5,
        )
        drawn.append((label, line))
    axes.set_xlim(left, right)
    _make_room(figure, axes, drawn, 1.02 + len(ends) * _ROW)


def _make_room(
    figure: Figure, axes: Axes, drawn: list[tuple[Annotation, Line2D]], tall: float
) -> None:
    """Make the axes `tall` times as high, so that labels and lines are in them, above the bars."""
    top = axes.get_ylim()[1]
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= top])
    axes.set_ylim(0, top * tall)
    axes.spines["left"].set_bounds(0, top)
    axes.yaxis.label.set_y(0.5 / tall)
    for label, line in drawn:
        place, height = label.get_position()
        label.set_position((place, height / tall))
        line.set_ydata([0, height / tall])
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _BARS * (tall - 1))
