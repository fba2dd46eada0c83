"""Options of several commands of `memeloc knowledge`. In: nothing. Out: annotated types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

Model = Annotated[
    str,
    Option(
        metavar="NAME", help="The model, as its server names it.", show_default="memeloc.toml's"
    ),
]
Collected = Annotated[
    str,
    Option(
        metavar="selected|NAME|none",
        help="Ask about finished memes: those that were selected, or all of a source or dataset; "
        "none for the workspace's captions.",
        show_default="what was collected, or else the captions",
    ),
]
CaptionLang = Annotated[
    str,
    Option("--lang", metavar="TAG", help="Of the captions.", show_default="the source language"),
]
Pictures = Annotated[
    Path | None,
    Option(metavar="DIR", help="The rendered captions: what `render` wrote."),
]
StatementsLanguage = Annotated[
    str,
    Option(
        metavar="TAG",
        help="Of labels, statements and questions.",
        show_default="the meme's own, or en",
    ),
]
OfRecipe = Annotated[
    str,
    Option("--recipe", metavar="NAME", help="The extraction by it.", show_default="the newest"),
]
OfModel = Annotated[
    str,
    Option("--model", metavar="NAME", help="The extraction by it.", show_default="the newest"),
]
Budget = Annotated[float | None, Option(min=0, help="The most that it may cost.")]
AskDryRun = Annotated[bool, Option("--dry-run", help="Say what would be asked, at what cost.")]
