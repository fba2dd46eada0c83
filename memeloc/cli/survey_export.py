"""`memeloc survey export` and `filters`. In: a survey. Out: a target's files, forms or drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, progress, say, table
from memeloc.cli.survey_options import AsJson, Name

if TYPE_CHECKING:
    from memeloc.cli.surveying import Packed, Survey
    from memeloc.store import Workspace
    from memeloc.survey.targets.protocol import Exporter, SurveyPack


_SHOWN = 20
FILTERS = "prolific-filters.toml"
"""The workspace's file of the ids that Prolific's filters have."""


def export(
    name: Name,
    to: Annotated[
        str,
        typer.Option(
            metavar="TARGET",
            help="google-forms, prolific, label-studio, potato, html, csv or qsf (Qualtrics).",
        ),
    ],
    contact: Annotated[
        str,
        typer.Option(help="Whom annotators may ask, as they read it.", show_default="as before"),
    ] = "",
    pictures: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder that `memeloc render` made.")
    ] = Path("out"),
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to.", show_default="surveys/NAME/TARGET"),
    ] = None,
    cultures: Annotated[
        str, typer.Option(metavar="CODES", help="Only these cultures.", show_default="all")
    ] = "",
    round_: Annotated[
        str,
        typer.Option(
            "--round", metavar="N|all", help="Batches of which round.", show_default="the newest"
        ),
    ] = "",
    minutes: Annotated[
        int,
        typer.Option(
            min=0, help="Minutes that a sheet takes.", show_default="as measured, or estimated"
        ),
    ] = 0,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="A setting of the target's, which its guide names. Repeatable.",
        ),
    ] = None,
    push: Annotated[
        bool,
        typer.Option("--push", help="Make the forms at Google, or draft the studies at Prolific."),
    ] = False,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="With --push to Prolific: show the money, ask, publish."),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --publish: the money shown is agreed to.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --push: say what would be made, make nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a survey's sheets for a target: forms, studies, projects, pages or tables.

    The same survey gives the same files. What a sheet says is kept, so that its answers are read
    by the words that went out. --push never publishes a study; --publish asks first.

    \b
    Example:
      memeloc survey export pilot --to html --contact lab@university.example
      memeloc survey export pilot --to google-forms --option pictures_base=https://host/pictures
      memeloc survey export pilot --to prolific --push --dry-run
    """
    from dataclasses import replace

    from memeloc.cli.surveying import load_survey, pack_out, remember_texts
    from memeloc.errors import InputError
    from memeloc.store import Workspace
    from memeloc.survey.targets.registry import exporter

    if (publish or yes or dry_run) and not push:
        raise typer.BadParameter("goes with --push", param_hint="--publish, --yes or --dry-run")
    if push and to not in ("google-forms", "prolific"):
        raise typer.BadParameter("goes to google-forms or prolific", param_hint="--push")
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        options = {**workspace.settings.survey.get(to, {}), **read_options(option or ())}
        writer = exporter(to, options)
        contact = contact.strip() or str(workspace.survey_state(name, "export").get("contact", ""))
        if not contact:
            raise InputError("Name whom annotators may ask, as they read it: --contact ADDRESS")
        folder = out or Path("surveys") / name / to
        if not push:
            _own_folder(folder, pictures)
        chosen = _rounds(survey, round_)
        minutes = minutes or _told_minutes(workspace, survey, chosen)
        codes = [one.strip().upper() for one in cultures.split(",") if one.strip()]
        examples = len(codes or survey.design.cultures) * len(survey.taxonomy.examples)
        with progress("Rendering examples", examples) as bar:
            packed = pack_out(
                workspace,
                survey,
                pictures=pictures,
                rounds=chosen,
                cultures=codes or [one.code for one in survey.design.cultures],
                contact=contact,
                minutes=minutes,
                on_example=bar.advance,
            )
        packed = replace(packed, pack=with_state(workspace, packed.pack))
        workspace.put_survey_state(name, "export", "contact", contact)
        for batch in {sheet.batch for sheet in packed.pack.sheets}:
            workspace.put_survey_state(name, "minutes", batch, packed.pack.minutes)
        remember_texts(workspace, packed.pack)
        written = [] if push else _write(writer, packed.pack, folder)
        pushed: list[dict[str, Any]] = []
        if push:
            make = _push_forms if to == "google-forms" else _push_studies
            pushed = make(workspace, packed.pack, writer, dry_run, publish=publish, agreed=yes)
    _remarks(packed)
    sheets = packed.pack.sheets
    if as_json:
        print_json(
            {
                "survey": name,
                "target": to,
                "sheets": [one.id for one in sheets],
                "minutes": packed.pack.minutes,
                "files": [str(one) for one in written],
                "pushed": pushed,
            }
        )
        return
    if push:
        table("Made" if not dry_run else "Would be made", *_columns(pushed))
        return
    print(
        f"{len(sheets):,} sheets of {name} for {to}, {packed.pack.minutes} minutes each, "
        f"in {folder}"
    )
    for path in written[:1]:
        print(f"Open first: {path}")


