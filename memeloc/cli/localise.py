"""`memeloc localise`. In: finished memes. Out: templates, captions, new pictures, a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import FontFiles, TemplateFolders, languages
from memeloc.cli.output import progress
from memeloc.cli.show import Table, explain, show

if TYPE_CHECKING:
    from memeloc.workspace.localising import LocaliseResult

_TABLE = Table(
    "Finished memes",
    "pictures",
    (
        "picture",
        "file",
        ("template", lambda picture: picture.template or None),
        ("clean picture", lambda picture: picture.how or None),
        "texts",
        "translated=taken",
        "asked",
    ),
)


def _sentences(result: LocaliseResult, langs: str) -> Iterator[str]:
    if result.pictures:
        yield f"Look at them: {result.page}"
    if result.asked:
        waits = "text waits" if result.asked == 1 else "texts wait"
        yield f"{result.asked:,} {waits} for a person: answer in {result.sheet}, and run it again"
    if any(picture.taken for picture in result.pictures):
        yield f"Captions: {result.captions}; templates: {result.templates}"
        if not result.rendered:
            yield (
                "Next: correct what was read, add columns of translations, and run it again with "
                f"--langs {langs or 'de,hi'}; --with NAME translates. Or in a workspace: memeloc "
                f"import {result.captions} --templates {result.templates}"
            )


def localise(
    pictures: list[Path] | None = Argument(
        None,
        metavar="PICTURE",
        help="Files. Without any, the finished memes that the workspace has collected.",
    ),
    langs: str = Option(
        "", metavar="TAGS", help="Languages of the new pictures, as de,hi,ar.", show_default="none"
    ),
    source: str = Option("en", metavar="TAG", help="The language that the text is in."),
    out: Path = Option(
        Path("localised"), metavar="DIR", help="Folder of templates, captions and the page."
    ),
    reader: str = Option(
        "auto", "--ocr", metavar="READER", help="rapidocr, tesseract, or another that is installed."
    ),
    inpaint: str = Option(
        "auto",
        metavar="NAME|FILE",
        help="How what stood behind the text is painted: auto, laplace, telea, navier-stokes, "
        "another that is installed, or the file of an ONNX model, as LaMa's.",
    ),
    exclude: list[str] | None = Option(
        None,
        metavar="TEXT",
        help="A text that stays in the picture, as the page names it: cat.2. May be repeated.",
    ),
    watermarks: Literal["keep", "remove"] = Option(
        "keep",
        help="Sites' names and handles stay in the picture, or are painted over; nobody translates "
        "them.",
    ),
    alone: bool = Option(
        False,
        "--alone",
        help="Paint over each picture, though its template may be known, or others show it.",
    ),
    using: str = Option(
        "",
        "--with",
        metavar="NAME",
        help="The translator: google, ctranslate2, openai or pseudo, or another that is installed.",
        show_default="in a workspace what memeloc.toml says, else none",
    ),
    templates: TemplateFolders = None,
    font: FontFiles = None,
) -> None:
    """Take the text out of finished memes, and set it again in other languages.

    Text is found and read, the picture behind it is taken from a known template or from other memes
    on it, or painted, and each text becomes a box of an ordinary template and a part of a caption
    in DIR/captions.csv. What is doubtful is asked in
    DIR/review.xlsx and stays in the picture till then. Run again, it keeps what people decided,
    corrected and changed there.

    Example:
      memeloc localise meme.jpg --langs de,hi,ar --with openai
      memeloc localise *.jpg --out cats --exclude cat.2
      memeloc localise --langs de          (in a workspace: what was collected)
    """
    from memeloc.workspace.localising import ToLocalise, localise_pictures

    tags = languages(langs)
    with progress("Localising", len(pictures) if pictures else None, unit="pictures") as bar:
        if pictures:
            result = localise_pictures(
                [ToLocalise(path) for path in dict.fromkeys(pictures)],
                out,
                source=source,
                languages=tags or (),
                reader=reader,
                inpaint=inpaint,
                exclude=exclude or (),
                watermarks=watermarks,
                alone=alone,
                translator=using,
                templates=templates or (),
                fonts=font or (),
                on_progress=bar.report,
            )
        else:
            with memeloc.Workspace.find() as workspace:
                result = workspace.localising.localise(
                    out,
                    languages=tags,
                    translator=using,
                    reader=reader,
                    inpaint=inpaint,
                    exclude=exclude or (),
                    watermarks=watermarks,
                    alone=alone,
                    on_progress=bar.report,
                )
    explain("Note", result.notes)
    explain("Not translated", result.failures)
    explain("Left out", result.left_out, most=None)
    show(result, _TABLE, *_sentences(result, langs))
    problems = [f"{name}: {problem}" for name, problem in result.problems.items()]
    explain("memeloc", problems, most=None)
    if problems or result.failures:
        raise typer.Exit(1)
