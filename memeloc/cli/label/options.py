"""Options that several commands of `memeloc label` have. In: nothing. Out: annotated types."""

from __future__ import annotations

from typing import Annotated

from typer import Option

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
