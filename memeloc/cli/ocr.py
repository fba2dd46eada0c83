"""`memeloc ocr`. In: pictures that were collected, or files. Out: the text that stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import EngineName, Jobs, engine, split
from memeloc.cli.output import progress, say
from memeloc.cli.show import SHOWN, Table, show
from memeloc.counts import counted
from memeloc.ocr.transcript import NO_TEXT, UNSURE, WORDS

if TYPE_CHECKING:
    from memeloc.engine import Engine

_ONLY = ("new", "textless", "all")
_NOT_READ = Table("Not read", "not_read", "what why", most=SHOWN)


def ocr(
    files: list[Path] | None = Argument(
        None, metavar="FILE", help="Pictures to read. Without any, those of the workspace."
    ),
    langs: str = Option(
        "",
        metavar="TAGS",
        help="Only pictures in these languages, commas between; a picture whose source states "
        "none is read in the first.",
        show_default="the workspace's source language, and all that are stated",
    ),
    reader: str = Option(
        "auto",
        metavar="NAME",
        help="rapidocr, tesseract, tesseract-plain (the whole picture, as papers ran it), or "
        "another that is installed; auto takes for each language the one that was measured to err "
        "less; source reads nothing, and takes the text that came with the pictures.",
    ),
    only: str = Option(
        "new",
        metavar="WHICH",
        help="new (not read yet), textless (of those, without text from their source), or all.",
    ),
    jobs: Jobs = None,
    engine_name: EngineName = "",
) -> None:
    """Read the text in pictures.

    Each picture of the workspace gets a transcript, which people correct as they correct captions:
    correct export --kind transcript. Pictures in which nothing seems to be read are marked `no text
    extracted`, for a person to confirm. An interrupted run goes on where it was.

    Example:
      memeloc ocr
      memeloc ocr --langs ar --only all
      memeloc ocr --reader source
      memeloc ocr meme.jpg --langs de
    """
    if only not in _ONLY:
        raise typer.BadParameter(f"one of {', '.join(_ONLY)}", param_hint="--only")
    wanted = split(langs)
    if files:
        by = engine(engine_name)
        _read_files(files, wanted[0] if wanted else "en", reader, jobs, by)
        return
    with memeloc.Workspace.find() as workspace, progress() as bar:
        result = workspace.collecting.read(
            wanted,
            reader=reader,
            only=only,  # type: ignore[arg-type]
            jobs=jobs,
            engine=engine(engine_name, workspace.settings.engine),
            on_progress=bar.phase,
        )
    read = result["pictures"]
    then = [f"Read {counted(read, 'picture')}, {result['remembered']:,} of them before."]
    for name, mark in (("no_text", NO_TEXT), ("unsure", UNSURE), ("words", WORDS)):
        then += [f"{counted(result[name], 'picture')} marked: {mark}"] * bool(result[name])
    if read:
        then.append("To correct: memeloc correct export --kind transcript --langs TAG")
    if not read and not result["not_read"]:
        then = ["There is no picture to read: collect some, or ask for --only all."]
    show(result, *then, _NOT_READ)
    if result["not_read"]:
        raise typer.Exit(1)


def _read_files(
    files: Sequence[Path], language: str, reader: str, jobs: int | None, by: Engine
) -> None:
    from memeloc.ocr.reading import read_files

    with progress() as bar:
        pictures = read_files(
            files, language, reader=reader, jobs=jobs, engine=by, on_progress=bar.phase
        )
    texts = []
    for picture in pictures:
        if not picture.failure:
            texts += [f"{picture.file}:"] if len(pictures) > 1 else []
            texts.append("\n".join(picture.parts) or "(no text)")
    show({"pictures": pictures}, *texts)
    for picture in pictures:
        if picture.failure:
            named = picture.file in picture.failure
            say(picture.failure if named else f"{picture.file}: {picture.failure}")
        elif picture.marks and not output.as_json:
            say(f"{picture.file}: {', '.join(picture.marks)}")
    if any(picture.failure for picture in pictures):
        raise typer.Exit(1)
