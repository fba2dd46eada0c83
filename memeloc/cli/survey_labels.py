"""`memeloc survey check`, `decide`, `settle`. In: submissions. Out: who is retained, and labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, progress, say, table

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.cli.surveying import Survey
    from memeloc.survey.check_report import CheckReport
    from memeloc.survey.decisions import Decision
    from memeloc.survey.nouns import Batch, Participant, Sheet, Submission
    from memeloc.survey.rules import Rules, Settling
    from memeloc.survey.settling import Settled
    from memeloc.workspace import Workspace

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The survey's name.")]
Changed = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of memeloc.toml's; repeatable."),
]

_SHOWN = 20
_CLOSED = "closed"
_OPEN = ("short", "tied")


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
    from memeloc.workspace import Workspace

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
    from memeloc.cli.survey_import import only_csv
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.survey.decisions import decisions
    from memeloc.workspace import Workspace

    if yes and not send:
        raise typer.BadParameter("goes with --send", param_hint="--yes")
    path = out or Path(f"{name}-decisions.csv")
    only_csv(path, "--out")
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        sheets = plain_sheets(survey)
        report, _ = checked(workspace, survey, sheets)
        told = minutes or minutes_of(workspace, name, sheets)
        if not told:
            raise typer.BadParameter("how long does a sheet take?", param_hint="--minutes")
        found = decisions(
            report, sheets, told, implicit_count=implicit_count, reject_fast=reject_fast
        )
        names = _real_ids(workspace, survey, exported or ())
        _write_decisions(path, found, names)
        counts = Counter(one.action for one in found)
        sent = _send(workspace, name, found, names, agreed=yes) if send else Counter()
    if as_json:
        print_json(
            {
                "survey": name,
                "counts": dict(sorted(counts.items())),
                "decisions": [one.as_json() for one in found],
                "file": str(path),
                "sent": dict(sorted(sent.items())),
            }
        )
        return
    table("Decisions", ("action", "submissions"), sorted(counts.items()))
    unknown = sum(one.service not in names for one in found)
    if unknown:
        say(
            f"{unknown:,} have no id of Prolific's here: name its export with --from, and import "
            "it first."
        )
    print(f"Wrote {len(found):,} decisions to {path}")
    if send:
        for outcome, count in sorted(sent.items()):
            print(f"{outcome}: {count:,}")
        print(f"Told Prolific {sent['told']:,} of them")


def settle(
    name: Name,
    changed: Changed = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Answers after which a tie is given up.")
    ] = None,
    close: Annotated[
        bool,
        typer.Option(
            "--close", help="Nothing more comes for sheets that are out; ask for what is missing."
        ),
    ] = False,
    next_: Annotated[
        bool, typer.Option("--next/--no-next", help="Make batches of what is short or tied.")
    ] = True,
    models: Annotated[
        bool, typer.Option("--models", help="Beside the majority, Dawid-Skene and MACE.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the labels: .csv, .jsonl or .parquet."),
    ] = None,
    answers_out: Annotated[
        Path | None,
        typer.Option("--answers", metavar="FILE", help="Write the retained answers, a row each."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Settle retained answers into one label a meme and culture; ask again about what is open.

    The label is the one with most votes; "I don't know" is an answer and no vote; a tie is no
    label. Memes short of answers or tied become the next batches, less the places that are still
    open, until there is a majority or the limit of answers. Numbers stand in the table
    survey.settle of memeloc.toml.

    \b
    Example:
      memeloc survey settle pilot --out labels.csv
      memeloc survey settle pilot --close --models
    """
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.survey.build import build_next
    from memeloc.survey.checking import retained
    from memeloc.survey.second_answers import settle_second
    from memeloc.survey.settling import answers_table
    from memeloc.survey.settling import settle as settle_answers
    from memeloc.workspace import Workspace

    for path in (out, answers_out):
        if path is not None:
            _suffix(path)
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        everything = plain_sheets(survey)
        report, submissions = checked(workspace, survey, everything)
        sheets = [one for one in everything if one.round > 0]
        settings = settling(workspace, survey, changed or (), most)
        answers = answers_table(retained(submissions, report), sheets)
        if close:
            _close(workspace, name, sheets, submissions)
        pending = _pending(workspace, name, sheets, submissions)
        settled = settle_answers(
            answers,
            survey.taxonomy,
            settings,
            wanted=asked(survey),
            pending=pending,
        )
        rows, labels = settled.as_json(), settled.table
        if survey.taxonomy.second is not None:
            second = settle_second(retained(submissions, report), sheets, settled, survey.taxonomy)
            labels = labels.merge(second[["item", "culture", "second"]], "left").fillna("")
            for row, chosen in zip(rows, labels["second"], strict=True):
                row["second"] = chosen
        workspace.add_survey_labels(name, settings.model_dump(mode="json"), rows)
        batches: Sequence[Batch] = ()
        if next_ and settled.needs:
            batches = build_next(
                settled.open,
                survey.memes,
                survey.design,
                survey.taxonomy,
                round=max(2, survey.rounds[-1] + 1),
            )
            workspace.add_batches(name, batches)
        told = workspace.survey_state(name, "minutes")
        unsent = [one for one in survey.batches if one.round > 1 and one.id not in told]
        apart = _models(answers, survey, settled) if models else None
    for path, frame in ((out, labels), (answers_out, answers)):
        if path is not None:
            write_table(frame, path)
    codes = [one.code for one in survey.design.cultures]
    _tell_settled(name, codes, settled, rows, batches, apart, as_json)
    if unsent and not batches and not as_json:
        print(
            f"{len(unsent):,} batches of round {max(one.round for one in unsent)} never went out. "
            f"Next: memeloc survey export {name} --to TARGET"
        )


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
    from memeloc.survey import rules as settings
    from memeloc.survey.checking import check as check_submissions

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


