"""The memes of a dataset. In: a frame, or answers with their versions. Out: a checked frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.analyze.answers import Answers

MEME_COLUMNS = {
    "meme": "id; a meme in several languages has a row for each",
    "text": "caption or transcript, its parts joined by ` // `; empty for none",
    "language": "BCP 47 tag; empty where it is not known",
    "dialect": "as the source or annotators name it; never guessed",
    "label": "one class of one question; empty for none",
    "source": "where it was collected",
    "keyword": "what it was found by",
    "width": "of the picture, in pixels",
    "height": "of the picture, in pixels",
    "bytes": "size of the picture's file",
    "format": "of the picture's file, such as `jpg`",
    "time": "when it was made: a year, or ISO 8601",
    "reading": "why no text was read in the picture; empty where text was read",
}
"""What a table of memes may have; only `meme` must be there."""

TEXTS = ("text", "language", "dialect", "label", "source", "keyword", "format", "time", "reading")
NUMBERS = ("width", "height", "bytes")


def checked_memes(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of `MEME_COLUMNS` that a frame has: texts without NaN, numbers with NaN for none.

    Raises:
        InputError: it has no column `meme`, no rows, or a number that is none.
    """
    import pandas as pd

    if "meme" not in frame.columns:
        columns = ", ".join(MEME_COLUMNS)
        raise InputError(f"a table of memes has the columns {columns}", column="meme")
    if not len(frame):
        raise InputError("the table of memes has no rows")
    memes = frame[[name for name in MEME_COLUMNS if name in frame.columns]].reset_index(drop=True)
    for name in ("meme", *TEXTS):
        if name in memes:
            memes[name] = memes[name].where(memes[name].notna(), "").astype(str).str.strip()
    for name in NUMBERS:
        if name in memes:
            numbers = pd.to_numeric(memes[name].replace("", None), errors="coerce").astype(float)
            wrong = numbers.isna() & memes[name].notna() & (memes[name] != "")
            if wrong.any():
                row = int(wrong.to_numpy().argmax())
                message = f"{str(memes[name][row])[:60]!r} is not a number"
                raise InputError(message, row=row + 1, column=name)
            memes[name] = numbers.where(numbers > 0)
    return memes


def memes_of(answers: Answers) -> pd.DataFrame:
    """The table of memes that goes with answers, or else what their versions tell of them.

    A version is what one culture saw: its label is the culture's majority label.

    Raises:
        InputError: neither a table of memes nor texts are known.
    """
    if answers.memes is not None:
        return checked_memes(answers.memes)
    versions = answers.versions
    if not len(versions):
        raise InputError("neither a table of memes nor the texts of the items are known")
    labels = {
        (item, culture): answers.labels[label] if label >= 0 else ""
        for item, by_culture in zip(answers.names, answers.majority, strict=True)
        for culture, label in zip(answers.cultures, by_culture, strict=True)
    }
    cells = zip(versions["item"], versions["culture"], strict=True)
    return checked_memes(
        versions[["text", "language"]].assign(
            meme=versions["item"], label=[labels.get(cell, "") for cell in cells]
        )
    )
