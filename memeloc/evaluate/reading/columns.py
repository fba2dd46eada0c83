"""Columns of a table of answers. In: a file, names. Out: `AnswerRow`s that know what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from memeloc.errors import InputError
from memeloc.evaluate.choices.languages import languages
from memeloc.evaluate.runs.run import INPUTS
from memeloc.tables import Table, read_table

_KNOWN = {
    "item": ("item", "id", "meme id", "meme_id", "question_id", "image_id", "img_id", "image"),
    "answer": ("response", "answer", "output", "prediction", "generated_text", "completion",
        "model_answer", "reply", "text"),
    "prompt": ("prompt", "prompt_id", "prompt_text", "question"),
    "model": ("model", "model_name"),
    "language": ("language", "lang"),
    "input": ("input",),
    "dimension": (),
    "meme": (),
    "correct": (),
}  # fmt: skip
"""Names that a column may have where none is named, best first."""

_IN_NAME = re.compile(r"[_.-]([a-z]{2,3})$")


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    """Names of columns; empty for one that is known by its name, or is not there.

    Attributes:
        item: what was asked about; answer: the model's words.
        prompt: its number or text; model: who answered; language: of the meme.
        input: what it got, `picture`, `text`, `both` or `none`; other values are passed over.
        dimension, meme, correct: of multiple choice, see `memeloc.evaluate.answers.COLUMNS`;
            `correct` is the right option's letter or text.
    """

    item: str = ""
    answer: str = ""
    prompt: str = ""
    model: str = ""
    language: str = ""
    dimension: str = ""
    meme: str = ""
    correct: str = ""
    input: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A row of a table of answers: what its columns hold, and where it stands."""

    file: Path
    row: int
    item: str
    answer: str
    prompt: str
    model: str
    language: str
    dimension: str
    meme: str
    correct: str
    options: tuple[str, ...] = ()
    input: str = ""

    def wrong(self, message: str, column: str = "") -> InputError:
        """An error in this row."""
        return InputError(message, file=self.file, row=self.row, column=column or None)


def read_rows(
    path: Path, columns: AnswerColumns, options: Sequence[str] = ()
) -> Iterator[AnswerRow]:
    """The rows of a file.

    Args:
        path: the table; a model that no column names is the file's, a language that none names is
            the end of its name (`responses_de.csv`).
        options: of multiple choice the columns with the texts of the options.

    Raises:
        InputError: a column is not there, a row is broken or names no item.
    """
    table = read_table(path)
    names = _found(table, columns)
    by_name = {name.casefold(): name for name in table.columns}
    texts = [by_name[name.casefold()] for name in options if name.casefold() in by_name]
    language = _language_of(path)
    for row in table.rows:
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        values = {role: row[name] if name else "" for role, name in names.items()}
        item = values["item"].strip()
        if not item:
            raise InputError("names no item", file=path, row=row.number, column=names["item"])
        yield AnswerRow(
            path,
            row.number,
            item.removesuffix(".0"),
            values["answer"],
            values["prompt"],
            values["model"].strip(),
            values["language"].strip() or language,
            values["dimension"].strip(),
            values["meme"].strip(),
            values["correct"].strip(),
            tuple(row[name].strip() for name in texts),
            # A column of this name may hold prompts.
            values["input"].strip() if values["input"].strip() in INPUTS else "",
        )


def _found(table: Table, columns: AnswerColumns) -> dict[str, str]:
    """By role the table's own name of its column; empty for none."""
    by_name = {name.casefold(): name for name in reversed(table.columns) if name}
    found: dict[str, str] = {}
    for field in fields(AnswerColumns):
        named = getattr(columns, field.name)
        if named and named.casefold() not in by_name:
            if field.name == "correct":
                continue  # it may be a column of the gold
            raise _missing(table, f"has no column {named[:60]!r}", field.name)
        taken = set(found.values())
        known = (by_name[name] for name in _KNOWN[field.name] if name in by_name)
        found[field.name] = (
            by_name[named.casefold()] if named else next((k for k in known if k not in taken), "")
        )
    for role in ("item", "answer"):
        if not found[role]:
            raise _missing(table, f"has no column that is known to hold the {role}", role)
    return {**dict.fromkeys(_KNOWN, ""), **found}


def _missing(table: Table, message: str, role: str) -> InputError:
    shown = ", ".join(repr(name[:40]) for name in table.columns[:12])
    return InputError(
        f"{message}; its columns are {shown}. Name one with --{role}.", file=table.path
    )


def _language_of(path: Path) -> str:
    match = _IN_NAME.search(path.stem.lower())
    return match.group(1) if match and match.group(1) in languages() else ""