def minutes_of(workspace: Workspace, name: str, sheets: Sequence[Sheet]) -> dict[str, int]:
    """By sheet id, the minutes that its people were told; sheets that never went out are not in."""
    told = workspace.survey_state(name, "minutes")
    return {one.id: int(told[one.batch]) for one in sheets if one.batch in told}


def settling(
    workspace: Workspace, survey: Survey, changed: Sequence[str] = (), most: int | None = None
) -> Settling:
    """How a survey's answers become labels, by memeloc.toml and what was said."""
    from memeloc.survey.rules import Settling, read_rules

    values = {"answers": survey.design.answers, **workspace.settings.survey.get("settle", {})}
    values |= _values(changed)
    if most is not None:
        values["most"] = most
    return read_rules(Settling, values)


def asked(survey: Survey) -> list[tuple[str, str]]:
    """Every meme and culture that a label is wanted of."""
    return sorted(
        {
            (meme, code)
            for batch in survey.batches
            if batch.round > 0
            for meme in batch.memes
            for code in batch.cultures
        }
    )


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table of labels or answers, told by the file's suffix; atomically.

    Raises:
        InputError: the suffix is none of .csv, .jsonl and .parquet.
    """
    from memeloc.spreadsheets import guarded, replacing

    suffix = _suffix(path)
    with replacing(path) as partial:
        if suffix == ".parquet":
            frame.to_parquet(partial, index=False)
        elif suffix == ".jsonl":
            frame.to_json(partial, orient="records", lines=True, force_ascii=False)
        else:
            safe = frame.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
            safe.to_csv(partial, index=False, encoding="utf-8-sig")


def _suffix(path: Path) -> str:
    from memeloc.errors import InputError

    suffix = path.suffix.lower()
    if suffix not in (".csv", ".jsonl", ".parquet"):
        raise InputError("is neither .csv, .jsonl nor .parquet; name it so", file=path)
    return suffix


def _rules(workspace: Workspace, without: Sequence[str], changed: Sequence[str]) -> Rules:
    from memeloc.errors import InputError
    from memeloc.survey.rules import Rules, read_rules

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
    for key, value in _values(changed).items():
        rule, dot, setting = key.partition(".")
        if not dot:
            raise InputError(f"--set is RULE.SETTING=VALUE, as speed.fewest=5, not {key[:40]!r}")
        values.setdefault(rule, {})[setting] = value
    return read_rules(Rules, values)


def _values(changed: Sequence[str]) -> dict[str, Any]:
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

    from memeloc.spreadsheets import guarded, replacing

    people = {one.key: one.participant for one in report.judged}
    with replacing(path) as partial, partial.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("sheet", "submission", "participant", "rule", "evidence"))
        for one in report.set_aside:
            evidence = json.dumps(dict(one.evidence), ensure_ascii=False, sort_keys=True)
            cells = (one.sheet, one.submission, people.get(one.key, ""), one.rule, evidence)
            writer.writerow([guarded(cell) for cell in cells])


def _real_ids(workspace: Workspace, survey: Survey, exported: Sequence[Path]) -> dict[str, str]:
    """By what is stored of an id, the id, as far as Prolific's exports name it."""
    from memeloc.cli.surveying import packs_back
    from memeloc.survey.registry import importer

    people: list[Participant] = []
    reader = importer("prolific", {"made": workspace.survey_state(survey.name, "prolific")})
    pack = packs_back(workspace, survey)[0] if exported else None
    for path in exported:
        if pack is not None:
            people += reader.read(path, pack).participants
    names: dict[str, str] = {}
    for one in people:
        for plain in (one.participant, one.submission):
            if plain:
                names[plain] = names[workspace.hash_participant(plain)] = plain
    return names


def _write_decisions(path: Path, found: Sequence[Decision], names: Mapping[str, str]) -> None:
    import csv

    from memeloc.spreadsheets import guarded, replacing

    columns = ("action", "submission", "participant", "study", "sheet", "category", "message")
    with replacing(path) as partial, partial.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow((*columns, "rules"))
        for one in found:
            cells = (
                one.action,
                names.get(one.service, one.service),
                names.get(one.participant, one.participant),
                one.study,
                one.sheet,
                one.category,
                one.message,
                " ".join(one.rules),
            )
            writer.writerow([guarded(cell) for cell in cells])


