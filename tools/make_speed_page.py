"""Writes guides/speed.md. In: bench/results.json. Out: the measured figures, as Markdown.

Run by `make docs` after `make bench`; tests/test_docs.py fails while the page differs.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results.json"
TARGET = ROOT / "guides" / "speed.md"

_HEAD = """\
# Speed

Written from `bench/results.json` by `make docs`; do not edit by hand. `make bench` measures on
your machine.

Measured at commit {commit}, {date}, on {cores} cores ({processor}), Python {python}. Ratios are
within one run, and `x` is "times". Where a figure has a bound, the last column says it, and whether
it held.
"""


def page() -> str:
    """The whole of guides/speed.md."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    machine, versions = results["machine"], results["versions"]
    head = _HEAD.format(
        commit=results["commit"][:7],
        date=results["date"][:10],
        cores=machine["cores"],
        processor=machine["processor"],
        python=versions["python"],
    )
    sections = [
        _section(group, list(figures))
        for group, figures in groupby(results["figures"], key=lambda figure: figure["group"])
    ]
    return "\n".join([head, *sections])


def _section(group: str, figures: list[dict[str, Any]]) -> str:
    title = group[:1].upper() + group[1:]
    lines = [f"## {title}", "", "| figure | measured | bound |", "| --- | ---: | --- |"]
    for figure in figures:
        note = f"<br>{_cell(figure['note'])}" if figure["note"] else ""
        value = _value(figure["value"], figure["unit"])
        lines.append(f"| {_cell(figure['name'])}{note} | {value} | {_bound(figure)} |")
    return "\n".join([*lines, ""])


def _value(value: float, unit: str) -> str:
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{number} {unit}".strip()


def _bound(figure: dict[str, Any]) -> str:
    bound = figure["bound"]
    if bound is None:
        return ""
    limit = _value(bound["value"], figure["unit"])
    return f"{bound['side']} {limit}: {'held' if figure['holds'] else 'missed'}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the file, whole or not at all."""
    part = TARGET.with_suffix(".part")
    part.write_text(page(), encoding="utf-8")
    os.replace(part, TARGET)  # noqa: PTH105
    sys.stdout.write(f"Wrote {TARGET}\n")


if __name__ == "__main__":
    main()
