"""`memeloc knowledge export`, `query`, `page`, `check`. In: graphs. Out: files, rows, pages."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.knowledge.options import OfModel, OfRecipe, Pictures
from memeloc.cli.options import AsJson
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, by_place, explain, show
from memeloc.counts import counted


def export(
    out: Path = Argument(..., help="A file; for parquet a folder."),
    to: Literal["ttl", "jsonld", "nquads", "parquet"] = Option(
        ..., help="Turtle, JSON-LD, N-Quads, or tables of statements, entities and relations."
    ),
    recipe: OfRecipe = "",
    model: OfModel = "",
    as_json: AsJson = False,
) -> None:
    """Write what memes mean as RDF: a named graph a meme and version, sorted.

    Example:
      memeloc knowledge export memes.ttl --to ttl
      memeloc knowledge export tables --to parquet
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.export(out, to, recipe=recipe, model=model)
    unit = ("row", "rows") if to == "parquet" else ("statement of RDF", "statements of RDF")
    show(
        result,
        f"{out}: {counted(result['graphs'], 'graph')}, {counted(result['rows'], *unit)}",
        as_json=as_json,
    )


def query(
    sparql: str = Argument(..., metavar="SPARQL|FILE", help="A query, or a file with one: .rq."),
    out: Path | None = Option(
        None, metavar="FILE", help="Write the rows there: .csv, .jsonl or .parquet."
    ),
    rows: int = Option(10_000, min=1, help="That are read at the most."),
    seconds: float = Option(60.0, min=0.1, help="After which the query is ended."),
    as_json: AsJson = False,
) -> None:
    """Ask all graphs a question in SPARQL; nothing is changed, and no other server is asked.

    The prefixes ml, rel, prov, rdf, rdfs, owl and xsd need no declaration.

    Example:
      memeloc knowledge query 'SELECT ?text WHERE { ?s ml:value "hateful" ; ml:text ?text }'
      memeloc knowledge query links.rq --out links.csv
    """
    if sparql.endswith((".rq", ".sparql")):
        from memeloc.files import read_text

        sparql = read_text(Path(sparql))
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.query(sparql, seconds=seconds, rows=rows)
    if out is not None:
        from memeloc.sheets import write_sheet_table

        file, count = write_sheet_table(out, result.columns_with_languages(), result.texts())
        show({"file": file, "rows": count}, f"{file}: {counted(count, 'row')}", as_json=as_json)
    else:
        show(result, _ROWS, as_json=as_json)
    if result.more:
        say(f"Only the first {counted(rows, 'row')}: --rows reads more.")


def page(
    out: Path = Argument(..., help="A folder."),
    pictures: Pictures = None,
    recipe: OfRecipe = "",
    model: OfModel = "",
    as_json: AsJson = False,
) -> None:
    """Write a page of each meme: its picture, its graph drawn, and where each statement comes from.

    Example:
      memeloc knowledge page pages
      memeloc knowledge page pages --pictures out
    """
    with memeloc.Workspace.find() as workspace, progress(unit="pages") as bar:
        result = workspace.knowledge.pages(
            out, pictures=pictures or "", recipe=recipe, model=model, on_progress=bar.report
        )
    show(result, f"{result['index']}: {counted(result['memes'], 'meme')}", as_json=as_json)
    if without := result["without_picture"]:
        say(f"{counted(without, 'page has', 'pages have')} no picture")


def check(recipe: OfRecipe = "", model: OfModel = "", as_json: AsJson = False) -> None:
    """Check that every graph has what it must have: texts with languages, provenance and the like.

    Ends with status 1 where something is wrong.

    Example:
      memeloc knowledge check
    """
    with memeloc.Workspace.find() as workspace, progress(unit="graphs") as bar:
        result = workspace.knowledge.check(recipe=recipe, model=model, on_progress=bar.report)
    show(
        result,
        f"{counted(result['graphs'], 'graph')} checked, "
        f"{counted(len(result['violations']), 'violation')}",
        as_json=as_json,
    )
    if not as_json:
        explain("", result["violations"])
    if result["violations"]:
        raise typer.Exit(1)


_ROWS = Table(
    "{n:row}",
    lambda result: result.texts(),
    lambda result: by_place(*result.columns_with_languages()),
    empty=True,
)
