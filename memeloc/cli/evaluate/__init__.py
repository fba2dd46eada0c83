"""`memeloc evaluate ...`. In: runs, answers, datasets. Out: how right models are.

A module a command. They share one group, so that `memeloc evaluate multi3hate` is a run.
"""

from __future__ import annotations

import typer

from memeloc.cli.evaluate.run import run
from memeloc.cli.evaluate.score import score
from memeloc.cli.evaluate.train import train
from memeloc.cli.groups import RunByDefault

app = typer.Typer(
    help="Ask models about memes, score their answers, and train baselines.",
    no_args_is_help=True,
    cls=RunByDefault,
)
app.command(name="run")(run)
app.command(name="score")(score)
app.command(name="train")(train)
