"""`memeloc correct settle`. In: a workspace with open cases. Out: a list of them, or decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, DecidedBy, Langs, languages, login
from memeloc.cli.show import SHOWN, Table, by_place, next_lines, show
from memeloc.model import SEPARATOR

if TYPE_CHECKING:
    from memeloc.correct.model import Case

WARNINGS = Table(
    "Warnings",
    "warnings",
    ("meme_id language", ("part", lambda row: row.part + 1 or None), "check what=message"),
    most=SHOWN,
)
"""About the texts of captions."""

_SHOWN_BY_ANSWERS = ("disagreement", "given up")
"""Reasons that the answers of a case show by themselves."""


def _case_rows(result: Mapping[str, list[Case]]) -> Iterator[tuple[Any, ...]]:
    # A row with the caption of each case, under it why it was opened, and a row for each answer
    # and each comment.
    from memeloc.correct.settling import said, shown_answers

    for case in result["cases"]:
        about = (case.id, case.meme_id, case.language)
        yield *about, case.decision or case.reason, "now", SEPARATOR.join(case.now or ())
        if case.reason not in _SHOWN_BY_ANSWERS:
            yield *about, "", "why", case.message
        for answer in shown_answers(case):
            who = f"{answer.id} {answer.person or 'somebody'}"
            yield *about, "", who, said(answer)
        for comment in case.comments:
            yield *about, "", comment.who, f"({comment.comment})"


_CASES = Table(
    "To settle", _case_rows, by_place("case", "meme_id", "language", "why", "answer", "text")
)

_DROPS: dict[str, Literal["", "drop", "drop all"]] = {"language": "drop", "all": "drop all"}


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
    as_json: AsJson = False,
) -> None:
    """List what is to be settled, and decide it.

    Two people who differ, a source that changed since, a part that was lost, a caption that was
    given up: accept an answer, type a third text, keep what stands, or drop the meme. A dropped
    meme is left out of everything that goes out; `memeloc drop --take-back` brings it back. Every
    decision is kept, what people commented stands with the case, and the text that it settles on
    is checked as `import` checks texts. Who corrects her own answer and sends the sheet again
    closes the case that it opened.

    A rule takes a person's answer, that of a round, or what more than half of those have who
    answered; what it does not decide stays open. What a preferred person gave up is dropped in its
    language.

    Example:
      memeloc correct settle
      memeloc correct settle 12
      memeloc correct settle 12 --accept 30
      memeloc correct settle 12 --text "Endlich Montag // sagte niemand"
      memeloc correct settle 13 --drop all --comment "a pun that only English has"
      memeloc correct settle --prefer majority --langs hi
      memeloc correct settle --to cases.xlsx
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
            show({"file": file, "cases": count}, then, as_json=as_json)
            return
        if not (chosen or from_ or prefer):
            _list_cases(cases.open(tags) if case is None else [cases.find(case)], as_json)
            return
        if prefer:
            done = cases.prefer(prefer, person=who, languages=tags, comment=comment)
        elif from_ is not None:
            done = cases.decide_from(from_, person=who)
        else:
            assert case is not None
            how = _DROPS.get(drop, "")
            done = cases.decide(
                case, person=who, accept=accept, text=text, drop=how, comment=comment
            )
        open_cases = cases.count(tags)
        further = next_lines(workspace, "correct", as_json=as_json)
    dropped = f" ({done['dropped']:,} of them dropped)" if done["dropped"] else ""
    then = f"{done['settled']:,} settled{dropped}, {open_cases:,} open"
    show(done | {"open": open_cases}, WARNINGS, then, *further, as_json=as_json)


def _list_cases(cases: list[Case], as_json: bool) -> None:
    then = "memeloc correct settle CASE --accept ANSWER, or --text, --keep or --drop"
    if as_json:
        show({"cases": [_fields(case) for case in cases]}, as_json=True)
    elif cases:
        show({"cases": cases}, _CASES, then, as_json=False)
    else:
        print("There is nothing to settle")


def _fields(case: Case) -> dict[str, Any]:
    """Return a case as JSON has it, its texts joined."""
    from memeloc.correct.settling import said, shown_answers

    names = ("meme_id", "language", "round", "reason", "message")
    about = ("meme_id", "language", "round", "person", "status", "comment", "created")
    return {
        "case": case.id,
        **{name: getattr(case, name) for name in names},
        "source": SEPARATOR.join(case.source),
        "now": None if case.now is None else SEPARATOR.join(case.now),
        "answers": [
            {
                "answer": answer.id,
                "person": answer.person,
                "status": answer.status,
                "text": said(answer) if any(answer.typed) else "",
                "comment": answer.comment,
            }
            for answer in shown_answers(case)
        ],
        "comments": [{name: getattr(each, name) for name in about} for each in case.comments],
        "decision": case.decision,
    }
