"""A report for programs. In: a `Report`. Out: dictionaries, lists, texts and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from memeloc.reports.cells import clean
from memeloc.reports.sections import Plot, Report, Section, Table

if TYPE_CHECKING:
    import pandas as pd


def as_plain(report: Report) -> dict[str, Any]:
    """All of a report as JSON has it; what is not defined is None."""
    return {
        **plain(report.data),
        "notes": list(report.notes),
        "sections": [_section(section) for section in report.sections],
    }


def plain(value: Any) -> Any:
    """A value of numpy or pandas as JSON has it."""
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Mapping):
        return {_key(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return clean(str(value))


def _key(key: Any) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _section(section: Section) -> dict[str, Any]:
    return {
        "name": section.name,
        "title": section.title,
        "figures": plain(section.figures),
        "sentences": list(section.sentences),
        "gaps": list(section.gaps),
        "items": list(section.items),
        "tables": [_table(table) for table in section.tables],
        "plots": [_plot(plot) for plot in section.plots],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "method": table.method,
        "columns": dict(table.columns),
        "rows": _rows(table.frame),
    }


def _plot(plot: Plot) -> dict[str, Any]:
    values = {field.name: getattr(plot, field.name) for field in fields(plot)}
    return {"kind": type(plot).__name__.lower()} | {
        name: _rows(value.reset_index()) if hasattr(value, "columns") else plain(value)
        for name, value in values.items()
    }


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    columns = [(_key(name), [plain(cell) for cell in frame[name]]) for name in frame.columns]
    return [
        dict(zip((name for name, _ in columns), cells, strict=True))
        for cells in zip(*(cells for _, cells in columns), strict=True)
    ]
