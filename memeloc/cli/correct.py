"""`memeloc correct`. In: a workspace, and the sheets that people send back. Out: captions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import (
    AnsweredBy,
    AsJson,
    DryRun,
    Kind,
    Lang,
    Langs,
    SamePerson,
    Taxonomy,
    check_taxonomy,
    languages,
    split,
)
from memeloc.cli.output import progress, say
from memeloc.cli.settle import WARNINGS, settle
from memeloc.cli.show import SHOWN, Table, as_plain, explain, next_lines, show
from memeloc.counts import counted
from memeloc.errors import MemelocError

if TYPE_CHECKING:
    from memeloc.workspace.correcting.correcting import SheetImport

app = typer.Typer(
    help="Have people correct the captions: sheets out, answers in, differences settled.",
    no_args_is_help=True,
)

_ONLY = ("new", "unclaimed", "changed", "open", "all")
_FIRST = {
    "caption": "translate",
    "transcript": "memeloc ocr",
    "survey": "memeloc translate --kind survey",
}
_NAMES = {"caption": "captions", "transcript": "transcripts", "survey": "survey texts"}


def _fields(result: Any, kind: str) -> dict[str, Any]:
    # The number of texts stands under the name of their kind.
    fields = as_plain(result)
    return {_NAMES[kind].replace(" ", "_"): fields.pop("texts"), **fields}


@app.command(name="export")
def export(
    lang: Lang,
    to: str = Option("", metavar="NAME", help="Who gets the sheet; stays with every answer."),
    round_: int = Option(1, "--round", min=1, max=9, help="Round of correction."),
    form_name: str = Option(
        "xlsx", "--format", metavar="FORM", help="xlsx, omegat, xliff, po or csv."
    ),
    kind: Kind = "caption",
    only: str = Option(
        "new",
        metavar="WHICH",
        help="new, unclaimed (on nobody else's sheet of this round), changed (since they were "
        "corrected), open (to be settled), all, or ids of memes (of survey texts, their names) "
        "with commas between.",
    ),
    share: str = Option(
        "", metavar="N/OF", help="Only this share, such as 1/2; a caption stays with its share."
    ),
    allow_same_person: SamePerson = False,
    taxonomy: Taxonomy = "",
    out: Path | None = Option(
        None, metavar="FILE", help="The file.", show_default="LANG-rROUND-NAME.KIND"
    ),
    pictures: bool = Option(
        True, "--pictures/--no-pictures", help="Show each meme with the text to be corrected."
    ),
    as_json: AsJson = False,
) -> None:
    """Write a sheet of captions for one person to correct.

    It has the source, the text to be corrected, the picture, the space there is, a place for
    another text, a status to pick and the guide in the language. Round 2 shows round 1's result,
    what was there before, and the comments; it leaves out what the same person has answered in
    round 1. Beside a caption stand similar ones that were translated before, and the glossary's
    terms. The texts of surveys are the ones that memeloc ships, to be made your team's own.
    Beside xliff, po and csv an archive is written of the sheet and its pictures, which is what to
    send.

    Example:
      memeloc correct export --lang hi --to asha
      memeloc correct export --lang hi --to asha --share 1/2
      memeloc correct export --lang de --round 2 --to jonas --format xliff
      memeloc correct export --lang ar --to amal --format csv --no-pictures
      memeloc correct export --lang ar --kind transcript --to samira
      memeloc correct export --lang ar --kind survey --taxonomy multi3hate --to samira
    """
    check_taxonomy(taxonomy, kind)
    with memeloc.Workspace.find() as workspace, progress("Drawing", None) as bar:
        result = workspace.correcting.export_sheet(
            lang,
            person=to,
            round_=round_,
            format=form_name,
            kind=kind,
            only=only if only in _ONLY else "all",  # type: ignore[arg-type]
            ids=None if only in _ONLY else split(only),
            share=share,
            allow_same_person=allow_same_person,
            taxonomy=taxonomy,
            out=out,
            pictures=pictures,
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
    send = [f"The same with its pictures, to send: {result.archive}"] * bool(result.archive)
    own = f"{result.left_out:,} were left out: {to} has answered them in another round"
    lines = [*send, *[own] * bool(result.left_out)]
    show(_fields(result, kind), then, *lines, as_json=as_json)


_ANSWERS = Table(
    "To look at",
    lambda result: [answer for answer in result.answers if answer.message],
    "row meme=meme_id outcome why=message",
    most=SHOWN,
)


@app.command(name="import")
def import_(
    files: list[Path] = Argument(..., metavar="FILE...", help="Sheets that came back, any format."),
    lang: str = Option("", metavar="TAG", help="The language, if the file has lost it."),
    round_: int = Option(0, "--round", min=0, max=9, help="The round, if the file has lost it."),
    person: AnsweredBy = "",
    allow_same_person: SamePerson = False,
    report: bool = Option(
        False,
        "--report",
        help="Write a table beside each file of what became of each row, for who filled it in.",
    ),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Take back sheets that people filled in.

    Each answer is placed, already known, kept to be settled, or refused, and each file is stored
    as a whole. The same file twice changes nothing. Nothing that anybody typed is overwritten.
    What contradicts itself, or belongs to nothing here, is kept to be settled, and so is what a
    person has answered in another round, too; where something is left out all the same, the exit
    status is 1.

    Example:
      memeloc correct import hi-r1-asha.xlsx de-r1-jonas.xlsx
      memeloc correct import hi-r1-asha.xlsx --report
    """
    results: list[dict[str, Any]] = []
    with memeloc.Workspace.find() as workspace:
        for path in files:
            try:
                result = workspace.correcting.import_sheet(
                    path,
                    language=lang,
                    round_=round_,
                    person=person,
                    allow_same_person=allow_same_person,
                    dry_run=dry_run,
                    report=report,
                )
            except MemelocError as error:
                say(f"Not taken: {error}")
                results.append({"file": str(path), "error": str(error)})
                continue
            results.append(as_plain(result))
            if not as_json:
                _print_import(result, dry_run)
        is_stored = not dry_run and any("error" not in result for result in results)
        further = next_lines(workspace, "correct", as_json=as_json or not is_stored)
    show({"files": results, "stored": not dry_run}, *further, as_json=as_json)
    if any("error" in result or result["left_out"] for result in results):
        raise typer.Exit(1)


