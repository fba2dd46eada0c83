"""`memeloc correct`. In: a workspace, and the sheets that people send back. Out: captions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import (
    AnsweredBy,
    DecidedBy,
    DryRun,
    Kind,
    Langs,
    SamePerson,
    Taxonomy,
    check_taxonomy,
    languages,
    login,
    split,
)
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, as_plain, by_place, explain, next_lines, show
from memeloc.counts import counted
from memeloc.errors import MemelocError
from memeloc.model import SEPARATOR

if TYPE_CHECKING:
    from memeloc.correct.model import Case

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
_PLACED = "meme_id round person parts typed status comment row outcome reason message"
_COMMENT = "meme_id language round person status comment created"

_ANSWERS = Table("To look at", "answers", "row meme_id outcome why=message", most=SHOWN)
_WARNINGS = Table(
    "Warnings",
    "warnings",
    ("meme_id language", ("part", lambda row: row.part + 1 or None), "check what=message"),
    most=SHOWN,
)
_SHEETS = Table(
    "Sheets",
    "sheets",
    "kind language round person sent answered corrected to_settle file sheet",
    empty=True,
)
_ANSWERED = Table(
    "Who changed what",
    "answers",
    (
        "meme_id language round person",
        ("when", lambda row: f"{row['created']:%Y-%m-%d}"),
        "status before after comment",
    ),
    most=50,
    empty=True,
)
_SCORES = (
    ("HTER %", lambda row: round(row["hter"], 1)),
    ("chrF", lambda row: round(row["chrf"], 1)),
)
_REPORT = (
    Table(
        "What correction changed",
        "rows",
        (
            "language round person answered=seen as_it_was=untouched corrected",
            ("given up", lambda row: sum(row["given_up"].values())),
            *_SCORES,
        ),
        empty=True,
    ),
    Table(
        "Two people, the same captions",
        "agreements",
        (
            "language round",
            ("people", lambda pair: f"{pair['one']}, {pair['other']}"),
            "both equal",
            _SCORES[1],
        ),
    ),
    Table(
        "From the machine's text to the last, over all rounds",
        "overall",
        ("language captions changed", *_SCORES),
    ),
    Table("Comments", "comments", "language meme_id who status comment", most=SHOWN),
)


def _fields(record: Any, names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names.split()}


@app.command(name="export")
def export(
    langs: Langs,
    to: str = Option(
        "", metavar="NAMES", help="Who gets a sheet, with commas between; stays with every answer."
    ),
    share: bool = Option(
        False, "--share", help="Share the captions out among these people; else each gets all."
    ),
    round_: int = Option(1, "--round", min=1, max=9, help="Round of correction."),
    form_name: str = Option("xlsx", "--format", metavar="FORM", help="xlsx, xliff, po or csv."),
    kind: Kind = "caption",
    only: str = Option(
        "new",
        metavar="WHICH",
        help="new, unclaimed (on nobody else's sheet of this round), changed (since they were "
        "corrected), open (to be settled), all, or ids of memes (of survey texts, their names) "
        "with commas between.",
    ),
    allow_same_person: SamePerson = False,
    taxonomy: Taxonomy = "",
    out: Path | None = Option(
        None,
        metavar="FILE",
        help="The file of the one sheet.",
        show_default="LANG-rROUND-NAME.KIND in the workspace",
    ),
    pictures: bool = Option(
        True, "--pictures/--no-pictures", help="Show each meme with the text to be corrected."
    ),
) -> None:
    """Write a sheet of captions for each person and language to correct.

    It has the source, the text to be corrected, the picture, the space there is, a place for
    another text, a status to pick and the guide in the language; similar captions that were
    translated before, and the glossary's terms. Round 2 shows round 1's result, what was there
    before, and the comments; it leaves out what the same person has answered in round 1. Beside
    xliff, po and csv an archive is written of the sheet and its pictures, which is what to send.
    What somebody has on a sheet of the round stays theirs with --share.

    Example:
      memeloc correct export --langs de,es,hi --to anna,ben --share
      memeloc correct export --langs de --round 2 --to jonas --format xliff
      memeloc correct export --langs ar --kind survey --taxonomy multi3hate --to samira
    """
    check_taxonomy(taxonomy, kind)
    with memeloc.Workspace.find() as workspace, progress("Drawing", None) as bar:
        asked = languages(langs)
        chosen = workspace.locales_of(asked)
        if asked is None and kind != "transcript":  # sources are not corrected
            chosen = [locale for locale in chosen if locale != workspace.source]
        sheets = workspace.correcting.export_sheets(
            [locale.tag for locale in chosen],
            split(to) or [""],
            share=share,
            round_=round_,
            format=form_name,
            kind=kind,
            only=only if only in _ONLY else "all",  # type: ignore[arg-type]
            ids=None if only in _ONLY else split(only),
            allow_same_person=allow_same_person,
            taxonomy=taxonomy,
            out=out,
            pictures=pictures,
            on_progress=bar.report,
        )
        names = {locale.tag: locale.name for locale in chosen}
    lines = []
    for sheet in sheets:
        name, person = names[sheet["language"]], sheet["person"]
        if sheet["file"]:
            lines.append(f"Wrote {sheet['texts']:,} {_NAMES[kind]} in {name} to {sheet['file']}")
        else:
            lines.append(
                f"There is nothing to correct in {name}, round {round_}"
                f"{f', for {person}' if person else ''}: {_FIRST[kind]} first, or ask for "
                "--only all"
            )
        if sheet["archive"]:
            lines.append(f"The same with its pictures, to send: {sheet['archive']}")
        if left_out := sheet["left_out"]:
            why = f"{person} has answered them in another round"
            lines.append(f"{left_out:,} were left out: {why}")
    show({"sheets": sheets}, *lines)


@app.command(name="import")
def import_(
    files: list[Path] = Argument(..., metavar="FILE", help="Sheets that came back, any format."),
    sheet: str = Option("", metavar="ID", help="The sheet's id, if the file has lost it."),
    langs: str = Option("", metavar="TAG", help="The language, if the file has lost it."),
    round_: int = Option(0, "--round", min=0, max=9, help="The round, if the file has lost it."),
    person: AnsweredBy = "",
    allow_same_person: SamePerson = False,
    report: bool = Option(
        False,
        "--report",
        help="Write a table beside each file of what became of each row, for who filled it in.",
    ),
    dry_run: DryRun = False,
    take_back: bool = Option(
        False, "--take-back", help="Undo the import of a file: none of its answers counts any more."
    ),
    why: str = Option("", metavar="TEXT", help="With --take-back: why."),
    decider: DecidedBy = "",
) -> None:
    """Take in sheets that people filled in.

    Each answer is placed, already known, kept to be settled, or refused, and each file is stored
    as a whole, once. Nothing that anybody typed is overwritten. What contradicts itself, belongs to
    nothing here, or was answered by the same person in another round, too, is kept to be settled;
    where something is left out, the exit status is 1.

    After --take-back captions that stood by a file's answers go back to what stood before; what was
    done on top of them stays, and is named. Nothing is deleted, and the file can be imported again.

    Example:
      memeloc correct import hi-r1-asha.xlsx de-r1-jonas.xlsx --report
      memeloc correct import hi-r1-asha.xlsx --take-back --why "the wrong file"
    """
    if take_back:
        _take_back(files, decider or login(), why)
        return
    results: list[dict[str, Any]] = []
    with memeloc.Workspace.find() as workspace:
        for path in files:
            try:
                result = workspace.correcting.import_sheet(
                    path,
                    of=sheet,
                    languages=languages(langs),
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
            if not output.as_json:
                _print_import(result, dry_run)
            result["answers"] = [_fields(answer, _PLACED) for answer in result["answers"]]
            result["problems"] = list(map(str, result["problems"]))
            results.append(as_plain(result))
        is_stored = not dry_run and any("error" not in result for result in results)
        next_line = next_lines(workspace, "correct", quiet=not is_stored)
    show({"files": results, "stored": not dry_run}, *next_line)
    if any("error" in result or result["left_out"] for result in results):
        raise typer.Exit(1)


def _take_back(files: list[Path], person: str, why: str) -> None:
    if len(files) > 1:
        raise typer.BadParameter("takes back one file at a time", param_hint="--take-back")
    with memeloc.Workspace.find() as workspace:
        result = workspace.correcting.withdraw(files[0], person=person, why=why)
        next_line = next_lines(workspace, "correct")
    stay = result["stay"]
    later = f"Later work stands on top of {', '.join(stay[:SHOWN])}: these captions stay"
    then = f"{counted(result['answers'], 'answer')} of {files[0]} taken back"
    show(result, then, *[later] * bool(stay), *next_line)


def _print_import(result: dict[str, Any], dry_run: bool) -> None:
    file = result["file"]
    if result["seen_before"]:
        print(f"{file}: this very file was imported before; nothing changed")
        return
    done = ", ".join(
        counted(count, "case") if outcome == "case" else f"{count:,} {outcome}"
        for outcome, count in result["outcomes"].items()
    )
    print(f"{file}: {done or 'no answers'}{' (nothing stored)' if dry_run else ''}")
    if result["note"]:
        say(f"{file}: {result['note']}")
    show(result, _ANSWERS)
    explain("Not read", result["problems"])
    show(result, _WARNINGS)
    if earlier := result["earlier"]:
        say(
            f"{file}: {counted(len(earlier), 'answer is', 'answers are')} about an earlier "
            f"picture, such as {earlier[0]}: kept with it, not counted; memeloc ocr reads the new "
            "ones"
        )
    if result["report"]:
        print(f"Row by row, for who filled it in: {result['report']}")
    if count := result["unanswered"]:
        print(
            f"{counted(count, 'caption')} of this sheet unanswered still: go on in {file}, and "
            "import it again"
        )
    if count := result["left_out"]:
        rows = counted(count, "row was", "rows were")
        say(f"{file}: {rows} left out; mend them and import it again")


@app.command()
def status() -> None:
    """Say what is out with whom, what came back, and what is left to settle.

    Example:
      memeloc correct status
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.correcting.status()
    waiting = [f"{result['to_settle']:,} to settle: memeloc correct settle"]
    show(result, _SHEETS, *waiting * bool(result["to_settle"]))


