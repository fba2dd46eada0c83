"""`memeloc label differing`, `audit`, `agreement`. In: labels of a model. Out: surveys; kappas."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

import memeloc
from memeloc.cli.label.options import OfModel, OfTaxonomy, OtherEqual
from memeloc.cli.options import AsJson, TakenCaptions
from memeloc.cli.reports import show_report, wide_rows
from memeloc.cli.show import Table, explain, next_lines, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.workspace.stored_survey import BuildResult

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


def _show(result: BuildResult, further: list[str], as_json: bool) -> None:
    if not as_json:
        explain("Note", result.remarks)
    show(
        result,
        f"{result.survey}: {counted(result.memes, 'meme')} in "
        f"{counted(len(result.batches), 'batch', 'batches')}, "
        f"{counted(result.sheets, 'sheet')} for {counted(result.annotators, 'annotator')}",
        *further,
        as_json=as_json,
    )