def _print_import(result: SheetImport, dry_run: bool) -> None:
    if result.seen_before:
        print(f"{result.file}: this very file was imported before; nothing changed")
        return
    done = ", ".join(f"{count:,} {outcome}" for outcome, count in result.outcomes.items())
    print(f"{result.file}: {done or 'no answers'}{' (nothing stored)' if dry_run else ''}")
    show(result, _ANSWERS, as_json=False)
    explain("Not read", result.problems)
    show(result, WARNINGS, as_json=False)
    if result.earlier:
        say(
            f"{result.file}: "
            f"{counted(len(result.earlier), 'answer is', 'answers are')} about an "
            "earlier picture, such as "
            f"{result.earlier[0]}: kept with it, not counted; memeloc ocr reads the new ones"
        )
    if result.report:
        print(f"Row by row, for who filled it in: {result.report}")
    if result.left_out:
        say(
            f"{result.file}: {counted(result.left_out, 'row was', 'rows were')} left "
            "out; mend them and import it again"
        )


_SHEETS = Table(
    "Sheets",
    "sheets",
    "kind language round person sent answered corrected to_settle file",
    empty=True,
)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Say what is out with whom, what came back, and what is left to settle.

    Example:
      memeloc correct status
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.correcting.status()
    waiting = [f"{result.to_settle:,} to settle: memeloc correct settle"] * bool(result.to_settle)
    show(result, _SHEETS, lambda _: waiting, as_json=as_json)


@app.command(name="check")
def check(langs: Langs = "all", kind: Kind = "caption", as_json: AsJson = False) -> None:
    """Look at the captions as they stand: parts, script, numbers, punctuation, capacity, fonts.

    Also what was left untranslated or is all capitals, names and links that are lost, HTML
    entities; and over all captions of a language, a source that is translated in two ways. These
    are warnings. Nothing is changed.

    Example:
      memeloc correct check --langs hi,de
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.correcting.check(languages(langs), kind=kind)
    count = len({(warning.meme_id, warning.language) for warning in result.warnings})
    then = f"{result.texts:,} {_NAMES[kind]} looked at, {count:,} with warnings"
    show(_fields(result, kind) if as_json else result, WARNINGS, then, as_json=as_json)


_ANSWERED = Table(
    "Who changed what",
    "answers",
    (
        "meme_id language round person",
        ("when", lambda row: f"{row['created']:.10}"),
        "status before after comment",
    ),
    most=50,
    empty=True,
)


@app.command()
def compare(
    langs: Langs = "all",
    memes: str = Option("", metavar="IDS", help="Only these memes, with commas between."),
    changed: bool = Option(False, "--changed", help="Only answers that changed something."),
    kind: Kind = "caption",
    as_json: AsJson = False,
) -> None:
    """Show who changed what, caption by caption.

    Example:
      memeloc correct compare --langs hi --changed
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.correcting.compare(
            languages(langs), meme_ids=split(memes), changed=changed, kind=kind
        )
    show({"answers": as_plain(result)}, _ANSWERED, as_json=as_json)


_REPORT = (
    Table(
        "What correction changed",
        "rows",
        (
            "language round person answered=seen as_it_was=untouched corrected",
            ("given up", lambda row: sum(row.given_up.values())),
            ("HTER %", lambda row: round(row.hter, 1)),
            ("chrF", lambda row: round(row.chrf, 1)),
        ),
        empty=True,
    ),
    Table(
        "Two people, the same captions",
        "agreements",
        (
            "language round",
            ("people", lambda pair: f"{pair.one}, {pair.other}"),
            "both equal",
            ("chrF", lambda pair: round(pair.chrf, 1)),
        ),
    ),
    Table(
        "From the machine's text to the last, over all rounds",
        "overall",
        (
            "language captions changed",
            ("HTER %", lambda row: round(row.hter, 1)),
            ("chrF", lambda row: round(row.chrf, 1)),
        ),
    ),
    Table("Comments", "comments", "language meme=meme_id who status comment", most=SHOWN),
)


@app.command()
def report(
    langs: Langs = "all",
    to: Path | None = Option(None, metavar="FILE", help="Write the report as a page, too."),
    kind: Kind = "caption",
    as_json: AsJson = False,
) -> None:
    """Say what correction taught: how much was touched, by whom, how far, and what most often.

    HTER is the share of words that had to be edited, chrF the similarity of the texts before and
    after; words are cut as each language does, with dictionaries for Thai, Khmer, Chinese and such.

    Example:
      memeloc correct report
      memeloc correct report --langs hi,zh --to report.html
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.correcting.report(languages(langs), kind=kind, to=to)
    show(result, *_REPORT, *([f"The page: {to}"] if to else []), as_json=as_json)


app.command()(settle)
