"""`memeloc review`. In: a question, or answered files. Out: a sheet or page; judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AnsweredBy, DryRun
from memeloc.cli.output import progress
from memeloc.cli.show import Column, Table, explain, show
from memeloc.counts import counted

app = typer.Typer(
    no_args_is_help=True,
    help="Ask people what rules cannot decide: sheets or pages out, answers in.\n\n"
    "Questions are wordplay, description, duplicates, no-text, cartoon, unreadable, unimodal, "
    "irrelevant, language, year, and every filter's name, which settles what the filter "
    "asks.\n\n"
    "Example:\n  memeloc review export wordplay --person asha\n"
    "  memeloc review import review-wordplay-asha.xlsx\n  memeloc review status",
)


def _columns(result: Any) -> list[Column]:
    columns: list[Column] = [
        "question asked=subjects answered by_enough=complete agreed disagreed people"
    ]
    if any(status["errors"] for status in result["questions"]):
        columns.append(("wrong", lambda status: str(status["errors"] or "")))
    return columns


_STATUS = Table("Questions to people", "questions", _columns, empty=True)


@app.command("export")
def export(
    question: str = Argument(..., metavar="QUESTION", help="What is asked."),
    person: str = Option(..., "--person", "--to", metavar="NAME", help="Who is to answer."),
    out: Path | None = Option(
        None,
        "--out",
        "-o",
        metavar="FILE",
        help="The file: .xlsx, .csv, or for duplicates .html.",
        show_default="review-QUESTION-NAME.xlsx; .html for duplicates",
    ),
    only: str = Option(
        "new",
        metavar="WHICH",
        help="new (not answered by this person yet), all, or ids with commas between; of pairs "
        "'ID|ID', or a duplicate's.",
    ),
    limit: int = Option(0, "--limit", min=0, help="At most this many; 0 is no limit."),
    audit: int = Option(
        0,
        "--audit",
        min=0,
        metavar="N",
        help="Duplicates: so many of those that were removed, by chance, instead of what is asked.",
        show_default=False,
    ),
    sample: int = Option(
        0,
        "--sample",
        min=0,
        metavar="N",
        help="So many of what the question is about, by chance, the same for everybody.",
        show_default="all",
    ),
    seed: int = Option(0, "--seed", help="What chance begins with."),
) -> None:
    """Write a sheet with one question for one person; pairs of pictures as a page.

    A sheet has the pictures, a place for the answer with a list to pick from, and hints of rules
    and models, which are only hints. The page shows both pictures of a pair side by side, takes
    the keys 1, 2 and 3, and saves a file to import. Several people get a file each.

    Example:
      memeloc review export wordplay --person asha
      memeloc review export description --person jonas --out templates.xlsx
      memeloc review export duplicates --person asha
      memeloc review export duplicates --person asha --audit 100 --seed 1
      memeloc review export year --person asha --sample 300 --seed 1
    """
    with memeloc.Workspace.find() as workspace, progress(unit="rows") as bar:
        result = workspace.curating.export_review(
            question,
            person,
            out,
            only=only,
            limit=limit,
            audit=audit,
            sample=sample,
            seed=seed,
            on_progress=bar.phase,
        )
    file, asked = result["file"], result["person"]
    if file is None:
        then = [f"There is nothing to ask {asked} about {question}; --only all asks again"]
    else:
        rows = counted(result["rows"], "pair" if result["question"] == "duplicates" else "row")
        drawn = f" of {result['removed']:,} removed duplicates" if audit else ""
        then = [f"Wrote {rows}{drawn} for {asked} to {file}"]
        if result["left"]:
            then.append(f"{result['left']:,} more are left: export again when these are imported")
        if file.lower().endswith(".html"):
            then.append(
                "Next: open it in a browser, save the answers there, and memeloc review import FILE"
            )
    show(result, *then)


@app.command("import")
def import_(
    files: list[Path] = Argument(..., metavar="FILE", help="Files that came back."),
    person: AnsweredBy = "",
    dry_run: DryRun = False,
) -> None:
    """Take in answers: sheets as xlsx, ods or CSV, and what a page of pairs saved.

    Nothing is overwritten: what a person answers anew stands beside what she answered before, and
    the newest counts. The same file twice adds nothing. What cannot be read is reported with its
    row, and the rest is taken.

    Example:
      memeloc review import review-wordplay-asha.xlsx review-duplicates-asha.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.import_reviews(files, person=person, dry_run=dry_run)
    then = []
    for file in result["files"]:
        explain(file["file"], filter(None, [file["note"]]))
        stored = "nothing is stored" if dry_run else f"{file['new']:,} of them new"
        answers = f"{counted(file['answers'], 'answer')} of {file['person']} to {file['question']}"
        then.append(f"{file['file']}: {answers}, {stored}")
        if earlier := file["earlier"]:
            then.append(
                f"{len(earlier):,} of them are about an earlier picture or text of "
                f"{', '.join(earlier[:3])}{' and others' if earlier[3:] else ''}: kept "
                "with it, not counted, and asked again"
            )
    show(result, *then)
    explain("", result["problems"])
    if result["problems"]:
        raise typer.Exit(1)


@app.command("status")
def status(
    question: list[str] | None = Argument(
        None, metavar="QUESTION", help="Only these.", show_default="all"
    ),
) -> None:
    """Say how far each question is: what is asked, who answered how much, who agrees.

    Example:
      memeloc review status
      memeloc review status wordplay --json
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.review_status(question or [])
    show({"questions": result}, _STATUS)
