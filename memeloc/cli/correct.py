"""`memeloc correct`. In: a workspace, and the sheets that people send back. Out: captions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.corrected import (
    KINDS,
    OfKind,
    OfTaxonomy,
    checked_kind,
    checked_taxonomy,
    compare,
    report,
)
from memeloc.cli.output import print_json, progress, say, table
from memeloc.cli.settle import settle

if TYPE_CHECKING:
    from memeloc.correct.checks import Warning
    from memeloc.store import AddedAnswers, Workspace

app = typer.Typer(
    help="Have people correct the captions: sheets out, answers in, differences settled.",
    no_args_is_help=True,
)

_SHOWN = 20
_ONLY = ("new", "changed", "open", "all")
_FIRST = {
    "caption": "translate",
    "transcript": "memeloc ocr",
    "survey": "memeloc translate --kind survey",
}
_FILES = {"transcript": "transcripts", "survey": "survey"}
_NAMES = {"caption": "captions", "transcript": "transcripts", "survey": "survey texts"}

Lang = Annotated[str, typer.Option(metavar="TAG", help="The language.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


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
    kind: OfKind = "caption",
    only: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="new, changed (since they were corrected), open (to be settled), all, or ids of "
            "memes (of survey texts, their names) with commas between.",
        ),
    ] = "new",
    taxonomy: OfTaxonomy = "",
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
    from memeloc.cli.correcting import make_sheet, record_of
    from memeloc.cli.wording import bring_survey_texts, survey_text_ids
    from memeloc.correct.sheets import formats, write_sheet
    from memeloc.store import Workspace

    form = formats().get(form_name)
    if form is None:
        raise typer.BadParameter(f"one of {', '.join(formats())}", param_hint="--format")
    of_kind = checked_kind(kind)
    checked_taxonomy(taxonomy, of_kind)
    ids = None if only in _ONLY else [one.strip() for one in only.split(",") if one.strip()]
    with Workspace.find() as workspace:
        locale = workspace.locale(lang)
        which = only if only in _ONLY else "all"
        if of_kind == "survey":
            there = bring_survey_texts(workspace, [locale], taxonomy)
            ids = there if ids is None else survey_text_ids(ids)
        items = workspace.items_to_correct(
            locale.tag,
            round_,
            to,
            only=which,  # type: ignore[arg-type]
            meme_ids=ids,
            kind=of_kind,
        )
        path = out or Path(
            f"{locale.tag}-{'' if kind == 'caption' else f'{_FILES[of_kind]}-'}r{round_}"
            f"{f'-{to}' if to else ''}{form.suffix}"
        )
        if items:
            with progress("Drawing", len(items)) as bar:
                sheet = make_sheet(
                    workspace, items, locale, round_, to, lambda: bar.advance(1), kind=of_kind
                )
            write_sheet(sheet, path, form_name)
            versions = [(item.meme_id, item.source.id, item.base.id) for item in items]
            workspace.record_sheet(record_of(sheet, form_name, path), versions)
    name = _NAMES[of_kind]
    counted = name.replace(" ", "_")
    result = {counted: len(items), "file": str(path) if items else None, "language": locale.tag}
    if as_json:
        print_json(result)
    elif items:
        print(f"Wrote {len(items):,} {name} in {locale.name} to {path}")
    else:
        print(
            f"There is nothing to correct in {locale.name}, round {round_}"
            f"{f', for {to}' if to else ''}: {_FIRST[of_kind]} first, or ask for --only all"
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
    from memeloc.cli.correcting import take, warnings_for
    from memeloc.correct.sheets import read_sheet
    from memeloc.errors import MemelocError
    from memeloc.store import Workspace

    results: list[dict[str, object]] = []
    failed = False
    with Workspace.find() as workspace:
        tag = workspace.locale(lang).tag if lang else ""
        for path in files:
            try:
                answers = read_sheet(path)
                added = take(
                    workspace, answers, language=tag, round_=round_, person=person, dry_run=dry_run
                )
            except MemelocError as error:
                say(f"Not taken: {error}")
                results.append({"file": str(path), "error": str(error)})
                failed = True
                continue
            warnings = [
                warning
                for language, texts in _accepted(workspace, added, answers.sheet).items()
                for warning in warnings_for(workspace, texts, workspace.locale(language))
            ]
            problems = [str(problem) for problem in answers.problems]
            if not as_json:
                _tell(path, added, problems, warnings, dry_run=dry_run)
            results.append(_import_json(path, added, problems, warnings))
    if as_json:
        print_json({"files": results, "stored": not dry_run})
    if failed:
        raise typer.Exit(1)


def _accepted(
    workspace: Workspace, added: AddedAnswers, sheet: str
) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The texts that were placed, by language."""
    placed = [
        (answer.meme_id, answer.parts)
        for answer in added.answers
        if answer.outcome in ("placed", "replaced") and answer.status == "corrected"
    ]
    languages = {record.id: record.language for record in workspace.sheets()}
    return {languages[sheet]: placed} if placed and sheet in languages else {}


