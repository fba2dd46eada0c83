"""`memeloc review`. In: a question, or answers that came back. Out: a sheet or page; judgements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, progress, say, table

if TYPE_CHECKING:
    from memeloc.curate.pairs import Pair
    from memeloc.curate.questions import ReviewQuestion
    from memeloc.curate.review_answers import ReviewAnswers
    from memeloc.curate.reviewing import ReviewRow, Verdicts
    from memeloc.items import Item
    from memeloc.store import Workspace

app = typer.Typer(
    no_args_is_help=True,
    help="Ask people what rules cannot tell: sheets or pages out, answers in.\n\n"
    "Questions are wordplay, description, duplicates, no-text, cartoon, unreadable, unimodal, "
    "language, and every filter's name, which settles what the filter asks.\n\n\b\n"
    "Example:\n  memeloc review export wordplay --person asha\n"
    "  memeloc review import review-wordplay-asha.xlsx\n  memeloc review status",
)

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_ONLY = ("new", "all")
_FORMATS = ("xlsx", "csv", "html")
_SHOWN = 20
_SIDE, _LARGE_SIDE = 320, 640
"""Pixels of the longer side of a picture in a sheet, and on a page."""


@app.command("export")
def export(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked.")],
    person: Annotated[
        str, typer.Option("--person", "--to", metavar="NAME", help="Who is to answer.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The file: .xlsx, .csv, or for duplicates .html.",
            show_default="review-QUESTION-NAME.xlsx; .html for duplicates",
        ),
    ] = None,
    only: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="new (not answered by this person yet), all, or ids with commas between.",
        ),
    ] = "new",
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="At most this many; 0 is no limit.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Write a sheet with one question for one person; pairs of pictures as a page.

    A sheet has the pictures, a place for the answer with a list to pick from, and hints of rules
    and models, which are only hints. The page shows both pictures of a pair side by side, takes
    the keys 1, 2 and 3, and saves a file to import. Several people get a file each.

    \b
    Example:
      memeloc review export wordplay --person asha
      memeloc review export description --person jonas --out templates.xlsx
      memeloc review export duplicates --person asha
    """
    from memeloc.curate.pairs_page import MOST_PAIRS, write_pairs_page
    from memeloc.curate.questions import find_question
    from memeloc.curate.review_sheets import write_review
    from memeloc.store import Workspace

    asked = find_question(question)
    who = _checked_person(person)
    is_pair = asked.which == "pairs"
    path = out or Path(f"review-{asked.name}-{_in_file_name(who)}.{'html' if is_pair else 'xlsx'}")
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in _FORMATS or (suffix == "html" and not is_pair):
        allowed = _FORMATS if is_pair else _FORMATS[:2]
        raise typer.BadParameter(f"a file of {', '.join(allowed)}", param_hint="--out")
    most = limit or (MOST_PAIRS if suffix == "html" else 0)
    if suffix == "html":
        most = min(most, MOST_PAIRS)
    with Workspace.find() as workspace:
        who = _as_known(workspace, who)
        wanted = _wanted(workspace, asked, who, only)
        chosen = wanted[:most] if most else wanted
        written = 0
        if chosen:
            rows = _rows(workspace, asked, chosen, who, large=suffix == "html")
            write = write_pairs_page if suffix == "html" else write_review
            written = write(asked, rows, path, who)
    left = len(wanted) - len(chosen)
    if as_json:
        print_json(
            {
                "question": asked.name,
                "person": who,
                "rows": written,
                "left": left,
                "file": str(path) if written else None,
            }
        )
        return
    if not written:
        print(f"There is nothing to ask {who} about {asked.name}; --only all asks again")
        return
    print(f"Wrote {written:,} {'pairs' if is_pair else 'rows'} for {who} to {path}")
    if left:
        print(f"{left:,} more are left: export again when these are imported")
    if suffix == "html":
        print("Next: open it in a browser, save the answers there, and memeloc review import FILE")


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files that came back.")],
    person: Annotated[
        str, typer.Option("--person", metavar="NAME", help="Who answered, if the file says not.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in answers: sheets as xlsx, ods or CSV, and what a page of pairs saved.

    Nothing is overwritten: what a person answers anew stands beside what she answered before, and
    the newest counts. The same file twice adds nothing. What cannot be read is told with its row,
    and the rest is taken.

    \b
    Example:
      memeloc review import review-wordplay-asha.xlsx review-duplicates-asha.csv
    """
    from memeloc.curate.review_answers import read_review
    from memeloc.errors import InputError
    from memeloc.store import FileRecord, Workspace

    results: list[dict[str, Any]] = []
    problems: list[InputError] = []
    with Workspace.find() as workspace:
        for file in files:
            try:
                answers = read_review(file)
                if not answers.person and not person:
                    raise InputError("does not say who answered: name her with --person", file=file)
            except InputError as error:
                problems.append(error)
                continue
            if not answers.person:
                answers = answers.by(_checked_person(person))
            elif person and person.strip() != answers.person:
                say(f"{file}: is by {answers.person} as it says itself; --person does not count")
            answers = answers.by(_as_known(workspace, answers.person))
            answers, unknown = _only_known(workspace, answers)
            problems += [*answers.problems, *unknown]
            new = 0
            if not dry_run and answers.judgements:
                record = FileRecord(
                    "judgements", file.name, answers.sha256, len(answers.judgements)
                )
                new = workspace.add_judgements(record, answers.judgements)
            results.append(
                {
                    "file": str(file),
                    "question": answers.question,
                    "person": answers.person,
                    "answers": len(answers.judgements),
                    "new": None if dry_run else new,
                    "problems": len(answers.problems) + len(unknown),
                }
            )
    if as_json:
        print_json({"files": results, "problems": [str(one) for one in problems]})
    else:
        for one in results:
            stored = "nothing is stored" if dry_run else f"{one['new']:,} of them new"
            print(
                f"{one['file']}: {one['answers']:,} answers of {one['person']} to "
                f"{one['question']}, {stored}"
            )
        for problem in problems[:_SHOWN]:
            say(str(problem))
        if len(problems) > _SHOWN:
            say(f"and {len(problems) - _SHOWN:,} more problems; --json lists them all")
    if problems:
        raise typer.Exit(1)


@app.command("status")
def status(
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUESTION]...", help="Only these.", show_default="all"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how far each question is: what is asked, who answered how much, who agrees.

    \b
    Example:
      memeloc review status
      memeloc review status wordplay --json
    """
    from dataclasses import asdict

    from memeloc.curate.questions import find_question, question_names
    from memeloc.curate.reviewing import review_status, subjects
    from memeloc.curate.selection import answers_of
    from memeloc.store import Workspace

    asked = [find_question(one) for one in question or question_names()]
    with Workspace.find() as workspace:
        items = list(workspace.items())
        verdicts, pairs = workspace.verdicts(), workspace.pairs()
        unread, settled = _unread(workspace), answers_of(workspace.judgements())
        told = [
            review_status(
                one,
                subjects(one, items, verdicts, pairs, unread, settled),
                workspace.judgements(one.name),
            )
            for one in asked
        ]
    if not question:
        told = [one for one in told if one.subjects]
    if as_json:
        print_json({"questions": [asdict(one) for one in told]})
        return
    columns = ("question", "asked", "answered", "by enough", "agreed", "disagreed", "people")
    table(
        "Questions to people",
        columns,
        [
            [
                one.question,
                one.subjects,
                one.answered,
                one.complete,
                one.agreed,
                one.disagreed,
                ", ".join(f"{who} {count:,}" for who, count in one.people.items()),
            ]
            for one in told
        ],
    )


def _checked_person(person: str) -> str:
    name = " ".join(person.split())
    if not name or not name.isprintable() or len(name) > 100:
        raise typer.BadParameter("a name of 1 to 100 characters", param_hint="--person")
    return name


def _as_known(workspace: Workspace, person: str) -> str:
    """The name as it stands with earlier answers: two spellings are not two people who agree."""
    wanted = " ".join(person.split()).casefold()
    known = (one.person for one in workspace.judgements())
    return next((one for one in known if one.casefold() == wanted), " ".join(person.split()))


def _in_file_name(person: str) -> str:
    plain = "".join(letter if letter.isalnum() else "-" for letter in person)
    return plain.strip("-")[:60] or "person"


def _unread(workspace: Workspace) -> set[str]:
    """Ids of the items that no text was extracted from, as nobody has looked at since."""
    from memeloc.ocr.transcript import NO_TEXT

    transcripts = workspace.transcripts().items()
    return {item for item, one in transcripts if NO_TEXT in one.marks and not one.person}


def _wanted(workspace: Workspace, question: ReviewQuestion, person: str, only: str) -> list[str]:
    """The subjects that are to be asked."""
    from memeloc.curate.pairs import PAIR
    from memeloc.curate.reviewing import left_for, subjects
    from memeloc.curate.selection import answers_of
    from memeloc.errors import InputError

    if only not in _ONLY:
        ids = list(dict.fromkeys(one.strip() for one in only.split(",") if one.strip()))
        parts = {part for one in ids for part in one.split(PAIR)}
        known = {item.id for item in workspace.items(ids=parts)}
        for part in sorted(parts - known):
            raise InputError(f"there is no item {part[:80]!r} (--only new, all, or ids of items)")
        if any((PAIR in one) != (question.which == "pairs") for one in ids):
            raise InputError(
                f"{question.name} asks about {'pairs' if question.which == 'pairs' else 'items'}"
            )
        return ids
    found = subjects(
        question,
        () if question.which == "pairs" else workspace.items(),
        workspace.verdicts(),
        workspace.pairs() if question.which == "pairs" else (),
        _unread(workspace) if question.which == "untold" else (),
        answers_of(workspace.judgements()),
    )
    if only == "all":
        return found
    return left_for(person, found, workspace.judgements(question.name))


def _rows(
    workspace: Workspace,
    question: ReviewQuestion,
    chosen: Sequence[str],
    person: str,
    *,
    large: bool,
) -> list[ReviewRow]:
    """The rows of a file, their pictures made small."""
    from memeloc.curate.pairs import PAIR
    from memeloc.curate.reviewing import review_rows
    from memeloc.workspace.sheet_pictures import SheetPictures

    ids = {part for one in chosen for part in one.split(PAIR)}
    items: dict[str, Item] = {item.id: item for item in workspace.items(ids=ids)}
    parents = {item.parent for item in items.values() if item.parent} - set(items)
    items |= {item.id: item for item in workspace.items(ids=parents)}
    verdicts: Verdicts = workspace.verdicts(question.filter) if question.filter else {}
    pairs: Sequence[Pair] = workspace.pairs() if question.which == "pairs" else ()
    pictures = SheetPictures(workspace)  # type: ignore[arg-type]
    rows = []
    with progress("Drawing", len(chosen), unit="rows") as bar:
        for row in review_rows(
            question,
            chosen,
            items,
            person=person,
            verdicts=verdicts,
            pairs=pairs,
            judgements=workspace.judgements(question.name),
            picture=lambda path: pictures.small(path, _LARGE_SIDE if large else _SIDE),
        ):
            rows.append(row)
            bar.advance()
    return rows


def _only_known(workspace: Workspace, answers: ReviewAnswers) -> tuple[ReviewAnswers, list[Any]]:
    """The answers about what this workspace has, and a problem for each other."""
    from dataclasses import replace

    from memeloc.curate.pairs import PAIR
    from memeloc.errors import InputError

    ids: Collection[str] = {part for one in answers.judgements for part in one.subject.split(PAIR)}
    known = {item.id for item in workspace.items(ids=ids)}
    kept, problems = [], []
    for one in answers.judgements:
        missing = [part for part in one.subject.split(PAIR) if part not in known]
        if missing:
            problems.append(
                InputError(
                    f"{missing[0][:80]!r} is nothing that this workspace has collected",
                    file=answers.file,
                    row=one.row,
                    column="subject",
                )
            )
        else:
            kept.append(one)
    return replace(answers, judgements=tuple(kept)), problems
