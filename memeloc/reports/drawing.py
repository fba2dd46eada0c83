"""Plots of a report. In: rows of figures, what a TOML says of a plot. Out: SVG and PNG.

The same figures give the same bytes: no dates, ids from a fixed salt, the project's own fonts, and
no settings of the user's matplotlib.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.arrays import Floats
from memeloc.errors import InputError, MissingError
from memeloc.reports.cells import clean, isolate, shown, shown_column
from memeloc.reports.figures import BETWEEN, of_analysis
from memeloc.reports.fonts import families_for, thicken
from memeloc.reports.texts import PARTS, PlotText

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

PAPER, INK, GRID = "#ffffff", "#111111", "#dddddd"
"""Colours that the page turns for a dark screen; nothing else is drawn in them."""
LABEL_COLOURS = ("#0072b2", "#e69f00", "#8e63b8", "#8a5a2b", "#2aa1a8", "#b5474d", "#7f7f7f")
CULTURE_COLOURS = ("#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c7b00", "#6a6fd8", "#777777")
"""Told apart by the colour-blind (after Okabe and Ito 2008), and readable on white and on black."""
_PLAIN = "#6b7fa8"
"""What is neither a label's nor a culture's."""
_DISTRIBUTION = "#b9c3d6"
_WIDTH = 6.4
"""Inches: what fits the page of a paper, and half of the report's page."""
_DPI = 200
_MOST_ANNOTATED = (26, 16)
"""Rows and columns of a matrix whose cells still have room for their figures."""
_MOST_STEPS = 150
"""Steps of a distribution, such as of shares of so many items, that have a bar each."""
_MARKERS = "osD^vP*X"
_BRIGHTNESS = np.array([0.299, 0.587, 0.114])
"""What red, green and blue add to how bright a colour looks (ITU-R BT.601)."""
_GAP = 0.015
"""Between two labels of marks in a row, as a fraction of the axis."""
_ROW = 0.085
"""Height of a row of labels, as a fraction of the axes' height."""
_BARS = 2.4
"""Height of a histogram without labels above, in inches."""

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
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "grid.color": GRID,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), INK),
}


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A plot with the figures that it shows.

    Attributes:
        frame: row, series (texts), value, low, high, and times: how often a histogram's value came.
        marks: values of interest of a histogram, by label.
        colours: by row or series.
    """

    name: str
    title: str
    axis: str
    text: PlotText
    frame: pd.DataFrame
    marks: Mapping[str, float]
    colours: Mapping[str, str]

    @property
    def alternative(self) -> str:
        """What somebody who cannot see the plot reads."""
        frame = self.frame
        if len(frame) > 12 or self.text.kind == "histogram":
            value = frame["value"]
            about = f"{len(frame):,} values from {shown(value.min())} to {shown(value.max())}"
            marks = [f"{name} {shown(value)}" for name, value in self.marks.items()]
            return f"{self.title}. {self.axis}: {'; '.join([about, *marks])}"
        points = zip(frame["row"], frame["series"], shown_column(frame["value"]), strict=True)
        return f"{self.title}. {self.axis}: {'; '.join(' '.join(filter(None, p)) for p in points)}"


def check_matplotlib() -> None:
    """Raise MissingError where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingError("Plots need matplotlib: pip install 'memeloc[analyze]'")


def drawings(
    plot: PlotText,
    analysis: str,
    figures: pd.DataFrame,
    colours: dict[str, str],
    fill: Callable[[str], str],
) -> Iterator[Drawing]:
    """Yield the plots that a text describes; none where nothing is defined.

    Args:
        figures: rows of all analyses, with names for people.
        colours: of labels, cultures and other names; series without one get one.
        fill: makes a text of a template.
    """
    rows = of_analysis(figures, analysis)
    rows = rows.loc[[fnmatchcase(name, plot.group) for name in rows["group"]]]
    rows = rows.loc[[fnmatchcase(name, plot.item) for name in rows["item"]]]
    marked = rows.loc[[_matches(name, plot.marks) for name in rows["figure"]]]
    rows = rows.loc[[_matches(name, plot.figures) for name in rows["figure"]]]
    rows = rows[np.isfinite(rows["value"])]
    title, axis = clean(fill(plot.title)), clean(fill(plot.axis))
    each = _key(rows, plot.each, plot) if plot.each else rows["analysis"]
    for number, part in enumerate(dict.fromkeys(each), 1):
        frame = _points(rows[each == part], plot)
        for series in filter(None, dict.fromkeys(frame["series"])):
            palette = LABEL_COLOURS + CULTURE_COLOURS
            colours.setdefault(series, palette[len(colours) % len(palette)])
        of_part = f"{title}: {part}" if title else part
        yield Drawing(
            f"{plot.name}-{number}" if plot.each else plot.name,
            of_part if plot.each else title,
            axis,
            plot,
            frame,
            _marks(marked, plot),
            {name: colours[name] for name in (*frame["row"], *frame["series"]) if name in colours},
        )


