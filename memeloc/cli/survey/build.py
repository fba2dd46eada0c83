"""`memeloc survey build` and `choose`. In: memes, cultures, a design. Out: batches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Option

import memeloc
from memeloc.cli.options import AsJson, TakenCaptions, split
from memeloc.cli.output import say
from memeloc.cli.show import explain, next_lines, show
from memeloc.cli.survey.options import Name
from memeloc.counts import counted
from memeloc.workspace.acceptance import acceptance_sentences

if TYPE_CHECKING:
    from memeloc.workspace.survey_building import BuildResult


def build(
    name: Name,
    cultures: str = Option(
        ...,
        metavar="CODES",
        help="Who is asked: countries, as US,DE,MX=es; =TAG names the language where the "
        "workspace has none, or several, of that country; IN-US=hi+en are bicultural people.",
    ),
    recipe: str = Option(
        "",
        metavar="NAME|FILE",
        help="A published scheme whole: what is asked of whom, which rules hold, how labels are "
        "settled; `memeloc survey recipes` lists.",
        show_default="none",
    ),
    mode: str = Option("", help="A mode of the recipe, as dry-run.", show_default="the main one"),
    people: Path | None = Option(
        None,
        metavar="TABLE",
        help="Who annotates, for a recipe with a named team: participant and, if wanted, group.",
        show_default="whoever comes",
    ),
    taxonomy: str = Option(
        "",
        metavar="NAME|FILE",
        help="What is asked; `memeloc survey taxonomies` lists.",
        show_default="multi3hate, or the recipe's",
    ),
    size: int | None = Option(
        None, min=1, max=500, help="Memes a batch.", show_default="20, or the recipe's"
    ),
    answers: int | None = Option(
        None, min=1, help="Answers a meme and culture.", show_default="5, or the recipe's"
    ),
    explicit: int | None = Option(
        None, min=0, help="Explicit attention checks a sheet.", show_default="1, or the recipe's"
    ),
    implicit: int | None = Option(
        None, min=0, help="Implicit attention checks a sheet.", show_default="3, or the recipe's"
    ),
    sample: int | None = Option(
        None, min=0, help="So many memes, drawn; 0 for all.", show_default="all, or the recipe's"
    ),
    seed: int = Option(0, help="Another one draws other batches."),
    memes: Path | None = Option(
        None, metavar="FILE", help="Only these memes: a file with an id a line.", show_default="all"
    ),
    relaxed: str = Option(
        "IN,CN", metavar="CODES", help="Cultures whose people may live elsewhere; or none."
    ),
    differing: Path | None = Option(
        None,
        metavar="TABLE",
        help="Only memes on which a model's rounds differ: meme_id, and a column a round.",
        show_default="all",
    ),
    preannotate: bool = Option(
        False,
        "--preannotate",
        help="First ask about each meme twice, in one culture; `survey choose` goes on.",
    ),
    batches: Path | None = Option(
        None,
        metavar="TABLE",
        help="These batches instead of drawn ones: batch, meme_id and, if wanted, position and "
        "culture.",
        show_default="drawn",
    ),
    collected: str | None = Option(
        None,
        metavar="selected|NAME|none",
        help="Ask about finished memes as they are: those that were selected, or all of a source "
        "or dataset that filters keep; none for the workspace's memes, rendered.",
        show_default="none, or the recipe's",
    ),
    items: Path | None = Option(
        None,
        metavar="TABLE",
        help="Texts of the items' own: meme_id, and a column for each question that has them.",
    ),
    demographics: str = Option(
        "",
        metavar="IDS",
        help="Ask about the person at the end: gender, age, ethnicity, education, politics, "
        "religion, most-of-life; with commas between.",
        show_default="nothing",
    ),
    captions: TakenCaptions = "accepted",
    as_json: AsJson = False,
) -> None:
    """Assign memes to batches with attention checks, the same for every culture.

    The same seed gives the same batches. No two memes of one template come in a row; checks stand
    at drawn places, never first or last. A survey is never changed once it is built: build another
    under another name.

    Example:
      memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN --size 20 --seed 7
      memeloc survey build large --cultures US,DE --preannotate --demographics gender,age
      memeloc survey build fixed --cultures US,DE --batches batches.csv
      memeloc survey build harm --cultures US,DE --taxonomy harmeme --collected selected
      memeloc survey build trial --cultures US --recipe harmeme --mode dry-run --people team.csv
      memeloc survey build valid --cultures US --taxonomy my-questions.toml --items items.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.surveys.build(
            name,
            cultures,
            recipe=recipe,
            mode=mode,
            people=people,
            taxonomy=taxonomy,
            size=size,
            answers=answers,
            explicit=explicit,
            implicit=implicit,
            sample=sample,
            seed=seed,
            memes=memes,
            relaxed=relaxed,
            differing=differing,
            preannotate=preannotate,
            batches=batches,
            collected=collected,
            items=items,
            demographics=split(demographics),
            captions=captions,
        )
        further = next_lines(workspace, "survey", survey=name, as_json=as_json)
    for tag, left_out in result.left_out.items():
        say(f"{counted(len(left_out), 'meme')} without a caption in {tag} left out: {left_out[0]}")
    explain("Note", acceptance_sentences(result.acceptance))
    _show(result, further, as_json)


def choose(
    name: Name,
    total: int = Option(300, min=1, help="Memes in all."),
    harmful: float = Option(0.4, min=0, max=1, help="Share called harmful."),
    harmless: float = Option(0.4, min=0, max=1, help="Share called harmless."),
    tied: float = Option(0.2, min=0, max=1, help="Share that people differ on."),
    fewest_votes: int = Option(1, min=1, help="Votes without which a meme is not chosen."),
    as_json: AsJson = False,
) -> None:
    """Choose a balanced set by pre-annotation, and assign it to the survey's batches.

    Takes the answers of `survey build --preannotate` that `survey check` retains. Which memes of
    each kind are taken is drawn by the survey's seed, templates as evenly as they allow.

    Example:
      memeloc survey choose large --total 300
      memeloc survey choose large --total 100 --harmful 0.5 --harmless 0.5 --tied 0
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).sheets.choose(
            total, harmful=harmful, harmless=harmless, tied=tied, fewest_votes=fewest_votes
        )
        further = next_lines(workspace, "survey", survey=name, as_json=as_json)
    for kind, (taken, there) in result.outcomes.items():
        say(f"{kind}: {taken:,} of {there:,} taken")
    _show(result, further, as_json)


def _show(result: BuildResult, further: list[str], as_json: bool) -> None:
    if not as_json:
        explain("Note", result.remarks)
    there = "" if result.new else " (all of them were there)"
    show(
        result,
        f"{result.survey}: {counted(result.memes, 'meme')} in "
        f"{counted(len(result.batches), 'batch', 'batches')}, "
        f"{counted(result.sheets, 'sheet')} for {counted(result.annotators, 'annotator')}{there}",
        *further,
        as_json=as_json,
    )
