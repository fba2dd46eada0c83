"""`memeloc label`. In: memes, a model, a taxonomy. Out: labels; what people are to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.groups import RunByDefault
from memeloc.cli.jobs import ask_model
from memeloc.cli.options import AsJson, TakenCaptions, login
from memeloc.cli.output import say
from memeloc.cli.reports import show_report, wide_rows
from memeloc.cli.show import Table, explain, next_lines, show
from memeloc.counts import counted

app = typer.Typer(
    cls=RunByDefault,
    help="Have a language model label memes in rounds, and people what the rounds differ on.\n\n"
    "Example:\n  memeloc label --taxonomy charmemes --model MODEL --rounds 3 --dry-run\n"
    "  memeloc label --taxonomy charmemes --model MODEL --rounds 3 --budget 20\n"
    "  memeloc label status\n"
    "  memeloc label differing hard --cultures RU --people team.csv\n"
    "  memeloc label audit trial --cultures RU --people team.csv\n"
    "  memeloc label agreement trial --out audit",
)
OfTaxonomy = Annotated[
    str,
    Option(
        "--taxonomy",
        metavar="NAME",
        help="The labelling by this label set.",
        show_default="the newest",
    ),
]
OfModel = Annotated[
    str,
    Option("--model", metavar="NAME", help="The labelling by it.", show_default="the newest"),
]
OtherEqual = Annotated[
    str,
    Option(
        "--equal",
        metavar="severe|exact",
        help="When rounds are equal: in their most severe category, or also its subcategories.",
        show_default="the run's",
    ),
]
_Name = Annotated[str, Argument(help="Of the survey.")]
_Cultures = Annotated[
    str,
    Option(
        "--cultures",
        metavar="CODES",
        help="Who is asked: countries, as RU; MX=es names a language.",
    ),
]
_People = Annotated[
    Path | None,
    Option(
        "--people",
        metavar="TABLE",
        help="Who annotates, for a recipe with a named team: participant and, if wanted, group.",
    ),
]
_Recipe = Annotated[
    str,
    Option(
        "--recipe",
        metavar="NAME|FILE",
        help="The scheme of annotation.",
        show_default="the label set's, if it has one",
    ),
]


def run(
    taxonomy: str = Option(
        "charmemes", metavar="NAME|FILE", help="The label set; `memeloc survey taxonomies` lists."
    ),
    model: str = Option(
        "", metavar="NAME", help="The model, as its server names it.", show_default="memeloc.toml's"
    ),
    rounds: int = Option(3, min=1, max=20, help="How often each meme is labelled."),
    equal: Literal["severe", "exact"] = Option(
        "severe",
        metavar="severe|exact",
        help="When rounds are equal: in their most severe category, or also its subcategories.",
    ),
    temperature: float = Option(1.0, min=0, max=2, help="Of all rounds, which differ in seed."),
    seed: int = Option(0, help="Of the first round; each further one has the next."),
    prompt: str = Option(
        "taxonomy",
        metavar="NAME|FILE",
        help="taxonomy builds it from the label set, charmemes is that paper's as it is printed, a "
        "TOML is one of yours.",
    ),
    topics: Path | None = Option(
        None,
        metavar="TABLE",
        help="Ask for topics, too: the known ones, with id, name and definition.",
        show_default="no topics",
    ),
    collected: str = Option(
        "",
        metavar="selected|NAME|none",
        help="Label finished memes: those that were selected, or all of a source or dataset; none "
        "for the workspace's captions.",
        show_default="what was collected, or else the captions",
    ),
    input_: Literal["", "picture", "text", "both"] = Option(
        "",
        "--input",
        metavar="picture|text|both",
        help="What the model is given.",
        show_default="the picture of a finished meme, the text of a caption",
    ),
    lang: str = Option(
        "", metavar="TAG", help="Of the captions.", show_default="the source language"
    ),
    pictures: Path | None = Option(
        None, metavar="DIR", help="Give the model rendered captions, too: what `render` wrote."
    ),
    longest_side: int = Option(768, min=64, max=4096, help="Of the picture, in pixels."),
    budget: float | None = Option(None, min=0, help="The most that it may cost; needs prices."),
    dry_run: bool = Option(False, "--dry-run", help="Say what would be asked, at what cost."),
    as_json: AsJson = False,
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

    settings = LabelSettings(
        taxonomy=taxonomy,
        rounds=rounds,
        equal=equal,
        temperature=temperature,
        seed=seed,
        prompt=prompt,
        topics=str(topics or ""),
        collected=collected,
        input=input_,
        language=lang,
        pictures=str(pictures or ""),
        longest_side=longest_side,
    )
    with memeloc.Workspace.find() as workspace:
        labels = workspace.labels
        ask_model(
            lambda: labels.plan(settings, model=model),
            lambda report: labels.run(settings, model=model, budget=budget, on_progress=report),
            dry_run=dry_run,
            unit="answers",
            asked=lambda plan: f"to label by {plan['taxonomy']}",
            done=_done,
            as_json=as_json,
        )


def _done(result: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{result['model']} labelled {counted(result['memes'], 'meme')} by {result['taxonomy']}: "
        f"{counted(result['asked'], 'answer')} now, {result['there']:,} before"
    )
    yield from _states(result["counts"])
    if result["counts"]["missing"] == 0 and not result["stopped"]:
        yield "Next: memeloc label differing NAME, and memeloc label audit NAME"


def _states(counts: Mapping[str, int]) -> Iterator[str]:
    yield (
        "accepted {accepted:,}, differing {differing:,}, without a label in a round {no_answer:,}, "
        "not finished {missing:,}"
    ).format(**counts)
    yield (
        "equal in all rounds: {severe:,} in the most severe category, {exact:,} also in its "
        "subcategories"
    ).format(**counts)


def topics(
    filled: Path | None = Argument(None, help="A sheet that a person has filled in."),
    out: Path | None = Option(None, metavar="FILE", help="Write the sheet there: .csv."),
    person: str = Option("", help="Who filled it in.", show_default="your login"),
    taxonomy: OfTaxonomy = "",
    model: OfModel = "",
    as_json: AsJson = False,
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
            who = person or login()
            new = labels.merge_topics(filled, person=who, taxonomy=taxonomy, model=model)
            say(f"{counted(new, 'decision is', 'decisions are')} new")
        file = labels.write_topics(out, taxonomy=taxonomy, model=model) if out else None
        result = {"topics": labels.new_topics(taxonomy=taxonomy, model=model), "file": file}
        written = [f"To be filled in: {file}"] if file else []
        show(result, _TOPICS, *written, as_json=as_json)


_TOPICS = Table(
    "{n:new topic}",
    lambda result: result["topics"],
    "id name memes definition merged_into=into person",
    empty=True,
)


def status(taxonomy: OfTaxonomy = "", model: OfModel = "", as_json: AsJson = False) -> None:
    """Say how far each labelling is, what it cost, and how sure it is.

    Example:
      memeloc label status
      memeloc label status --model MODEL --json
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.status(taxonomy=taxonomy, model=model)
        show(result, _ROUNDS, _LABELS, _sentences, as_json=as_json)