def _send(
    workspace: Workspace,
    name: str,
    found: Sequence[Decision],
    names: Mapping[str, str],
    *,
    agreed: bool,
) -> Counter[str]:
    """Tell Prolific what was decided, each once; how many came to what."""
    from memeloc.cli.survey_export import WorkspaceState, api_settings
    from memeloc.survey.prolific_decide import tell
    from memeloc.survey.prolific_push import PushSettings

    def agree(counts: Mapping[str, int]) -> bool:
        said = ", ".join(f"{action} {count:,}" for action, count in sorted(counts.items()))
        say(f"Telling Prolific: {said}. This cannot be taken back.")
        return agreed or typer.confirm("Send it?", err=True)

    settings = PushSettings(
        WorkspaceState(workspace, name, "prolific"),
        api_settings(workspace.settings.survey.get("prolific", {})),
    )
    return Counter(one.outcome for one in tell(found, names, settings, agree=agree))


def _close(
    workspace: Workspace,
    name: str,
    sheets: Sequence[Sheet],
    submissions: Sequence[Submission],
) -> None:
    """Note the rounds that something came of: nothing more comes of them."""
    came = {one.sheet for one in submissions}
    rounds = [one.round for one in sheets if one.id in came]
    if rounds:
        last = max(closed_rounds(workspace, name), *rounds)
        workspace.put_survey_state(name, _CLOSED, "round", last)


def closed_rounds(workspace: Workspace, name: str) -> int:
    """The last round of which nothing more comes; 0 for none."""
    return int(workspace.survey_state(name, _CLOSED).get("round", 0))


def _pending(
    workspace: Workspace,
    name: str,
    sheets: Sequence[Sheet],
    submissions: Sequence[Submission],
) -> dict[tuple[str, str], int]:
    """Answers that are still to come, from places of sheets that are open."""
    from memeloc.survey.checking import COMPLETE
    from memeloc.survey.nouns import Check

    closed = closed_rounds(workspace, name)
    came = Counter(one.sheet for one in submissions if one.status == COMPLETE)
    found: dict[tuple[str, str], int] = defaultdict(int)
    for sheet in sheets:
        open_places = sheet.wanted - came[sheet.id]
        if sheet.round <= closed or open_places <= 0:
            continue
        for entry in sheet.entries:
            if not isinstance(entry, Check):
                found[entry.meme_id, sheet.culture.code] += open_places
    return dict(found)


def _models(answers: pd.DataFrame, survey: Survey, settled: Settled) -> pd.DataFrame:
    """Where Dawid-Skene or MACE differ from the majority."""
    import pandas as pd

    from memeloc.survey.aggregation import METHODS, aggregate, differences

    found = {}
    parts = [part for _, part in answers.groupby("culture", sort=True)] or [answers]
    with progress("Modelling", len(METHODS) * len(parts), unit="cultures") as bar:
        for method in METHODS:
            several = []
            for part in parts:
                several.append(aggregate(part, survey.taxonomy, method, seed=survey.design.seed))
                bar.advance()
            found[method.replace("-", "_")] = pd.concat(several, ignore_index=True)
    return differences(settled, **found)


def _tell_settled(
    name: str,
    codes: Sequence[str],
    settled: Settled,
    rows: Sequence[Mapping[str, Any]],
    batches: Sequence[Batch],
    apart: pd.DataFrame | None,
    as_json: bool,
) -> None:
    from memeloc.survey.settling import STATES

    found = settled.table
    states = found.groupby(["culture", "state"]).size().to_dict()
    cultures = [one for one in codes if one in set(found["culture"])]
    if as_json:
        told: dict[str, Any] = {
            "survey": name,
            "labels": list(rows),
            "states": {
                code: {state: int(states.get((code, state), 0)) for state in STATES}
                for code in cultures
            },
            "next": [
                {
                    "batch": one.id,
                    "memes": list(one.memes),
                    "cultures": list(one.cultures),
                    "answers": one.answers,
                }
                for one in batches
            ],
        }
        if apart is not None:
            told["differences"] = apart.to_dict(orient="records")
        print_json(told)
        return
    table(
        "Labels",
        ("culture", *STATES),
        [(code, *(int(states.get((code, state), 0)) for state in STATES)) for code in cultures],
    )
    if apart is not None:
        print(f"{len(apart):,} labels differ between the majority, Dawid-Skene and MACE")
        if len(apart):
            shown = apart.head(_SHOWN)
            table("Where they differ", tuple(shown.columns), shown.to_numpy().tolist())
    if batches:
        sheets = sum(len(one.cultures) for one in batches)
        places = sum(len(one.cultures) * one.answers for one in batches)
        print(
            f"Round {batches[0].round}: {len(batches):,} batches, {sheets:,} sheets for "
            f"{places:,} annotators"
        )
        print(f"Next: memeloc survey export {name} --to TARGET")
    elif settled.needs:
        print(f"{len(settled.needs):,} labels are open; --next makes batches of them")
    elif waiting := sum(found["state"].isin(_OPEN)):
        print(
            f"{waiting:,} labels are open, with answers still to come from sheets that are out: "
            "import them and settle again, with --close once no more come"
        )
