"""`memeloc label`. In: memes, a model, a taxonomy. Out: labels; what people are to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.groups import RunByDefault
from memeloc.cli.jobs import ask_model
from memeloc.cli.options import (
    ASKED_MEMES,
    AskDryRun,
    Budget,
    Cultures,
    Model,
    People,
    TakenCaptions,
    login,
    option,
    taking,
)
from memeloc.cli.output import say
from memeloc.cli.reports import show_report, wide_rows
from memeloc.cli.show import Table, explain, next_lines, show
from memeloc.counts import counted

app = typer.Typer(
    cls=RunByDefault,
    help="Have a language model label memes in rounds, and people what the rounds differ on.\n\n"
    "Example:\n  memeloc label --taxonomy charmemes --model MODEL --rounds 3 --dry-run\n"
    "  memeloc label --taxonomy charmemes --model MODEL --rounds 3 --budget 20\n"
    "  memeloc label survey hard --of differing --cultures RU --people team.csv\n"
    "  memeloc label status trial --out audit",
)
_EQUAL = "When rounds are equal: in their most severe category, or also its subcategories."
_SETTINGS = [
    option(
        "taxonomy",
        "charmemes",
        "The label set; `memeloc survey show taxonomies` lists.",
        "NAME|FILE",
    ),
    option("rounds", 3, "How often each meme is labelled.", min=1, max=20),
    option("equal", "severe", _EQUAL, "severe|exact", kind=Literal["severe", "exact"]),
    option("temperature", 1.0, "Of all rounds, which differ in seed.", min=0, max=2),
    option("seed", 0, "Of the first round; each further one has the next."),
    option(
        "prompt",
        "taxonomy",
        "taxonomy builds it from the label set, charmemes is that paper's as it is printed, a TOML "
        "is one of yours.",
        "NAME|FILE",
    ),
    option(
        "topics",
        "",
        "Ask for topics, too: the known ones, with id, name and definition.",
        "TABLE",
        "no topics",
    ),
    option(
        "input",
        "",
        "What the model is given.",
        "picture|text|both",
        "the picture of a finished meme, the text of a caption",
        kind=Literal["", "picture", "text", "both"],
    ),
    *ASKED_MEMES,
]
_WHICH = [
    option("taxonomy", "", "The labelling by this label set.", "NAME", "the newest"),
    option("model", "", "The labelling by it.", "NAME", "the newest"),
]
_WHICH_EQUAL = [*_WHICH, option("equal", "", _EQUAL, "severe|exact", "the run's")]
_SURVEY = [
    ("cultures", ..., Cultures),
    ("people", None, People),
    option("recipe", "", "The scheme of annotation.", "NAME|FILE", "the label set's, if any"),
    ("captions", "accepted", TakenCaptions),
    option("seed", 0, "Another one draws other memes and batches."),
    *_WHICH_EQUAL,
]


@taking(_SETTINGS, before="budget")
def run(
    model: Model = "",
    budget: Budget = None,
    dry_run: AskDryRun = False,
    **settings: Any,
) -> None:
    """Have a language model label memes, in rounds that are compared; run may be left out.

    Where all rounds are equal their label is accepted, everything else is for people. Every answer
    is stored as it comes: the same command again asks only what is not answered yet, and what a
    model refused stays refused. What it reads in pictures becomes versions of their transcripts.

    Example:
      memeloc label run --taxonomy charmemes --model MODEL --dry-run
      memeloc label run --taxonomy charmemes --model MODEL --rounds 3 --budget 20
      memeloc label run --taxonomy multi3hate --model MODEL --collected none --lang de
      memeloc label run --model MODEL --topics topics.csv --prompt charmemes
    """
    from memeloc.workspace.labels import LabelSettings

    chosen = LabelSettings(**settings)
    with memeloc.Workspace.find() as workspace:
        labels = workspace.labels
        ask_model(
            lambda: labels.plan(chosen, model=model),
            lambda report: labels.run(chosen, model=model, budget=budget, on_progress=report),
            dry_run=dry_run,
            unit="answers",
            asked=lambda plan: f"to label by {plan['taxonomy']}",
            done=_done,
        )


def _done(result: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{result['model']} labelled {counted(result['memes'], 'meme')} by {result['taxonomy']}: "
        f"{counted(result['asked'], 'answer')} now, {result['there']:,} before"
    )
    yield _STATES.format(**result["counts"])
    if result["counts"]["missing"] == 0 and not result["stopped"]:
        yield "Next: memeloc label survey NAME --of differing, and another --of accepted"


_STATES = (
    "accepted {accepted:,}, differing {differing:,}, without a label in a round {no_answer:,}, not "
    "finished {missing:,}\nequal in all rounds: {severe:,} in the most severe category, {exact:,} "
    "also in its subcategories"
)


@taking(_WHICH, before="")
def topics(
    filled: Path | None = Argument(None, help="A sheet that a person has filled in."),
    out: Path | None = Option(None, metavar="FILE", help="Write the sheet there: .csv."),
    person: str = Option("", help="Who filled it in.", show_default="your login"),
    **which: Any,
) -> None:
    """List the new topics that a model proposed, and merge those that mean the same.

    In the sheet's column `merge into` a person writes the id of a known or of another new topic, or
    keep. Nothing is deleted: what the model answered stays, and a newer decision goes before.

    Example:
      memeloc label topics --out topics-new.csv
      memeloc label topics topics-new.csv --person Ana
    """
    with memeloc.Workspace.find() as workspace:
        labels = workspace.labels
        if filled is not None:
            new = labels.merge_topics(filled, person=person or login(), **which)
            say(f"{counted(new, 'decision is', 'decisions are')} new")
        file = labels.write_topics(out, **which) if out else None
        result = {"topics": labels.new_topics(**which), "file": file}
        written = [f"To be filled in: {file}"] if file else []
        show(result, _TOPICS, *written)


_TOPICS = Table(
    "{n:new topic}",
    "topics",
    "id name memes definition merged_into=into person",
    empty=True,
)


@taking(_WHICH, before="")
def status(
    name: str = Argument(
        "", metavar="SURVEY", help="One of accepted labels.", show_default="the labellings"
    ),
    out: Path | None = Option(
        None, metavar="DIR", help="Of a survey: write a page with tables and plots there, too."
    ),
    **which: Any,
) -> None:
    """Say how far each labelling is, what it cost, and how sure it is; or how people agree with it.

    Of a survey of accepted labels: Cohen's kappa of each person with the model, Fleiss' of the
    people, and who stands out.

    Example:
      memeloc label status
      memeloc label status trial --out audit
    """
    with memeloc.Workspace.find() as workspace:
        if not name:
            show(workspace.labels.status(**which), _ROUNDS, _LABELS, _sentences)
            return
        result = workspace.labels.audited(name)
    show_report(result, _WITH_MODEL, out=out)


@taking(_WHICH_EQUAL, before="")
def export(
    file: Path = Argument(..., help="A .csv, .jsonl or .parquet file."),
    accepted: bool = Option(
        False,
        "--accepted",
        help="Only the model's accepted labels, as `memeloc analyze --models` reads them.",
    ),
    survey: str = Option("", metavar="NAME", help="Only of a survey's memes.", show_default="all"),
    **which: Any,
) -> None:
    """Write each label with who gave it: a row a meme of the model, and one of people.

    Example:
      memeloc label export labels.csv
      memeloc label export model.csv --accepted --survey pilot
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.export(file, accepted=accepted, survey=survey, **which)
        show(result, f"{result['file']}: {counted(result['rows'], 'row')}")


