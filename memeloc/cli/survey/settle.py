"""`memeloc survey settle`. In: retained answers. Out: labels, and batches of what is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Option

import memeloc
from memeloc.cli.options import AsJson, settings
from memeloc.cli.output import progress
from memeloc.cli.show import SHOWN, Table, as_plain, by_field, next_lines, show
from memeloc.cli.survey.options import Changed, Name, check_table, write_frame
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.workspace.survey_labels import SettleResult

_LABELS = Table(
    "Labels",
    lambda result: [{"culture": code, **states} for code, states in result.states.items()],
    ("culture settled short tied", ("given up", "given up"), "rejected decided"),
    empty=True,
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
    as_json: AsJson = False,
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
    with (
        memeloc.Workspace.find() as workspace,
        progress("Modelling", None, unit="models") as bar,
    ):
        result = workspace.survey(name).labels.settle(
            changes, close=close, next_round=next_, models=models, on_progress=bar.report
        )
        further = next_lines(workspace, "survey", survey=name, as_json=as_json)
    tables = ((out, result.table), (answers_out, result.answers), (people, result.people))
    files = [write_frame(path, frame) for path, frame in tables if path is not None]
    written = [f"Wrote {', '.join(map(str, files))}"] if files else []
    fields = as_plain(result) | {"files": files} if as_json else result
    show(fields, _LABELS, _DIFFERENCES, *written, _open, *further, as_json=as_json)


def _open(result: SettleResult) -> Iterator[str]:
    if result.differences is not None:
        count = len(result.differences)
        yield (
            f"{counted(count, 'label differs', 'labels differ')} between the majority, "
            "Dawid-Skene and MACE"
        )
    if result.withdrawn:
        sheets = ", ".join(result.withdrawn)
        yield f"Withdrawn, as they were to ask for more than is needed by now: {sheets}"
    if result.texts:
        many = counted(result.texts, "corrected text is", "corrected texts are")
        yield f"{many} now the transcripts of their memes"
    places = counted(result.places, "annotator")
    if cost := result.cost:
        places += f", {cost.total:,} {cost.currency} with fee and tax"
    if batches := result.next:
        number = sum(len(batch["cultures"]) for batch in batches)
        yield (
            f"Round {batches[0]['round']}: {counted(len(batches), 'batch', 'batches')}, "
            f"{counted(number, 'sheet')} for {places}"
        )
        return
    rows = Counter(row.question for row in result.discuss)
    open_labels = sum(
        states["short"] + states["tied"] + states["given up"] for states in result.states.values()
    )
    waiting = open_labels - rows["label"]
    if result.places:
        yield (
            f"{counted(result.to_ask, 'label is', 'labels are')} open; --next makes batches of "
            f"them, for {places}"
        )
    elif waiting and not result.to_ask:
        yield (
            f"{counted(waiting, 'label is', 'labels are')} open, with answers still "
            "to come from sheets that are out: "
            "import them and settle again, with --close once no more come"
        )
    if result.discuss:
        what = ", ".join(f"{count:,} of the question {name}" for name, count in rows.items())
        yield f"For a discussion, as nobody more is asked: {what}"
    if result.unsent:
        yield (
            f"{counted(len(result.unsent), 'batch', 'batches')} of round "
            f"{result.last_round} never went out"
        )
