"""Languages, scripts and dialects. In: memes. Out: how many texts are in each, and what share.

charmemes A gives the shares of languages and of memes without a caption, araharmeme C those of
dialects.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from memeloc.agreement.measures import majorities
from memeloc.agreement.ratings import Ratings
from memeloc.analyze.dataset.tables import counted_shares, share_columns
from memeloc.analyze.settings import Settings
from memeloc.locales.tags import count_scripts
from memeloc.reports.sections import Bars, Section, Table

if TYPE_CHECKING:
    import pandas as pd

NO_TEXT = "no text"
UNKNOWN = "not known"


def languages(memes: pd.DataFrame, settings: Settings) -> Section:
    """Shares of languages, scripts and dialects, as far as the columns are there."""
    tables, plots, sentences = [], [], []
    if "language" in memes:
        frame = counted_shares(_languages(memes), "language")
        method = f"Of {len(memes):,} texts; the language is the one that the table names."
        tables.append(Table("languages", "Languages", frame, share_columns("language"), method))
        bars = frame.set_index("language")[["share"]]
        plots.append(Bars("languages", "Languages", bars, "share of texts", method))
        sentences.append(_sentence(frame, "language", "texts", len(memes)))
    if "text" in memes:
        tables.append(_scripts(memes["text"]))
    if "dialect" in memes:
        frame = counted_shares(memes["dialect"].replace("", UNKNOWN), "dialect")
        method = (
            f"Of {len(memes):,} texts, as a column of the table or annotators name it; a dialect "
            "is never guessed (araharmeme C)."
        )
        tables.append(Table("dialects", "Dialects", frame, share_columns("dialect"), method))
        sentences.append(_sentence(frame, "dialect", "texts", len(memes)))
    return Section(
        "languages", "Languages", tuple(tables), tuple(plots), tuple(filter(None, sentences))
    )


def with_dialects(memes: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Memes with the dialect that most annotators named; of a tie there is none.

    Args:
        memes: with the column `meme`.
        answers: a long table with `item`, `participant` and `label`, the dialect.

    Raises:
        InputError: a column is missing, or a person named two dialects of one item.
    """
    ratings = Ratings.of(answers)
    items = sorted({str(item) for item in answers["item"][answers["label"].notna()]})
    names = np.array([*ratings.labels, ""], dtype=object)
    by_item = dict(zip(items, names[majorities(ratings.counts)], strict=False))
    return memes.assign(dialect=[by_item.get(str(meme), "") for meme in memes["meme"]])


def _languages(memes: pd.DataFrame) -> pd.Series[str]:
    named = memes["language"].replace("", UNKNOWN)
    return named.where(memes["text"] != "", NO_TEXT) if "text" in memes else named


def _scripts(texts: pd.Series[str]) -> Table:
    """The script that most letters of a text have, and how many texts mix it with others."""
    import pandas as pd

    counts = [count_scripts(unicodedata.normalize("NFC", text)) for text in texts]
    script = [
        count.most_common(1)[0][0] if count else (UNKNOWN if text else NO_TEXT)
        for count, text in zip(counts, texts, strict=True)
    ]
    frame = counted_shares(pd.Series(script, dtype=object), "script")
    mixed = pd.Series([len(count) > 1 for count in counts]).groupby(script).sum()
    frame["mixed"] = [int(mixed[name]) for name in frame["script"]]
    columns = {
        **share_columns("script"),
        "script": "ISO 15924; kanji and kana are letters of two scripts",
        "mixed": "texts that have letters of other scripts, too",
    }
    method = (
        f"Of {len(texts):,} texts: the script of most of the letters, by Unicode's property Script."
    )
    return Table("scripts", "Scripts", frame, columns, method)


def _sentence(frame: pd.DataFrame, name: str, kind: str, total: int) -> str:
    shown = [f"{row[name]} {row['share']:.1%}" for _, row in frame.head(6).iterrows()]
    return f"By {name}, the {total:,} {kind} are: {', '.join(shown)}."