def export(
    file: Path = Argument(..., help="A .csv, .jsonl or .parquet file."),
    taxonomy: OfTaxonomy = "",
    model: OfModel = "",
    equal: OtherEqual = "",
    for_analysis: bool = Option(
        False,
        "--accepted",
        help="Only the model's accepted labels, as `memeloc analyze --models` reads them.",
    ),
    survey: str = Option("", metavar="NAME", help="Only of a survey's memes.", show_default="all"),
    as_json: AsJson = False,
) -> None:
    """Write each label with who gave it: a row a meme of the model, and one of people.

    Example:
      memeloc label export labels.csv
      memeloc label export model.csv --accepted --survey pilot
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.export(
            file, taxonomy=taxonomy, model=model, equal=equal, accepted=for_analysis, survey=survey
        )
        show(result, f"{result['file']}: {counted(result['rows'], 'row')}", as_json=as_json)


def _with_model(rows: str) -> Any:
    def all_rows(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for each in result["labellings"]:
            model = {"taxonomy": each["taxonomy"], "model": each["model"]}
            yield from ({**model, **row} for row in each[rows])

    return all_rows


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
        yield from _states(counts)
        rounds = "not defined" if kappa is None else f"{kappa:.3f}"
        yield f"Fleiss' kappa of the rounds: {rounds}"
        costs = ", ".join(f"{value:.4f} {currency}" for currency, value in each["cost"].items())
        yield f"paid: {costs or 'nothing'}; last answer {each['last']}"
        if each["topics"]:
            yield f"topics of {counted(each['topics'], 'meme')}"
        for name, purpose in each["people"].items():
            what = "what rounds differ on" if purpose == "differing" else "a sample of the accepted"
            yield f"people: {name} ({what}); memeloc survey status {name}"


def differing(
    name: _Name,
    cultures: _Cultures,
    people: _People = None,
    recipe: _Recipe = "",
    show_labels: bool = Option(
        False,
        "--show",
        help="Show people what the model answered (label-studio, as predictions; csv); else it is "
        "hidden, and people judge by themselves.",
    ),
    captions: TakenCaptions = "accepted",
    seed: int = Option(0, help="Another one draws other batches."),
    taxonomy: OfTaxonomy = "",
    model: OfModel = "",
    equal: OtherEqual = "",
    as_json: AsJson = False,
) -> None:
    """Build a survey of the memes on which the model's rounds differ, or gave no label.

    It is a survey like others: export it, take the answers in, settle it. By the recipe charmemes
    two people of a team label each meme, and a session decides where they differ.

    Example:
      memeloc label differing hard --cultures RU --people team.csv
      memeloc label differing hard --cultures RU --people team.csv --show
    """
    of: dict[str, Any] = {"taxonomy": taxonomy, "model": model, "equal": equal}
    asked: dict[str, Any] = {"people": people, "recipe": recipe, "seed": seed, "captions": captions}
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.ask_people(name, cultures, show=show_labels, **of, **asked)
        _show(result, next_lines(workspace, "survey", survey=name, as_json=as_json), as_json)


def audit(
    name: _Name,
    cultures: _Cultures,
    people: _People = None,
    recipe: _Recipe = "",
    sample: int | None = Option(None, min=0, help="Memes of it; 0 for all.", show_default="200"),
    captions: TakenCaptions = "accepted",
    seed: int = Option(0, help="Another one draws another sample."),
    taxonomy: OfTaxonomy = "",
    model: OfModel = "",
    equal: OtherEqual = "",
    as_json: AsJson = False,
) -> None:
    """Build a survey of a simple random sample of what all rounds agree on; everybody labels all.

    The model's labels are hidden. `memeloc label agreement` then says how people agree with it.

    Example:
      memeloc label audit trial --cultures RU --people team.csv
      memeloc label audit trial --cultures RU --people team.csv --sample 50 --seed 7
    """
    of: dict[str, Any] = {"taxonomy": taxonomy, "model": model, "equal": equal}
    asked: dict[str, Any] = {"people": people, "recipe": recipe, "seed": seed, "captions": captions}
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.audit(name, cultures, sample=sample, **of, **asked)
        _show(result, next_lines(workspace, "survey", survey=name, as_json=as_json), as_json)


def agreement(
    name: _Name,
    out: Path | None = Option(
        None, metavar="DIR", help="Write a page with tables and plots there, too."
    ),
    as_json: AsJson = False,
) -> None:
    """Say how the people of an audit agree with the model, and with each other.

    Cohen's kappa of each person with the model, Fleiss' of the people, and who stands out.

    Example:
      memeloc label agreement trial
      memeloc label agreement trial --out audit
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.labels.audited(name)
    show_report(result, _WITH_MODEL, out=out, as_json=as_json)


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


def _show(result: dict[str, Any], further: list[str], as_json: bool) -> None:
    if not as_json:
        explain("Note", result["remarks"])
    show(
        result,
        f"{result['survey']}: {counted(result['memes'], 'meme')} in "
        f"{counted(len(result['batches']), 'batch', 'batches')}, "
        f"{counted(result['sheets'], 'sheet')} for {counted(result['annotators'], 'annotator')}",
        *further,
        as_json=as_json,
    )


for _command in (run, status, differing, audit, agreement, topics, export):
    app.command()(_command)
