"""A survey target outside memeloc. In: sheets, or a file of answers. Out: Markdown pages; answers.

`memeloc survey export NAME --to markdown` writes `SHEET.md` and its pictures, for any program that
shows Markdown. Answers come back as JSON Lines, an object each:

    {"markdown_sheet": "r1-b01-DE", "who": "ada", "item": "i1f0a22c9d3b4", "label": "hate"}

A label is its id or its name in the sheet's language. Copy this folder to begin a target of your
own; the contract is the docstring of `memeloc.survey.targets.protocol`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.files import copy_picture, write_text
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, as_text
from memeloc.survey.targets.protocol import RawAnswer, SheetsToSend
from memeloc.taxonomy import LABEL


class MarkdownAnswer(BaseModel):
    """One line of a file of answers."""

    markdown_sheet: str
    who: str
    item: str
    label: str
    submitted: str | None = None


class Markdown(SheetFiles):
    """Writes a Markdown page for each sheet, and reads answers to it.

    Args:
        heading: before each item, such as `Meme`; an option of the command line:
            `--set heading=Meme`.
    """

    name = "markdown"
    summary = "a Markdown page a sheet; answers as JSON Lines"
    kinds = frozenset({"choice"})

    def __init__(self, heading: str = "Meme") -> None:
        self.heading = heading

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.md`, its pictures beside it."""

        def copied(picture: Path, name: str) -> str:
            return f"pictures/{copy_picture(picture, folder / 'pictures', name)}"

        sheet = shown.sheet.id
        introduction = as_text(
            shown.sections(), lambda picture: copied(picture, f"{sheet}-{picture.stem}")
        )
        labels = " / ".join(f"{name} (`{own}`)" for own, name in shown.labels.items())
        lines = [f"# {sheet}", "", introduction, ""]
        for item in shown.items():
            # Annotators see the key, which does not tell which items are attention checks.
            lines += [f"## {self.heading} {item.number}: `{item.key}`", ""]
            if item.picture is not None:
                lines += [f"![]({copied(item.picture, item.key)})", ""]
            lines += [item.text, "", f"{shown.question} {labels}", ""]
        write_text(folder / f"{sheet}.md", "\n".join(lines))
        return folder / f"{sheet}.md"

    def recognises(self, path: Path) -> bool:
        """Whether a file begins with such an answer."""
        try:
            with path.open("rb") as file:
                return b'"markdown_sheet"' in file.readline(4096)
        except OSError:
            return False

    def read(self, path: Path, pack: SheetsToSend) -> Iterator[RawAnswer | RejectedRow]:
        """The answers of a file; what they mean, and whether they are valid, memeloc finds out."""
        for row, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            try:
                answer = MarkdownAnswer.model_validate_json(line)
            except ValidationError as error:
                message = f"It is not an answer: {error.errors()[0]['msg']}."
                yield RejectedRow("", row, "not an answer", message, {"line": line[:1000]})
                continue
            yield RawAnswer(
                answer.item,
                {LABEL: [answer.label]},
                participant=answer.who,
                sheet=answer.markdown_sheet,
                submitted=answer.submitted,
                row=row,
                content=json.loads(line),
            )
