"""`memeloc survey check`. In: submissions. Out: who is retained, and each exclusion's evidence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, show
from memeloc.cli.survey.options import Changed, Name, check_table, settings

_RETAINED = Table(
    "Retained",
    lambda result: result.by_culture.items(),
    (
        ("culture", lambda row: row[0]),
        ("submissions", lambda row: row[1][1]),
        ("retained", lambda row: row[1][0]),
        ("set aside", lambda row: row[1][1] - row[1][0]),
    ),
    empty=True,
)
_BY_RULE = Table(
    "Set aside by",
    lambda result: result.by_rule.items(),
    (("rule", lambda row: row[0]), ("submissions", lambda row: row[1])),
)
_WARNINGS = Table(
    "To look at; nobody is set aside for it",
    lambda result: sorted(Counter(warning.rule for warning in result.warnings).items()),
    (("what", lambda row: row[0]), ("times", lambda row: row[1])),
)


def check(
    name: Name,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="Switch a rule off: status, attention, speed, straight, person, screening or "
            "identical. Repeatable.",
        ),
    ] = None,
    changed: Changed = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write each exclusion with its evidence to this table."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set aside what fails quality control, each with its evidence; nothing is deleted.

    The explicit attention check has to be passed, and two of three implicit ones; too fast,
    straight-lined, a person's second sheet, or not of those screened for is set aside, too. Run it
    again with other rules at any time: the last rules hold for `survey settle` and `status`.
    Numbers stand in the tables survey.check.RULE of memeloc.toml.

    \b
    Example:
      memeloc survey check pilot
      memeloc survey check pilot --without straight --set speed.seconds_per_entry=3
    """
    from memeloc.errors import InputError
    from memeloc.workspace import Workspace

    check_table(out)
    rules: dict[str, dict[str, Any]] = {}
    for key, value in settings(changed).items():
        rule, dot, setting = key.partition(".")
        if not dot:
            raise InputError(f"--set is RULE.SETTING=VALUE, as speed.fewest=5, not {key[:40]!r}")
        rules.setdefault(rule, {})[setting] = value
    with Workspace.find() as workspace:
        result = workspace.survey(name).check(rules, without=without or ())
    if out is not None:
        from memeloc.tables import write_table

        write_table(out, list(map(str, result.table.columns)), result.table.itertuples(index=False))
    show(
        result,
        as_json=as_json,
        tables=[_RETAINED, _BY_RULE, _WARNINGS],
        then=lambda result: [
            f"{result.retained:,} of {result.submissions:,} submissions are retained",
            f"Next: memeloc survey settle {name}",
        ],
    )
    if result.absent and not as_json:
        say(f"{len(result.absent):,} people are at the service, and no answers of theirs came.")
