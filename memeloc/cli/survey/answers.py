"""`memeloc survey import` and `import-answers`. In: files that came back. Out: what they held."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, columns, pairs
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, View, as_plain, by_place, explain, next_lines, show
from memeloc.cli.survey.options import Name, check_table, target_options
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.survey.model import RejectedRow
    from memeloc.workspace.survey_imports import ImportResult


_COUNTS = ("submissions", "answers", "new", ("people", "participants"), "rejected")
_SUMMED = ("submissions", "answers", "new", "participants", "rejected")
REJECTED = Table(
    "Rejected, and kept",
    lambda result: result.rejected_by_reason.items(),
    by_place("reason", "rows"),
)


_Ids = Annotated[
    str,
    Option(
        metavar="OWNER",
        help="To whom people's numbers belong: culture, file or everybody. Said once.",
        show_default="asked for where a number is in several",
    ),
]
_Left = Annotated[
    Path | None, Option(metavar="FILE", help="Write the rejected rows to this table.")
]
_DryRun = Annotated[bool, Option("--dry-run", help="Say what would be stored; store nothing.")]


def import_(
    name: Name,
    files: list[Path] = Argument(
        ..., metavar="FILE...", help="Files that came back, or folders of them."
    ),
    kind: str = Option(
        "",
        "--from",
        metavar="KIND",
        help="google-forms, prolific, label-studio, html, csv or qsf.",
        show_default="what its content shows",
    ),
    option: list[str] | None = Option(
        None,
        "--option",
        metavar="KEY=VALUE",
        help="Of the kind, as zone=Europe/Berlin for times of a table of Google Forms.",
    ),
    ids: _Ids = "",
    left: _Left = None,
    dry_run: _DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Take in answers, and what a recruitment service reports of people.

    Of a folder every file is taken that holds answers.
    The same file twice, or an older one later, changes nothing: of a person and sheet, what was
    sent last counts. People's ids are stored as hashes under a key (MEMELOC_SURVEY_KEY, or
    survey.key in the workspace). What cannot be placed is listed with its row, and kept.

    Example:
      memeloc survey import pilot answers/*.json
      memeloc survey import pilot responses.csv prolific_export.csv
      memeloc survey import pilot answers/ --from csv --left left.csv
    """
    check_table(left)
    with memeloc.Workspace.find() as workspace, progress("Importing", None, unit="files") as bar:
        result = workspace.survey(name).answers.import_files(
            files,
            kind=kind,
            options=target_options(option),
            ids=ids,
            dry_run=dry_run,
            on_progress=bar.report,
        )
        is_stored = bool(result.files) and not result.problems and not dry_run
        further = next_lines(workspace, "survey", survey=name, as_json=as_json or not is_stored)
    views: list[View] = [
        files_table("Would be imported" if dry_run else "Imported", result),
        REJECTED,
    ]
    if dry_run:
        views.append("Nothing is stored; the same without --dry-run stores it")
    views += further
    show_import(result, *views, left=left, as_json=as_json)
    if not as_json:
        remark(result)
    explain("memeloc", result.problems, fail=True)


def files_table(title: str, result: ImportResult) -> Table:
    """A line a file; of many files a line a kind."""
    if len(result.files) <= SHOWN:
        return Table(title, "files", ("file", "kind", *_COUNTS))
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for file in result.files:
        numbers = {name: value or 0 for name, value in asdict(file).items() if name in _SUMMED}
        kinds[file.kind].update(numbers, files=1)
    rows = [{"kind": kind, **sums} for kind, sums in kinds.items()]
    return Table(title, lambda _: rows, ("kind", "files", *_COUNTS))


def remark(result: ImportResult) -> None:
    """Say which rows were rejected, and what was passed over."""
    for file in result.files:
        if file.made:
            say(
                f"{file.file}: studies for Prolific lead to these "
                f"{counted(file.made, 'form')} from now on"
            )
        elif not (file.submissions or file.participants or file.rejected):
            say(f"{file.file}: holds no answers")
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in result.rejected:
        alike[row.file, row.message].append(row.row)
    explain("", (_alike(file, rows, message) for (file, message), rows in alike.items()))
    if len(result.rejected) > min(SHOWN, len(alike)):
        say("--left FILE writes them all")
    if erased := sum(file.erased or 0 for file in result.files):
        say(f"{counted(erased, 'row is', 'rows are')} left out, of people who were erased")
    if result.passed_over:
        say(
            f"{counted(len(result.passed_over), 'file')} of no kind that comes back "
            f"{'was' if len(result.passed_over) == 1 else 'were'} passed over: "
            f"{result.passed_over[0]} the first"
        )


