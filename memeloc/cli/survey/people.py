"""`memeloc survey` about people: whom to pay, ask, write to, inform, erase. In: ids. Out: lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.output import confirm
from memeloc.cli.show import SHOWN, Table, by_place, explain, show
from memeloc.cli.survey.options import Cultures, Name, check_table, codes_of
from memeloc.counts import counted

Exported = Annotated[
    list[Path] | None,
    Option(
        "--from",
        metavar="FILE",
        help="Prolific's export, which has the ids that are stored as hashes. Repeatable.",
    ),
]


def _list_of(name: str, what: str, out: Path | None) -> Path:
    """Return where a command writes its list, checked before anything is done."""
    path = out or Path(f"{name}-{what}.csv")
    check_table(path)
    return path


def _unknown(result: Mapping[str, Any]) -> list[str]:
    if not result["unknown"]:
        return []
    return [
        f"{result['unknown']:,} have no id of the service's here: name its export with --from, "
        "and import it first."
    ]


_SHORT = Table(
    "Took longer than was promised",
    "shortfalls",
    "sheet culture promised took=measured people short_by=due",
)


def bonus(
    name: Name,
    exported: Exported = None,
    each: str = Option(
        "",
        metavar="AMOUNT",
        help="The same for everybody who is retained, as 0.50.",
        show_default="what longer sheets are short of",
    ),
    reason: str = Option(
        "",
        metavar="WORD",
        help="Tells this bonus from others of the same people; each is paid once.",
        show_default="time, or thanks",
    ),
    out: Path | None = Option(
        None, metavar="FILE", help="The list.", show_default="NAME-bonuses.csv"
    ),
) -> None:
    """List whom to pay a bonus, for Prolific's own page.

    Where a culture's retained people took longer than they were promised, everybody whose work is
    paid gets what the wage is short of. Prolific's page for bonuses takes lines of a participant
    and an amount, two columns of the list; it says what they cost before it pays.

    Example:
      memeloc survey bonus pilot --from prolific_export_65f0.csv
      memeloc survey bonus pilot --each 0.50 --from prolific_export_65f0.csv
    """
    from memeloc.survey.design.planning import read_bonus

    path = _list_of(name, "bonuses", out)
    amount = read_bonus(each) if each else None
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).people.bonus(
            path, each=amount, reason=reason, exported=exported or ()
        )
    sums = f"{result['total']:,} {result['currency']} in all, without the fee, to {result['file']}"
    written = f"Wrote {counted(len(result['bonuses']), 'bonus', 'bonuses')} of {sums}"
    none = "Nobody retained took longer than was paid for, as far as five people tell"
    remarks = [] if each or result["shortfalls"] else [none]
    show(result, _SHORT, *remarks, written)
    explain("", _unknown(result))


def message(
    name: Name,
    exported: Exported = None,
    text: str = Option("", help="The message, the same for all."),
    texts: Path | None = Option(
        None, metavar="FILE", help='A TOML with a text a language, as de = "Danke!".'
    ),
    to: str = Option(
        ...,
        metavar="WHO",
        help="retained, excluded, absent (no answers came), everybody; or a rule of survey check.",
    ),
    cultures: Cultures = "",
    out: Path | None = Option(
        None, metavar="FILE", help="The list.", show_default="NAME-messages.csv"
    ),
) -> None:
    """List whom to write what, for Prolific's own page.

    Its page for messages takes the participants of the list, those with the same text together.

    Example:
      memeloc survey message pilot --to absent --text "Did you send your answers?" --from export.csv
      memeloc survey message pilot --to retained --texts thanks.toml --from export.csv
    """
    from memeloc.workspace.survey_answers import read_texts

    path = _list_of(name, "messages", out)
    by_tag = read_texts(text, texts)
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).people.message(
            path, by_tag, to=to, cultures=codes_of(cultures), exported=exported or ()
        )
    table = Table("Texts", lambda result: result["texts"].items(), by_place("text", "people"))
    written = f"Wrote {counted(len(result['messages']), 'message')} to {result['file']}"
    show(result, table, written)
    explain("", _unknown(result))


def _pair(text: str) -> tuple[str, str]:
    answered, equals, participant = text.partition("=")
    if not (answered.strip() and equals):
        raise typer.BadParameter(
            "is ID=ID, as 3f2a91c0=65f0c1d2e3a4b5c6d7e8f901", param_hint="--same"
        )
    return answered.strip(), participant.strip()


_DECISIONS = Table(
    "Decisions",
    lambda result: result["counts"].items(),
    by_place("action", "submissions"),
    empty=True,
)


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
        help="Answers under the first id are of whom Prolific calls the second; without a second "
        "that is taken back. Repeatable.",
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
    path = _list_of(name, "decisions", out)
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
    explain("", (*_unknown(result), *_undecided(name, result)), most=None)
    outcomes = [f"{outcome}: {count:,}" for outcome, count in result["sent"].items()]
    if send:
        outcomes.append(f"Sent the service {result['sent'].get('sent', 0):,} of them")
    written = f"Wrote {counted(len(result['decisions']), 'decision')} to {result['file']}"
    show(result, _DECISIONS, written, *outcomes)


def _undecided(name: str, result: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each person, and for all rows, that somebody has to look at."""
    from memeloc.survey.quality.decisions import CODE_ENTERED  # numpy: not for --help

    unread = []
    for decision in result["decisions"]:
        if decision.action != "look":
            continue
        who = decision.participant[:8]
        if CODE_ENTERED not in decision.evidence:
            unread.append(who)
            continue
        entered = f"{who} entered the completion code of {decision.study}"
        if near := [id[:8] for id in decision.evidence.get("perhaps", ())]:
            yield (
                f"{entered}, and no answers are under that id: was it typed otherwise? Answers of "
                f"somebody whom Prolific does not know: {' or '.join(near)}. If they are of the "
                f"same person: memeloc survey decide {name} --same {near[0]}=ID, with Prolific's id"
            )
        else:
            yield f"{entered}, and no answers of theirs are here: import them, or ask that person."
    if unread:
        yield (
            f"Nothing is decided about {counted(len(unread), 'person', 'people')}, as something of "
            f"theirs may stand where it could not be read: {', '.join(unread)}. Look at the list, "
            "and decide about them at the service."
        )
    if result["not_read"]:
        rows = ", ".join(f"{reason}: {count:,}" for reason, count in result["not_read"].items())
        yield f"Rows that could not be read and do not say whose they are: {rows}."