@app.command(name="check")
def check(langs: Langs = "all", kind: Kind = "caption") -> None:
    """Look at the captions as they stand: parts, script, numbers, punctuation, capacity, fonts.

    Also what was left untranslated or is all capitals, names and links that are lost, HTML
    entities; and over all captions of a language, a source that is translated in two ways. These
    are warnings. Nothing is changed.

    Example:
      memeloc correct check --langs hi,de
    """
    with memeloc.Workspace.find() as workspace:
        texts, warnings = workspace.correcting.check(languages(langs), kind=kind)
    count = len({(warning.meme_id, warning.language) for warning in warnings})
    then = f"{texts:,} {_NAMES[kind]} looked at, {count:,} with warnings"
    result = {_NAMES[kind].replace(" ", "_"): texts, "warnings": warnings}
    show(result, _WARNINGS, then)


@app.command()
def report(
    langs: Langs = "all",
    to: Path | None = Option(None, metavar="FILE", help="Write the report as a page, too."),
    kind: Kind = "caption",
    each: bool = Option(False, "--each", help="Show who changed what, caption by caption."),
    memes: str = Option(
        "", metavar="IDS", help="With --each: only these memes, with commas between."
    ),
    changed: bool = Option(
        False, "--changed", help="With --each: only answers that changed something."
    ),
) -> None:
    """Say what correction taught: how much was touched, by whom, how far, and what most often.

    HTER is the share of words that had to be edited, chrF the similarity of the texts before and
    after; words are cut as each language does, with dictionaries for Thai, Khmer, Chinese and such.

    Example:
      memeloc correct report --langs hi,zh --to report.html
      memeloc correct report --each --changed --langs hi
    """
    if (memes or changed) and not each:
        raise typer.BadParameter("go with --each", param_hint="--memes, --changed")
    with memeloc.Workspace.find() as workspace:
        correcting, tags = workspace.correcting, languages(langs)
        if each:
            answers = correcting.compare(tags, meme_ids=split(memes), changed=changed, kind=kind)
            show({"answers": answers}, _ANSWERED)
            return
        result = correcting.report(tags, kind=kind, to=to)
    if output.as_json:
        result["comments"] = [_fields(comment, _COMMENT) for comment in result["comments"]]
    show(result, *_REPORT, *[f"The page: {to}"] * bool(to))