def _alike(file: str, rows: Sequence[int], message: str) -> str:
    """A line for all rows of which the same is said."""
    more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
    return f"{file}, row {rows[0]}{more}: {message}"


def show_import(result: ImportResult, *views: View, left: Path | None, as_json: bool) -> None:
    """Print an import, and write its rejected rows to the table `left`, if there is one."""
    file = None if left is None else _write_rejected(left, result.rejected)
    if file is not None:
        views = (*views, f"Wrote {counted(len(result.rejected), 'rejected row')} to {file}")
    show(as_plain(result) | {"left": file} if as_json else result, *views, as_json=as_json)


def _write_rejected(path: Path, rejected: Sequence[RejectedRow]) -> Path:
    from memeloc.sheets import write_sheet_table

    cells = []
    for row in rejected:
        content = json.dumps(dict(row.content), ensure_ascii=False, default=str)
        cells.append((row.file, str(row.row), row.reason, row.message, content))
    return write_sheet_table(path, ("file", "row", "reason", "message", "content"), cells)[0]


def import_answers(
    name: Name,
    file: Path = Argument(..., metavar="FILE", help="A table: CSV, xlsx, ods, Parquet or JSONL."),
    participant: str = Option("", metavar="COLUMN", help="Who answered."),
    item: str = Option("", metavar="COLUMN", help="What was asked about."),
    answer: str = Option(
        "", metavar="COLUMN", help="What was answered; or one a culture, as US=COLUMN,DE=COLUMN."
    ),
    culture: str = Option(
        "",
        metavar="COLUMN|CODE",
        help="Of which country the person is; or a code, as DE, for all.",
        show_default="culture, else the source language's country",
    ),
    time: str = Option("", metavar="COLUMN", help="When it was answered, ISO 8601."),
    fact: list[str] | None = Option(
        None, metavar="FACT=COLUMN", help="What is known of people, as nationality=Nationality."
    ),
    label: list[str] | None = Option(
        None, metavar="TEXT=ID", help="The label that an answer stands for, as 1=hate. Repeatable."
    ),
    question: list[str] | None = Option(
        None,
        metavar="ID=COLUMN",
        help="Answers to a further question of the taxonomy, several with | between. Repeatable.",
    ),
    country: list[str] | None = Option(
        None, metavar="TEXT=CODE", help="The country that a text stands for. Repeatable."
    ),
    map_: Path | None = Option(
        None, "--map", metavar="TOML", help="What columns, labels and cultures mean, as `analyze`."
    ),
    taxonomy: str = Option(
        "", metavar="NAME|FILE", help="Whose labels the answers are.", show_default="multi3hate"
    ),
    answers: int = Option(5, min=1, help="Answers wanted of an item and culture."),
    ids: _Ids = "",
    left: _Left = None,
    dry_run: _DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make a survey of answers that were collected elsewhere: a row each with who, what and how.

    All other columns are left alone. Answers are ids of labels, their names, or what --label says;
    what is neither is rejected with its row, and kept. `survey check`, `settle` and `status` go on
    from there. Of a survey that is there the answers are added to it.

    Example:
      memeloc survey import-answers published answers.csv --participant "Annotator ID" --answer Hate
      memeloc survey import-answers published answers.csv --map answers.toml --taxonomy harmeme
    """
    check_table(left)
    is_code = re.fullmatch("[A-Z]{2}", culture) is not None
    with memeloc.Workspace.find() as workspace:
        result = workspace.surveys.import_answers(
            name,
            file,
            map_,
            taxonomy=taxonomy,
            answers=answers,
            ids=ids,
            dry_run=dry_run,
            annotator=participant,
            item=item,
            label=columns(answer),
            culture="" if is_code else culture,
            fixed={"culture": culture} if is_code else {},
            time=time,
            demographics=pairs("--fact", fact),
            question=pairs("--question", question),
            labels=pairs("--label", label),
            cultures=pairs("--country", country),
        )
        further = (
            ["Nothing is stored; the same without --dry-run stores it"]
            if dry_run
            else next_lines(workspace, "survey", survey=name, as_json=as_json)
        )
    title = "Would be imported" if dry_run else "Imported"
    table = files_table(title, result)
    show_import(result, table, REJECTED, *further, left=left, as_json=as_json)
    if not as_json:
        remark(result)
