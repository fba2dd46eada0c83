"""`memeloc correct`. In: a workspace, and the sheets that people send back. Out: captions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.options import (
    AsJson,
    Kind,
    Lang,
    Langs,
    Taxonomy,
    check_taxonomy,
    languages,
    split,
)
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, as_plain, explain, show

if TYPE_CHECKING:
    from memeloc.workspace.cases import Case
    from memeloc.workspace.correcting import SheetImport

app = typer.Typer(
    help="Have people correct the captions: sheets out, answers in, differences settled.",
    no_args_is_help=True,
)

_ONLY = ("new", "changed", "open", "all")
_FIRST = {
    "caption": "translate",
    "transcript": "memeloc ocr",
    "survey": "memeloc translate --kind survey",
}
_NAMES = {"caption": "captions", "transcript": "transcripts", "survey": "survey texts"}


def _fields(result: Any, kind: str) -> dict[str, Any]:
    """A result as JSON has it: the number of texts under the name of their kind."""
    fields = as_plain(result)
    return {_NAMES[kind].replace(" ", "_"): fields.pop("texts"), **fields}


@app.command(name="export")
def export(
    lang: Lang,
    to: Annotated[
        str, typer.Option(metavar="NAME", help="Who gets the sheet; stays with every answer.")
    ] = "",
    round_: Annotated[int, typer.Option("--round", min=1, max=9, help="Round of correction.")] = 1,
    form_name: Annotated[
        str, typer.Option("--format", metavar="FORM", help="xlsx, xliff, po or csv.")
    ] = "xlsx",
    kind: Kind = "caption",
    only: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="new, changed (since they were corrected), open (to be settled), all, or ids of "
            "memes (of survey texts, their names) with commas between.",
        ),
    ] = "new",
    taxonomy: Taxonomy = "",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file.", show_default="LANG-rROUND-NAME.KIND"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a sheet of captions for one person to correct.

    It has the source, the text to be corrected, the picture, the room there is, a place for
    another text, a status to pick and the guide in the language. Round 2 shows round 1's result.
    The texts of surveys are the ones that memeloc ships, to be made your team's own.

    \b
    Example:
      memeloc correct export --lang hi --to asha
      memeloc correct export --lang de --round 2 --to jonas --format xliff
      memeloc correct export --lang ar --kind transcript --to samira
      memeloc correct export --lang ar --kind survey --taxonomy multi3hate --to samira
    """
    from memeloc.correct.sheets import formats
    from memeloc.workspace import Workspace

    if form_name not in formats():
        raise typer.BadParameter(f"one of {', '.join(formats())}", param_hint="--format")
    check_taxonomy(taxonomy, kind)
    with Workspace.find() as workspace, progress("Drawing", None) as bar:
        result = workspace.correcting.export_sheet(
            lang,
            person=to,
            round_=round_,
            format=form_name,
            kind=kind,
            only=only if only in _ONLY else "all",  # type: ignore[arg-type]
            ids=None if only in _ONLY else split(only),
            taxonomy=taxonomy,
            out=out,
            on_progress=bar.report,
        )
        name = workspace.locale(lang).name
    who = f", for {to}" if to else ""
    then = (
        f"Wrote {result.texts:,} {_NAMES[kind]} in {name} to {result.file}"
        if result.file
        else f"There is nothing to correct in {name}, round {round_}{who}: {_FIRST[kind]} first, "
        "or ask for --only all"
    )
    show(_fields(result, kind), as_json=as_json, then=then)


_WARNINGS = Table(
    "Warnings",
    lambda result: result.warnings,
    (
        ("meme", "meme_id"),
        ("language", "language"),
        ("part", lambda warning: warning.part + 1 or None),
        ("check", "check"),
        ("what", "message"),
    ),
    most=SHOWN,
)
_ANSWERS = Table(
    "To look at",
    lambda result: [answer for answer in result.answers if answer.message],
    (("row", "row"), ("meme", "meme_id"), ("outcome", "outcome"), ("why", "message")),
    most=SHOWN,
)


