"""`memeloc survey`. In: memes of a workspace. Out: batches, and the commands that go on from it."""

from __future__ import annotations

import typer

from memeloc.cli.survey import answers, people, sheets

app = typer.Typer(
    no_args_is_help=True,
    help="Ask annotators of many cultures: batches with attention checks out, labels back.\n\n"
    "Example:\n  memeloc survey plan --memes 300 --cultures US,DE,MX,IN,CN\n"
    "  memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN\n"
    "  memeloc survey export pilot --to html --contact lab@university.example "
    "--set codes=false\n"
    "  memeloc survey import pilot answers/*.json\n"
    "  memeloc survey check pilot\n  memeloc survey settle pilot\n  memeloc survey status pilot",
)
for command in (
    *(sheets.show_, sheets.plan, sheets.build, sheets.choose, sheets.export, sheets.serve),
    *(answers.import_, answers.check),
    *(people.decide, people.bonus, people.message, people.about, people.forget),
    *(answers.settle, answers.decide_labels, answers.reasons, answers.status),
):
    app.command(command.__name__.rstrip("_").replace("_", "-"))(command)
