"""Printing, for all commands. In: plain values. Out: tables, JSON, progress, sentences.

Results go to the standard output, everything else (progress, errors, remarks) to the standard
error, so that a command's result can always be piped. rich is imported only when something is drawn
with it: `memeloc --help` and `--json` stay quick.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

as_json = False
"""True where results are printed as JSON: `--json` anywhere in a command sets it."""
is_program = False
"""Whether this process is the program `memeloc` and nothing else, set by `memeloc.cli.main`."""

Cell = str | int | float | bool | Sequence[str] | Mapping[str, int] | None
"""Of a cell with several values they stand with commas between, and counts behind their names."""

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_PATIENCE = 1.0
"""Seconds that work may take before a progress bar appears."""
_REFRESH = 0.1
"""Seconds between two drawings of a progress bar."""


def console(*, stderr: bool = False) -> Console:
    """Return a rich console on the standard output, or on the standard error.

    It draws colours only on a terminal; it neither highlights numbers nor reads markup or emoji
    codes in what it is given, for captions may hold anything.
    """
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def print_json(value: object) -> None:
    """Print `value` as one JSON object: UTF-8 whatever the terminal, letters as they are.

    A lone surrogate, which UTF-8 cannot carry, is written as its JSON escape.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", errors="backslashreplace"))
    else:
        sys.stdout.write(text)
    sys.stdout.flush()


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print rows as a table with a title; into a pipe or file, as tab-separated lines.

    The tab-separated form is the header and one line a row, without the title; white space within a
    cell becomes one space. On a terminal, columns of numbers stand on the right, and a cell with
    right-to-left text is isolated (UAX #9, FSI and PDI), so that it cannot reorder its neighbours.
    """
    cells = [list(row) for row in rows]
    if not sys.stdout.isatty():
        for line in (list[Cell](columns), *cells):
            print("\t".join(" ".join(_text(cell).split()) for cell in line))
        return

    from unicodedata import bidirectional

    from rich import box
    from rich.table import Table
    from rich.text import Text

    def drawn_cell(cell: Cell) -> Text:
        text = _text(cell)
        is_mixed = any(bidirectional(letter) in ("R", "AL", "AN") for letter in text)
        return Text(f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}" if is_mixed else text)

    drawn = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,  # of nine columns 80 letters otherwise break the headings' words
    )
    for index, heading in enumerate(columns):
        kinds = {type(row[index]) for row in cells}
        numeric = bool(cells) and kinds <= {int, float, type(None)}
        drawn.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*map(drawn_cell, row))
    # As a title of rich's it would be broken to the width of the table.
    console().print(Text(title), drawn, sep="\n")


def say(sentence: str) -> None:
    """Print one sentence to the standard error, as it is."""
    print(sentence, file=sys.stderr, flush=True)


def confirm(costs: str, question: str, *, agreed: bool = False) -> bool:
    """Say what something costs, and ask whether to go on unless that is agreed to already."""
    import typer

    say(costs)
    return agreed or typer.confirm(question, err=True)


class Progress:
    """A bar of how far some work is, on a terminal, once the work takes over a second.

    It draws from within its methods, without a thread, so that worker processes may be forked at
    any time. `done` is how many are done, `total` how many there are, None while not known.
    """

    def __init__(self, description: str, total: int | None, unit: str) -> None:
        self._unit = unit
        self._visible = sys.stderr.isatty()
        self._drawn = 0.0
        self._start(description, total)

    def advance(self, count: int = 1) -> None:
        """Report that `count` more are done."""
        self.done += count
        now = time.monotonic()
        if self._visible and now - self._began >= _PATIENCE and now - self._drawn >= _REFRESH:
            self._drawn = now
            self._draw()

    def report(self, more: int, total: int | None) -> None:
        """Report that `more` are done, of `total`: an `on_progress` of the Python API."""
        self.total = total
        self.advance(more)

    def phase(self, name: str, more: int, total: int | None) -> None:
        """The same of work in phases: each has a bar of its own."""
        if name != self._description:
            self.close()
            self._start(name, total)
        self.report(more, total)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._draw()
            self._bar.stop()

    def _start(self, description: str, total: int | None) -> None:
        self._description, self.total, self.done = description, total, 0
        self._began: float = time.monotonic()
        self._drawn = self._began
        self._bar: Bar | None = None

    def _draw(self) -> None:
        rate = self.done / max(time.monotonic() - self._began, 1e-9)
        speed = f"{rate:,.0f} {self._unit}/s" if rate >= 10 else f"{rate:.1f} {self._unit}/s"
        if self._bar is None:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[speed]}", markup=False),
                TimeRemainingColumn(),
                console=console(stderr=True),
                auto_refresh=False,
                transient=True,
            )
            self._bar.start()
            self._bar.add_task(self._description, total=self.total, speed=speed)
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=self.done, total=self.total, speed=speed)
        self._bar.refresh()


def progress(
    description: str = "", total: int | None = None, *, unit: str = "pictures"
) -> closing[Progress]:
    """Return a `Progress` while a block runs; `unit` is what is counted, for the rate."""
    return closing(Progress(description, total, unit))


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, float):
        return f"{round(cell, 3) + 0.0:.3f}".rstrip("0").rstrip(".")
    if isinstance(cell, Mapping):
        return ", ".join(f"{name} {count:,}" for name, count in cell.items())
    return cell if isinstance(cell, str) else ", ".join(cell)
