"""`memeloc label status` and `export`. In: stored labels. Out: how far and how sure; a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import memeloc
from memeloc.cli.label.options import OfModel, OfTaxonomy, OtherEqual
from memeloc.cli.label.run import states
from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, show
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.workspace.labels.status import LabelStatus, LabelStatusList, RoundStatus


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
        show(result, f"{result.file}: {counted(result.rows, 'row')}", as_json=as_json)


def _with_model(rows: str) -> Any:
    def all_rows(result: LabelStatusList) -> Iterator[tuple[LabelStatus, Any]]:
        for each in result.labellings:
            for row in getattr(each, rows):
                yield each, row

    return all_rows


def _sent(pair: tuple[LabelStatus, RoundStatus]) -> str:
    from memeloc.language_models.recording import sent_text

    return sent_text(pair[1].sent)


_ROUNDS = Table(
    "Rounds",
    _with_model("rounds"),
    (
        ("taxonomy", lambda pair: pair[0].taxonomy),
        ("model", lambda pair: pair[0].model),
        ("round", lambda pair: pair[1].round),
        ("sent", _sent),
        ("answered", lambda pair: pair[1].answered),
        ("refused", lambda pair: pair[1].refused),
        ("wrong", lambda pair: pair[1].wrong),
    ),
)
_LABELS = Table(
    "Labels, by their most severe category",
    _with_model("labels"),
    (
        ("model", lambda pair: pair[0].model),
        ("label", lambda pair: pair[1].label),
        ("accepted", lambda pair: pair[1].accepted),
        ("in rounds that differ", lambda pair: pair[1].differing),
    ),
)


def _sentences(result: LabelStatusList) -> Iterator[str]:
    for each in result.labellings:
        yield ""
        yield f"{each.model} by {each.taxonomy}: {counted(each.counts.items, 'meme')}"
        yield from states(each.counts)
        kappa = "not defined" if each.kappa is None else f"{each.kappa:.3f}"
        yield f"Fleiss' kappa of the rounds: {kappa}"
        costs = ", ".join(f"{value:.4f} {currency}" for currency, value in each.cost.items())
        yield f"paid: {costs or 'nothing'}; last answer {each.last}"
        if each.topics:
            yield f"topics of {counted(each.topics, 'meme')}"
        for name, purpose in each.people.items():
            what = "what rounds differ on" if purpose == "differing" else "a sample of the accepted"
            yield f"people: {name} ({what}); memeloc survey status {name}"
