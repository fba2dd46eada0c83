"""`memeloc survey`. In: memes of a workspace. Out: batches, and the commands that go on from it."""

from __future__ import annotations

import typer

from memeloc.cli.survey import (
    answers,
    build,
    explain,
    export,
    labels,
    lists,
    people,
    quality,
    serve,
)

app = typer.Typer(
    no_args_is_help=True,
    help="Ask annotators of many cultures: batches with attention checks out, labels back.\n\n"
    "Example:\n  memeloc survey plan --memes 300 --cultures US,DE,MX,IN,CN\n"
    "  memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN\n"
    "  memeloc survey export pilot --to html --contact lab@university.example "
    "--option codes=false\n"
    "  memeloc survey import pilot answers/*.json\n"
    "  memeloc survey check pilot\n  memeloc survey settle pilot\n  memeloc survey status pilot",
)
app.command("taxonomies")(lists.taxonomies)
app.command("texts")(lists.texts)
app.command("recipes")(lists.recipes)
app.command("plan")(build.plan)
app.command("build")(build.build)
app.command("choose")(build.choose)
app.command("team")(lists.team)
app.command("export")(export.export)
app.command("filters")(export.filters)
app.command("serve")(serve.serve)
app.command("import")(answers.import_)
app.command("import-answers")(answers.import_answers)
app.command("check")(quality.check)
app.command("decide")(people.decide)
app.command("bonus")(people.bonus)
app.command("message")(people.message)
app.command("about")(people.about)
app.command("forget")(people.forget)
app.command("settle")(labels.settle)
app.command("decide-labels")(labels.decide_labels)
app.command("reasons")(explain.reasons)
app.command("codes")(explain.codes)
app.command("status")(quality.status)
