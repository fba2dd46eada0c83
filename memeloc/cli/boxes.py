"""`memeloc boxes`. In: a rendered set. Out: where its words are, to train OCR with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from typer import Argument, Option

from memeloc.cli.options import AsJson, languages
from memeloc.cli.show import show
from memeloc.counts import counted


def boxes(
    out: Path = Argument(
        ..., metavar="DIR", help="What `memeloc render --out` wrote: a folder, or its address."
    ),
    to: Path = Option(Path("coco-text.json"), metavar="FILE", help="The file to write."),
    kind: Literal["coco-text"] = Option(
        "coco-text", "--format", metavar="KIND", help="coco-text: JSON as COCO-Text v2 has it."
    ),
    langs: str = Option("all", metavar="TAGS", help="Languages to take, as de,zh; or all."),
    as_json: AsJson = False,
) -> None:
    """Export the words of a rendered set with their boxes, to train or test OCR with.

    The manifest has them, too: in words, word_boxes, word_lines and line_boxes, in pixels and in
    the order in which they are read.

    \b
    Example:
      memeloc boxes out
      memeloc boxes out --langs hi,ar --to hi-ar.json
    """
    from memeloc.render.sets.coco_text import write_coco_text

    written = write_coco_text(out, to, languages(langs))
    sentence = (
        f"{counted(written.words, 'word')} of {counted(written.pictures, 'picture')}: "
        f"{written.file}"
    )
    show(written, sentence, as_json=as_json)
