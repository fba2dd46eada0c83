"""`memeloc survey taxonomies`. In: a name. Out: the label sets, or one with all its texts."""

from __future__ import annotations

from typing import Annotated

import typer

from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, show

_TAXONOMIES = Table(
    "Taxonomies",
    lambda result: result.taxonomies,
    (
        ("name", "name"),
        ("labels", lambda taxonomy: len(taxonomy.labels)),
        ("second question", "second"),
        ("examples", "examples"),
        ("source", "source"),
    ),
)
_LABELS = Table(
    "Labels",
    lambda result: result.labels,
    (
        ("id", "id"),
        ("severity", "severity"),
        ("class", "group"),
        ("name", "name"),
        ("definition", "definition"),
    ),
)
_ANSWERS = Table(
    lambda result: f"{result.second} (after {', '.join(result.when)})",
    lambda result: result.answers.items(),
    (("id", lambda pair: pair[0]), ("name", lambda pair: pair[1])),
)
_EXAMPLES = Table(
    "Examples",
    lambda result: result.examples,
    (
        ("id", "id"),
        ("label", "label"),
        ("template", "template"),
        ("caption", "caption"),
        ("why", "why"),
    ),
)


def taxonomies(
    name: Annotated[
        str, typer.Argument(metavar="[NAME|FILE]", help="One of them.", show_default="all")
    ] = "",
    lang: Annotated[
        str, typer.Option("--lang", metavar="TAG", help="The language of the texts.")
    ] = "en",
    as_json: AsJson = False,
) -> None:
    """List the label sets that ship, or show one whole: labels, rules, examples.

    \b
    Example:
      memeloc survey taxonomies
      memeloc survey taxonomies charmemes --lang de
      memeloc survey taxonomies my-labels.toml
    """
    from memeloc.locales import default
    from memeloc.survey.overview import describe, list_taxonomies

    if not name:
        show(
            list_taxonomies(),
            as_json=as_json,
            tables=[_TAXONOMIES],
            then=lambda result: [f"Their texts are in {', '.join(result.languages)}"],
        )
        return
    result = describe(name, default().get(lang))
    if result.lacking:
        say(
            f"{result.lacking:,} of its texts are not translated into {result.language}; English "
            "is shown"
        )
    if not as_json:
        print(f"{result.name}: {result.source}", result.question, result.definition, sep="\n")
    show(
        result,
        as_json=as_json,
        tables=[_LABELS, _ANSWERS, _EXAMPLES],
        then=lambda result: [
            *(["Of labels that fit, the most severe is chosen"] if result.most_severe else []),
            *(f"Rule: {rule}" for rule in result.rules),
        ],
    )
