"""`memeloc knowledge compare`. In: what was found in versions of memes. Out: what they share."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import typer
from typer import Option

import memeloc
from memeloc.cli.knowledge.options import OfModel, OfRecipe
from memeloc.cli.options import AsJson, split
from memeloc.cli.reports import show_report, wide_rows
from memeloc.cli.show import Table


def compare(
    langs: str = Option(..., metavar="TAGS", help="Versions of the memes, with commas between."),
    statements_language: str = Option(
        "",
        metavar="TAG",
        help="Of the statements that are compared.",
        show_default="one that all versions have",
    ),
    texts_model: str = Option(
        "ngrams:3",
        metavar="KIND:WHERE",
        help="A model of texts, such as sentence-transformers:NAME; ngrams:3 compares letters.",
    ),
    threshold: float = Option(
        0.6, min=-1, max=1, help="Similarity from which statements are counterparts."
    ),
    out: Path | None = Option(None, metavar="DIR", help="Write a page with tables there, too."),
    recipe: OfRecipe = "",
    model: OfModel = "",
    as_json: AsJson = False,
) -> None:
    """Say which statements about a meme have a counterpart in another of its versions.

    The statements are in one language: extract each version with --statements-language en.

    Example:
      memeloc knowledge compare --langs de,hi
      memeloc knowledge compare --langs de,hi,ar --threshold 0.7 --out comparison
    """
    versions = list(dict.fromkeys(split(langs)))
    if len(versions) < 2:
        raise typer.BadParameter("names two languages or more", param_hint="--langs")
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.compare(
            [workspace.locale(tag).tag for tag in versions],
            language=statements_language,
            texts_model=texts_model,
            threshold=threshold,
            recipe=recipe,
            model=model,
        )
    show_report(result, _DIMENSIONS, _ALONE, out=out, as_json=as_json)


_DIMENSIONS = Table(
    "Statements with a counterpart, by dimension",
    lambda report: wide_rows(report, "comparison-dimensions"),
    (
        ("dimension", "item"),
        ("versions", "group"),
        *(
            (name.replace("_", " "), lambda row, name=name: int(row[name]))
            for name in ("memes", "first_statements", "second_statements", "counterparts")
        ),
        ("share", lambda row: "" if isnan(row["share"]) else f"{row['share']:.1%}"),
    ),
)
_ALONE = Table(
    "{n:statement} without a counterpart",
    lambda report: [
        row for row in wide_rows(report, "comparison-statements") if isnan(row["similarity"])
    ],
    (("versions", "group"), ("statement", "item")),
    most=20,
)
