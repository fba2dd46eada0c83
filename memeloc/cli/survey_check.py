"""`memeloc survey check`. In: submissions. Out: who is retained, and each exclusion's evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, say, table
from memeloc.cli.survey_options import AsJson, Changed, Name

if TYPE_CHECKING:
    from memeloc.cli.surveying import Survey
    from memeloc.store import Workspace
    from memeloc.survey.model import Sheet, Submission
    from memeloc.survey.quality.report import CheckReport
    from memeloc.survey.quality.rules import Rules


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
        typer.Option(metavar="FILE", help="Write each exclusion with its evidence to this .csv."),
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
    from memeloc.cli.survey_import import only_csv
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.store import Workspace

    if out is not None:
        only_csv(out, "--out")
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        sheets = plain_sheets(survey)
        rules = _rules(workspace, without or (), changed or ())
        report, _ = checked(workspace, survey, sheets, rules)
    if out is not None:
        _write_aside(out, report)
    cultures = {one.id: one.culture.code for one in sheets}
    kept = set(report.retained)
    whole: Counter[str] = Counter(cultures.get(one.sheet, "?") for one in report.judged)
    good: Counter[str] = Counter(cultures.get(key[0], "?") for key in kept)
    codes = [one.code for one in survey.design.cultures if whole[one.code]]
    codes += sorted(set(whole).difference(codes))
    if as_json:
        print_json(
            {
                "survey": name,
                "submissions": len(report.judged),
                "retained": len(kept),
                "by_culture": {code: [good[code], whole[code]] for code in codes},
                "by_rule": report.counts(),
                "rules": rules.model_dump(mode="json"),
                **{key: report.as_json()[key] for key in ("set_aside", "warnings", "absent")},
            }
        )
        return
    table(
        "Retained",
        ("culture", "submissions", "retained", "set aside"),
        [(code, whole[code], good[code], whole[code] - good[code]) for code in codes],
    )
    if counts := report.counts():
        table("Set aside by", ("rule", "submissions"), list(counts.items()))
    warned = Counter(one.rule for one in report.warnings)
    if warned:
        table("To look at; nobody is set aside for it", ("what", "times"), sorted(warned.items()))
    if report.absent:
        say(f"{len(report.absent):,} people are at the service, and no answers of theirs came.")
    print(f"{len(kept):,} of {len(report.judged):,} submissions are retained")
    print(f"Next: memeloc survey settle {name}")


def checked(
    workspace: Workspace,
    survey: Survey,
    sheets: Sequence[Sheet],
    rules: Rules | None = None,
) -> tuple[CheckReport, list[Submission]]:
    """The quality control of what is there by now, and the submissions.

    Args:
        workspace: whose survey it is.
        survey: which.
        sheets: those whose submissions count.
        rules: the last ones, or memeloc.toml's, by default.
    """
    from memeloc.survey.quality import rules as settings
    from memeloc.survey.quality.checking import check as check_submissions

    if rules is None:
        last = workspace.survey_check(survey.name)
        rules = (
            settings.read_rules(settings.Rules, last[0])
            if last is not None
            else _rules(workspace, (), ())
        )
    ids = {one.id for one in sheets}
    submissions = [one for one in workspace.submissions(survey.name) if one.sheet in ids]
    report = check_submissions(
        submissions, sheets, workspace.survey_participants(survey.name), rules
    )
    workspace.add_survey_check(survey.name, rules.model_dump(mode="json"), report.as_json())
    return report, submissions


def _rules(workspace: Workspace, without: Sequence[str], changed: Sequence[str]) -> Rules:
    from memeloc.errors import InputError
    from memeloc.survey.quality.rules import Rules, read_rules

    values: dict[str, Any] = {
        rule: dict(table) if isinstance(table, dict) else table
        for rule, table in workspace.settings.survey.get("check", {}).items()
    }
    for rule in without:
        if rule not in Rules.model_fields:
            raise InputError(
                f"There is no rule {rule[:40]!r}; there are {', '.join(Rules.model_fields)}."
            )
        values.setdefault(rule, {})["on"] = False
    for key, value in set_values(changed).items():
        rule, dot, setting = key.partition(".")
        if not dot:
            raise InputError(f"--set is RULE.SETTING=VALUE, as speed.fewest=5, not {key[:40]!r}")
        values.setdefault(rule, {})[setting] = value
    return read_rules(Rules, values)


def set_values(changed: Sequence[str]) -> dict[str, Any]:
    """`KEY=VALUE` as a mapping: numbers and flags as such, all else as text."""
    import json

    from memeloc.errors import InputError

    found: dict[str, Any] = {}
    for one in changed:
        key, equals, words = one.partition("=")
        if not equals:
            raise InputError(f"--set is KEY=VALUE, not {one[:60]!r}")
        try:
            found[key.strip()] = json.loads(words)
        except ValueError:
            found[key.strip()] = words.strip()
    return found


def _write_aside(path: Path, report: CheckReport) -> None:
    import csv
    import json

    from memeloc.files import replacing
    from memeloc.tables import guarded

    people = {one.key: one.participant for one in report.judged}
    with replacing(path) as partial, partial.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("sheet", "submission", "participant", "rule", "evidence"))
        for one in report.set_aside:
            evidence = json.dumps(dict(one.evidence), ensure_ascii=False, sort_keys=True)
            cells = (one.sheet, one.submission, people.get(one.key, ""), one.rule, evidence)
            writer.writerow([guarded(cell) for cell in cells])
