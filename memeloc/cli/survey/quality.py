"""`memeloc survey check` and `status`. In: submissions. Out: who is retained, how far it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, settings
from memeloc.cli.output import say
from memeloc.cli.show import Table, as_plain, by_place, next_lines, show
from memeloc.cli.survey.options import (
    AGREEMENT,
    Changed,
    Name,
    changed_sentences,
    check_table,
    write_frame,
)
from memeloc.counts import counted
from memeloc.errors import InputError

if TYPE_CHECKING:
    from memeloc.workspace.survey import StatusResult


_VIEWS = (
    Table(
        "Retained",
        lambda result: result.by_culture.items(),
        (
            ("culture", 0),
            ("submissions", lambda row: row[1][1]),
            ("retained", lambda row: row[1][0]),
            ("excluded", lambda row: row[1][1] - row[1][0]),
        ),
        empty=True,
    ),
    Table("Excluded by", lambda result: result.by_rule.items(), by_place("rule", "submissions")),
    AGREEMENT,
    Table(
        "Who agrees least with the majority of the others",
        lambda result: sorted(
            (
                (part.culture, part.question, person)
                for part in result.agreement
                for person in part.measures["rest"]
                if person["kappa"] is not None
            ),
            key=lambda row: row[2]["kappa"],
        ),
        (
            ("culture", 0),
            ("question", 1),
            ("participant", lambda row: row[2]["participant"]),
            ("items", lambda row: row[2]["items"]),
            ("agree", lambda row: f"{row[2]['agreement']:.0%}"),
            ("kappa", lambda row: f"{row[2]['kappa']:.3f}"),
        ),
        most=10,
    ),
    Table(
        "To look at; nobody is excluded for it",
        lambda result: sorted(Counter(warning.rule for warning in result.warnings).items()),
        by_place("what", "times"),
    ),
)


def check(
    name: Name,
    without: list[str] | None = Option(
        None,
        metavar="RULE",
        help="Switch a rule off: status, attention, speed, straight, careless, person, again, "
        "screening, identical, outlier or keep. Repeatable.",
    ),
    exclude: list[str] | None = Option(
        None,
        metavar="PARTICIPANT",
        help="Exclude all that a person sent, such as an outlier's; by the id as it came, or as "
        "it is shown here. Repeatable.",
    ),
    keep: list[str] | None = Option(
        None,
        metavar="PARTICIPANT",
        help="Keep all that a person sent, whatever the rules say, as after an objection. "
        "--exclude takes it back, and the other way round. Repeatable.",
    ),
    why: str = Option("", metavar="TEXT", help="With --keep: the reason."),
    changed: Changed = None,
    out: Path | None = Option(
        None, metavar="FILE", help="Write each exclusion with its evidence to this table."
    ),
    as_json: AsJson = False,
) -> None:
    """Exclude what fails quality control, each with its evidence; nothing is deleted.

    The explicit attention check has to be passed, and two of three implicit ones; too fast,
    straight-lined, a person's second sheet, or not of those screened for is excluded, too. Run it
    again with other rules at any time: the last rules are those of `survey settle` and `status`.
    Numbers stand in the tables survey.check.RULE of memeloc.toml.

    Beside it stands how far people agree, and who agrees least with the others. An outlier is
    reported, and excluded only by --exclude, or with another sign (the rule careless). Whom
    --exclude and --keep name stays so in later checks; survey about writes what a person can be
    sent.

    Example:
      memeloc survey check pilot
      memeloc survey check pilot --without straight --set speed.seconds_per_entry=3
      memeloc survey check pilot --exclude 65f0c1d2e3a4b5c6d7e8f901
      memeloc survey check pilot --keep 65f0c1d2e3a4b5c6d7e8f901 --why "the picture was cut off"
    """
    check_table(out)
    rules: dict[str, dict[str, Any]] = {}
    for key, value in settings(changed).items():
        rule, dot, setting = key.partition(".")
        if not dot:
            raise InputError(f"--set is RULE.SETTING=VALUE, as speed.fewest=5, not {key[:40]!r}")
        rules.setdefault(rule, {})[setting] = value
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).answers.check(
            rules, without=without or (), exclude=exclude or (), keep=keep or (), why=why
        )
        further = next_lines(workspace, "survey", survey=name, as_json=as_json)
    file = None if out is None else write_frame(out, result.table)
    show(
        as_plain(result) | {"file": file} if as_json else result,
        *_VIEWS,
        *([f"Wrote {counted(len(result.table), 'exclusion')} to {file}"] if file else []),
        f"{result.retained:,} of {counted(result.submissions, 'submission')} retained",
        *further,
        as_json=as_json,
    )
    if result.absent and not as_json:
        say(
            f"{counted(len(result.absent), 'person is', 'people are')} at the "
            "service, and no answers of theirs came."
        )


_PROGRESS = (
    "sheets annotators sent retained places_left=places answers_wanted=wanted in=answered kept"
)
_LABELS = Table(
    "Labels",
    lambda result: [{"culture": code, **states} for code, states in result.labels.items()],
    ("culture settled short tied", ("given up", "given up"), "rejected decided"),
)
_ASIDE = Table("Excluded by", lambda result: result.aside.items(), by_place("rule", "submissions"))
_SURVEYS = Table("Surveys", "surveys", "survey taxonomy cultures memes batches rounds submissions")


def status(
    name: str = Argument("", metavar="[NAME]", help="The survey's name.", show_default="all"),
    wage: str = Option("", help="Pay an hour, for money.", show_default="memeloc.toml's, or 10.65"),
    by: Literal["culture", "batch", "sheet"] = Option("culture", help="Lines of what."),
    as_json: AsJson = False,
) -> None:
    """Say how far a survey is: answers wanted, in and retained; ties; agreement; money.

    Money is counted from what Prolific's export says of each submission, at the reward of the wage
    and the minutes that went out.

    Example:
      memeloc survey status
      memeloc survey status pilot --by sheet
    """
    with memeloc.Workspace.find() as workspace:
        if not name:
            surveys = workspace.surveys.summaries()
            none = "There is no survey yet; `memeloc survey build` makes one"
            show(surveys, _SURVEYS, *([] if surveys["surveys"] else [none]), as_json=as_json)
            return
        result = workspace.survey(name).status(wage=wage)
    lines = {"culture": result.cultures, "batch": result.batches, "sheet": result.sheets}[by]
    parts = Table(
        f"{name}, of {counted(len(result.batches), 'batch', 'batches')}",
        lambda result: (*lines, result.whole),
        ((by, "name"), _PROGRESS),
    )
    show(result, parts, _LABELS, AGREEMENT, _ASIDE, _changed, _costs, _shortfalls, as_json=as_json)


def _changed(result: StatusResult) -> Iterator[str]:
    yield from changed_sentences(result.changed)


def _shortfalls(result: StatusResult) -> Iterator[str]:
    longest = {row.culture: row for row in sorted(result.shortfalls, key=lambda row: row.measured)}
    for code, row in longest.items():
        yield (
            f"{code}: people took {row.measured} minutes (the median of {row.people:,} retained) "
            f"and were promised {row.promised}; `memeloc survey bonus {result.survey}` makes up "
            "for it"
        )


def _costs(result: StatusResult) -> Iterator[str]:
    if money := result.money:
        yield (
            f"Money, fee included, without the tax on it: {money.paid:,} {result.currency} spent, "
            f"{money.owed:,} owed, {money.running:,} for people who are at it, "
            f"{money.to_come:,} for the places left"
        )
