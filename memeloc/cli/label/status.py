"""`memeloc label status` and `export`. In: stored labels. Out: how far and how sure; a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer import Argument, Option

import memeloc
from memeloc.cli.label.options import OfModel, OfTaxonomy, OtherEqual
from memeloc.cli.label.run import states
from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, show
from memeloc.counts import counted


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
    from memeloc.language_models.recording import sent_text

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
        yield f"{each['model']} by {each['taxonomy']}: {counted(counts.items, 'meme')}"
        yield from states(counts)
        rounds = "not defined" if kappa is None else f"{kappa:.3f}"
        yield f"Fleiss' kappa of the rounds: {rounds}"
        costs = ", ".join(f"{value:.4f} {currency}" for currency, value in each["cost"].items())
        yield f"paid: {costs or 'nothing'}; last answer {each['last']}"
        if each["topics"]:
            yield f"topics of {counted(each['topics'], 'meme')}"
        for name, purpose in each["people"].items():
            what = "what rounds differ on" if purpose == "differing" else "a sample of the accepted"
            yield f"people: {name} ({what}); memeloc survey status {name}"
