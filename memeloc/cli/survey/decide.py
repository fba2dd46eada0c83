"""`memeloc survey decide`. In: what was checked. Out: whom to approve, return or reject."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memeloc.cli.options import AsJson
from memeloc.cli.output import confirm, say
from memeloc.cli.show import Table, show
from memeloc.cli.survey.options import Name, check_table

_DECISIONS = Table(
    "Decisions",
    lambda result: result.counts.items(),
    (("action", lambda row: row[0]), ("submissions", lambda row: row[1])),
    empty=True,
)


def decide(
    name: Name,
    exported: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Prolific's export, which has the ids that are stored as hashes. Repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The list.", show_default="NAME-decisions.csv"),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(min=0, help="Minutes that a sheet takes.", show_default="as exported"),
    ] = 0,
    implicit_count: Annotated[
        bool,
        typer.Option(
            "--implicit-count", help="Implicit checks count beside a failed explicit one."
        ),
    ] = False,
    reject_fast: Annotated[
        bool,
        typer.Option("--reject-fast", help="Reject exceptionally fast ones; else they are paid."),
    ] = False,
    send: Annotated[
        bool,
        typer.Option("--send", help="Tell Prolific, after the counts were shown and agreed to."),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --send: the counts are agreed to.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List for Prolific whom to approve, ask to return, or reject with a reason.

    By Prolific's own rules on fair checks: nobody is rejected for implicit checks alone, and in
    studies of five minutes or more only for two failed checks. Most of what is set aside is paid
    all the same. Nothing is sent without --send.

    \b
    Example:
      memeloc survey decide pilot --from prolific_export_65f0.csv
      memeloc survey decide pilot --from prolific_export_65f0.csv --send
    """
    from memeloc.workspace import Workspace

    if yes and not send:
        raise typer.BadParameter("goes with --send", param_hint="--yes")
    path = out or Path(f"{name}-decisions.csv")
    check_table(path)
    with Workspace.find() as workspace:
        result = workspace.survey(name).decide(
            path,
            exported=exported or (),
            minutes=minutes,
            implicit_count=implicit_count,
            reject_fast=reject_fast,
            send=send,
            agree=lambda costs: confirm(costs, "Send it?", agreed=yes),
        )
    if result.unknown and not as_json:
        say(
            f"{result.unknown:,} have no id of the service's here: name its export with --from, "
            "and import it first."
        )
    show(
        result,
        as_json=as_json,
        tables=[_DECISIONS],
        then=lambda result: [
            f"Wrote {len(result.decisions):,} decisions to {path}",
            *(f"{outcome}: {count:,}" for outcome, count in result.sent.items()),
            *([f"Sent the service {result.sent.get('sent', 0):,} of them"] if send else []),
        ],
    )
