"""`memeloc survey import`. In: files that came back. Out: submissions, and what has no place."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from memeloc.cli.options import AsJson
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, explain, show
from memeloc.cli.survey.options import Name, check_table, target_options

_COUNTS = (
    ("submissions", "submissions"),
    ("answers", "answers"),
    ("new", "new"),
    ("people", "participants"),
    ("rejected", "rejected"),
)
_REJECTED = Table(
    "Rejected, and kept",
    lambda result: result.rejected_by_reason.items(),
    (("reason", lambda row: row[0]), ("rows", lambda row: row[1])),
)


def import_(
    name: Name,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files that came back, or folders of them."),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="KIND",
            help="google-forms, prolific, label-studio, potato, html, csv or qsf.",
            show_default="what its content shows",
        ),
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="Of the kind, as zone=Europe/Berlin for times of a table of Google Forms.",
        ),
    ] = None,
    plain_ids: Annotated[
        bool,
        typer.Option("--plain-ids", help="Store people's ids as they are, not as keyed hashes."),
    ] = False,
    left: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rejected rows to this table."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in answers, and what a recruitment service reports of people.

    Of a folder every file is taken that holds answers; a folder of Potato's is taken whole.
    The same file twice, or an older one later, changes nothing: of a person and sheet, what was
    sent last holds. People's ids are stored as hashes under a key (MEMELOC_SURVEY_KEY, or
    survey.key in the workspace). What cannot be placed is listed with its row, and kept.

    \b
    Example:
      memeloc survey import pilot answers/*.json
      memeloc survey import pilot responses.csv prolific_export.csv
      memeloc survey import pilot annotations/ --from potato --left left.csv
    """
    from memeloc.workspace import Workspace

    check_table(left)
    with Workspace.find() as workspace, progress("Importing", None, unit="files") as bar:
        result = workspace.survey(name).import_files(
            files,
            kind=kind,
            options=target_options(option),
            plain_ids=plain_ids,
            dry_run=dry_run,
            on_progress=bar.report,
        )
    if left is not None:
        _write_rejected(left, result.rejected)
    done = "Would be imported" if dry_run else "Imported"
    show(
        result,
        as_json=as_json,
        tables=[_files(done, result.files), _REJECTED],
        then="Nothing is stored; the same without --dry-run stores it"
        if dry_run
        else f"Next: memeloc survey check {name}"
        if result.files and not result.problems
        else None,
    )
    if not as_json:
        _remark(result)
    explain("memeloc", result.problems)
    if result.problems:
        raise typer.Exit(1)


def _files(title: str, files: Any) -> Table:
    """A line a file; of many files a line a kind."""
    if len(files) <= SHOWN:
        return Table(title, lambda _: files, (("file", "file"), ("kind", "kind"), *_COUNTS))
    kinds: dict[str, Counter[str]] = {}
    for file in files:
        sums = kinds.setdefault(file.kind, Counter())
        sums["files"] += 1
        for _, field in _COUNTS:
            sums[field] += getattr(file, field) or 0
    rows = [{"kind": kind, **sums} for kind, sums in kinds.items()]
    return Table(title, lambda _: rows, (("kind", "kind"), ("files", "files"), *_COUNTS))


def _remark(result: Any) -> None:
    for file in result.files:
        if not (file.submissions or file.participants or file.rejected):
            say(f"{file.file}: holds no answers")
    explain("", [f"{row.file}, row {row.row}: {row.message}" for row in result.rejected])
    if len(result.rejected) > SHOWN:
        say("--left FILE writes them all")
    if result.passed_over:
        say(
            f"{len(result.passed_over):,} files of the folders are of no kind that comes back and "
            f"were passed over: {result.passed_over[0]} the first"
        )


def _write_rejected(path: Path, rejected: Any) -> None:
    from memeloc.tables import write_table

    write_table(
        path,
        ("file", "row", "reason", "message", "content"),
        (
            (
                row.file,
                str(row.row),
                row.reason,
                row.message,
                json.dumps(dict(row.content), ensure_ascii=False, default=str),
            )
            for row in rejected
        ),
    )
