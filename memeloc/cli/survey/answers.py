"""`memeloc survey` from answers to labels and reasons. In: files that came back. Out: tables."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import ColumnMapOption, DryRun, column_map, pairs, settings, split
from memeloc.cli.output import progress, say
from memeloc.cli.show import (
    SHOWN,
    Table,
    as_plain,
    by_field,
    by_place,
    explain,
    getter,
    next_lines,
    show,
)
from memeloc.cli.survey.options import (
    AGREEMENT,
    Changed,
    Name,
    cause_sentences,
    changed_sentences,
    check_table,
    target_options,
    write_frame,
)
from memeloc.counts import counted
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.survey.targets.returned import ImportResult


def import_(
    name: Name,
    files: list[Path] = Argument(
        ..., metavar="FILE", help="Files that came back, or folders of them."
    ),
    kind: str = Option(
        "",
        "--from",
        metavar="KIND",
        help="google-forms, prolific, label-studio, html, csv, qsf; or answers, a table of others.",
        show_default="what its content shows",
    ),
    option: list[str] | None = Option(
        None,
        "--set",
        metavar="KEY=VALUE",
        help="Of the kind, as zone=Europe/Berlin for times of a table of Google Forms.",
    ),
    map_: ColumnMapOption = None,
    taxonomy: str = Option(
        "",
        metavar="NAME|FILE",
        help="With --map: whose labels the answers of a new survey are.",
        show_default="multi3hate",
    ),
    answers: int = Option(
        5, min=1, help="With --map: answers that a new survey wants of an item and culture."
    ),
    ids: str = Option(
        "",
        metavar="OWNER",
        help="To whom people's numbers belong: culture, file or everybody. Said once.",
        show_default="asked for where a number is in several",
    ),
    left: Path | None = Option(None, metavar="FILE", help="Write the rejected rows to this table."),
    dry_run: DryRun = False,
) -> None:
    """Take in answers, and what a recruitment service reports of people.

    Of a folder every file is taken that holds answers.
    The same file twice, or an older one later, changes nothing: of a person and sheet, what was
    sent last counts. People's ids are stored as hashes under a key (MEMELOC_SURVEY_KEY, or
    survey.key in the workspace). What cannot be placed is listed with its row, and kept.

    Answers that were collected elsewhere (--from answers, or --map) are a table with a row each of
    who, what and how: --map names its columns annotator, item, label, culture, time, those of
    further questions (question.ID=COLUMN) and of facts about people (demographics.FACT=COLUMN).
    They make a survey, or are added to one. Labels are ids, names, or what the map says; what is
    neither is rejected with its row, and kept.

    Example:
      memeloc survey import pilot answers/*.json
      memeloc survey import pilot responses.csv prolific_export.csv
      memeloc survey import pilot answers/ --from csv --left left.csv
      memeloc survey import published answers.csv --map "annotator=Annotator ID,label=Hate"
    """
    check_table(left)
    is_table = bool(map_) or kind == "answers"
    if is_table and len(files) != 1:
        raise typer.BadParameter("name one table", param_hint="FILE")
    with memeloc.Workspace.find() as workspace, progress("Importing", None, unit="files") as bar:
        if is_table:
            result = workspace.surveys.import_answers(
                name,
                files[0],
                column_map(map_),
                taxonomy=taxonomy,
                answers=answers,
                ids=ids,
                dry_run=dry_run,
            )
        else:
            result = workspace.survey(name).answers.import_files(
                files,
                kind=kind,
                options=target_options(option),
                ids=ids,
                dry_run=dry_run,
                on_progress=bar.report,
            )
        is_stored = bool(result.files) and not result.problems and not dry_run
        next_line = next_lines(workspace, "survey", survey=name, quiet=not is_stored)
    _show_imported(result, next_line, left, dry_run=dry_run)
    explain("memeloc", result.problems, fail=True)


_MOST_FILES = 8
"""Files of which each has a line; of more, as of a folder, their sum."""
_REJECTED = Table(
    "Rejected, and kept",
    lambda result: result.rejected_by_reason.items(),
    by_place("reason", "rows"),
)
_COUNTED = ("submissions", "answers", "new", "participants", "rejected")


def _show_imported(
    result: ImportResult,
    next_line: list[str],
    left: Path | None,
    *,
    dry_run: bool,
) -> None:
    """Show a line a file (of many files a line a kind), which rows were rejected, and why."""
    rows = list(result.files)
    heading = "file kind"
    if len(rows) > _MOST_FILES:
        kinds: dict[str, Counter[str]] = defaultdict(Counter)
        for row in rows:
            kinds[row["kind"]].update({name: row[name] or 0 for name in _COUNTED}, files=1)
        rows = [{"kind": kind, **sums} for kind, sums in kinds.items()]
        heading = "kind files"
    title = "Would be imported" if dry_run else "Imported"
    numbers = "submissions answers new people=participants rejected"
    lines = ["Nothing is stored; the same without --dry-run stores it"] if dry_run else next_line
    if left is not None:
        left = _write_rejected(left, result)
        lines = [*lines, f"Wrote {counted(len(result.rejected), 'rejected row')} to {left}"]
    table = Table(title, lambda _: rows, f"{heading} {numbers}")
    fields = as_plain(result) | {"left": left} if output.as_json else result
    show(fields, table, _REJECTED, *lines)
    if output.as_json:
        return
    for file in result.files:
        if file["made"]:
            forms = counted(file["made"], "form")
            say(f"{file['file']}: studies for Prolific lead to these {forms} from now on")
        elif not (file["submissions"] or file["participants"] or file["rejected"]):
            say(f"{file['file']}: holds no answers")
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for rejected in result.rejected:
        alike[rejected.file, rejected.message].append(rejected.row)
    reasons = []
    for (path, message), numbers_of in alike.items():
        more = f" and {len(numbers_of) - 1:,} more" * (len(numbers_of) > 1)
        reasons.append(f"{path}, row {numbers_of[0]}{more}: {message}")
    explain("", reasons)
    if len(result.rejected) > min(SHOWN, len(alike)):
        say("--left FILE writes them all")
    if erased := sum(file["erased"] or 0 for file in result.files):
        say(f"{counted(erased, 'row is', 'rows are')} left out, of people who were erased")
    if result.passed_over:
        files = counted(len(result.passed_over), "file")
        were = "was" if len(result.passed_over) == 1 else "were"
        first = result.passed_over[0]
        say(f"{files} of no kind that comes back {were} passed over: {first} the first")


def _write_rejected(path: Path, result: ImportResult) -> Path:
    from memeloc.sheets import write_sheet_table

    cells = []
    for row in result.rejected:
        content = json.dumps(dict(row.content), ensure_ascii=False, default=str)
        cells.append((row.file, str(row.row), row.reason, row.message, content))
    return write_sheet_table(path, ("file", "row", "reason", "message", "content"), cells)[0]


_CHECKED = (
    Table(
        "Retained",
        lambda result: [(code, *counts) for code, counts in result["by_culture"].items()],
        (
            *by_place("culture"),
            ("submissions", 2),
            ("retained", 1),
            ("excluded", lambda row: row[2] - row[1]),
        ),
        empty=True,
    ),
    Table("Excluded by", lambda result: result["by_rule"].items(), by_place("rule", "submissions")),
    AGREEMENT,
    Table(
        "Who agrees least with the majority of the others",
        lambda result: sorted(
            (
                {**person, "culture": part.culture, "question": part.question}
                for part in result["agreement"]
                for person in part.measures["rest"]
                if person["kappa"] is not None
            ),
            key=lambda row: row["kappa"],
        ),
        (
            "culture question participant items",
            ("agree", lambda row: f"{row['agreement']:.0%}"),
            ("kappa", lambda row: f"{row['kappa']:.3f}"),
        ),
        most=10,
    ),
    Table(
        "To look at; nobody is excluded for it",
        lambda result: sorted(Counter(warning.rule for warning in result["warnings"]).items()),
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
    rules: dict[str, dict[str, Any]] = defaultdict(dict)
    for key, value in settings(changed).items():
        rule, dot, setting = key.partition(".")
        if not dot:
            raise InputError(f"--set is RULE.SETTING=VALUE, as speed.fewest=5, not {key[:40]!r}")
        rules[rule][setting] = value
    with memeloc.Workspace.find() as workspace:
        checked = workspace.survey(name).answers.check(
            rules, without=without or (), exclude=exclude or (), keep=keep or (), why=why
        )
        result = checked.summary()
        next_line = next_lines(workspace, "survey", survey=name)
    lines = [f"{result['retained']:,} of {counted(result['submissions'], 'submission')} retained"]
    if out is not None:
        result["file"] = write_frame(out, checked.table)
        number = counted(len(result["set_aside"]), "exclusion")
        lines.insert(0, f"Wrote {number} to {result['file']}")
    elif output.as_json:
        result["file"] = None
    show(result, *_CHECKED, *lines, cause_sentences, *next_line)
    if result["absent"]:
        many = counted(len(result["absent"]), "person is", "people are")
        say(f"{many} at the service, and no answers of theirs came.")


_TEAM = Table(
    "{n:sheet} for {0[people]:person|people}",
    "sheets",
    ("place participant sheet round memes", ("came", lambda row: "yes" if row["came"] else "no")),
)
_PROGRESS = (
    "sheets annotators sent retained places_left=places answers_wanted=wanted in=answered kept"
)


def _labels(states: str, *, empty: bool = False) -> Table:
    """Return the table of labels by culture and state, from the field with their counts."""
    return Table(
        "Labels",
        lambda result: [
            {"culture": code, **counts} for code, counts in getter(states)(result).items()
        ],
        ("culture settled short tied", *by_field("given up"), "rejected decided"),
        empty=empty,
    )


def status(
    name: str = Argument("", metavar="NAME", help="The survey's name.", show_default="all"),
    wage: str = Option("", help="Pay an hour, for money.", show_default="memeloc.toml's, or 10.65"),
    by: Literal["culture", "batch", "sheet", "person"] = Option("culture", help="Lines of what."),
    people: Path | None = Option(
        None,
        metavar="TABLE",
        help="With --by person: the team's table, for names; hashes are kept.",
    ),
) -> None:
    """Say how far a survey is: answers wanted, in and retained; ties; agreement; money.

    Money is counted from what Prolific's export says of each submission, at the reward of the wage
    and the minutes that went out. --by person says who of a named team is to fill which sheet, and
    whose answers came.

    Example:
      memeloc survey status
      memeloc survey status pilot --by sheet
      memeloc survey status trial --by person --people team.csv
    """
    with memeloc.Workspace.find() as workspace:
        if not name:
            surveys = workspace.surveys.summaries()
            fields = "survey taxonomy cultures memes batches rounds submissions"
            none = "There is no survey yet; `memeloc survey build` makes one"
            views = [] if surveys["surveys"] else [none]
            show(surveys, Table("Surveys", "surveys", fields), *views)
            return
        if by == "person":
            show(workspace.survey(name).people.team(people), _TEAM)
            return
        result = workspace.survey(name).status(wage=wage)
    lines = result["batches" if by == "batch" else f"{by}s"]
    parts = Table(
        f"{name}, of {counted(len(result['batches']), 'batch', 'batches')}",
        lambda result: (*lines, result["whole"]),
        ((by, "name"), _PROGRESS),
    )
    aside = Table("Excluded by", lambda _: result["aside"].items(), by_place("rule", "submissions"))
    show(result, parts, _labels("labels"), AGREEMENT, aside, _status_remarks)


def _status_remarks(result: Any) -> Iterator[str]:
    yield from (*changed_sentences(result["changed"]), *cause_sentences(result))
    if money := result["money"]:
        yield (
            f"Money, fee included, without the tax on it: {money['paid']:,} {result['currency']} "
            f"spent, {money['owed']:,} owed, {money['running']:,} for people who are at it, "
            f"{money['to_come']:,} for the places left"
        )
    shortest_first = sorted(result["shortfalls"], key=lambda row: row["measured"])
    for row in {row["culture"]: row for row in shortest_first}.values():
        yield (
            f"{row['culture']}: people took {row['measured']} minutes (the median of "
            f"{row['people']:,} retained) and were promised {row['promised']}; "
            f"`memeloc survey bonus {result['survey']}` makes up for it"
        )


_DIFFERENCES = Table(
    "Where they differ",
    lambda result: result.differences or (),
    lambda result: by_field(*result.differences[0]) if result.differences else (),
    most=SHOWN,
)


def settle(
    name: Name,
    changed: Changed = None,
    most: int | None = Option(
        None, min=0, help="Answers after which a tie is given up; 0 for any number."
    ),
    close: bool = Option(
        False,
        "--close",
        help="Nothing more comes for sheets that are out; ask for what is missing.",
    ),
    next_: bool = Option(False, "--next", help="Make batches of what is short or tied."),
    models: bool = Option(False, "--models", help="Beside the majority, Dawid-Skene and MACE."),
    out: Path | None = Option(
        None, metavar="FILE", help="Write the labels: .csv, .jsonl or .parquet."
    ),
    answers_out: Path | None = Option(
        None, "--answers", metavar="FILE", help="Write the retained answers, a row each."
    ),
    people: Path | None = Option(
        None,
        metavar="FILE",
        help="Write what is known of the retained people: their own answers, and the service's.",
    ),
) -> None:
    """Settle retained answers into one label a meme and culture; say what is open.

    The label is the one with most votes; "I don't know" is an answer and no vote; a tie is no
    label. With --next, memes short of answers or tied become the next batches, less the places that
    are still open, until there is a majority or the limit of answers; how many people that takes,
    and their pay where a wage is named, is said with and without it. A sheet that was planned,
    and that asks for more than is needed by now, is withdrawn. Numbers stand in the table
    survey.settle of memeloc.toml.

    Example:
      memeloc survey settle pilot --out labels.csv
      memeloc survey settle pilot --close --next
      memeloc survey settle pilot --models
      memeloc survey settle pilot --answers answers.csv --people people.csv
    """
    check_table(out, answers_out, people)
    changes = settings(changed) | ({} if most is None else {"most": most})
    with memeloc.Workspace.find() as workspace, progress("Modelling", None, unit="models") as bar:
        result = workspace.survey(name).labels.settle(
            changes, close=close, next_round=next_, models=models, on_progress=bar.report
        )
        next_line = next_lines(workspace, "survey", survey=name)
    tables = ((out, result.table), (answers_out, result.answers), (people, result.people))
    files = [write_frame(path, frame) for path, frame in tables if path is not None]
    lines = [f"Wrote {', '.join(map(str, files))}"] if files else []
    fields = as_plain(result) | {"files": files} if output.as_json else result
    labels = _labels("states", empty=True)
    show(fields, labels, _DIFFERENCES, *lines, _open, *next_line)


def _open(result: Any) -> Iterator[str]:
    if result.differences is not None:
        labels = counted(len(result.differences), "label differs", "labels differ")
        yield f"{labels} between the majority, Dawid-Skene and MACE"
    if result.withdrawn:
        sheets = ", ".join(result.withdrawn)
        yield f"Withdrawn, as they were to ask for more than is needed by now: {sheets}"
    if result.texts:
        many = counted(result.texts, "corrected text is", "corrected texts are")
        yield f"{many} now the transcripts of their memes"
    places = counted(result.places, "annotator")
    if cost := result.cost:
        places += f", {cost['total']:,} {cost['currency']} with fee and tax"
    if batches := result.next:
        many = counted(len(batches), "batch", "batches")
        sheets = counted(sum(len(batch["cultures"]) for batch in batches), "sheet")
        yield f"Round {batches[0]['round']}: {many}, {sheets} for {places}"
        return
    if result.cause:
        yield from cause_sentences(result)
        return
    to_discuss = Counter(row.question for row in result.discuss)
    waiting = -to_discuss["label"]
    for counts in result.states.values():
        waiting += counts["short"] + counts["tied"] + counts["given up"]
    if result.places:
        labels = counted(result.to_ask, "label is", "labels are")
        yield f"{labels} open; --next makes batches of them, for {places}"
    elif waiting and not result.to_ask:
        yield (
            f"{counted(waiting, 'label is', 'labels are')} open, with answers still "
            "to come from sheets that are out: "
            "import them and settle again, with --close once no more come"
        )
    if to_discuss:
        what = ", ".join(f"{count:,} of the question {name}" for name, count in to_discuss.items())
        yield f"For a discussion, as nobody more is asked: {what}"
    if result.unsent:
        many = counted(len(result.unsent), "batch", "batches")
        yield f"{many} of round {result.last_round} never went out"


def _votes(row: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{question}: " + ", ".join(f"{answer} {count}" for answer, count in votes.items())
        for question, votes in row["votes"].items()
    )


_TO_DECIDE = Table("To decide", "open", ("item culture state", ("votes", _votes)), most=SHOWN)


def decide_labels(
    name: Name,
    item: str = Argument("", metavar="ITEM", help="The meme.", show_default="none"),
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
    others = {key: [value] for key, value in pairs("--answer", answers).items()}
    decision: dict[str, Any] = {"item": item, "culture": culture, "label": label}
    decision |= {"further": others, "people": people, "reason": reason}
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).labels.decide(
            [decision] if item else (), file=file, people=people or (), reason=reason, out=out
        )
        next_line = next_lines(workspace, "settle", survey=name, quiet=bool(out))
    lines = []
    if result["new"] or result["known"]:
        stored = counted(result["new"], "decision was", "decisions were")
        lines.append(f"{stored} stored; {result['known']:,} were known")
    if result["file"] is not None:
        lines.append(f"{counted(len(result['open']), 'row')} to be filled in: {result['file']}")
    elif not result["open"]:
        lines.append("Nothing is left to decide")
    show(result, _TO_DECIDE, *lines, *next_line)


def reasons(
    name: Name,
    person: str = Option(
        "", metavar="NAME", help="Who fills the sheet in, or has filled it in; with --codes, codes."
    ),
    out: Path | None = Option(
        None, metavar="FILE", help="Write a sheet: .xlsx (with pictures) or .csv."
    ),
    files: list[Path] | None = Option(
        None, "--from", metavar="FILE", help="A sheet that came back. Repeatable."
    ),
    pair: str = Option(
        "", metavar="A,B", help="The two cultures.", show_default="those that agree least"
    ),
    codes: bool = Option(
        False, "--codes", help="Go on to the reasons' codes and themes, of --codebook."
    ),
    codebook: str = Option("multi3hate", metavar="BOOK", help="A shipped one, or a TOML file."),
) -> None:
    """Ask people who know two cultures why these label memes differently (multi3hate 4.3).

    The sheet has every meme whose labels differ, both versions and both labels, and a cell for a
    reason in one's own words. It comes back in any order, half filled in, any number of times.
    Without a file the reasons are listed.

    With --codes the sheet is for a coder, of the only pair that there are reasons about; a second
    coder gets one without the first one's codes. Several codes of a reason have semicolons between;
    a code that the codebook lacks is kept, and named. Without a file the shares of themes and the
    agreement of coders are shown.

    Example:
      memeloc survey reasons pilot --pair US,IN --person anna --out reasons-anna.xlsx
      memeloc survey reasons pilot --from reasons-anna.xlsx
      memeloc survey reasons pilot --codes --person ben --out codes-ben.xlsx
      memeloc survey reasons pilot --codes --from codes-ben.xlsx
    """
    from memeloc.analyze.codebook import load_codebook

    names = split(pair)
    if names and len(names) != 2:
        raise typer.BadParameter("two cultures, with a comma between", param_hint="--pair")
    two = (names[0], names[1]) if names else None
    if out and not person:
        raise typer.BadParameter("goes with --out", param_hint="--person")
    book = load_codebook(codebook)
    with memeloc.Workspace.find() as workspace:
        analysis = workspace.survey(name).analysis
        if codes and files:
            _show_sheet(analysis.import_codes(files, person, two, book), "coded reason")
        elif codes and out:
            _show_sheet(analysis.export_codes(out, person, two, book), "reason")
        elif codes:
            _show_themes(analysis.themes(two, book))
        elif files:
            _show_sheet(analysis.import_reasons(files, person), "reason")
        elif out:
            result = analysis.export_reasons(out, person, two)
            _show_sheet(result, "meme whose labels differ", "memes whose labels differ")
        else:
            listed = {"survey": name, "reasons": analysis.reasons(two)}
            table = Table("Reasons", "reasons", ("item person", ("reason", "text")), most=SHOWN)
            empty = [] if listed["reasons"] else ["There are no reasons yet"]
            show(listed, table, *empty)


def _show_themes(figures: pd.DataFrame) -> None:
    from memeloc.reports.figures import gaps, of_analysis

    explain("Gap", gaps(figures))
    if output.as_json:
        show(figures)
        return
    shares = of_analysis(figures, "codebook", "share")
    shares = shares[shares["item"] == ""]
    kappas = of_analysis(figures, "codebook", "kappa")
    share, kappa = (
        (heading, lambda row, form=form: format(row.value, form))
        for heading, form in (("share", ".1%"), ("kappa", ".3f"))
    )
    show(
        figures,
        Table("Themes", lambda _: shares.itertuples(), ("theme=group", share)),
        Table(
            "Agreement of coders",
            lambda _: kappas.itertuples(),
            ("of=item coders=group reasons=n", kappa),
        ),
    )


def _show_sheet(result: Mapping[str, Any], noun: str, plural: str = "") -> None:
    """Say what was read of the sheets that came back, or written into one that goes out."""
    if "pair" in result:
        first, second = result["pair"]
        rows = counted(result["rows"], noun, plural)
        text = f"Wrote {rows}, of {first} and {second}, to {result['file']}"
    else:
        files = counted(len(result["files"]), "file")
        text = f"{counted(result['read'], noun)} in {files}, {result['new']:,} new"
    show(result, text)
