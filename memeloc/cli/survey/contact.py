"""`memeloc survey bonus` and `message`. In: what was checked. Out: lists for the service's page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Option

import memeloc
from memeloc.cli.options import AsJson, split
from memeloc.cli.output import say
from memeloc.cli.show import Table, by_place, show
from memeloc.cli.survey.options import Name, check_table
from memeloc.counts import counted

Exported = Annotated[
    list[Path] | None,
    Option(
        "--from",
        metavar="FILE",
        help="Prolific's export, which has the ids that are stored as hashes. Repeatable.",
    ),
]

_SHORT = Table(
    "Took longer than was promised",
    "shortfalls",
    "sheet culture promised took=measured people short_by=due",
)
_TEXTS = Table("Texts", lambda result: result["texts"].items(), by_place("text", "people"))


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
    as_json: AsJson = False,
) -> None:
    """List whom to pay a bonus, for Prolific's own page.

    Where a culture's retained people took longer than they were promised, everybody whose work is
    paid gets what the wage is short of. Prolific's page for bonuses takes lines of a participant
    and an amount, two columns of the list; it says what they cost before it pays.

    Example:
      memeloc survey bonus pilot --from prolific_export_65f0.csv
      memeloc survey bonus pilot --each 0.50 --from prolific_export_65f0.csv
    """
    from memeloc.survey.design.pay import read_bonus

    path = list_path(out, f"{name}-bonuses.csv")
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).people.bonus(
            path,
            each=read_bonus(each) if each else None,
            reason=reason,
            exported=exported or (),
        )
    written = (
        f"Wrote {counted(len(result['bonuses']), 'bonus', 'bonuses')} of "
        f"{result['total']:,} {result['currency']} in all, "
        f"without the fee, to {result['file']}"
    )
    none = "Nobody retained took longer than was paid for, as far as five people tell"
    remarks = [] if each or result["shortfalls"] else [none]
    show(result, _SHORT, *remarks, written, as_json=as_json)
    say_unknown(result, as_json)


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
    cultures: str = Option("", metavar="CODES", help="Only these cultures.", show_default="all"),
    out: Path | None = Option(
        None, metavar="FILE", help="The list.", show_default="NAME-messages.csv"
    ),
    as_json: AsJson = False,
) -> None:
    """List whom to write what, for Prolific's own page.

    Its page for messages takes the participants of the list, those with the same text together.

    Example:
      memeloc survey message pilot --to absent --text "Did you send your answers?" --from export.csv
      memeloc survey message pilot --to retained --texts thanks.toml --from export.csv
    """
    from memeloc.workspace.survey_people import read_texts

    path = list_path(out, f"{name}-messages.csv")
    by_tag = read_texts(text, texts)

    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).people.message(
            path,
            by_tag,
            to=to,
            cultures=[code.upper() for code in split(cultures)],
            exported=exported or (),
        )
    written = f"Wrote {counted(len(result['messages']), 'message')} to {result['file']}"
    show(result, _TEXTS, written, as_json=as_json)
    say_unknown(result, as_json)


def list_path(out: Path | None, usual: str) -> Path:
    path = out or Path(usual)
    check_table(path)
    return path


def say_unknown(result: Mapping[str, Any], as_json: bool) -> None:
    if result["unknown"] and not as_json:
        say(
            f"{result['unknown']:,} have no id of the service's here: name its export with --from, "
            "and import it first."
        )
