"""`memeloc survey decide-labels`. In: what people decided. Out: it is stored, and what is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, pairs
from memeloc.cli.show import SHOWN, Table, next_lines, show
from memeloc.cli.survey.options import Name
from memeloc.counts import counted


def _votes(row: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{question}: " + ", ".join(f"{answer} {count}" for answer, count in votes.items())
        for question, votes in row["votes"].items()
    )


_OPEN = Table("To decide", "open", ("item culture state", ("votes", _votes)), most=SHOWN)


def decide_labels(
    name: Name,
    item: str = Argument("", metavar="[ITEM]", help="The meme.", show_default="none"),
    culture: str = Option("", metavar="CODE", help="Where; of a survey with several cultures."),
    label: str = Option("", metavar="LABEL", help="Its label, by id or name."),
    answers: list[str] | None = Option(
        None, "--answer", metavar="QUESTION=ANSWER", help="A further answer. Repeatable."
    ),
    people: list[str] | None = Option(
        None,
        "--by",
        metavar="PERSON",
        help="Who took part: of a named team the place, such as a-2, or the id. Repeatable.",
    ),
    reason: str = Option("", metavar="TEXT", help="Why."),
    file: Path | None = Option(
        None, "--from", metavar="TABLE", help="Decisions: what --out wrote, filled in."
    ),
    out: Path | None = Option(
        None, metavar="TABLE", help="Write what is open, with all votes: .xlsx, .csv or .jsonl."
    ),
    as_json: AsJson = False,
) -> None:
    """Store what people decided about labels after a discussion; or list what is open.

    A decision has who took part (stored as hashes) and why, and goes before all votes until there
    is a newer one. `settle` then gives the label in the state decided, or rejected. In a table, a
    row without a label and without answers decides nothing.

    Example:
      memeloc survey decide-labels pilot --out open.csv
      memeloc survey decide-labels pilot --from open.csv --by anna --by ben --reason "session 1"
      memeloc survey decide-labels pilot m-017 --culture DE --label hate --by anna --reason "irony"
    """
    further = {key: [value] for key, value in pairs("--answer", answers).items()}
    given: dict[str, Any] = {"item": item, "culture": culture, "label": label, "further": further}
    given |= {"people": people, "reason": reason}
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).labels.decide(
            [given] if item else (), file=file, people=people or (), reason=reason, out=out
        )
        lines = next_lines(workspace, "settle", survey=name, as_json=as_json or out is not None)
    show(result, _OPEN, _stored, *lines, as_json=as_json)


def _stored(result: Mapping[str, Any]) -> Iterator[str]:
    if result["new"] or result["known"]:
        stored = counted(result["new"], "decision was", "decisions were")
        yield f"{stored} stored; {result['known']:,} were known"
    if result["file"] is not None:
        yield f"{counted(len(result['open']), 'row')} to be filled in: {result['file']}"
    elif not result["open"]:
        yield "Nothing is left to decide"
