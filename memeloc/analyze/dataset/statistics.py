"""All statistics of a dataset. In: memes. Out: one `Section`, with what is not known as gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memeloc.analyze.answers import COLUMNS, Answers
from memeloc.analyze.dataset.languages import languages
from memeloc.analyze.dataset.lengths import lengths
from memeloc.analyze.dataset.memes import MEME_COLUMNS, memes_of
from memeloc.analyze.dataset.origins import origins, times
from memeloc.analyze.dataset.pictures import pictures, unread
from memeloc.analyze.dataset.words import words
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError, MissingError
from memeloc.reports.sections import Plot, Section, Table

if TYPE_CHECKING:
    import pandas as pd

_PARTS: tuple[tuple[Callable[[pd.DataFrame, Settings], Section], frozenset[str]], ...] = (
    (languages, frozenset()),
    (lengths, frozenset(("text",))),
    (origins, frozenset()),
    (pictures, frozenset()),
    (times, frozenset(("time",))),
    (words, frozenset(("text", "label"))),
    (unread, frozenset(("reading",))),
)
"""Each part, and the columns without which it is nothing."""


def describe(memes: pd.DataFrame, settings: Settings | None = None) -> Section:
    """The statistics of a table of memes, whatever annotations there are.

    Args:
        memes: with those columns of `MEME_COLUMNS` that are known.

    Raises:
        InputError: it has no column `meme`, no rows, or a number that is none.
    """
    import pandas as pd

    empty = pd.DataFrame(columns=list(COLUMNS))
    return dataset(Answers.of(empty, memes=memes), settings or Settings())


def dataset(answers: Answers, settings: Settings) -> Section:
    """The statistics of the memes of some answers, as a section of the report.

    Raises:
        InputError: nothing is known of the memes, or their table is wrong.
    """
    memes = memes_of(answers)
    tables: list[Table] = []
    plots: list[Plot] = []
    sentences = [_size(memes)]
    figures: dict[str, Any] = {"rows": len(memes), "memes": int(memes["meme"].nunique())}
    gaps = []
    for part, needed in _PARTS:
        if not needed <= set(memes):
            continue
        try:
            section = part(memes, settings)
        except (InputError, MissingError) as error:
            message = str(error).rstrip(".")
            gaps.append(f"{message[:1].upper()}{message[1:]}.")
            continue
        tables += section.tables
        plots += section.plots
        sentences += section.sentences
        figures |= section.figures
    if unknown := [name for name in MEME_COLUMNS if name not in memes]:
        gaps.append(f"Of the memes these are not known: {', '.join(unknown)}.")
    return Section(
        "dataset",
        "The dataset",
        tuple(tables),
        tuple(plots),
        tuple(sentences),
        figures,
        tuple(gaps),
    )


def _size(memes: pd.DataFrame) -> str:
    count, rows = memes["meme"].nunique(), len(memes)
    rest = f", {rows:,} with their versions in other languages" if rows > count else ""
    return f"The dataset has {count:,} memes{rest}."