def _case_rows(result: Mapping[str, list[Case]]) -> Iterator[tuple[Any, ...]]:
    # A row with the caption of each case, under it why it was opened, and a row for each answer
    # and each comment.
    from memeloc.correct.settling import said, shown_answers

    for case in result["cases"]:
        about = (case.id, case.meme_id, case.language)
        yield *about, case.decision or case.reason, "now", SEPARATOR.join(case.now or ())
        if case.reason not in ("disagreement", "given up"):  # which the answers show by themselves
            yield *about, "", "why", case.message
        for answer in shown_answers(case):
            yield *about, "", f"{answer.id} {answer.person or 'somebody'}", said(answer)
        for comment in case.comments:
            yield *about, "", comment.who, f"({comment.comment})"


_CASES = Table(
    "To settle", _case_rows, by_place("case", "meme_id", "language", "why", "answer", "text")
)
_DROPS: dict[str, Literal["", "drop", "drop all"]] = {"language": "drop", "all": "drop all"}


@app.command()
def settle(
    case: int | None = Argument(None, metavar="CASE", help="A case's number; without, all open."),
    accept: int | None = Option(None, metavar="ANSWER", help="Accept this answer, by its number."),
    text: str | None = Option(None, metavar="TEXT", help="Another text, parts joined by ' // '."),
    keep: bool = Option(False, "--keep", help="Keep the caption that stands there now."),
    drop: str = Option(
        "", "--drop", metavar="WHERE", help="Drop the meme: in this `language`, or in `all`."
    ),
    comment: str = Option("", metavar="TEXT", help="Why."),
    person: DecidedBy = "",
    langs: Langs = "all",
    to: Path | None = Option(
        None, metavar="FILE", help="Write open cases to a .xlsx, .csv or .jsonl to decide in."
    ),
    from_: Path | None = Option(None, "--from", metavar="FILE", help="Read decisions from it."),
    prefer: str = Option(
        "",
        metavar="RULE",
        help="Settle all open cases that a rule decides: person:NAME, round:NUMBER or majority.",
    ),
) -> None:
    """List what is to be settled, and decide it.

    Two people who differ, a source that changed since, a part that was lost, a caption that was
    given up: accept an answer, type a third text, keep what stands, or drop the meme. A dropped
    meme is left out of everything that goes out; `memeloc drop --take-back` brings it back. Who
    corrects her own answer and sends the sheet again closes the case that it opened.

    A rule takes a person's answer, that of a round, or what more than half of those have who
    answered; what it does not decide stays open. What a preferred person gave up is dropped in its
    language.

    Example:
      memeloc correct settle
      memeloc correct settle 12 --accept 30
      memeloc correct settle 12 --text "Endlich Montag // sagte niemand"
      memeloc correct settle 13 --drop all --comment "a pun that only English has"
      memeloc correct settle --prefer majority --langs hi
      memeloc correct settle --from cases.xlsx --as maria
    """
    who, tags = person or login(), languages(langs)
    chosen = (accept is not None) + (text is not None) + keep + bool(drop)
    if chosen > 1 or (case is None and chosen):
        raise typer.BadParameter("a case takes one of --accept, --text, --keep and --drop")
    if (case is not None) + (to is not None) + (from_ is not None) + bool(prefer) > 1:
        raise typer.BadParameter("a case's number, --to, --from or --prefer: one of them")
    if drop not in ("", *_DROPS):
        raise typer.BadParameter("--drop is language or all")
    with memeloc.Workspace.find() as workspace:
        cases = workspace.correcting.cases
        if to is not None:
            file, count = cases.write(to, tags)
            then = f"Wrote {count:,} open cases to {file}; fill in take (or text) and import"
            show({"file": file, "cases": count}, then)
            return
        if prefer:
            done = cases.prefer(prefer, person=who, languages=tags, comment=comment)
        elif from_ is not None:
            done = cases.decide_from(from_, person=who)
        elif case is not None and chosen:
            how = {"accept": accept, "text": text, "drop": _DROPS.get(drop, "")}
            done = cases.decide(case, person=who, comment=comment, **how)  # type: ignore[arg-type]
        else:
            _list_cases(cases.open(tags) if case is None else [cases.find(case)])
            return
        open_cases = len(cases.open(tags))
        next_line = next_lines(workspace, "correct")
    dropped = f" ({done['dropped']:,} of them dropped)" if done["dropped"] else ""
    then = f"{done['settled']:,} settled{dropped}, {open_cases:,} open"
    show(done | {"open": open_cases}, _WARNINGS, then, *next_line)


def _list_cases(cases: list[Case]) -> None:
    from memeloc.correct.settling import said, shown_answers

    then = "memeloc correct settle CASE --accept ANSWER, or --text, --keep or --drop"
    if not output.as_json:
        show(
            {"cases": cases},
            *([_CASES, then] if cases else ["There is nothing to settle"]),
        )
        return
    rows = [
        {
            "case": case.id,
            **_fields(case, "meme_id language round reason message"),
            "source": SEPARATOR.join(case.source),
            "now": None if case.now is None else SEPARATOR.join(case.now),
            "answers": [
                {
                    "answer": answer.id,
                    **_fields(answer, "person status"),
                    "text": said(answer) if any(answer.typed) else "",
                    "comment": answer.comment,
                }
                for answer in shown_answers(case)
            ],
            "comments": [_fields(comment, _COMMENT) for comment in case.comments],
            "decision": case.decision,
        }
        for case in cases
    ]
    show({"cases": rows})
