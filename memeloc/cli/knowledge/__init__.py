"""`memeloc knowledge`. In: memes, a model. Out: what they mean, dimension by dimension."""

from __future__ import annotations

import typer

from memeloc.cli.knowledge import extract, status

app = typer.Typer(
    no_args_is_help=True,
    help="What memes mean, in dimensions: extracted by a language model, as graphs and questions."
    "\n\n\b\nExample:\n  memeloc knowledge extract --model MODEL --dry-run\n"
    "  memeloc knowledge extract --model MODEL --budget 20\n"
    "  memeloc knowledge status",
)
app.command("extract")(extract.extract)
app.command("status")(status.status)
