"""`memeloc survey serve`. In: a survey and its pictures. Out: a server, or personal links."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path

import typer
from typer import Option

import memeloc
from memeloc.cli.options import AsJson, pairs, settings, split
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, by_place, explain, show
from memeloc.cli.survey.options import Changed, Name
from memeloc.counts import counted

_LINKS = Table("Personal links, for one person each", "links", by_place("for", "link"))


def serve(
    name: Name,
    host: str = Option("127.0.0.1", help="Where to listen; 0.0.0.0 for every address."),
    port: int = Option(8000, min=0, max=65535, help="0 takes a free one."),
    contact: str = Option(
        "",
        help="Whom annotators may ask, as they read it.",
        show_default="memeloc.toml's, or as before",
    ),
    pictures: Path = Option(
        Path("out"), metavar="DIR", help="The folder that `memeloc render` made."
    ),
    cultures: str = Option("", metavar="CODES", help="Only these cultures.", show_default="all"),
    changed: Changed = None,
    open_: bool = Option(False, "--open", help="Open the owner's page in the browser."),
    links: list[str] | None = Option(
        None,
        metavar="CULTURE=NUMBER|team",
        help="Make so many personal links for people of a culture, and end. Repeatable; `team` "
        "makes one for each person of the survey's team.",
    ),
    as_json: AsJson = False,
) -> None:
    """Serve a survey's sheets: each person gets a place, each answer is stored when they go on.

    Who comes by the address that a Prolific study has, or by a personal link, gets a sheet, and
    goes on where they were when they come again. What they finish is a submission like all others.
    The owner's page shows how far it is; its address is printed. The table survey.serve of
    memeloc.toml has the settings: the public address, how long places are held, quotas, training,
    early ends.

    Example:
      memeloc survey serve pilot --contact lab@university.example --open
      memeloc survey serve pilot --links DE=20 --links US=20
      memeloc survey serve pilot --links team
    """
    from memeloc.studio.running import listen

    listening = None if links else listen(host, port)
    with memeloc.Workspace.find() as workspace:
        survey = workspace.survey(name)
        with progress("Preparing", None, unit="examples") as bar:
            served = survey.sheets.serve(
                contact=contact,
                pictures=pictures,
                cultures=[code.upper() for code in split(cultures)],
                settings=settings(changed),
                on_progress=bar.report,
            )
        if listening is None:
            team = links == ["team"]
            wanted = {} if team else _numbers(links or ())
            made = served.links(wanted, f"http://{host}:{port}", team=team)
            show(made, _LINKS, as_json=as_json)
            return
        from memeloc.studio.running import owner_token, run_server

        token = owner_token()
        here = f"http://{host}:{listening.getsockname()[1]}"
        page = f"{served.settings.address or here}/owner?token={token}"
        say(
            f"{name} listens at {here}, with {counted(len(served.sheets), 'sheet')}; Ctrl+C ends it"
        )
        say(f"How far it is: {page}")
        study, to_send = workspace.settings.study, served.to_send
        explain("", study.warnings(tuple(to_send.texts), to_send.contact))
        if open_:
            webbrowser.open(page)
        run_server(served, listening, token)


def _numbers(links: Sequence[str]) -> dict[str, int]:
    wanted = pairs("--links", links)
    if not all(number.isdecimal() for number in wanted.values()):
        raise typer.BadParameter("write CULTURE=NUMBER, such as DE=20", param_hint="--links")
    return {code.upper(): int(number) for code, number in wanted.items()}
