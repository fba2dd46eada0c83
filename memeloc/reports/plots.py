"""Plots of a report. In: what a section wants plotted. Out: SVG and PNG.

The same figures give the same bytes: no dates, ids from a fixed salt, the project's own fonts, and
no settings of the user's matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Floats
from memeloc.errors import MissingError
from memeloc.reports.cells import clean, is_number, isolate, shown_column
from memeloc.reports.drawing import families_for, thicken
from memeloc.reports.marks import place_marks
from memeloc.reports.sections import Bars, Heatmap, Histogram, Intervals, Lines, Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage


_WIDTH = 7.5
"""Inches: what fits the page of a paper, or its two columns."""
_DPI = 200
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c7b00", "#555555")
"""Told apart by the colour-blind (Okabe and Ito 2008), the yellow darker."""
_MOST_ANNOTATED = (26, 16)
"""Rows and columns of a matrix whose cells still have room for their figures."""
_MOST_BARS = 40
"""Bars, points or rows that a plot shows; the table beside it has all."""
_MOST_STEPS = 150
"""Steps of a distribution, such as of shares of so many items, that have a bar each."""
_MARKERS = "osD^vP*X"
_BRIGHTNESS = np.array([0.299, 0.587, 0.114])
"""What red, green and blue add to how bright a colour looks (ITU-R BT.601)."""

_STYLE: dict[str, Any] = {
    "svg.hashsalt": "memeloc",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "font.size": 9,
    "figure.titlesize": 10,
    "legend.frameon": False,
    "figure.facecolor": "white",
}


def check_matplotlib() -> None:
    """Raise MissingError where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingError("Plots need matplotlib: pip install 'memeloc[analyze]'")


def is_empty(plot: Plot) -> bool:
    """Whether there is nothing to draw."""
    match plot:
        case Heatmap():
            return plot.values.empty or bool(plot.values.isna().all(axis=None))
        case Histogram():
            return len(plot.values) == 0
        case Intervals():
            return bool(plot.frame["value"].isna().all())
        case _:
            return plot.frame.empty or bool(plot.frame.isna().all(axis=None))


def draw(plot: Plot) -> tuple[bytes, bytes]:
    """The plot as SVG and as PNG (200 pixels an inch).

    Raises:
        MissingError: matplotlib is not installed.
    """
    check_matplotlib()
    with _styled(_letters(plot)):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        axes = figure.add_subplot()
        figure.suptitle(clean(plot.title), x=0.01, ha="left")
        _DRAWN[type(plot)](figure, axes, plot)
        thicken(figure)
        svg, png = BytesIO(), BytesIO()
        # Figure.savefig would draw each of them twice.
        vector: Any = FigureCanvasSVG(figure)
        vector.print_svg(svg, metadata={"Date": None, "Creator": None})
        figure.set_layout_engine("none")  # all has its place by now
        figure.set_dpi(_DPI)
        pixels: Any = FigureCanvasAgg(figure)
        pixels.print_png(png, metadata={"Software": None}, pil_kwargs={"compress_level": 4})
    return svg.getvalue(), png.getvalue()


def _letters(plot: Plot) -> str:
    """All letters that the plot may show."""
    texts = [plot.title, str(getattr(plot, "axis", "")), *getattr(plot, "marks", {})]
    frame = getattr(plot, "values", None) if isinstance(plot, Heatmap) else None
    frame = getattr(plot, "frame", frame)
    if frame is not None:
        texts += map(str, (*frame.columns, *frame.index, frame.index.name))
        texts += (str(cell) for name in ("label", "group") for cell in frame.get(name, ()))
    return "".join(texts)


@contextmanager
def _styled(letters: str) -> Iterator[None]:
    import matplotlib.style

    ours = {
        "font.family": families_for(letters),
        "axes.prop_cycle": f"cycler(color={list(_COLOURS)})",
    }
    with matplotlib.style.context(["default", _STYLE | ours]):
        yield


def _heatmap(figure: Figure, axes: Axes, plot: Heatmap) -> None:
    values = plot.values.iloc[:_MOST_BARS, :_MOST_BARS].astype(float)
    rows, columns = values.shape
    figure.set_size_inches(_WIDTH, min(9.0, 1.2 + 0.42 * rows))
    cells = values.to_numpy(float)
    most = float(np.nanmax(np.abs(cells)))
    signed = {"cmap": "PuOr_r", "vmin": -most, "vmax": most}  # white is 0
    shades = signed if np.nanmin(cells) < 0 else {"cmap": "Blues"}
    image = axes.imshow(np.ma.masked_invalid(cells), aspect="auto", **shades)
    axes.set_xticks(range(columns), [_label(name) for name in values.columns])
    axes.set_yticks(range(rows), [_label(name) for name in values.index])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    # Some 85 letters are as wide as the matrix with the names of its rows.
    beside = max((len(str(name)) for name in values.index), default=0)
    if max((len(str(name)) for name in values.columns), default=0) > (85 - beside) / columns:
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    figure.colorbar(image, ax=axes, shrink=0.8).outline.set_visible(False)
    if rows <= _MOST_ANNOTATED[0] and columns <= _MOST_ANNOTATED[1]:
        _annotate(axes, image, cells)


def _annotate(axes: Axes, image: AxesImage, cells: Floats) -> None:
    """Write each figure of a matrix into its cell, white where the cell is dark."""
    import pandas as pd

    texts = shown_column(pd.Series(cells.ravel()))
    colours = image.cmap(image.norm(cells.ravel()))
    size = 8 if cells.shape[1] <= 10 else 6.5
    for place, (text, colour) in enumerate(zip(texts, colours, strict=True)):
        row, column = divmod(place, cells.shape[1])
        if np.isnan(cells[row, column]):
            letters = "#aaaaaa"
        else:
            letters = "black" if colour[:3] @ _BRIGHTNESS > 0.5 else "white"
        axes.text(column, row, text, ha="center", va="center", color=letters, fontsize=size)


