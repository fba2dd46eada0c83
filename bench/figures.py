"""Figures and their bounds. In: what was measured. Out: a table, and bench/results.json."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, Literal

from bench.scenes import ROOT

RESULTS = ROOT / "bench" / "results.json"

_PACKAGES = (
    "memeloc", "pillow", "numpy", "uharfbuzz", "pyicu-wheels", "skia-python", "pyarrow",
)  # fmt: skip

_PLACES = {"MB": 0, "/s": 0}


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure is held to.

    Attributes:
        side: whether the figure may be at most, or must be at least, `value`.
        value: in the figure's unit.
        reach: what is hoped for beyond the bound, if anything is.
    """

    side: Literal["at most", "at least"]
    value: float
    reach: float | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure.

    Attributes:
        group: what it belongs to.
        name: what it is.
        value: the median of `samples`, or the only one.
        unit: `x` for a ratio, `ms`, `s`, `MB`.
        bound: what it is held to; None for one without.
        note: how it came about, short.
        samples: what it is the median of, one a round.
    """

    group: str
    name: str
    value: float
    unit: str
    bound: Bound | None = None
    note: str = ""
    samples: tuple[float, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether it keeps its bound; None without one."""
        if self.bound is None:
            return None
        if self.bound.side == "at most":
            return self.value <= self.bound.value
        return self.value >= self.bound.value


def of_rounds(
    group: str,
    name: str,
    samples: list[float],
    unit: str,
    bound: Bound | None = None,
    note: str = "",
) -> Figure:
    """The median of a figure that was measured several times."""
    return Figure(group, name, median(samples), unit, bound, note, tuple(samples))


def print_table(figures: list[Figure], notes: list[str]) -> None:
    """Print all figures as one table, then what could not be measured."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="memeloc, measured", title_justify="left")
    for heading in ("what", "figure", "bound", "holds"):
        table.add_column(heading, justify="right" if heading == "figure" else "left")
    table.add_column("how", overflow="fold")
    group = ""
    for figure in figures:
        if figure.group != group:
            if group:
                table.add_section()
            group = figure.group
            table.add_row(f"[bold]{group}")
        table.add_row(
            f"  {figure.name}",
            f"{figure.value:.2f} {figure.unit}"
            if figure.unit != "MB"
            else f"{figure.value:.0f} MB",
            _bound_text(figure),
            {True: "yes", False: "[bold red]NO", None: ""}[figure.holds],
            figure.note,
        )
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    console.print(table)
    for note in notes:
        console.print(note, markup=False)


def _bound_text(figure: Figure) -> str:
    bound = figure.bound
    if bound is None:
        return ""
    text = f"{bound.side} {bound.value:g}"
    return text if bound.reach is None else f"{text} (reach {bound.reach:g})"


def write_results(figures: list[Figure], notes: list[str], path: Path = RESULTS) -> None:
    """Write all figures, with where and of what they are, as JSON."""
    document = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "changed_since_commit": bool(_git("status", "--porcelain", "--", "memeloc", "bench")),
        "machine": machine(),
        "versions": {"python": platform.python_version(), **_versions()},
        "figures": [{**asdict(figure), "holds": figure.holds} for figure in figures],
        "notes": notes,
    }
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(
        json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    temporary.replace(path)


def read_results(path: Path) -> tuple[list[Figure], list[str]]:
    """The figures and notes that `write_results` wrote."""
    document = json.loads(path.read_text(encoding="utf-8"))
    figures = []
    for kept in document["figures"]:
        del kept["holds"]
        bound = Bound(**kept["bound"]) if kept["bound"] else None
        figures.append(Figure(**{**kept, "bound": bound, "samples": tuple(kept["samples"])}))
    return figures, document["notes"]


def machine() -> dict[str, Any]:
    """Processor, cores, memory and system."""
    return {
        "processor": _line("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory": _line("/proc/meminfo", "MemTotal"),
        "system": platform.platform(),
    }


def _line(path: str, key: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
    values = (line.partition(":")[2].strip() for line in text.splitlines() if line.startswith(key))
    return next(values, "")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def _versions() -> dict[str, str]:
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
