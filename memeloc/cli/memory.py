"""`memeloc memory`. In: TMX files, and what people accepted. Out: that, as TMX."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import print_json, say

if TYPE_CHECKING:
    from memeloc.model import Locale
    from memeloc.store import Kind, Workspace
    from memeloc.translate import MemoryUnit

app = typer.Typer(no_args_is_help=True, help="Exchange the translation memory with other programs.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def target_languages(
    workspace: Workspace, langs: str, source: Locale | None = None
) -> list[Locale]:
    """The languages to translate into, each once, without the source.

    Args:
        workspace: whose settings name them when `langs` is empty.
        langs: tags with commas between.
        source: the language to translate from; None is the workspace's.

    Raises:
        InputError: a tag is unknown, or there is no language.
    """
    from memeloc.errors import InputError

    tags = [tag.strip() for tag in langs.split(",") if tag.strip()]
    wanted = [workspace.locale(tag) for tag in tags] if tags else list(workspace.languages)
    source = source or workspace.source
    found = {locale.tag: locale for locale in wanted if locale.tag != source.tag}
    if not found:
        raise InputError(
            "there is no language to translate into: give --langs de,es, or set languages in "
            "memeloc.toml"
        )
    return list(found.values())


def units_of(
    workspace: Workspace,
    languages: list[Locale],
    kind: Kind = "caption",
    source: Locale | None = None,
) -> Iterator[MemoryUnit]:
    """The workspace's memory of these languages, oldest first; of a kind, from its language."""
    from memeloc.model import Caption
    from memeloc.translate import unit_of

    for locale in languages:
        for unit in workspace.memory(locale.tag, source.tag if source else None, kind):
            yield unit_of(
                Caption(unit.source),
                Caption(unit.target),
                unit.source_language,
                unit.language,
                unit.origin,
            )


@app.command("import")
def import_memory(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A TMX file of any program.")],
    as_json: AsJson = False,
) -> None:
    """Add a TMX file to the workspace's translation memory.

    Taken are its units from the workspace's source language into the languages that memeloc knows.

    \b
    Example:
      memeloc memory import memes.tmx
    """
    import hashlib
    from datetime import UTC, datetime

    from memeloc.store import FileRecord, MemoryUnit, Workspace
    from memeloc.translate.tmx import Imported, read_tmx

    outcome = Imported()
    with Workspace.find() as workspace:
        now = datetime.now(UTC)
        units = [
            MemoryUnit(
                unit.source_language,
                unit.language,
                unit.source,
                unit.target,
                file.name,
                "",
                "",
                now,
            )
            for unit in read_tmx(
                file,
                source_language=workspace.source.tag,
                locales=workspace.locales,
                outcome=outcome,
            )
        ]
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        added = workspace.add_memory(units, FileRecord("memory", file.name, digest, len(units)))
    if as_json:
        print_json({"units": outcome.units, "new": added, "skipped": outcome.skipped})
    else:
        print(f"{outcome.units:,} units, {added:,} of them new")
    for reason, count in outcome.skipped.items():
        say(f"{count:,} passed over: {reason}")


@app.command("export")
def export_memory(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The TMX file to write.")],
    langs: Annotated[
        str,
        typer.Option(
            metavar="TAGS", help="Languages, as de,es.", show_default="all of the workspace's"
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write the workspace's translation memory as TMX 1.4.

    \b
    Example:
      memeloc memory export memes.tmx --langs de,es
    """
    from memeloc.store import Workspace
    from memeloc.translate.tmx import write_tmx

    with Workspace.find() as workspace:
        units = units_of(workspace, target_languages(workspace, langs))
        count = write_tmx(units, file, source_language=workspace.source.tag)
    if as_json:
        print_json({"units": count, "file": str(file)})
    else:
        print(f"Wrote {count:,} units to {file}")
