"""Sheets filled in without a spreadsheet, for tests of rounds and of what is settled."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memeloc import Workspace

TABLE = """meme_id,template,en,de
m1,robot-chef,Monday // again,Montag // erneut
m2,robot-chef,Finally // Friday,Endlich // Freitag
m3,robot-chef,Three meetings // before noon,Drei Treffen // vor Mittag
m4,robot-chef,Tea // please,Tee // bitte
"""
"""Four memes in English and German."""


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def export(workspace: Workspace, person: str, round_: int = 1, **options: Any) -> Path | None:
    """The file of a sheet in German, as CSV."""
    assert workspace.root is not None
    out = workspace.root / f"r{round_}-{person}-{len(workspace.correcting.status()['sheets'])}.csv"
    (sheet,) = workspace.correcting.export_sheets(
        ["de"], [person], round_=round_, format="csv", out=out, **options
    )
    file: Path | None = sheet["file"]
    return file


def fill_in(path: Path, texts: Mapping[str, str], comments: Mapping[str, str]) -> Path:
    """Type texts (or statuses) and comments, by meme."""
    rows = read_rows(path)
    for row in rows:
        typed, number = texts.get(row["meme_id"], ""), int(row["part"])
        if number == 1:
            row["comment"] = comments.get(row["meme_id"], "")
        if " // " in typed:
            row["your text"] = typed.split(" // ")[number - 1]
        else:
            row["status"] = typed
    return write_rows(path, rows)


def correct(
    workspace: Workspace,
    person: str,
    texts: Mapping[str, str],
    comments: Mapping[str, str] | None = None,
    *,
    round_: int = 1,
    **options: Any,
) -> dict[str, Any]:
    """Export a sheet, fill it in and import it."""
    path = export(workspace, person, round_, **options)
    assert path is not None
    fill_in(path, texts, comments or {})
    return workspace.correcting.import_sheet(path)
