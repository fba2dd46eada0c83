"""`memeloc label topics`. In: topics that a model proposed, a filled sheet. Out: merged ones."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.label.options import OfModel, OfTaxonomy
from memeloc.cli.options import AsJson, login
from memeloc.cli.output import say
from memeloc.cli.show import Table, show
from memeloc.counts import counted


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

    \b
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
        result = {"topics": labels.new_topics(taxonomy=taxonomy, model=model)}
        if out is not None:
            labels.write_topics(out, taxonomy=taxonomy, model=model)
        show(result, _TOPICS, as_json=as_json)


_TOPICS = Table(
    "{n:new topic}",
    lambda result: result["topics"],
    "id name memes definition merged_into=into person",
    empty=True,
)
