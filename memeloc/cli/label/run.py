"""`memeloc label run` and `topics`. In: memes, a model, filled sheets. Out: its labels, stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.label.options import OfModel, OfTaxonomy
from memeloc.cli.options import AsJson, login
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, explain, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.label.rounds import RoundCounts
    from memeloc.workspace.labels.running import LabelPlan, LabelResult


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
        if dry_run:
            show(workspace.labels.plan(settings, model=model), _plan, as_json=as_json)
            return
        with progress(unit="answers") as bar:
            result = workspace.labels.run(
                settings, model=model, budget=budget, on_progress=bar.report
            )
    show(result, _result, as_json=as_json)
    if result.cost:
        say(result.cost)
    explain("No answer", result.problems, more=result.unanswered - len(result.problems))
    if result.stopped:
        say(f"memeloc: {result.stopped}")
    if result.stopped or result.unanswered:
        raise typer.Exit(1)


def _plan(plan: LabelPlan) -> Iterator[str]:
    there = f"; {counted(plan.there, 'answer is', 'answers are')} stored" if plan.there else ""
    yield f"{counted(plan.memes, 'meme')} to label by {plan.taxonomy}{there}"
    yield plan.model.line()
    for sample in plan.model.samples[:1]:
        yield f"\n{sample}"


def _result(result: LabelResult) -> Iterator[str]:
    yield (
        f"{result.model} labelled {counted(result.memes, 'meme')} by {result.taxonomy}: "
        f"{counted(result.asked, 'answer')} now, {result.there:,} before"
    )
    yield from states(result.counts)
    if result.counts.missing == 0 and not result.stopped:
        yield "Next: memeloc label differing NAME, and memeloc label audit NAME"


def states(counts: RoundCounts) -> Iterator[str]:
    """Sentences about what became of memes."""
    yield (
        f"accepted {counts.accepted:,}, differing {counts.differing:,}, without a label in a round "
        f"{counts.no_answer:,}, not finished {counts.missing:,}"
    )
    yield (
        f"equal in all rounds: {counts.severe:,} in the most severe category, {counts.exact:,} "
        "also in its subcategories"
    )


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