def _with_model(name: str) -> Any:
    return lambda result: [
        {"taxonomy": each["taxonomy"], "model": each["model"], **row}
        for each in result["labellings"]
        for row in each[name]
    ]


def _sent(row: Mapping[str, Any]) -> str:
    from memeloc.language_models.job import sent_text

    return sent_text(row["sent"])


_ROUNDS = Table(
    "Rounds",
    _with_model("rounds"),
    ("taxonomy model round", ("sent", _sent), "answered refused wrong"),
)
_LABELS = Table(
    "Labels, by their most severe category",
    _with_model("labels"),
    ("model label accepted", ("in rounds that differ", "differing")),
)


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    for each in result["labellings"]:
        counts, kappa = each["counts"], each["kappa"]
        yield ""
        yield f"{each['model']} by {each['taxonomy']}: {counted(counts['items'], 'meme')}"
        yield _STATES.format(**counts)
        rounds = "not defined" if kappa is None else f"{kappa:.3f}"
        yield f"Fleiss' kappa of the rounds: {rounds}"
        costs = ", ".join(f"{value:.4f} {currency}" for currency, value in each["cost"].items())
        yield f"paid: {costs or 'nothing'}; last answer {each['last']}"
        if each["topics"]:
            yield f"topics of {counted(each['topics'], 'meme')}"
        for name, purpose in each["people"].items():
            what = "what rounds differ on" if purpose == "differing" else "a sample of the accepted"
            yield f"people: {name} ({what}); memeloc survey status {name}"


@taking(_SURVEY)
def survey(
    name: str = Argument(..., help="Of the survey."),
    of: Literal["differing", "accepted"] = Option(
        ..., help="What rounds differ on or gave no label; or a sample of what all agree on."
    ),
    sample: int | None = Option(
        None, min=0, help="Of the accepted: so many memes; 0 for all.", show_default="200"
    ),
    show_labels: bool = Option(
        False,
        "--show",
        help="Of differing: show people what the model answered (label-studio, as predictions; "
        "csv); else it is hidden, and people judge by themselves.",
    ),
    **options: Any,
) -> None:
    """Build a survey in which people label what a model did: what rounds differ on, or a sample.

    It is a survey like others: export it, take the answers in, settle it. By the recipe charmemes
    two people of a team label each meme that rounds differ on, and a session decides where they do;
    of the accepted everybody labels a simple random sample, the model's labels hidden, and
    `memeloc label status NAME` then says how people agree with it.

    Example:
      memeloc label survey hard --of differing --cultures RU --people team.csv
      memeloc label survey trial --of accepted --cultures RU --people team.csv --sample 50 --seed 7
    """
    from memeloc.workspace.labels import SAMPLE

    if of == "accepted":
        options |= {"purpose": "audit", "sample": SAMPLE if sample is None else sample}
    else:
        options |= {"purpose": "differing", "show": show_labels}
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.ask_people(name, **options)
        lines = next_lines(workspace, "survey", survey=name)
    explain("Note", result["remarks"])
    show(
        result,
        f"{result['survey']}: {counted(result['memes'], 'meme')} in "
        f"{counted(len(result['batches']), 'batch', 'batches')}, "
        f"{counted(result['sheets'], 'sheet')} for {counted(result['annotators'], 'annotator')}",
        *lines,
    )


_WITH_MODEL = Table(
    "People beside the model",
    lambda report: wide_rows(report, "audit-people"),
    (
        ("participant", "item"),
        ("items", lambda person: int(person["n"])),
        ("agreement", lambda person: f"{person['agreement']:.3f}"),
        ("kappa", lambda person: "" if isnan(person["kappa"]) else f"{person['kappa']:.3f}"),
        ("stands out", lambda person: "yes" if person["outlier"] else ""),
    ),
)

for _command in (run, status, survey, topics, export):
    app.command()(_command)
