"""`memeloc survey decide`. In: what was checked. Out: whom to approve, return or reject."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import confirm, say
from memeloc.cli.show import Table, by_place, show
from memeloc.cli.survey.contact import Exported, list_path, say_unknown
from memeloc.cli.survey.options import Name
from memeloc.counts import counted
from memeloc.survey.quality.decisions import CODE_ENTERED

_DECISIONS = Table(
    "Decisions",
    lambda result: result["counts"].items(),
    by_place("action", "submissions"),
    empty=True,
)


def _pair(text: str) -> tuple[str, str]:
    answered, equals, participant = text.partition("=")
    if not (answered.strip() and equals and participant.strip()):
        raise typer.BadParameter(
            "is ID=ID, as 3f2a91c0=65f0c1d2e3a4b5c6d7e8f901", param_hint="--same"
        )
    return answered.strip(), participant.strip()


def decide(
    name: Name,
    exported: Exported = None,
    out: Path | None = Option(
        None, metavar="FILE", help="The list.", show_default="NAME-decisions.csv"
    ),
    minutes: float = Option(
        0, min=0, help="Minutes that a sheet takes.", show_default="as exported"
    ),
    same: list[str] | None = Option(
        None,
        metavar="ID=ID",
        help="Answers under the first id are of whom Prolific calls the second. Repeatable.",
    ),
    implicit_count: bool = Option(
        False, "--implicit-count", help="Implicit checks count beside a failed explicit one."
    ),
    reject_fast: bool = Option(
        False, "--reject-fast", help="Reject exceptionally fast ones; else they are paid."
    ),
    send: bool = Option(
        False, "--send", help="Tell Prolific, after the counts were shown and agreed to."
    ),
    yes: bool = Option(False, "--yes", help="With --send: the counts are agreed to."),
    as_json: AsJson = False,
) -> None:
    """List for Prolific whom to approve, ask to return, reject with a reason, or pay a part.

    By Prolific's own rules on fair checks: nobody is rejected for implicit checks alone, and in
    studies of five minutes or more only for two failed checks. Most of what is excluded is paid
    all the same. Nothing is sent without --send.

    Two actions are for a person, and never sent: "pay part" names who left a served survey before
    its end, with what the answers earned; "look" who has rows that could not be read, or entered a
    sheet's completion code and has no answers: whose they may be is said, and --same joins them.

    Example:
      memeloc survey decide pilot --from prolific_export_65f0.csv
      memeloc survey decide pilot --from prolific_export_65f0.csv --send
    """
    if yes and not send:
        raise typer.BadParameter("goes with --send", param_hint="--yes")
    path = list_path(out, f"{name}-decisions.csv")
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).people.decide(
            path,
            exported=exported or (),
            minutes=minutes,
            same=dict(map(_pair, same or ())),
            implicit_count=implicit_count,
            reject_fast=reject_fast,
            send=send,
            agree=lambda costs: confirm(costs, "Send it?", agreed=yes),
        )
    say_unknown(result, as_json)
    looks = [each for each in result["decisions"] if each.action == "look"]
    unread = [each.participant[:8] for each in looks if CODE_ENTERED not in each.evidence]
    for each in looks if not as_json else ():
        if each.evidence.get("perhaps"):
            near = " or ".join(id[:8] for id in each.evidence["perhaps"])
            say(
                f"{each.participant[:8]} entered the completion code of {each.study}, and no "
                f"answers are under that id: was it typed otherwise? Answers of somebody whom "
                f"Prolific does not know: {near}. If they are of the same person: memeloc survey "
                f"decide {name} --same {each.evidence['perhaps'][0][:8]}=ID, with Prolific's id"
            )
        elif CODE_ENTERED in each.evidence:
            say(
                f"{each.participant[:8]} entered the completion code of {each.study}, and no "
                "answers of theirs are here: import them, or ask that person."
            )
    if unread and not as_json:
        say(
            f"Nothing is decided about {counted(len(unread), 'person', 'people')}, as something of "
            f"theirs may stand where it could not be read: {', '.join(unread)}. Look at the list, "
            "and decide about them at the service."
        )
    if result["not_read"] and not as_json:
        rows = ", ".join(f"{reason}: {count:,}" for reason, count in result["not_read"].items())
        say(f"Rows that could not be read and do not say whose they are: {rows}.")
    outcomes = [f"{outcome}: {count:,}" for outcome, count in result["sent"].items()]
    if send:
        outcomes.append(f"Sent the service {result['sent'].get('sent', 0):,} of them")
    written = f"Wrote {counted(len(result['decisions']), 'decision')} to {result['file']}"
    show(result, _DECISIONS, written, *outcomes, as_json=as_json)
