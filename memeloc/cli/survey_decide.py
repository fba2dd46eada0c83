"""`memeloc survey decide`. In: what was checked. Out: whom to approve, return or reject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import print_json, say, table
from memeloc.cli.survey_options import AsJson, Name

if TYPE_CHECKING:
    from memeloc.cli.surveying import Survey
    from memeloc.store import Workspace
    from memeloc.survey.model import Participant, Sheet
    from memeloc.survey.quality.decisions import Decision


def decide(
    name: Name,
    exported: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Prolific's export, which has the ids that are stored as hashes. Repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The list.", show_default="NAME-decisions.csv"),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(min=0, help="Minutes that a sheet takes.", show_default="as exported"),
    ] = 0,
    implicit_count: Annotated[
        bool,
        typer.Option(
            "--implicit-count", help="Implicit checks count beside a failed explicit one."
        ),
    ] = False,
    reject_fast: Annotated[
        bool,
        typer.Option("--reject-fast", help="Reject exceptionally fast ones; else they are paid."),
    ] = False,
    send: Annotated[
        bool,
        typer.Option("--send", help="Tell Prolific, after the counts were shown and agreed to."),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --send: the counts are agreed to.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List for Prolific whom to approve, ask to return, or reject with a reason.

    By Prolific's own rules on fair checks: nobody is rejected for implicit checks alone, and in
    studies of five minutes or more only for two failed checks. Most of what is set aside is paid
    all the same. Nothing is sent without --send.

    \b
    Example:
      memeloc survey decide pilot --from prolific_export_65f0.csv
      memeloc survey decide pilot --from prolific_export_65f0.csv --send
    """
    from memeloc.cli.survey_check import checked
    from memeloc.cli.survey_import import only_csv
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.store import Workspace
    from memeloc.survey.quality.decisions import decisions

    if yes and not send:
        raise typer.BadParameter("goes with --send", param_hint="--yes")
    path = out or Path(f"{name}-decisions.csv")
    only_csv(path, "--out")
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        sheets = plain_sheets(survey)
        report, _ = checked(workspace, survey, sheets)
        told = minutes or minutes_of(workspace, name, sheets)
        if not told:
            raise typer.BadParameter("how long does a sheet take?", param_hint="--minutes")
        found = decisions(
            report, sheets, told, implicit_count=implicit_count, reject_fast=reject_fast
        )
        names = _real_ids(workspace, survey, exported or ())
        _write_decisions(path, found, names)
        counts = Counter(one.action for one in found)
        sent = _send(workspace, name, found, names, agreed=yes) if send else Counter()
    if as_json:
        print_json(
            {
                "survey": name,
                "counts": dict(sorted(counts.items())),
                "decisions": [one.as_json() for one in found],
                "file": str(path),
                "sent": dict(sorted(sent.items())),
            }
        )
        return
    table("Decisions", ("action", "submissions"), sorted(counts.items()))
    unknown = sum(one.service not in names for one in found)
    if unknown:
        say(
            f"{unknown:,} have no id of Prolific's here: name its export with --from, and import "
            "it first."
        )
    print(f"Wrote {len(found):,} decisions to {path}")
    if send:
        for outcome, count in sorted(sent.items()):
            print(f"{outcome}: {count:,}")
        print(f"Sent Prolific {sent['sent']:,} of them")


def minutes_of(workspace: Workspace, name: str, sheets: Sequence[Sheet]) -> dict[str, int]:
    """By sheet id, the minutes that its people were told; sheets that never went out are not in."""
    told = workspace.survey_state(name, "minutes")
    return {one.id: int(told[one.batch]) for one in sheets if one.batch in told}


def _real_ids(workspace: Workspace, survey: Survey, exported: Sequence[Path]) -> dict[str, str]:
    """By what is stored of an id, the id, as far as Prolific's exports name it."""
    from memeloc.cli.survey_export import with_state
    from memeloc.cli.surveying import packs_back
    from memeloc.survey.targets.registry import importer

    people: list[Participant] = []
    reader = importer("prolific")
    pack = with_state(workspace, packs_back(workspace, survey)[0]) if exported else None
    for path in exported:
        if pack is not None:
            people += reader.read(path, pack).participants
    names: dict[str, str] = {}
    for one in people:
        for plain in (one.participant, one.submission):
            if plain:
                names[plain] = names[workspace.hash_participant(plain)] = plain
    return names


def _write_decisions(path: Path, found: Sequence[Decision], names: Mapping[str, str]) -> None:
    import csv

    from memeloc.files import replacing
    from memeloc.tables import guarded

    columns = ("action", "submission", "participant", "study", "sheet", "category", "message")
    with replacing(path) as partial, partial.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow((*columns, "rules"))
        for one in found:
            cells = (
                one.action,
                names.get(one.service, one.service),
                names.get(one.participant, one.participant),
                one.study,
                one.sheet,
                one.category,
                one.message,
                " ".join(one.rules),
            )
            writer.writerow([guarded(cell) for cell in cells])


def _send(
    workspace: Workspace,
    name: str,
    found: Sequence[Decision],
    names: Mapping[str, str],
    *,
    agreed: bool,
) -> Counter[str]:
    """Tell Prolific what was decided, each once; how many came to what."""
    from memeloc.cli.survey_export import WorkspaceState
    from memeloc.survey.targets.protocol import Decide
    from memeloc.survey.targets.registry import make_target

    def agree(counts: str) -> bool:
        say(counts)
        return agreed or typer.confirm("Send it?", err=True)

    target = make_target("prolific", workspace.settings.survey.get("prolific", {}))
    assert isinstance(target, Decide)
    state = WorkspaceState(workspace, name, "prolific")
    return Counter(target.decide(found, names, state, agree=agree))