def about(
    name: Name,
    person: str = Argument(..., metavar="PARTICIPANT", help="As of survey check --exclude."),
    out: Path | None = Option(
        None, metavar="FILE", help="Where to.", show_default="NAME-about.csv"
    ),
) -> None:
    """Write what a survey has of a person, to be sent to the person.

    That is every answer in the sheet's language, when it was sent, what checks expected, what the
    service reported, and what excludes a sheet. Of nobody else there is anything in it.

    Example:
      memeloc survey about pilot 5e8481234567890123456701 --out about.xlsx
    """
    with memeloc.Workspace.find() as workspace:
        path = out or Path(f"{name}-about.csv")
        result = workspace.survey(name).answers.about(person, path)
    written = f"Wrote {counted(result['rows'], 'row')} to {result['file']}"
    show(result, written)


_ERASED = Table(
    "Erased",
    lambda result: ((name.replace("_", " "), count) for name, count in result["counts"].items()),
    by_place("what", "rows"),
)


def forget(
    people: list[str] | None = Argument(
        None, metavar="PARTICIPANT", help="Ids, as the service or the file of answers has them."
    ),
    exported: list[Path] | None = Option(
        None,
        "--from",
        metavar="FILE",
        help="Prolific's export: who revoked consent by it (CONSENT_REVOKED) is erased. "
        "Repeatable.",
    ),
    yes: bool = Option(False, "--yes", help="Do not ask whether to go on."),
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
    show(result, _ERASED, _receipt)


def _receipt(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["people"]:
        yield "Nobody was erased"
        return
    many = counted(result["people"], "person", "people")
    yield f"{many} erased, from {counted(len(result['surveys']), 'survey')}"
    for name, count in result["reopened"].items():
        labels = counted(count, "label is", "labels are")
        yield f"{name}: {labels} open again. Next: memeloc survey settle {name}"
    for path in result["files"][:SHOWN]:
        yield f"Still named in {path}: delete or correct it"
    if len(result["files"]) > SHOWN:
        yield f"and in {len(result['files']) - SHOWN:,} more files"
