"""The benchmark's files. In: a `Selection`, pictures, captions. Out: tables, questions.json.

`questions.csv` is read by `memeloc evaluate` as it is: an item a row, its options in columns.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memeloc.files import file_sha256, replacing
from memeloc.knowledge.questions.question import MemeQuestion
from memeloc.knowledge.questions.review import LETTERS
from memeloc.knowledge.questions.selecting import Selection
from memeloc.tables.writing import write_table
from memeloc.version import __version__

QUESTIONS, LEFT_OUT, ABOUT, PICTURES = "questions.csv", "left_out.csv", "questions.json", "pictures"
COLUMNS = (
    "item", "meme", "dimension", "language", "question", *LETTERS, "correct", "explanation",
    "picture", "caption",
)  # fmt: skip
_LEFT_OUT = ("item", "meme", "dimension", "language", "question", "correct", "stage", "why")


def write_benchmark(
    selection: Selection,
    out: Path,
    pictures: Mapping[str, Path],
    captions: Mapping[str, str],
    *,
    seed: int,
    about: Mapping[str, Any],
) -> None:
    """Write the benchmark into a folder: its questions, those left out with the reason, its data.

    Args:
        pictures: by meme the file, which is copied; a meme may have none.
        captions: by meme its text.
        seed: by which options are shuffled.
        about: what questions.json says of where it comes from.

    Raises:
        InputError: a file cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    copied: dict[str, str] = {}
    for meme in dict.fromkeys(each.meme for each in selection.questions):
        if meme in pictures:
            name = file_sha256(pictures[meme])[:20]  # an id may not be the name of a file
            copied[meme] = f"{PICTURES}/{name}{pictures[meme].suffix}"
            (out / PICTURES).mkdir(exist_ok=True)
            shutil.copyfile(pictures[meme], out / copied[meme])
    rows = (_row(each, seed, copied, captions) for each in selection.questions)
    count = write_table(out / QUESTIONS, COLUMNS, rows)
    write_table(out / LEFT_OUT, _LEFT_OUT, _left_out(selection))
    values = {
        "memeloc": __version__,
        "seed": seed,
        **about,
        "questions": count,
        "memes": len({each.meme for each in selection.questions}),
        "funnel": selection.funnel(),
        "sha256": {name: file_sha256(out / name) for name in (QUESTIONS, LEFT_OUT)},
    }
    with replacing(out / ABOUT) as temporary:
        text = json.dumps(values, ensure_ascii=False, indent=2)
        temporary.write_text(text + "\n", encoding="utf-8")


def _row(
    each: MemeQuestion, seed: int, pictures: Mapping[str, str], captions: Mapping[str, str]
) -> tuple[str, ...]:
    return (
        *(each.id, each.meme, each.dimension, each.language, each.question, *each.options(seed)),
        *(each.correct, each.explanation, pictures.get(each.meme, "")),
        captions.get(each.meme, ""),
    )


def _left_out(selection: Selection) -> Iterator[tuple[str, ...]]:
    for row in selection.outcomes:
        each = row.question
        if row.outcome != "selected":
            yield (
                *(each.id, each.meme, each.dimension, each.language, each.question, each.correct),
                *(row.stage, row.outcome),
            )
