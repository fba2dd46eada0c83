"""What several `memeloc survey` commands take. In: nothing. Out: arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The survey's name.")]
Changed = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of memeloc.toml's; repeatable."),
]
