"""`memeloc survey settle`. In: retained answers. Out: labels, and batches of what is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, progress, table
from memeloc.cli.survey_options import AsJson, Changed, Name

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.cli.surveying import Survey
    from memeloc.store import Workspace
    from memeloc.survey.labels.settling import Settled
    from memeloc.survey.model import Batch, Sheet, Submission
    from memeloc.survey.quality.rules import Settling


_SHOWN = 20
_CLOSED = "closed"
_OPEN = ("short", "tied")


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
    from memeloc.cli.survey_check import checked
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.store import Workspace
    from memeloc.survey.design.build import build_next
    from memeloc.survey.labels.second import settle_second
    from memeloc.survey.labels.settling import answers_table
    from memeloc.survey.labels.settling import settle as settle_answers
    from memeloc.survey.quality.checking import retained

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


def settling(
    workspace: Workspace, survey: Survey, changed: Sequence[str] = (), most: int | None = None
) -> Settling:
    """How a survey's answers become labels, by memeloc.toml and what was said."""
    from memeloc.cli.survey_check import set_values
    from memeloc.survey.quality.rules import Settling, read_rules

    values = {"answers": survey.design.answers, **workspace.settings.survey.get("settle", {})}
    values |= set_values(changed)
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
    from memeloc.files import replacing
    from memeloc.tables import guarded

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
    from memeloc.survey.model import Check
    from memeloc.survey.quality.checking import COMPLETE

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

    from memeloc.survey.labels.aggregation import METHODS, aggregate, differences

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
    from memeloc.survey.labels.settling import STATES

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
