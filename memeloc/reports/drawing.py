"""Plots of a report. In: rows of figures, what a TOML says of a plot. Out: SVG and PNG.

The same figures give the same bytes: no dates, ids from a fixed salt, the project's own fonts, and
no settings of the user's matplotlib. matplotlib 3.11 shapes text itself (libraqm: HarfBuzz, and the
bidirectional algorithm) and looks through a list of families for each letter.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.errors import InputError
from memeloc.fonts import FontLibrary
from memeloc.locales.tags import count_scripts
from memeloc.reports.cells import clean, isolate, shown, shown_column
from memeloc.reports.figures import BETWEEN
from memeloc.reports.texts import MOST_ROWS, PARTS, PlotText, all_parts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER, INK, GRID = "#ffffff", "#111111", "#dddddd"
"""Colours that the page turns for a dark screen; nothing else is drawn in them."""
LABEL_COLOURS = ("#0072b2", "#e69f00", "#8e63b8", "#8a5a2b", "#2aa1a8", "#b5474d", "#7f7f7f")
CULTURE_COLOURS = ("#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c7b00", "#6a6fd8", "#b0306a")
"""Told apart by the colour-blind (after Okabe and Ito 2008), and readable on white and on black."""
_PALETTE = LABEL_COLOURS + CULTURE_COLOURS
_PLAIN = "#6b7fa8"
"""The colour of what is neither a label nor a culture."""
_DISTRIBUTION = "#b9c3d6"
_DARK = {PAPER: "#17191d", INK: "#e4e6ea", GRID: "#3a3f47"}
_MOST_READ = 12
"""Values of a plot that somebody hears who cannot see it; the table has all."""
_WIDTH = 6.4
"""Inches: what fits the page of a paper, and half of the report's page."""
_DPI = 200  # sharp on screens with two pixels a point, and small enough for a page
_MOST_ANNOTATED = (26, 16)
"""Rows and columns of a matrix whose cells still have room for their figures."""
_MOST_STEPS = 150
"""Steps of a distribution, such as of shares of so many items, that have a bar each."""
_LONGEST_LABEL = 36
"""Letters of a line of a label at the side: half of the width is left for what is drawn."""
_MARKERS = "osD^vP*X"
_BRIGHTNESS = np.array([0.299, 0.587, 0.114])
"""Parts of red, green and blue in how bright a colour looks (ITU-R BT.601)."""
_FIRST = ("noto-sans", "noto-sans-cjk-sc")
"""Families that letters are looked for in first. A label has no language that says which forms
Chinese characters have: they are simplified Chinese's."""
_STROKE = 0.03
"""What a stroke of the Chinese, Japanese and Korean font is drawn thicker, in em: matplotlib opens
a variable font at its default, here the thinnest (weight 100)."""

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

    `frame` has row, series (texts), value, low, high, and times (how often a histogram's value
    came); `marks` are a histogram's values of interest by label; `colours` are by name.
    """

    name: str
    title: str
    axis: str
    text: PlotText
    frame: pd.DataFrame
    marks: Mapping[str, float]
    colours: Mapping[str, str]

    def table(self, name: str = "value") -> pd.DataFrame:
        """Return the values, or the `low` or `high` ends, by row and series, as they come."""
        frame = self.frame.drop_duplicates(["row", "series"])
        table = frame.pivot(index="row", columns="series", values=name)
        rows, columns = (frame[axis].unique() for axis in ("row", "series"))
        most = MOST_ROWS if self.text.each else self.text.most
        return table.reindex(rows, columns=columns).iloc[:most]


def drawings(
    plot: PlotText, rows: pd.DataFrame, colours: dict[str, str], fill: Callable[[str], str]
) -> Iterator[Drawing]:
    """Yield the plots of some rows that a text describes; none where nothing is defined.

    `colours` are of labels, cultures and other names; series without one get one. `fill` makes a
    text of a template.
    """
    rows = rows[_like(rows["group"], plot.group) & _like(rows["item"], plot.item)]
    rows = rows[np.isfinite(rows["value"])]
    marked = rows[_like(rows["figure"], *plot.marks)]
    rows = rows[_like(rows["figure"], *plot.figures)]
    names = all_parts(marked, "group", "item", empty=marked["figure"].str.replace("_", " "))
    marks = dict(zip(names, marked["value"], strict=True))
    title, axis = (clean(fill(text)) for text in (plot.title, plot.axis))
    each = _key(rows, plot.each, plot) if plot.each else rows["analysis"]
    for number, part in enumerate(each.unique()[: plot.most], 1):
        name, of_part = (f"{plot.name}-{number}", part) if plot.each else (plot.name, "")
        frame = _points(rows[each == part], plot)
        if frame.empty:
            continue
        series = list(dict.fromkeys(filter(None, [*frame["series"], *marks])))
        for one in series if len(series) > 1 else ():
            if one not in colours:
                palette = [each for each in _PALETTE if each not in colours.values()] or _PALETTE
                colours[one] = palette[len(colours) % len(palette)]
        whole_title = ": ".join(filter(None, (title, of_part)))
        yield Drawing(name, whole_title, axis, plot, frame, marks, dict(colours))


def _like(texts: pd.Series[Any], *patterns: str) -> pd.Series[Any]:
    return texts.map(lambda text: any(fnmatchcase(text, each) for each in patterns)).astype(bool)


def _key(rows: pd.DataFrame, name: str, plot: PlotText) -> pd.Series[Any]:
    """Return what names a row: a column, or one of the parts of its texts."""
    match = re.fullmatch(r"(group|item|figure)(?: (\d))?", name)
    if not match:
        message = f"The plot {plot.name}: {name!r} is not group, item, figure or a part, as group 2"
        raise InputError(message)
    column, part = rows[match[1]], int(match[2] or 0)
    if part:
        return column.map(lambda text: [*text.split(PARTS), *[""] * part][part - 1])
    if name != "figure":
        return column
    # Of `votes: *` people read what stands at the star.
    heads = tuple(each[:-1] for each in plot.figures if each.endswith("*") and each != "*")
    ends = column.str.replace("|".join(map(re.escape, heads)), "", n=1, regex=True)
    return column.str.replace("_", " ").mask(column.str.startswith(heads), ends)


def _points(rows: pd.DataFrame, plot: PlotText) -> pd.DataFrame:
    """Return row, series, value, low, high and times of what is drawn."""
    import pandas as pd

    chosen = plot.rows
    if not chosen:
        others = [name for name in ("group", "item", "figure") if not plot.series.startswith(name)]
        chosen = tuple(name for name in others if rows[name].nunique() > 1)
        chosen = chosen or tuple(name for name in others if rows[name].any())[:1]
    names = pd.DataFrame({name: _key(rows, name, plot) for name in chosen}, index=rows.index)
    frame = rows[["value", "low", "high"]].assign(
        row=all_parts(names, *chosen),
        series=_key(rows, plot.series, plot) if plot.series else "",
        times=1.0,
    )
    if plot.counted:
        values = pd.to_numeric(rows["item"], errors="coerce")
        frame = frame.assign(times=frame["value"], value=values)
    if plot.kind == "heatmap" and not plot.series:
        ends = frame["row"].str.split(BETWEEN, n=1, expand=True).reindex(columns=[0, 1])
        both = (frame.assign(row=ends[one], series=ends[1 - one]) for one in (0, 1))
        frame = pd.concat(both)
    if plot.order:
        frame = frame.sort_values("value", ascending=False, kind="stable")
    # What is no pair, or no number that is counted, has no place.
    return frame.dropna(subset=["row", "series", "value"]).reset_index(drop=True)


def draw(drawing: Drawing) -> tuple[bytes, bytes]:
    """Return the plot as SVG and as PNG (200 pixels an inch)."""
    import matplotlib.style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke
    from matplotlib.text import Text

    frame = drawing.frame
    texts = (drawing.title, drawing.axis, *frame["row"], *frame["series"], *drawing.marks)
    fonts = {"font.family": families_for("".join(texts))}
    with matplotlib.style.context(["default", _STYLE | fonts]):
        figure = Figure(layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlabel(drawing.axis)
        figure.suptitle(_label(drawing.title), x=0.01, ha="left")
        painters = {"heatmap": _heatmap, "histogram": _histogram, "lines": _lines}
        painters.get(drawing.text.kind, _by_row)(figure, axes, drawing)
        handles, names = axes.get_legend_handles_labels()
        if len(handles) > 1 or drawing.marks:
            figure.set_figheight(max(figure.get_figheight(), 0.5 + 0.24 * len(handles)))
            figure.legend(handles, names, loc="outside right upper")
        for label in figure.findobj(Text):
            assert isinstance(label, Text)
            if {"Hani", "Hira", "Kana", "Hang"} & set(count_scripts(label.get_text())):
                width = _STROKE * float(label.get_fontsize())
                stroke = withStroke(linewidth=width, foreground=label.get_color())
                label.set_path_effects([stroke])
        svg, png = BytesIO(), BytesIO()
        # Figure.savefig would draw each of them twice.
        vector: Any = FigureCanvasSVG(figure)
        vector.print_svg(svg, metadata={"Date": None, "Creator": None})
        figure.set_layout_engine("none")  # all has its place by now
        figure.set_dpi(_DPI)
        pixels: Any = FigureCanvasAgg(figure)
        pixels.print_png(png, metadata={"Software": None}, pil_kwargs={"compress_level": 4})
    return svg.getvalue(), png.getvalue()


def picture(plot: Drawing, svg: bytes) -> tuple[str, str]:
    """Return the address of a plot that turns dark with the page, and what it shows."""
    text = svg.decode()
    light, dark = (
        "".join(f"--c{number}:{colour};" for number, colour in enumerate(each))
        for each in (_DARK, _DARK.values())
    )
    for number, colour in enumerate(_DARK):
        text = text.replace(colour, f"var(--c{number})")
    in_the_dark = f"@media screen and (prefers-color-scheme:dark){{svg{{{dark}}}}}"
    start = text.index(">", text.index("<svg")) + 1
    themed = f"{text[:start]}<style>svg{{{light}}}{in_the_dark}</style>{text[start:]}"
    address = f"data:image/svg+xml;base64,{base64.b64encode(themed.encode()).decode()}"
    frame = plot.frame.head(_MOST_READ)
    points = zip(frame["row"], frame["series"], shown_column(frame["value"]), strict=True)
    values = "; ".join(" ".join(filter(None, point)) for point in points)
    return address, f"{plot.title}. {plot.axis}: {values}"


def _heatmap(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    """Draw a matrix with each figure in its cell, white where the cell is dark."""
    import pandas as pd

    table = drawing.table().iloc[:, :MOST_ROWS]
    if not drawing.text.series:  # pairs: the same names on both sides
        both = list(dict.fromkeys([*table.index, *table.columns]))
        table = table.reindex(both, columns=both)
    rows, columns, cells = list(table.index), list(table.columns), table.to_numpy(float)
    figure.set_size_inches(_WIDTH, min(9.0, 1.2 + 0.36 * len(rows)))
    largest = float(np.nanmax(np.abs(cells)))
    signed = {"cmap": "PuOr_r", "vmin": -largest, "vmax": largest}  # white is 0
    shades = signed if np.nanmin(cells) < 0 else {"cmap": "Blues"}
    image = axes.imshow(np.ma.masked_invalid(cells), aspect="auto", **shades)
    axes.set_xticks(range(len(columns)), list(map(_label, columns)))
    axes.set_yticks(range(len(rows)), [_label(row, wrapped=True) for row in rows])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    # Some 70 letters are as wide as the matrix with the names of its rows.
    if max(map(len, columns)) > (70 - max(map(len, rows))) / len(columns):
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    figure.colorbar(image, ax=axes, shrink=0.8).outline.set_visible(False)
    if len(rows) > _MOST_ANNOTATED[0] or len(columns) > _MOST_ANNOTATED[1]:
        return
    texts = np.reshape(shown_column(pd.Series(cells.ravel())), cells.shape)
    colours: Any = image.cmap(image.norm(cells))
    bright = colours[..., :3] @ _BRIGHTNESS > 0.5
    letters = np.where(np.isnan(cells), "#999999", np.where(bright, "#000000", "#fefefe"))
    size = 8 if len(columns) <= 10 else 6.5
    for (row, column), text in np.ndenumerate(texts):
        colour = letters[row, column]
        axes.text(column, row, text, color=colour, ha="center", va="center", fontsize=size)


def _histogram(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    from matplotlib.ticker import MaxNLocator

    values, times = drawing.frame[["value", "times"]].to_numpy(float).T
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
    for name, value in sorted(drawing.marks.items(), key=lambda mark: mark[1]):
        colour = drawing.colours.get(name, INK)
        axes.axvline(value, color=colour, linewidth=1.5, label=f"{_label(name)} {shown(value)}")
    axes.set_ylabel(f"times, of {int(times.sum()):,}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _by_row(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    """Draw bars, or points with their intervals, below each other."""
    value, low, high = (drawing.table(end) for end in ("value", "low", "high"))
    rows, series, colours_by_series = list(value.index), list(value.columns), drawing.colours
    bars, stacked = drawing.text.kind == "bars", drawing.text.stacked
    labels = [_label(row, wrapped=True) for row in rows]
    each = 0.3 if stacked or any("\n" in label for label in labels) else 0.26
    each = max(each, 0.12 + 0.14 * len(series) * (not stacked))
    figure.set_size_inches(_WIDTH, min(10.0, 1.1 + each * len(rows)))
    places, left = np.arange(len(rows), dtype=float), np.zeros(len(rows))
    height = 0.75 if stacked else 0.8 / len(series)
    for number, name in enumerate(series):
        at = places + (0.0 if stacked else (number - (len(series) - 1) / 2) * height)
        named = (
            [
                colours_by_series[part]
                for part in (name, *row.split(PARTS))
                if part in colours_by_series
            ]
            for row in rows
        )
        colours = [colour[0] if colour else _PLAIN for colour in named]
        if bars:
            axes.barh(at, value[name], height, left=left, color=colours, label=_label(name))
            left = left + np.nan_to_num(value[name]) * stacked
        else:
            axes.hlines(at, low[name], high[name], colors=colours, linewidth=1.4)
            marker = _MARKERS[number % len(_MARKERS)]
            axes.scatter(value[name], at, s=18, c=colours, marker=marker, label=_label(name))
    axes.set_yticks(places, labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x")


def _lines(figure: Figure, axes: Axes, drawing: Drawing) -> None:
    import pandas as pd
    from matplotlib.ticker import MaxNLocator

    figure.set_size_inches(_WIDTH, 3.0)
    table = drawing.table()
    numbers = pd.to_numeric(table.index.to_series(), errors="coerce")
    if numbers.notna().all():
        table = table.set_axis(pd.Index(numbers)).sort_index()
    else:
        table = table.rename(index=_label)
    table.rename(columns=_label).plot(
        ax=axes,
        color=[drawing.colours.get(name, _PLAIN) for name in table.columns],
        marker="o",
        markersize=3.5,
        rot=30 if table.index.dtype.kind == "O" and len(table) > 6 else 0,
        xlabel=drawing.text.along,
        ylabel=drawing.axis,
        legend=False,
    )
    if table.index.dtype.kind == "i":
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")


def _label(name: str, wrapped: bool = False) -> str:
    """Return a label whose parts keep their order, whatever the direction of a name among them."""
    lines = wrap(clean(name), _LONGEST_LABEL) if wrapped else [clean(name)]
    return "\n".join(map(isolate, lines))


def families_for(letters: str) -> list[str]:
    """Return matplotlib's names of the project's fonts that draw these letters.

    As few as can be: matplotlib looks for each of them with every label.
    """
    visible = (letter for letter in sorted(set(letters)) if letter.isprintable())
    names = dict.fromkeys((_FIRST[0], *map(_family_of, visible)))
    return [_known_to_matplotlib(name) for name in names if name]


@cache
def _family_of(letter: str) -> str:
    """Return the first family that has the letter; empty where none has."""
    usable = (
        name
        for name, family in _library().families.items()
        if family.found and not family.optional and not family.handwritten
    )
    covers = (name for name in (*_FIRST, *usable) if _library().face(name, "plain").covers(letter))
    return next(covers, "")


_library = cache(FontLibrary)


@cache
def _known_to_matplotlib(name: str) -> str:
    """Return the family's name in matplotlib, which is given its file first.

    It comes before fonts of the same name of the system, so that every machine draws the same.
    """
    from matplotlib import font_manager

    family, entries = _library().families[name], font_manager.fontManager.ttflist
    before = len(entries)
    font_manager.fontManager.addfont(str(family.path))
    entry = next(entry for entry in entries[before:] if getattr(entry, "index", 0) == family.index)
    entries[before:] = []
    entries.insert(0, replace(entry, weight=400))
    return str(entry.name)
