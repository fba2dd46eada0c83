"""What people decide about texts. In: memes, a sheet that came back. Out: decisions, a new sheet.

The sheet is one of a review (`memeloc.curate.review`). Answers are appended to a file as they come,
the newest counts, and the next sheet has them again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from memeloc.curate.review import (
    ANSWER,
    BURNED_TEXT,
    HINT,
    UNSURE,
    find_question,
    read_review,
    write_review,
)
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.localise.localise import Decision, LocalisedMeme, text_key, text_name
from memeloc.localise.protocol import FinishedMeme
from memeloc.localise.texts import Text

SHEET, ANSWERS = "review.xlsx", ".memeloc/answers.jsonl"
"""In a folder of localised memes: the sheet, of which a filled-in one stays and the next gets a
number, and all answers that were ever given."""

_KEPT = ("subject", "answer", "content", "comment", "person")
"""What the file of answers has of each."""

_CROPS = ".memeloc/texts"
_SIDE = 320


def take_answers(out: Path, excluded: Iterable[str]) -> tuple[list[Judgement], list[InputError]]:
    """Return all answers of a folder, the oldest first, with new ones and what is excluded now.

    Their content is the `text_key` of what was asked about; empty where the sheet lost it, and for
    `--exclude`, where the text's name says which is meant.

    Raises:
        InputError: the file of answers cannot be read or written.
    """
    known = _read(out / ANSWERS)
    read, problems = dict[str, Judgement](), list[InputError]()
    for path in _sheets(out):
        answers, wrong = _of_sheet(path)
        read |= {answer.subject + answer.content: answer for answer in answers}
        problems += wrong
    new = [*read.values(), *(Judgement(name, BURNED_TEXT, "", "keep") for name in excluded)]
    latest = {answer.subject + answer.content: answer for answer in known}
    new = [answer for answer in new if latest.get(answer.subject + answer.content) != answer]
    if new:
        path = out / ANSWERS
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for answer in new:
                kept = {name: getattr(answer, name) for name in _KEPT}
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")
    return known + new, problems


def unknown_texts(names: Iterable[str], memes: Iterable[LocalisedMeme]) -> list[str]:
    """A sentence for each name that no text of the memes has."""
    known = [text_name(each.meme, text) for each in memes for text in each.texts]
    return [
        f"there is no text {name!r} to exclude; there are {', '.join(known) or 'none'}"
        for name in names
        if name not in known
    ]


def decisions(
    answers: Sequence[Judgement], meme: FinishedMeme, texts: Sequence[Text]
) -> dict[str, Decision]:
    """What was decided about the texts of a meme, by `text_key`."""
    decided: dict[str, Decision] = {}
    for text in texts:
        answer = _answer_to(answers, meme, text)
        if answer is not None and answer.answer in ("text", "keep"):
            decided[text_key(meme, text)] = "text" if answer.answer == "text" else "keep"
    return decided


def review_rows(
    localised: LocalisedMeme, answers: Sequence[Judgement], out: Path
) -> list[dict[str, Any]]:
    """What a sheet asks about a meme, with what was answered before; writes its small pictures.

    Raises:
        InputError: they cannot be written.
    """
    rows = []
    for text in localised.texts:
        answer = _answer_to(answers, localised.meme, text)
        if text.number not in localised.open and answer is None:
            continue
        rows.append(
            {
                "picture": _crop(localised.meme, text, out),
                "text": text.region.text,
                "about": localised.meme.name,
                HINT: "; ".join(text.doubts),
                ANSWER: answer.answer if answer is not None else "",
                "comment": answer.comment if answer is not None else "",
                "subject": text_name(localised.meme, text),
                "content": text_key(localised.meme, text),
            }
        )
    return rows


def write_sheet(rows: Sequence[Mapping[str, Any]], out: Path) -> Path | None:
    """Write the sheet of a folder, one that asks nothing only where there is one already.

    Return where it is, see `memeloc.sheets`, or None.

    Raises:
        InputError: it cannot be written.
    """
    if not rows and not _sheets(out):
        return None
    return write_review(find_question(BURNED_TEXT), rows, out / SHEET, "")


def _crop(meme: FinishedMeme, text: Text, out: Path) -> Path:
    """A small picture of a text with as much again around it."""
    x, y, width, height = text.region.box
    tall, wide = meme.pixels.shape[:2]
    left, top = int((x - width / 2) * wide), int((y - height) * tall)
    right, bottom = int((x + 1.5 * width) * wide) + 1, int((y + 2 * height) * tall) + 1
    box = max(left, 0), max(top, 0), min(right, wide), min(bottom, tall)
    picture = Image.fromarray(meme.pixels).crop(box)
    picture.thumbnail((_SIDE, _SIDE))
    path = out / _CROPS / f"{text_name(meme, text)}.jpg"
    with replacing(path) as temporary:
        picture.save(temporary, "JPEG", quality=85)
    return path


def _answer_to(answers: Sequence[Judgement], meme: FinishedMeme, text: Text) -> Judgement | None:
    """The newest answer about a text: what was shown counts before what it was called."""
    key, name = text_key(meme, text), text_name(meme, text)
    return next(
        (
            answer
            for answer in reversed(answers)
            if answer.content == key or (not answer.content and answer.subject == name)
        ),
        None,
    )


def _sheets(out: Path) -> list[Path]:
    """Return the sheet and those with a number, the one that was changed last at the end."""
    names = re.compile(rf"{Path(SHEET).stem}(-\d+)?\.xlsx")
    paths = [path for path in out.glob("*.xlsx") if names.fullmatch(path.name) and path.is_file()]
    return sorted(paths, key=lambda path: path.stat().st_mtime_ns)


def _of_sheet(path: Path) -> tuple[list[Judgement], list[InputError]]:
    filled, answers = read_review(path)
    if (question := filled.facts["question"]) != BURNED_TEXT:
        raise InputError(f"is a review of {question}, not of {BURNED_TEXT}", file=path)
    said = [replace(row, row=0) for row in answers if row.answer != UNSURE or row.comment]
    return said, list(filled.problems)


def _read(path: Path) -> list[Judgement]:
    if not path.is_file():
        return []
    answers = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            values: dict[str, Any] = {name: str(own) for name, own in json.loads(line).items()}
            answers.append(Judgement(question=BURNED_TEXT, **{"person": "", **values}))
        except (ValueError, TypeError, AttributeError):
            raise InputError(
                "this line is not an answer; delete it, and what it decided is asked again",
                file=path,
                row=number,
            ) from None
    return answers