def _matches(figure: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(figure, pattern) for pattern in patterns)


def _key(rows: pd.DataFrame, name: str, plot: PlotText) -> pd.Series[Any]:
    """Return what names a row: a column, or so manieth a part of it."""
    match = re.fullmatch(r"(group|item|figure)(?: (\d))?", name)
    if not match:
        message = f"The plot {plot.name}: {name!r} is not group, item, figure or a part, as group 2"
        raise InputError(message)
    column, part = rows[match[1]], int(match[2] or 0)
    if column.name == "figure":
        heads = sorted((p[:-1] for p in plot.figures if p.endswith("*")), key=len, reverse=True)
        return column.map(
            lambda text: text.removeprefix(next((h for h in heads if text.startswith(h)), ""))
        )
    if part:
        return column.map(lambda text: [*text.split(PARTS), *[""] * part][part - 1])
    return column


def _points(rows: pd.DataFrame, plot: PlotText) -> pd.DataFrame:
    """Return row, series, value, low, high and times of what is drawn."""
    import pandas as pd

    series = plot.series
    chosen = (plot.rows,) if isinstance(plot.rows, str) else plot.rows
    if not chosen:
        others = [name for name in ("group", "item", "figure") if name != series.split(" ")[0]]
        chosen = tuple(name for name in others if rows[name].nunique() > 1) or ("group",)
    keys = [_key(rows, name, plot) for name in chosen]
    frame = rows[["value", "low", "high"]].assign(
        row=[PARTS.join(filter(None, cells)) or "all" for cells in zip(*keys, strict=True)],
        series=_key(rows, series, plot) if series else "",
        times=1.0,
    )
    if plot.counted:
        value = pd.to_numeric(rows["item"], errors="coerce")
        frame = frame.assign(times=frame["value"], value=value).dropna(subset=["value"])
    if plot.kind == "heatmap" and not series:
        pairs = frame[frame["row"].str.contains(BETWEEN)]
        ends = pairs["row"].str.split(BETWEEN, n=1, expand=True)
        one, other = pairs.assign(row=ends[0], series=ends[1]), pairs.assign(row=ends[1])
        frame = pd.concat([one, other.assign(series=ends[0])])
    if plot.order:
        frame = frame.sort_values("value", ascending=False, kind="stable")
    return frame.reset_index(drop=True)


def _marks(rows: pd.DataFrame, plot: PlotText) -> dict[str, float]:
    """Return values of interest by the group and item that they are of, else by their figure."""
    names = zip(rows["group"], rows["item"], rows["figure"], rows["value"], strict=True)
    return {
        PARTS.join(filter(None, (group, item))) or figure: float(value)
        for group, item, figure, value in names
        if np.isfinite(value)
    }


def draw(drawing: Drawing) -> tuple[bytes, bytes]:
    """Return the plot as SVG and as PNG (200 pixels an inch).

    Raises:
        MissingError: matplotlib is not installed.
    """
    check_matplotlib()
    frame = drawing.frame
    letters = (drawing.title, drawing.axis, *frame["row"], *frame["series"], *drawing.marks)
    with _styled("".join(letters)):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        axes = figure.add_subplot()
        figure.suptitle(isolate(drawing.title), x=0.01, ha="left")
        _DRAWN[drawing.text.kind](figure, axes, drawing)
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


@contextmanager
def _styled(letters: str) -> Iterator[None]:
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE | {"font.family": families_for(letters)}]):
        yield