@app.command(name="import")
def import_(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Sheets that came back, of any format.")
    ],
    lang: Annotated[
        str, typer.Option(metavar="TAG", help="The language, if the file has lost it.")
    ] = "",
    round_: Annotated[
        int, typer.Option("--round", min=0, max=9, help="The round, if the file has lost it.")
    ] = 0,
    person: Annotated[
        str, typer.Option("--person", metavar="NAME", help="Who answered, if the sheet says not.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would become of it; store nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take back sheets that people filled in.

    Each answer is placed, already known, kept to be settled, or refused, and each file is stored
    as a whole. The same file twice changes nothing. Nothing that anybody typed is overwritten.

    \b
    Example:
      memeloc correct import hi-r1-asha.xlsx de-r1-jonas.xlsx
    """
    from memeloc.errors import MemelocError
    from memeloc.workspace import Workspace

    results: list[dict[str, Any]] = []
    with Workspace.find() as workspace:
        for path in files:
            try:
                result = workspace.correcting.import_sheet(
                    path, language=lang, round_=round_, person=person, dry_run=dry_run
                )
            except MemelocError as error:
                say(f"Not taken: {error}")
                results.append({"file": str(path), "error": str(error)})
                continue
            results.append(as_plain(result))
            if not as_json:
                _print_import(result, dry_run)
    if as_json:
        show({"files": results, "stored": not dry_run}, as_json=True)
    if any("error" in result for result in results):
        raise typer.Exit(1)


def _print_import(result: SheetImport, dry_run: bool) -> None:
    if result.seen_before:
        print(f"{result.file}: this very file was imported before; nothing changed")
        return
    done = ", ".join(f"{count:,} {outcome}" for outcome, count in result.outcomes.items())
    print(f"{result.file}: {done or 'no answers'}{' (nothing stored)' if dry_run else ''}")
    show(result, as_json=False, tables=[_ANSWERS])
    explain("Not read", result.problems)
    show(result, as_json=False, tables=[_WARNINGS])


_SHEETS = Table(
    "Sheets",
    lambda result: result.sheets,
    [
        (name.replace("_", " "), name)
        for name in (
            *("kind", "language", "round", "person", "sent", "answered", "corrected", "to_settle"),
            "file",
        )
    ],
    empty=True,
)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Say what is out with whom, what came back, and what is left to settle.

    \b
    Example:
      memeloc correct status
    """
    from memeloc.workspace import Workspace

    with Workspace.find() as workspace:
        result = workspace.correcting.status()
    waiting = [f"{result.to_settle:,} to settle: memeloc correct settle"] * bool(result.to_settle)
    show(result, as_json=as_json, tables=[_SHEETS], then=lambda _: waiting)


@app.command(name="check")
def check(langs: Langs = "all", kind: Kind = "caption", as_json: AsJson = False) -> None:
    """Look at the captions as they stand: parts, script, numbers, punctuation, room, fonts.

    These are warnings. Nothing is changed.

    \b
    Example:
      memeloc correct check --langs hi,de
    """
    from memeloc.workspace import Workspace

    with Workspace.find() as workspace:
        result = workspace.correcting.check(languages(langs), kind=kind)
    if as_json:
        show(_fields(result, kind), as_json=True)
        return
    count = len({(warning.meme_id, warning.language) for warning in result.warnings})
    then = f"{result.texts:,} {_NAMES[kind]} looked at, {count:,} with warnings"
    show(result, as_json=False, tables=[_WARNINGS], then=then)


_ANSWERED = Table(
    "Who changed what",
    lambda result: result,
    [
        (name, name)
        for name in ("meme_id", "language", "round", "person", "status", "before", "after")
    ],
    most=50,
    empty=True,
)


@app.command()
def compare(
    langs: Langs = "all",
    memes: Annotated[
        str, typer.Option(metavar="IDS", help="Only these memes, with commas between.")
    ] = "",
    changed: Annotated[
        bool, typer.Option("--changed", help="Only answers that changed something.")
    ] = False,
    kind: Kind = "caption",
    as_json: AsJson = False,
) -> None:
    """Show who changed what, caption by caption.

    \b
    Example:
      memeloc correct compare --langs hi --changed
    """
    from memeloc.workspace import Workspace

    with Workspace.find() as workspace:
        result = workspace.correcting.compare(
            languages(langs), meme_ids=split(memes), changed=changed, kind=kind
        )
    if as_json:
        show({"answers": [as_plain(answer) for answer in result]}, as_json=True)
    else:
        show(result, as_json=False, tables=[_ANSWERED])


_REPORT = (
    Table(
        "What correction changed",
        lambda result: result.rows,
        (
            ("language", "language"),
            ("round", "round"),
            ("person", "person"),
            ("answered", "seen"),
            ("as it was", "untouched"),
            ("corrected", "corrected"),
            ("given up", lambda row: sum(row.given_up.values())),
            ("HTER %", lambda row: round(row.hter, 1)),
            ("chrF", lambda row: round(row.chrf, 1)),
        ),
        empty=True,
    ),
    Table(
        "Two people, the same captions",
        lambda result: result.agreements,
        (
            ("language", "language"),
            ("round", "round"),
            ("people", lambda pair: f"{pair.one}, {pair.other}"),
            ("both", "both"),
            ("equal", "equal"),
            ("chrF", lambda pair: round(pair.chrf, 1)),
        ),
    ),
)


@app.command()
def report(
    langs: Langs = "all",
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as a page, too.")
    ] = None,
    kind: Kind = "caption",
    as_json: AsJson = False,
) -> None:
    """Say what correction taught: how much was touched, by whom, how far, and what most often.

    HTER is the share of words that had to be edited, chrF the likeness of the texts before and
    after; both are sacreBLEU's.

    \b
    Example:
      memeloc correct report
      memeloc correct report --langs hi,zh --to report.html
    """
    from memeloc.workspace import Workspace

    with Workspace.find() as workspace:
        result = workspace.correcting.report(languages(langs), kind=kind, to=to)
    show(result, as_json=as_json, tables=_REPORT, then=f"The page: {to}" if to else None)


def _case_rows(cases: list[Case]) -> Iterator[tuple[Case, str, str, str]]:
    """The caption of each case, and the answers under it: why, whose, and the text."""
    for case in cases:
        yield case, case.reason, "now", case.now or ""
        for answer in case.answers:
            who = f"{answer.answer} {answer.person or 'somebody'}"
            yield case, "", who, answer.text or answer.status


_CASES = Table(
    "To settle",
    _case_rows,
    (
        ("case", lambda row: row[0].case),
        ("meme", lambda row: row[0].meme_id),
        ("language", lambda row: row[0].language),
        ("why", lambda row: row[1]),
        ("answer", lambda row: row[2]),
        ("text", lambda row: row[3]),
    ),
)


@app.command()
def settle(
    case: Annotated[
        int | None, typer.Argument(metavar="CASE", help="The case's number; without it, all open.")
    ] = None,
    accept: Annotated[
        int | None, typer.Option(metavar="ANSWER", help="Accept this answer, by its number.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Type another text, its parts joined by ' // '."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the caption that stands there now.")
    ] = False,
    comment: Annotated[str, typer.Option(metavar="TEXT", help="Why.")] = "",
    person: Annotated[
        str, typer.Option("--as", metavar="NAME", help="Who decides.", show_default="your login")
    ] = "",
    lang: Annotated[
        str | None, typer.Option(metavar="TAG", help="Only cases of this language.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the open cases to a CSV to decide in."),
    ] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take the decisions from that CSV."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what is to be settled, and decide it.

    Two people who differ, a source that changed since, a part that was lost, a caption that was
    given up: accept an answer, type a third text, or keep what stands. Every decision is kept.

    \b
    Example:
      memeloc correct settle
      memeloc correct settle 12 --accept 30
      memeloc correct settle 12 --text "Endlich Montag // sagte niemand"
      memeloc correct settle --to cases.csv
      memeloc correct settle --from cases.csv --as maria
    """
    from memeloc.workspace import Workspace

    who = person or os.environ.get("USER") or os.environ.get("USERNAME") or "somebody"
    chosen = (accept is not None) + (text is not None) + keep
    if chosen > 1 or (case is None) == bool(chosen):
        raise typer.BadParameter("a case takes one of --accept, --text and --keep")
    with Workspace.find() as workspace:
        cases = workspace.correcting.cases
        if case is None and from_ is None:
            if to is None:
                _list_cases(cases.open(lang), as_json)
            else:
                count = cases.write(to, lang)
                print(f"Wrote {count:,} open cases to {to}; fill in take (or text) and import")
            return
        settled = 1
        if case is not None:
            cases.decide(case, person=who, accept=accept, text=text, comment=comment)
        elif from_ is not None:
            settled = cases.decide_from(from_, person=who)
        result = {"settled": settled, "open": len(cases.open(lang))}
    show(result, as_json=as_json, then=f"{settled:,} settled, {result['open']:,} open")


def _list_cases(cases: list[Case], as_json: bool) -> None:
    if as_json:
        show({"cases": [as_plain(case) for case in cases]}, as_json=True)
    elif cases:
        then = "memeloc correct settle CASE --accept ANSWER, or --text TEXT, or --keep"
        show(cases, as_json=False, tables=[_CASES], then=then)
    else:
        print("There is nothing to settle")
