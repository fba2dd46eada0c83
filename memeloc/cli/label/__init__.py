"""`memeloc label`. In: memes, a model, a taxonomy. Out: labels; what people are to look at."""

from __future__ import annotations

import typer

from memeloc.cli.groups import RunByDefault
from memeloc.cli.label import people, run, status

app = typer.Typer(
    cls=RunByDefault,
    help="Have a language model label memes in rounds, and people what the rounds differ on.\n\n"
    "Example:\n  memeloc label --taxonomy charmemes --model MODEL --rounds 3 --dry-run\n"
    "  memeloc label --taxonomy charmemes --model MODEL --rounds 3 --budget 20\n"
    "  memeloc label status\n"
    "  memeloc label differing hard --cultures RU --people team.csv\n"
    "  memeloc label audit trial --cultures RU --people team.csv\n"
    "  memeloc label agreement trial --out audit",
)
app.command("run")(run.run)
app.command("status")(status.status)
app.command("differing")(people.differing)
app.command("audit")(people.audit)
app.command("agreement")(people.agreement)
app.command("topics")(run.topics)
app.command("export")(status.export)