def filters(
    name: Name,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file.", show_default=f"the workspace's {FILTERS}"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look up at Prolific the ids of the filters that a survey's cultures need, and keep them.

    Asks the API with the token in PROLIFIC_API_TOKEN. Choices that are not surely the right ones
    are told, and are written in by hand. `survey export --to prolific` reads the file.

    \b
    Example:
      memeloc survey filters pilot
    """
    from memeloc.cli.surveying import load_survey
    from memeloc.store import Workspace
    from memeloc.survey.targets.protocol import Lookup
    from memeloc.survey.targets.registry import make_target

    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        target = make_target("prolific", workspace.settings.survey.get("prolific", {}))
        assert isinstance(target, Lookup)
        found = target.look_up(survey.design.cultures, workspace.root or Path(), out)
    if as_json:
        print_json({"file": str(found.file), "problems": list(found.problems)})
    else:
        for problem in found.problems:
            say(problem)
        print(f"Wrote the ids of {found.count} filters to {found.file}")
    if found.problems:
        raise typer.Exit(1)


def read_options(given: Sequence[str]) -> dict[str, Any]:
    """`KEY=VALUE` as a mapping; true and false are flags.

    Raises:
        InputError: one is not written so.
    """
    from memeloc.errors import InputError

    found: dict[str, Any] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--option is KEY=VALUE, not {one[:60]!r}")
        name = key.strip().replace("-", "_")
        found[name] = {"true": True, "false": False}.get(value.strip().lower(), value.strip())
    return found


class WorkspaceState:
    """What was made at a service, kept in the workspace."""

    def __init__(self, workspace: Workspace, survey: str, target: str) -> None:
        self._workspace, self._survey, self._target = workspace, survey, target

    def get(self, key: str) -> Any:
        """What was put under a key, or None."""
        return self._workspace.survey_state(self._survey, self._target).get(key)

    def put(self, key: str, value: Any) -> None:
        """Remember a value; it is kept when this returns."""
        self._workspace.put_survey_state(self._survey, self._target, key, value)


def with_state(workspace: Workspace, pack: SurveyPack) -> SurveyPack:
    """The pack with what was made of it at services, and the workspace's folder."""
    from dataclasses import replace

    names = ("google-forms", "prolific")
    made = {target: workspace.survey_state(pack.name, target) for target in names}
    return replace(pack, made=made, root=workspace.root)


def _told_minutes(workspace: Workspace, survey: Survey, rounds: Sequence[int]) -> int:
    """The minutes that these rounds' people were told; 0 while some never went out."""
    told = workspace.survey_state(survey.name, "minutes")
    batches = [one.id for one in survey.batches if one.round in rounds]
    return (
        max((int(told.get(one, 0)) for one in batches), default=0)
        if all(one in told for one in batches)
        else 0
    )


def _own_folder(folder: Path, pictures: Path) -> None:
    """Refuse a folder that cannot take sheets.

    Raises:
        InputError: it is a file, or the pictures'.
    """
    from memeloc.errors import InputError

    if folder.exists() and not folder.is_dir():
        raise InputError("is a file; name a folder by --out", file=folder)
    if folder.resolve() == pictures.resolve():
        raise InputError("has the pictures in it; name another folder by --out", file=folder)


def _write(writer: Exporter, pack: SurveyPack, folder: Path) -> list[Path]:
    """Have the sheets written, and tell how many are."""
    from dataclasses import replace

    from memeloc.cli.surveying import CountedSheets

    with progress("Writing sheets", len(pack.sheets), unit="sheets") as bar:
        counted = CountedSheets.of(pack.sheets, bar.advance)
        return list(writer.export(replace(pack, sheets=counted), folder))


def _rounds(survey: Survey, wanted: str) -> list[int]:
    from memeloc.errors import InputError

    if not survey.rounds:
        raise InputError(f"The survey {survey.name} has no batches.")
    if not wanted:
        return [survey.rounds[-1]]
    if wanted == "all":
        return list(survey.rounds)
    if not wanted.isdecimal() or int(wanted) not in survey.rounds:
        known = ", ".join(map(str, survey.rounds))
        raise InputError(f"{survey.name} has no round {wanted[:20]!r}; it has {known}, or all.")
    return [int(wanted)]


def _push_forms(
    workspace: Workspace,
    pack: SurveyPack,
    writer: Any,
    dry_run: bool,
    *,
    publish: bool,
    agreed: bool,
) -> list[dict[str, Any]]:
    if publish or agreed:
        raise typer.BadParameter("is for Prolific; a form is open at once", param_hint="--publish")
    state = WorkspaceState(workspace, pack.name, "google-forms")
    return [dict(row) for row in writer.push(pack, state, dry_run=dry_run)]


def _push_studies(
    workspace: Workspace,
    pack: SurveyPack,
    writer: Any,
    dry_run: bool,
    *,
    publish: bool,
    agreed: bool,
) -> list[dict[str, Any]]:
    def agree(costs: str) -> bool:
        say(costs)
        return agreed or typer.confirm("Publish them?", err=True)

    state = WorkspaceState(workspace, pack.name, "prolific")
    rows = writer.push(pack, state, dry_run=dry_run, publish=publish, agree=agree)
    return [dict(row) for row in rows]


def _columns(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    columns = list(rows[0]) if rows else ["sheet"]
    return columns, [[row[column] for column in columns] for row in rows]


def _remarks(packed: Packed) -> None:
    for tag, count in packed.lacking.items():
        say(
            f"{count} texts of the survey are not translated into {tag} and are in English: "
            f"memeloc translate --kind survey --langs {tag}, then memeloc correct export "
            f"--kind survey --lang {tag}"
        )
    for meme, tag in packed.stale[:_SHOWN]:
        say(f"The picture of {meme} in {tag} shows an earlier caption; render it again.")
    if len(packed.stale) > _SHOWN:
        say(f"and {len(packed.stale) - _SHOWN:,} more such pictures")