def _heatmap(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    frame, most = drawing.frame, drawing.text.most
    names = [list(dict.fromkeys(frame[axis]))[:most] for axis in ("row", "series")]
    if not drawing.text.series:  # pairs: the same names on both sides
        names = [list(dict.fromkeys([*names[0], *names[1]]))] * 2
    cells = np.full((len(names[0]), len(names[1])), np.nan)
    for row, series, value in zip(frame["row"], frame["series"], frame["value"], strict=True):
        if row in names[0] and series in names[1]:
            cells[names[0].index(row), names[1].index(series)] = value
    rows, columns = cells.shape
    figure.set_size_inches(_WIDTH, min(9.0, 1.2 + 0.36 * rows))
    largest = float(np.nanmax(np.abs(cells)))
    signed = {"cmap": "PuOr_r", "vmin": -largest, "vmax": largest}  # white is 0
    shades = signed if np.nanmin(cells) < 0 else {"cmap": "Blues"}
    image = axes.imshow(np.ma.masked_invalid(cells), aspect="auto", **shades)
    axes.set_xticks(range(columns), list(map(_label, names[1])))
    axes.set_yticks(range(rows), list(map(_label, names[0])))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    # Some 70 letters are as wide as the matrix with the names of its rows.
    beside = max(map(len, names[0]), default=0)
    if max(map(len, names[1]), default=0) > (70 - beside) / columns:
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label=drawing.axis)
    bar.outline.set_visible(False)
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
            letters = "#999999"
        else:
            letters = "#000000" if colour[:3] @ _BRIGHTNESS > 0.5 else "#fefefe"
        axes.text(column, row, text, ha="center", va="center", color=letters, fontsize=size)


def _histogram(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    from matplotlib.ticker import MaxNLocator

    values, times = (drawing.frame[name].to_numpy(float) for name in ("value", "times"))
    figure.set_size_inches(_WIDTH, 2.8)
    distinct, place = np.unique(np.round(values, 9), return_inverse=True)
    step = float(np.diff(distinct).min()) if len(distinct) > 1 else 0.01
    if distinct[-1] - distinct[0] <= _MOST_STEPS * step:
        places, width, counts = distinct, step, np.bincount(place, weights=times)
    else:
        bins = min(50, max(10, int(2 * times.sum() ** 0.5)))
        counts, edges = np.histogram(values, bins=bins, weights=times)
        places, width = (edges[:-1] + edges[1:]) / 2, float(edges[1] - edges[0])
    axes.bar(places, counts, width=width * 0.95, color=_DISTRIBUTION)
    axes.set_xlabel(drawing.axis)
    axes.set_ylabel(f"times, of {int(times.sum()):,}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    if drawing.marks:
        ends = float(places[0] - width / 2), float(places[-1] + width / 2)
        _place_marks(figure, axes, drawing, *ends)


def _place_marks(figure: Figure, axes: Axes, drawing: Drawing, low: float, high: float) -> None:
    """Draw a vertical line at each mark, its label above the bars in the first free row.

    Args:
        low, high: the ends of the distribution, which stay in view.
    """
    marks = sorted(drawing.marks.items(), key=lambda mark: mark[1])
    low, high = min(low, marks[0][1]), max(high, marks[-1][1])
    margin = 0.06 * (high - low or 1.0)
    axes.set_xlim(low - margin, high + margin)
    left, right = axes.get_xlim()
    figure.draw_without_rendering()  # fixes the axes' width, which labels are measured by
    width = axes.get_window_extent().width
    ends: list[float] = []
    drawn = []
    for name, value in marks:
        label = axes.annotate(
            f"\u2068{clean(name)}\u2069 {shown(value)}",
            (value, 0),
            xycoords=axes.get_xaxis_transform(),
            color=INK,
            va="bottom",
            fontsize="small",
            annotation_clip=False,
            # Lines that end above pass behind it.
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5},
        )
        size = label.get_window_extent().width / width
        place = (value - left) / (right - left)
        begin = min(max(0.0, place - size / 2), max(0.0, 1 - size))
        free = (row for row, end in enumerate(ends) if end + _GAP <= begin)
        row = next(free, len(ends))
        ends[row : row + 1] = [begin + size]
        drawn.append((label, value, begin, 1.02 + row * _ROW))
    # The axes become so many times as high that labels and lines are in them, above the bars.
    tall = 1.02 + len(ends) * _ROW
    top = axes.get_ylim()[1]
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= top])
    axes.set_ylim(0, top * tall)
    axes.spines["left"].set_bounds(0, top)
    axes.yaxis.label.set_y(0.5 / tall)
    for label, value, begin, height in drawn:
        label.set_position((left + begin * (right - left), height / tall))
        axes.plot(
            [value, value],
            [0, height / tall],
            transform=axes.get_xaxis_transform(),
            color=INK,
            linewidth=1,
            zorder=0.5,
        )
    axes.set_xlim(left, right)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _BARS * (tall - 1))


