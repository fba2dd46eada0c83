"""`memeloc survey import-answers`. In: a table with a row an answer. Out: a survey with them."""

from __future__ import annotations

import re
from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, columns, pairs
from memeloc.cli.show import next_lines
from memeloc.cli.survey.import_ import REJECTED, files_table, remark, show_import
from memeloc.cli.survey.options import Name, check_table


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
    ids: str = Option(
        "",
        metavar="OWNER",
        help="To whom people's numbers belong: culture, file or everybody. Said once.",
        show_default="asked for where a number is in several cultures",
    ),
    left: Path | None = Option(None, metavar="FILE", help="Write the rejected rows to this table."),
    dry_run: bool = Option(False, "--dry-run", help="Say what would be stored; store nothing."),
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
