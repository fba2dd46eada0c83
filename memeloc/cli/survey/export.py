"""`memeloc survey export` and `filters`. In: a survey. Out: a target's files, forms or drafts."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Option

import memeloc
from memeloc.cli.options import AsJson, split
from memeloc.cli.output import confirm, progress, say
from memeloc.cli.show import Table, by_field, explain, next_lines, show
from memeloc.cli.survey.options import Name, changed_sentences, target_options
from memeloc.counts import counted

_PUSHED = Table(
    "At the service", "pushed", lambda result: by_field(*result.pushed[0]) if result.pushed else ()
)


def export(
    name: Name,
    to: str = Option(
        ...,
        metavar="TARGET",
        help="google-forms, prolific, label-studio, html, csv or qsf (Qualtrics).",
    ),
    contact: str = Option(
        "",
        help="Whom annotators may ask, as they read it.",
        show_default="memeloc.toml's, or as before",
    ),
    pictures: Path = Option(
        Path("out"), metavar="DIR", help="The folder that `memeloc render` made."
    ),
    out: Path | None = Option(
        None, metavar="DIR", help="Where to.", show_default="surveys/NAME/TARGET"
    ),
    cultures: str = Option("", metavar="CODES", help="Only these cultures.", show_default="all"),
    round_: str = Option(
        "", "--round", metavar="N|all", help="Batches of which round.", show_default="the newest"
    ),
    minutes: int = Option(
        0, min=0, help="Minutes that a sheet takes.", show_default="as measured, or estimated"
    ),
    option: list[str] | None = Option(
        None,
        "--option",
        metavar="KEY=VALUE",
        help="A setting of the target's, which its guide names. Repeatable.",
    ),
    push: bool = Option(
        False, "--push", help="Make the forms at Google, or draft the studies at Prolific."
    ),
    publish: bool = Option(
        False, "--publish", help="With --push to Prolific: show the money, ask, publish."
    ),
    yes: bool = Option(False, "--yes", help="With --publish: the money shown is agreed to."),
    dry_run: bool = Option(
        False, "--dry-run", help="With --push: say what would be made, make nothing."
    ),
    as_json: AsJson = False,
) -> None:
    """Write a survey's sheets for a target: forms, studies, projects, pages or tables.

    The same survey gives the same files. What a sheet says is kept, so that its answers are read
    by the words that went out. A sheet of a further round stays here when it asks about what is
    known by now. --push never publishes a study; --publish asks first. What people cannot be sent
    to yet is said with what completes it, and ends the command with status 1.

    Example:
      memeloc survey export pilot --to html --contact lab@university.example --option codes=false
      memeloc survey export pilot --to google-forms --option pictures_base=https://host/pictures
      memeloc survey export pilot --to prolific --push --dry-run
    """
    if (publish or yes or dry_run) and not push:
        raise typer.BadParameter("goes with --push", param_hint="--publish, --yes or --dry-run")
    with memeloc.Workspace.find() as workspace, progress("Exporting", None, unit="parts") as bar:
        result = workspace.survey(name).sheets.export(
            to,
            contact=contact,
            pictures=pictures,
            out=out,
            cultures=[code.upper() for code in split(cultures)],
            round=round_,
            minutes=minutes,
            options=target_options(option),
            push=push,
            publish=publish,
            agree=lambda costs: confirm(costs, "Publish them?", agreed=yes),
            dry_run=dry_run,
            on_progress=bar.report,
        )
        further = next_lines(workspace, "survey", survey=name, as_json=as_json or dry_run)
    for tag, count in result.english.items():
        say(
            f"{counted(count, 'text of the survey is', 'texts of the survey are')} "
            f"not translated into {tag} but in English: "
            f"memeloc translate --kind survey --langs {tag}, then memeloc correct export "
            f"--kind survey --langs {tag}"
        )
    if result.measured:
        say(
            f"People took {result.measured} minutes (the median of those retained), so sheets "
            f"promise and pay {result.minutes}: nobody gets less than the wage."
        )
    if result.known:
        say(
            f"Stays here, as it asks about what is known by now: {', '.join(result.known)}. What "
            f"is open of that: memeloc survey settle {name} --next"
        )
    stale = (
        f"The picture of {meme} in {tag} shows an earlier caption; render it again."
        for meme, tag in result.stale
    )
    explain("", (*stale, *changed_sentences(result.changed), *result.warnings))
    if unread := [tag for tag, readers in result.read_by.items() if not readers]:
        say(
            f"No native speaker has read what ships in {', '.join(unread)}: have it read by "
            f"memeloc correct export --kind survey --langs {unread[-1]}"
        )
    summary = (
        f"{counted(len(result.sheets), 'sheet')} of {name} for {to}, "
        f"{counted(result.minutes, 'minute')} each, in {out or Path('surveys') / name / to}"
    )
    first = [f"Open first: {path}" for path in result.files[:1]]
    further = [] if result.missing else further
    show(result, *([_PUSHED] if push else [summary, *first]), *further, as_json=as_json)
    explain("memeloc", result.missing, fail=True)


def filters(
    name: Name,
    out: Path | None = Option(
        None, metavar="FILE", help="The file.", show_default="one in the workspace"
    ),
    as_json: AsJson = False,
) -> None:
    """Look up at Prolific the ids of the filters that a survey's cultures need, and keep them.

    Asks the API with the token in PROLIFIC_API_TOKEN. Choices that are not surely the right ones
    are reported, and are written in by hand. `survey export --to prolific` reads the file.

    Example:
      memeloc survey filters pilot
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).sheets.look_up(out)
    show(result, f"Wrote the ids of {result['count']} filters to {result['file']}", as_json=as_json)
    explain("", () if as_json else result["problems"])
    if result["problems"]:
        raise typer.Exit(1)
