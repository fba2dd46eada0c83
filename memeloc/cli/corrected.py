"""`memeloc correct compare` and `report`. In: what people answered. Out: who changed what."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memeloc.cli.output import print_json, table

if TYPE_CHECKING:
    from memeloc.correct.report import Judgement
    from memeloc.store import Workspace

Kind = Literal["caption", "transcript", "survey"]

_SHOWN = 50
_WHO = ("language", "round", "person")

KINDS: tuple[Kind, ...] = ("caption", "transcript", "survey")

OfKind = Annotated[
    str,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="caption; transcript, the text in pictures; or survey, the texts of surveys.",
    ),
]
OfTaxonomy = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="With --kind survey: only the texts of this taxonomy (or TOML file), and those that "
        "every survey has.",
        show_default="all",
    ),
]
Langs = Annotated[str, typer.Option(metavar="TAGS", help="Languages, with commas between; or all.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def checked_kind(kind: str) -> Kind:
    """The kind, when there is one of that name."""
    for known in KINDS:
        if kind == known:
            return known
    raise typer.BadParameter(f"one of {', '.join(KINDS)}", param_hint="--kind")


def checked_taxonomy(taxonomy: str, kind: Kind) -> str:
    """The taxonomy, when texts of surveys are what is asked for."""
    if taxonomy and kind != "survey":
        raise typer.BadParameter("only with --kind survey", param_hint="--taxonomy")
    return taxonomy


def compare(
    langs: Langs = "all",
    memes: Annotated[
        str, typer.Option(metavar="IDS", help="Only these memes, with commas between.")
    ] = "",
    changed: Annotated[
        bool, typer.Option("--changed", help="Only answers that changed something.")
    ] = False,
    kind: OfKind = "caption",
    as_json: AsJson = False,
) -> None:
    """Show who changed what, caption by caption.

    \b
    Example:
      memeloc correct compare --langs hi --changed
    """
    from memeloc.correct.compare import edits
    from memeloc.store import Workspace

    wanted = {one.strip() for one in memes.split(",") if one.strip()}
    rows: list[dict[str, object]] = []
    with Workspace.find() as workspace:
        for one in _judgements(workspace, langs, checked_kind(kind)):
            if (wanted and one.meme_id not in wanted) or (changed and one.before == one.after):
                continue
            pairs = zip(one.before, one.after, strict=False)
            found = [edit for before, after in pairs for edit in edits(before, after, one.locale)]
            rows.append(
                {
                    "meme_id": one.meme_id,
                    "language": one.locale.tag,
                    "round": one.round,
                    "person": one.person,
                    "status": one.status,
                    "before": " // ".join(one.before),
                    "after": " // ".join(one.after),
                    "edits": [[edit.before, edit.after] for edit in found],
                    "comment": one.comment,
                }
            )
    if as_json:
        print_json({"answers": rows})
        return
    columns = ("meme_id", "language", "round", "person", "status", "before", "after")
    table("Who changed what", columns, [[row[name] for name in columns] for row in rows[:_SHOWN]])  # type: ignore[misc]
    if len(rows) > _SHOWN:
        print(f"and {len(rows) - _SHOWN:,} more; --json lists them all")


def report(
    langs: Langs = "all",
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as a page, too.")
    ] = None,
    kind: OfKind = "caption",
    as_json: AsJson = False,
) -> None:
    """Say what correction taught: how much was touched, by whom, how far, and what most often.

    HTER is the share of words that had to be edited, chrF the likeness of the texts before and
    after; both are sacreBLEU's.

    \b
    Example:
      memeloc correct report
      memeloc correct report --langs hi,zh --to report.html
    """
    from memeloc.correct.report import make_report
    from memeloc.correct.report_page import report_page
    from memeloc.store import Workspace

    with Workspace.find() as workspace:
        made = make_report(_judgements(workspace, langs, checked_kind(kind)))
        locales = [workspace.locale(row.language) for row in made.rows]
    if to is not None:
        page = report_page(
            made,
            {locale.tag: locale.native_name for locale in locales},
            {locale.tag: locale.direction for locale in locales},
        )
        temporary = to.with_name(f".{to.name}.{os.getpid()}")
        temporary.write_text(page, encoding="utf-8")
        temporary.replace(to)
    if as_json:
        print_json(made.as_json())
        return
    table(
        "What correction changed",
        (*_WHO, "answered", "as it was", "corrected", "given up", "HTER %", "chrF"),
        [
            (
                row.language,
                row.round,
                row.person,
                row.seen,
                row.untouched,
                row.corrected,
                sum(row.given_up.values()),
                round(row.hter, 1),
                round(row.chrf, 1),
            )
            for row in made.rows
        ],
    )
    if made.agreements:
        table(
            "Two people, the same captions",
            ("language", "round", "people", "both", "equal", "chrF"),
            [
                (
                    language,
                    round_,
                    f"{found.one}, {found.other}",
                    found.both,
                    found.equal,
                    round(found.chrf, 1),
                )
                for language, round_, found in made.agreements
            ],
        )
    if to is not None:
        print(f"The page: {to}")


def _judgements(workspace: Workspace, langs: str, kind: Kind) -> list[Judgement]:
    """Everybody's standing answers, with what their sheets showed."""
    from memeloc.correct.report import Judgement

    wanted = None
    if langs != "all":
        wanted = {workspace.locale(tag.strip()).tag for tag in langs.split(",") if tag.strip()}
    shown = {}
    found = []
    for one in workspace.corrections(kind=kind):
        if not one.standing or (wanted is not None and one.language not in wanted):
            continue
        if one.sheet_id not in shown:
            shown[one.sheet_id] = workspace.sheet_items(one.sheet_id)
        sent = shown[one.sheet_id].get(one.meme_id)
        if sent is not None:
            found.append(
                Judgement(
                    meme_id=one.meme_id,
                    locale=workspace.locale(one.language),
                    round=one.round,
                    person=one.person,
                    status=one.status,  # type: ignore[arg-type]
                    before=sent.base.parts,
                    after=one.parts,
                    comment=one.comment,
                )
            )
    return found