def _intervals(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    frame = drawing.frame
    series = list(dict.fromkeys(frame["series"]))
    labels = list(dict.fromkeys(frame["row"]))[: drawing.text.most]
    figure.set_size_inches(_WIDTH, 1.1 + 0.22 * len(labels) * max(1.0, 0.5 * len(series)))
    for number, name in enumerate(series):
        part = frame[(frame["series"] == name) & frame["row"].isin(labels)]
        shift = (number - (len(series) - 1) / 2) * 0.6 / len(series)
        value, low, high = (part[end].to_numpy(float) for end in ("value", "low", "high"))
        errors = np.nan_to_num(np.clip(np.array([value - low, high - value]), 0, None))
        marker = _MARKERS[number % len(_MARKERS)]
        for place, label in enumerate(part["row"]):
            axes.errorbar(
                value[place],
                labels.index(label) + shift,
                xerr=errors[:, [place]],
                fmt=marker,
                markersize=4,
                capsize=2,
                color=drawing.colours.get(name or label, _PLAIN),
                label=_label(name) if not place else None,
            )
    axes.set_yticks(range(len(labels)), list(map(_label, labels)))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel(drawing.axis)
    axes.grid(axis="x")
    _legend(figure, axes, series)


def _bars(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    frame, stacked = drawing.frame, drawing.text.stacked
    series = list(dict.fromkeys(frame["series"]))
    labels = list(dict.fromkeys(frame["row"]))[: drawing.text.most]
    each = 0.3 if stacked else 0.1 + 0.17 * len(series)
    figure.set_size_inches(_WIDTH, min(10.0, 1.1 + each * len(labels)))
    places, left = np.arange(len(labels)), np.zeros(len(labels))
    height = 0.75 if stacked else 0.8 / max(1, len(series))
    for number, name in enumerate(series):
        part = frame[frame["series"] == name].drop_duplicates("row").set_index("row")
        values = part["value"].reindex(labels).fillna(0).to_numpy(float)
        shift = 0.0 if stacked else (number - (len(series) - 1) / 2) * height
        colours = [drawing.colours.get(name or label, _PLAIN) for label in labels]
        axes.barh(
            places + shift,
            values,
            height,
            left=left if stacked else 0,
            color=colours,
            label=_label(name),
        )
        left = left + values
    axes.set_yticks(places, list(map(_label, labels)))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel(drawing.axis)
    axes.grid(axis="x")
    _legend(figure, axes, series)


def _lines(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    import pandas as pd
    from matplotlib.ticker import MaxNLocator

    figure.set_size_inches(_WIDTH, 3.0)
    frame = drawing.frame
    labels = list(dict.fromkeys(frame["row"]))
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    numeric = bool(numbers.notna().all())
    places = numbers.to_numpy(float) if numeric else np.arange(len(labels), dtype=float)
    series = list(dict.fromkeys(frame["series"]))
    for number, name in enumerate(series):
        part = frame[frame["series"] == name].drop_duplicates("row").set_index("row")
        axes.plot(
            places,
            part["value"].reindex(labels).to_numpy(float),
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=3.5,
            linewidth=1.4,
            color=drawing.colours.get(name, _PLAIN),
            label=_label(name),
        )
    if numeric and not (places % 1).any():
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if not numeric:
        step = max(1, len(labels) // 12)
        names = list(map(_label, labels[::step]))
        axes.set_xticks(places[::step], names, rotation=30 if len(names) > 6 else 0)
    axes.set_xlabel(drawing.text.along)
    axes.set_ylabel(drawing.axis)
    axes.grid(axis="y")
    _legend(figure, axes, series)


def _label(name: str) -> str:
    """A label whose parts keep their order, whatever the direction of a name among them."""
    return isolate(clean(name))


def _legend(figure: Figure, axes: Axes, series: Sequence[str]) -> None:
    if len(series) > 1:
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")


_DRAWN: dict[str, Callable[[Figure, Axes, Drawing], None]] = {
    "heatmap": _heatmap,
    "histogram": _histogram,
    "intervals": _intervals,
    "bars": _bars,
    "lines": _lines,
}