def _histogram(figure: Figure, axes: Axes, plot: Histogram) -> None:
    from matplotlib.ticker import MaxNLocator

    values = np.asarray(plot.values, float)
    values = values[np.isfinite(values)]
    figure.set_size_inches(_WIDTH, 3.0)
    distinct, counts = np.unique(np.round(values, 9), return_counts=True)
    step = float(np.diff(distinct).min()) if len(distinct) > 1 else 0.01
    if distinct[-1] - distinct[0] <= _MOST_STEPS * step:
        places, width = distinct, step
    else:
        bins = min(50, max(10, int(2 * len(values) ** 0.5)))
        counts, edges = np.histogram(values, bins=bins)
        places, width = (edges[:-1] + edges[1:]) / 2, float(edges[1] - edges[0])
    axes.bar(places, counts, width=width * 0.95, color="#b9c3d6")
    axes.set_xlabel(clean(plot.axis))
    axes.set_ylabel(f"times, of {len(values):,}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    marks = {name: float(value) for name, value in plot.marks.items() if np.isfinite(value)}
    if marks:
        ends = float(places[0] - width / 2), float(places[-1] + width / 2)
        place_marks(figure, axes, marks, _COLOURS, *ends)


def _intervals(figure: Figure, axes: Axes, plot: Intervals) -> None:
    frame = plot.frame.dropna(subset=["value"])
    groups = list(dict.fromkeys(frame["group"])) if "group" in frame.columns else [None]
    labels = list(dict.fromkeys(frame["label"]))[:_MOST_BARS]
    figure.set_size_inches(_WIDTH, 1.2 + 0.24 * len(labels) * max(1.0, 0.5 * len(groups)))
    for number, group in enumerate(groups):
        part = frame if group is None else frame[frame["group"] == group]
        part = part[part["label"].isin(labels)]
        shift = (number - (len(groups) - 1) / 2) * 0.6 / max(1, len(groups))
        value = part["value"].to_numpy(float)
        low, high = (part[side].to_numpy(float) for side in ("low", "high"))
        errors = np.nan_to_num(np.clip(np.array([value - low, high - value]), 0, None))
        axes.errorbar(
            value,
            [labels.index(label) + shift for label in part["label"]],
            xerr=errors,
            fmt=_MARKERS[number % len(_MARKERS)],
            markersize=4,
            capsize=2,
            color=_COLOURS[number % len(_COLOURS)],
            label=None if group is None else clean(str(group)),
        )
    axes.set_yticks(range(len(labels)), [_label(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel(clean(plot.axis))
    axes.grid(axis="x", color="#dddddd")
    _legend(figure, axes, len(groups))


def _bars(figure: Figure, axes: Axes, plot: Bars) -> None:
    frame = plot.frame.iloc[:_MOST_BARS].astype(float)
    series = len(frame.columns)
    each = 0.34 if plot.stacked else 0.12 + 0.2 * series
    figure.set_size_inches(_WIDTH, min(10.0, 1.2 + each * len(frame)))
    places = np.arange(len(frame))
    left = np.zeros(len(frame))
    height = 0.75 if plot.stacked else 0.8 / max(1, series)
    for number, name in enumerate(frame.columns):
        values = frame[name].fillna(0).to_numpy()
        shift = 0.0 if plot.stacked else (number - (series - 1) / 2) * height
        colour = _COLOURS[number % len(_COLOURS)]
        axes.barh(
            places + shift,
            values,
            height,
            left=left if plot.stacked else 0,
            color=colour,
            label=clean(str(name)),
        )
        left = left + values
    axes.set_yticks(places, [_label(" · ".join(_names(name))) for name in frame.index])
    axes.set_ylim(len(frame) - 0.5, -0.5)
    axes.set_xlabel(clean(plot.axis))
    axes.grid(axis="x", color="#dddddd")
    _legend(figure, axes, series)


def _lines(figure: Figure, axes: Axes, plot: Lines) -> None:
    from matplotlib.ticker import MaxNLocator

    figure.set_size_inches(_WIDTH, 3.4)
    frame = plot.frame.astype(float)
    numeric = is_number(frame.index.to_series())
    places = frame.index.to_numpy(float) if numeric else np.arange(len(frame), dtype=float)
    for number, name in enumerate(frame.columns):
        axes.plot(
            places,
            frame[name].to_numpy(),
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=3.5,
            linewidth=1.4,
            label=clean(str(name)),
        )
    if numeric and not (places % 1).any():
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if not numeric:
        step = max(1, len(frame) // 12)
        names = [clean(str(name)) for name in frame.index[::step]]
        axes.set_xticks(places[::step], names, rotation=30 if len(names) > 6 else 0)
    if frame.index.name:
        axes.set_xlabel(clean(str(frame.index.name)))
    axes.set_ylabel(clean(plot.axis))
    axes.grid(axis="y", color="#dddddd")
    _legend(figure, axes, len(frame.columns))


def _label(name: Any) -> str:
    """A label whose parts keep their order, whatever the direction of a name among them."""
    return isolate(clean(str(name)))


def _names(name: Any) -> list[str]:
    return [str(each) for each in name] if isinstance(name, tuple) else [str(name)]


def _legend(figure: Figure, axes: Axes, series: int) -> None:
    if series > 1:
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")


_DRAWN: dict[type[Plot], Callable[[Figure, Axes, Any], None]] = {
    Heatmap: _heatmap,
    Histogram: _histogram,
    Intervals: _intervals,
    Bars: _bars,
    Lines: _lines,
}
