"""`memeloc knowledge`. In: memes, a model. Out: what they mean, dimension by dimension."""

from __future__ import annotations

import typer

from memeloc.cli.knowledge import compare, extract, graphs, questions, status

app = typer.Typer(
    no_args_is_help=True,
    help="What memes mean, in dimensions: extracted by a language model, as graphs and questions."
    "\n\nExample:\n  memeloc knowledge extract --model MODEL --dry-run\n"
    "  memeloc knowledge extract --model MODEL --budget 20\n"
    "  memeloc knowledge status\n"
    "  memeloc knowledge export memes.ttl --to ttl\n"
    "  memeloc knowledge ask --model MODEL",
)
app.command("extract")(extract.extract)
app.command("status")(status.status)
app.command("export")(graphs.export)
app.command("query")(graphs.query)
app.command("check")(graphs.check)
app.command("page")(graphs.page)
app.command("compare")(compare.compare)
app.command("ask")(extract.ask)
app.command("questions")(questions.questions)
app.command("survey")(questions.survey)
app.command("validity")(questions.validity)
app.command("select")(questions.select)
