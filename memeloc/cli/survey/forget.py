"""`memeloc survey about` and `forget`. In: people's ids. Out: what there is of them; a receipt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import confirm
from memeloc.cli.show import SHOWN, Table, by_place, show
from memeloc.cli.survey.options import Name
from memeloc.counts import counted

_COUNTS = Table(
    "Erased",
    lambda result: ((name.replace("_", " "), count) for name, count in result["counts"].items()),
    by_place("what", "rows"),
)


def about(
    name: Name,
    person: str = Argument(..., metavar="PARTICIPANT", help="As of survey check --exclude."),
    out: Path | None = Option(
        None, metavar="FILE", help="Where to.", show_default="NAME-about.csv"
    ),
    as_json: AsJson = False,
) -> None:
    """Write what a survey has of a person, to be sent to the person.

    That is every answer in the sheet's language, when it was sent, what checks expected, what the
    service reported, and what excludes a sheet. Of nobody else there is anything in it.

    Example:
      memeloc survey about pilot 5e8481234567890123456701 --out about.xlsx
    """
    path = out or Path(f"{name}-about.csv")
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).answers.about(person, path)
    written = f"Wrote {counted(result['rows'], 'row')} to {result['file']}"
    show(result, written, as_json=as_json)


def forget(
    people: list[str] | None = Argument(
        None, metavar="PARTICIPANT...", help="Ids, as the service or the file of answers has them."
    ),
    exported: list[Path] | None = Option(
        None,
        "--from",
        metavar="FILE",
        help="Prolific's export: who revoked consent by it (CONSENT_REVOKED) is erased. "
        "Repeatable.",
    ),
    yes: bool = Option(False, "--yes", help="Do not ask whether to go on."),
    as_json: AsJson = False,
) -> None:
    """Erase people from every survey of the workspace, for good, and say what was erased.

    Answers, what services reported, rejected rows and what was computed are deleted, and the
    database is written anew. What remains is a token under a key of its own (erasure.key), so that
    no file that is imported later brings them back. Labels that lose answers are open again.

    Example:
      memeloc survey forget 5e8481234567890123456701
      memeloc survey forget --from prolific_export_65f0.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.surveys.forget(
            people or (),
            exported=exported or (),
            agree=lambda costs: confirm(costs, "Erase them?", agreed=yes),
        )
    show(result, _COUNTS, _receipt, as_json=as_json)


def _receipt(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["people"]:
        yield "Nobody was erased"
        return
    many = counted(result["people"], "person", "people")
    yield f"{many} erased, from {counted(len(result['surveys']), 'survey')}"
    for name, count in result["reopened"].items():
        yield (
            f"{name}: {counted(count, 'label is', 'labels are')} open again. Next: "
            f"memeloc survey settle {name}"
        )
    for path in result["files"][:SHOWN]:
        yield f"Still named in {path}: delete or correct it"
    if len(result["files"]) > SHOWN:
        yield f"and in {len(result['files']) - SHOWN:,} more files"
