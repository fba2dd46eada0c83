"""`memeloc ocr`. In: pictures that were collected, or files. Out: the text that stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.options import AsJson, Jobs, split
from memeloc.cli.output import phases, say
from memeloc.cli.show import SHOWN, Table, show

if TYPE_CHECKING:
    from memeloc.workspace.reading import ReadFiles, ReadResult

_ONLY = ("new", "textless", "all")
_NOT_READ = Table(
    "Not read", lambda result: result.not_read, (("what", "what"), ("why", "why")), most=SHOWN
)


def ocr(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...", help="Pictures to read. Without any, those of the workspace."
        ),
    ] = None,
    langs: Annotated[
        str,
        typer.Option(
            metavar="TAGS",
            help="Only pictures in these languages, commas between; a picture whose source states "
            "none is read in the first.",
            show_default="the workspace's source language, and all that are stated",
        ),
    ] = "",
    reader: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="rapidocr, tesseract, or another that is installed; auto takes for each language "
            "the one that was measured to err less.",
        ),
    ] = "auto",
    only: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="new (not read yet), textless (of those, without text from their source), or all.",
        ),
    ] = "new",
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Read the text in pictures.

    Each picture of the workspace gets a transcript, which people correct as they correct captions:
    correct export --kind transcript. Pictures in which nothing seems to be read are marked `no text
    extracted`, for a person to confirm. An interrupted run goes on where it was.

    \b
    Example:
      memeloc ocr
      memeloc ocr --langs ar --only all
      memeloc ocr meme.jpg --langs de
    """
    from memeloc.workspace import Workspace

    if only not in _ONLY:
        raise typer.BadParameter(f"one of {', '.join(_ONLY)}", param_hint="--only")
    wanted = split(langs)
    if files:
        _read_files(files, wanted[0] if wanted else "en", reader, jobs, as_json)
        return
    with Workspace.find() as workspace, phases() as report:
        result = workspace.collecting.read(
            wanted,
            reader=reader,
            only=only,  # type: ignore[arg-type]
            jobs=jobs,
            on_progress=report,
        )
    if not as_json:
        print("\n".join(_summary(result)))
    show(result, as_json=as_json, tables=[_NOT_READ])
    if result.not_read:
        raise typer.Exit(1)


def _summary(result: ReadResult) -> Iterator[str]:
    if not result.pictures and not result.not_read:
        yield "There is no picture to read: collect some, or ask for --only all."
        return
    yield f"Read {result.pictures:,} pictures, {result.remembered:,} of them before."
    for mark, count in (("no text extracted", result.no_text), ("reader unsure", result.unsure)):
        if count:
            yield f"{count:,} are marked: {mark}"
    yield "To correct: memeloc correct export --kind transcript --lang TAG"


def _read_files(
    files: Sequence[Path], language: str, reader: str, jobs: int | None, as_json: bool
) -> None:
    from memeloc.workspace.reading import read_files

    with phases() as report:
        result = read_files(files, language, reader=reader, jobs=jobs, on_progress=report)
    show(result, as_json=as_json, then=_texts)
    for picture in result.pictures:
        if picture.failure:
            named = picture.file in picture.failure
            say(picture.failure if named else f"{picture.file}: {picture.failure}")
        elif picture.marks and not as_json:
            say(f"{picture.file}: {', '.join(picture.marks)}")
    if any(picture.failure for picture in result.pictures):
        raise typer.Exit(1)


def _texts(result: ReadFiles) -> Iterator[str]:
    for picture in result.pictures:
        if picture.failure:
            continue
        if len(result.pictures) > 1:
            yield f"{picture.file}:"
        yield "\n".join(picture.parts) or "(no text)"
