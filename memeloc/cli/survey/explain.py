"""`memeloc survey reasons` and `codes`. In: filled-in sheets. Out: sheets, shares of themes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Option

import memeloc
from memeloc.cli.options import AsJson, split
from memeloc.cli.output import print_json
from memeloc.cli.show import Table, explain, show
from memeloc.cli.survey.options import Name
from memeloc.counts import counted

if TYPE_CHECKING:
    import pandas as pd

_PAIR = Option("", "--pair", metavar="A,B", help="The two cultures.", show_default="see above")
_OUT = Option(None, "--out", metavar="FILE", help="A sheet: .xlsx (with pictures) or .csv.")
_FILES = Option(None, "--from", metavar="FILE", help="A sheet that came back. Repeatable.")
_REASONS = Table("Reasons", "reasons", ("item person", ("reason", "text")), most=20)


def reasons(
    name: Name,
    person: str = Option("", metavar="NAME", help="Who fills the sheet in, or has filled it in."),
    out: Path | None = _OUT,
    files: list[Path] | None = _FILES,
    pair: str = _PAIR,
    as_json: AsJson = False,
) -> None:
    """Ask people who know two cultures why these label memes differently (multi3hate 4.3).

    The sheet has every meme whose labels differ, both versions and both labels, and a cell for a
    reason in one's own words. It comes back in any order, half filled in, any number of times.
    Without --pair it is about the pair that agrees least. Without a file the reasons are listed.

    Example:
      memeloc survey reasons pilot --pair US,IN --person anna --out reasons-anna.xlsx
      memeloc survey reasons pilot --from reasons-anna.xlsx
      memeloc survey reasons pilot
    """
    if out and not person:
        raise typer.BadParameter("goes with --out", param_hint="--person")
    with memeloc.Workspace.find() as workspace:
        analysis = workspace.survey(name).analysis
        if files:
            _show_taken(analysis.import_reasons(files, person), "reason", as_json)
        elif out:
            result = analysis.export_reasons(out, person, _two(pair))
            memes = counted(result["rows"], "meme whose labels differ", "memes whose labels differ")
            _show_written(result, memes, as_json)
        else:
            listed = {"survey": name, "reasons": analysis.reasons(_two(pair))}
            empty = [] if listed["reasons"] else ["There are no reasons yet"]
            show(listed, _REASONS, *empty, as_json=as_json)


def codes(
    name: Name,
    coder: str = Option("", metavar="NAME", help="Who fills the sheet in, or has filled it in."),
    out: Path | None = _OUT,
    files: list[Path] | None = _FILES,
    pair: str = _PAIR,
    codebook: str = Option("multi3hate", metavar="BOOK", help="A shipped one, or a TOML file."),
    as_json: AsJson = False,
) -> None:
    """Give the reasons codes of a codebook, and count its themes (multi3hate 4.3).

    A second coder gets a sheet of his own, without the first one's codes. Several codes of a
    reason have semicolons between; a code that the codebook lacks is kept, and named. Without
    --pair it is about the only pair that there are reasons about. Without a file the shares of
    themes and the agreement of coders are shown.

    Example:
      memeloc survey codes pilot --coder ben --out codes-ben.xlsx
      memeloc survey codes pilot --from codes-ben.xlsx
      memeloc survey codes pilot
    """
    from memeloc.analyze.codebook import load_codebook

    if out and not coder:
        raise typer.BadParameter("goes with --out", param_hint="--coder")
    book = load_codebook(codebook)
    with memeloc.Workspace.find() as workspace:
        analysis = workspace.survey(name).analysis
        if files:
            taken = analysis.import_codes(files, coder, _two(pair), book)
            _show_taken(taken, "coded reason", as_json)
        elif out:
            result = analysis.export_codes(out, coder, _two(pair), book)
            _show_written(result, counted(result["rows"], "reason"), as_json)
        else:
            _show_themes(analysis.themes(_two(pair), book), as_json)


def _show_themes(figures: pd.DataFrame, as_json: bool) -> None:
    from memeloc.reports import as_json_rows
    from memeloc.reports.figures import gaps, of_analysis

    explain("Gap", gaps(figures))
    if as_json:
        print_json(as_json_rows(figures))
        return
    shares = of_analysis(figures, "codebook", "share")
    rows = {
        "themes": list(shares[shares["item"] == ""].itertuples()),
        "coders": list(of_analysis(figures, "codebook", "kappa").itertuples()),
    }
    agreement: Any = ("of=item coders=group reasons=n", ("kappa", lambda row: f"{row.value:.3f}"))
    show(
        rows,
        Table("Themes", "themes", ("theme=group", ("share", lambda row: f"{row.value:.1%}"))),
        Table("Agreement of coders", lambda rows: rows["coders"], agreement),
        as_json=False,
    )


def _show_taken(result: Mapping[str, Any], noun: str, as_json: bool) -> None:
    files = counted(len(result["files"]), "file")
    text = f"{counted(result['read'], noun)} in {files}, {result['new']:,} new"
    show(result, text, as_json=as_json)


def _show_written(result: Mapping[str, Any], rows: str, as_json: bool) -> None:
    first, second = result["pair"]
    text = f"Wrote {rows}, of {first} and {second}, to {result['file']}"
    show(result, text, as_json=as_json)


def _two(pair: str) -> tuple[str, str] | None:
    names = split(pair)
    if names and len(names) != 2:
        raise typer.BadParameter("two cultures, with a comma between", param_hint="--pair")
    return (names[0], names[1]) if names else None
