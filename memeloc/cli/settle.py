"""`memeloc correct settle`. In: what people differ on, or could not do. Out: decisions."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import print_json, table

if TYPE_CHECKING:
    from memeloc.store import CaseRecord, CorrectionRecord, Workspace

_COLUMNS = ("case", "meme", "language", "round", "why", "source", "now", "answers", "take", "text")


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
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
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
    from memeloc.store import Workspace

    who = person or os.environ.get("USER") or os.environ.get("USERNAME") or "somebody"
    chosen = [name for name, given in (("--accept", accept), ("--text", text)) if given is not None]
    chosen += ["--keep"] if keep else []
    if len(chosen) > 1 or (chosen and case is None) or (case is not None and not chosen):
        raise typer.BadParameter("a case takes one of --accept, --text and --keep")
    with Workspace.find() as workspace:
        if case is not None:
            parts = None if text is None else _parts(text)
            workspace.decide(case, person=who, accept=accept, parts=parts, comment=comment)
            done = 1
        elif from_ is not None:
            done = _decide_all(workspace, from_, who)
        else:
            cases = workspace.cases(lang)
            if to is not None:
                _write(cases, to)
                print(f"Wrote {len(cases):,} open cases to {to}; fill in take (or text) and import")
            elif as_json:
                print_json({"cases": [_as_json(one) for one in cases]})
            else:
                _list(cases)
            return
        left = len(workspace.cases(lang))
    if as_json:
        print_json({"settled": done, "open": left})
    else:
        print(f"{done:,} settled, {left:,} open")


def _parts(text: str) -> tuple[str, ...]:
    from memeloc.model import Caption

    return Caption.parse(text).parts


def _said(parts: Sequence[str]) -> str:
    return " // ".join(parts)


def _text(answer: CorrectionRecord) -> str:
    return _said(answer.parts or answer.typed) or answer.status


def _answers(case: CaseRecord) -> list[CorrectionRecord]:
    return [case.correction, *(one for one in case.others if one.id != case.correction.id)]


def _list(cases: list[CaseRecord]) -> None:
    if not cases:
        print("There is nothing to settle")
        return
    rows: list[tuple[str | int, ...]] = []
    for case in cases:
        now = _said(case.current.parts) if case.current else ""
        rows.append((case.id, case.meme_id, case.language, case.reason, "now", now))
        for answer in _answers(case):
            text = _text(answer)
            who = answer.person or "somebody"
            rows.append((case.id, case.meme_id, case.language, "", f"{answer.id} {who}", text))
    table("To settle", ("case", "meme", "language", "why", "answer", "text"), rows)
    print("memeloc correct settle CASE --accept ANSWER, or --text TEXT, or --keep")


def _as_json(case: CaseRecord) -> dict[str, object]:
    return {
        "case": case.id,
        "meme_id": case.meme_id,
        "language": case.language,
        "round": case.round,
        "reason": case.reason,
        "message": case.message,
        "source": _said(case.source.parts),
        "now": _said(case.current.parts) if case.current else None,
        "answers": [
            {
                "answer": answer.id,
                "person": answer.person,
                "status": answer.status,
                "text": _said(answer.parts or answer.typed),
                "comment": answer.comment,
            }
            for answer in _answers(case)
        ],
    }


def _write(cases: list[CaseRecord], path: Path) -> None:
    """A row a case; `take` is for an answer's number or `keep`, `text` for another text."""
    from memeloc.tables import guarded

    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(_COLUMNS)
        for case in cases:
            answers = "\n".join(f"{one.id} {one.person}: {_text(one)}" for one in _answers(case))
            now = _said(case.current.parts) if case.current else ""
            cells = (case.message or case.reason, _said(case.source.parts), now, answers, "", "")
            facts = (str(case.id), case.meme_id, case.language, str(case.round))
            writer.writerow([*facts, *map(guarded, cells)])
    temporary.replace(path)


def _decide_all(workspace: Workspace, path: Path, person: str) -> int:
    """Take the decisions of a CSV that `_write` made.

    Raises:
        InputError: a row is wrong; the decisions before it are stored, and importing the file again
            changes nothing about them.
    """
    from memeloc.errors import InputError
    from memeloc.spreadsheets.csv_file import lines_of

    lines = iter(lines_of(path))
    heading = next(lines, (1, []))[1]
    names = [str(cell).strip().casefold() for cell in heading]
    if "case" not in names or not {"take", "text"} & set(names):
        raise InputError("has no columns case, and take or text", file=path, row=1)
    done = 0
    for number, cells in lines:
        row = dict(zip(names, map(str, cells), strict=False))
        take, text = row.get("take", "").strip(), row.get("text", "").strip()
        if not take and not text:
            continue
        case = row.get("case", "").strip().removesuffix(".0")
        if not case.isdecimal():
            raise InputError("is no case's number", file=path, row=number, column="case")
        take = take.removesuffix(".0")
        try:
            if text:
                workspace.decide(int(case), person=person, parts=_parts(text))
            elif take.casefold() == "keep":
                workspace.decide(int(case), person=person)
            elif take.isdecimal():
                workspace.decide(int(case), person=person, accept=int(take))
            else:
                raise InputError(f"{take[:40]!r} is neither an answer's number nor keep")
        except InputError as error:
            column = "text" if text else "take"
            raise InputError(error.message, file=path, row=number, column=column) from error
        done += 1
    return done
