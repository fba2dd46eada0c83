"""`memeloc knowledge status`. In: stored answers. Out: how far and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, explain, show
from memeloc.counts import counted


def status(as_json: AsJson = False) -> None:
    """Say how far each extraction is, what was found, what is missing and why, and what it cost.

    Example:
      memeloc knowledge status
      memeloc knowledge status --json
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.knowledge.status()
    show(result, _sentences, _DIMENSIONS, as_json=as_json)
    if not as_json:
        for each in result["extractions"]:
            explain("Missing", each["reasons"])
            explain("", each["notes"])


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["extractions"]:
        yield "Nothing was extracted yet: memeloc knowledge extract --model NAME"
    for each in result["extractions"]:
        costs = ", ".join(f"{value:.4f} {currency}" for currency, value in each["cost"].items())
        statements = sum(dimension["statements"] for dimension in each["dimensions"])
        yield (
            f"{each['recipe']} by {each['model']}, {counted(each['memes'], 'meme')} in "
            f"{each['version'] or 'no known language'}, statements in {each['language']}: "
            f"{counted(statements, 'statement')}, {counted(each['links'], 'link')} of "
            f"{counted(each['linked'], 'meme')}; paid {costs}; last answer {each['last']}"
        )


_DIMENSIONS = Table(
    "Memes and what was found, by dimension",
    lambda result: [
        {**each, **dimension} for each in result["extractions"] for dimension in each["dimensions"]
    ],
    (
        "model memes_in=version statements_in=language dimension",
        "answered empty missing open entities relations statements",
    ),
)
