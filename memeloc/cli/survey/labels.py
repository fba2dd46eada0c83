"""`memeloc survey settle` and `decide-labels`. In: retained answers. Out: labels, what is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, pairs, settings
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


def _votes(row: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{question}: " + ", ".join(f"{answer} {count}" for answer, count in votes.items())
        for question, votes in row["votes"].items()
    )


_OPEN = Table("To decide", "open", ("item culture state", ("votes", _votes)), most=SHOWN)


def decide_labels(
    name: Name,
    item: str = Argument("", metavar="[ITEM]", help="The meme.", show_default="none"),
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
    as_json: AsJson = False,
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
    further = {key: [value] for key, value in pairs("--answer", answers).items()}
    given: dict[str, Any] = {"item": item, "culture": culture, "label": label, "further": further}
    given |= {"people": people, "reason": reason}
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).labels.decide(
            [given] if item else (), file=file, people=people or (), reason=reason, out=out
        )
        lines = next_lines(workspace, "settle", survey=name, as_json=as_json or out is not None)
    show(result, _OPEN, _stored, *lines, as_json=as_json)


def _stored(result: Mapping[str, Any]) -> Iterator[str]:
    if result["new"] or result["known"]:
        stored = counted(result["new"], "decision was", "decisions were")
        yield f"{stored} stored; {result['known']:,} were known"
    if result["file"] is not None:
        yield f"{counted(len(result['open']), 'row')} to be filled in: {result['file']}"
    elif not result["open"]:
        yield "Nothing is left to decide"
