"""`memeloc knowledge compare`. In: what was found in versions of memes. Out: what they share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Option

import memeloc
from memeloc.cli.knowledge.options import OfModel, OfRecipe
from memeloc.cli.options import AsJson, split
from memeloc.cli.show import Table, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.knowledge.comparing import Comparison


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
    if out is not None:
        from memeloc.knowledge.comparing import comparison_report
        from memeloc.reports.writing import write_report

        write_report(comparison_report(result), out)
    show(result, _DIMENSIONS, _DIFFERING, _sentences, as_json=as_json)


_DIMENSIONS = Table(
    "Statements with a counterpart, by dimension",
    "dimensions",
    (
        "dimension first second memes statements_of_first=first_statements",
        "statements_of_second=second_statements counterparts",
        ("share", lambda row: "" if row.share is None else f"{row.share:.1%}"),
    ),
)
_DIFFERING = Table(
    "{n:statement} without a counterpart",
    lambda result: [pair for pair in result.pairs if pair.state != "both"],
    (
        "meme dimension",
        ("only in", lambda pair: pair.first if pair.state == "first" else pair.second),
        ("statement", lambda pair: pair.first_text or pair.second_text),
    ),
    most=20,
)


def _sentences(result: Comparison) -> Iterator[str]:
    yield (
        f"{counted(result.memes, 'meme')} compared by statements in {result.language} "
        f"({result.model}); {result.alone:,} in one version only"
    )