def _tell(
    path: Path,
    added: AddedAnswers,
    problems: Sequence[str],
    warnings: Sequence[Warning],
    *,
    dry_run: bool,
) -> None:
    if added.seen:
        print(f"{path}: this very file was imported before; nothing changed")
        return
    done = ", ".join(f"{count:,} {outcome}" for outcome, count in added.outcomes.most_common())
    print(f"{path}: {done or 'no answers'}{' (nothing stored)' if dry_run else ''}")
    shown = [
        (answer.row, answer.meme_id, answer.outcome, answer.message)
        for answer in added.answers
        if answer.message
    ]
    if shown:
        table("To look at", ("row", "meme", "outcome", "why"), shown[:_SHOWN])
        if len(shown) > _SHOWN:
            say(f"and {len(shown) - _SHOWN:,} more; --json lists them all")
    for problem in problems[:_SHOWN]:
        say(f"Not read: {problem}")
    if len(problems) > _SHOWN:
        say(f"and {len(problems) - _SHOWN:,} more; --json lists them all")
    _print_warnings(warnings)


def _print_warnings(warnings: Sequence[Warning]) -> None:
    if warnings:
        table(
            "Warnings",
            ("meme", "language", "part", "check", "what"),
            [
                (one.meme_id, one.language, one.part + 1 or None, one.kind, one.message)
                for one in warnings[:_SHOWN]
            ],
        )
        if len(warnings) > _SHOWN:
            say(f"and {len(warnings) - _SHOWN:,} more; --json lists them all")


def _import_json(
    path: Path, added: AddedAnswers, problems: Sequence[str], warnings: Sequence[Warning]
) -> dict[str, object]:
    return {
        "file": str(path),
        "seen_before": added.seen,
        "outcomes": dict(added.outcomes),
        "answers": [
            {
                "row": answer.row,
                "meme_id": answer.meme_id,
                "outcome": answer.outcome,
                "reason": answer.reason,
                "message": answer.message,
            }
            for answer in added.answers
            if answer.outcome != "placed" or answer.message
        ],
        "problems": list(problems),
        "warnings": [_warning_json(warning) for warning in warnings],
    }


def _warning_json(warning: Warning) -> dict[str, object]:
    return {
        "meme_id": warning.meme_id,
        "language": warning.language,
        "part": warning.part,
        "check": warning.kind,
        "message": warning.message,
    }


@app.command()
def status(as_json: AsJson = False) -> None:
    """Say what is out with whom, what came back, and what is left to settle.

    \b
    Example:
      memeloc correct status
    """
    from memeloc.store import Workspace

    rows: list[dict[str, object]] = []
    with Workspace.find() as workspace:
        answered: Counter[str] = Counter()
        by_outcome: dict[str, Counter[str]] = {}
        for correction in workspace.corrections():
            if correction.standing:
                answered[correction.sheet_id] += 1
                by_outcome.setdefault(correction.sheet_id, Counter())[correction.status] += 1
        open_cases: Counter[tuple[str, str, int]] = Counter(
            (kind, case.language, case.round)
            for kind in KINDS
            for case in workspace.cases(kind=kind)
        )
        for sheet in workspace.sheets():
            sent = len(workspace.sheet_items(sheet.id))
            rows.append(
                {
                    "sheet": sheet.id,
                    "kind": sheet.kind,
                    "language": sheet.language,
                    "round": sheet.round,
                    "person": sheet.person,
                    "file": sheet.name,
                    "sent": sent,
                    "answered": answered[sheet.id],
                    "corrected": by_outcome.get(sheet.id, Counter())["corrected"],
                    "to_settle": open_cases[sheet.kind, sheet.language, sheet.round],
                }
            )
    if as_json:
        print_json({"sheets": rows, "to_settle": sum(open_cases.values())})
        return
    columns = (
        "kind",
        "language",
        "round",
        "person",
        "sent",
        "answered",
        "corrected",
        "to_settle",
        "file",
    )
    table("Sheets", columns, [[row[name] for name in columns] for row in rows])  # type: ignore[misc]
    waiting = sum(open_cases.values())
    if waiting:
        print(f"{waiting:,} to settle: memeloc correct settle")


@app.command(name="check")
def check(
    langs: Annotated[
        str, typer.Option(metavar="TAGS", help="Languages, with commas between; or all.")
    ] = "all",
    kind: OfKind = "caption",
    as_json: AsJson = False,
) -> None:
    """Look at the captions as they stand: parts, script, numbers, punctuation, room, fonts.

    These are warnings. Nothing is changed.

    \b
    Example:
      memeloc correct check --langs hi,de
    """
    of_kind = checked_kind(kind)
    from memeloc.cli.correcting import warnings_for
    from memeloc.store import Workspace

    found: list[Warning] = []
    with Workspace.find() as workspace:
        if langs == "all":
            locales = list(workspace.languages)
        else:
            locales = [workspace.locale(tag.strip()) for tag in langs.split(",") if tag.strip()]
        total = 0
        for locale in locales:
            current = workspace.current(locale.tag, kind=of_kind)
            total += len(current)
            texts = [(meme_id, version.parts) for meme_id, version in current.items()]
            found += warnings_for(workspace, texts, locale)
    if as_json:
        print_json(
            {
                _NAMES[of_kind].replace(" ", "_"): total,
                "warnings": [_warning_json(one) for one in found],
            }
        )
        return
    _print_warnings(found)
    count = len({(one.meme_id, one.language) for one in found})
    print(f"{total:,} {_NAMES[of_kind]} looked at, {count:,} with warnings")


app.command(name="compare")(compare)
app.command(name="settle")(settle)
app.command(name="report")(report)
