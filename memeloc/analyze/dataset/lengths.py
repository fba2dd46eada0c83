"""Lengths of captions. In: memes with texts. Out: words and characters by language and class.

harmeme 4.4 (Figure 4) shows lengths a class, charmemes A the words of a caption, araharmeme C its
characters. Words are those of UAX #29 in the language's own segmentation; characters are code
points in Unicode's form NFC.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from memeloc.analyze.dataset.tables import NO_LABEL
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.locales.words import plain_words
from memeloc.model import SEPARATOR
from memeloc.reports.sections import Lines, Section, Table

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"
_BINS = 25


def lengths(memes: pd.DataFrame, settings: Settings) -> Section:
    """Words and characters of the texts there are; memes without text do not count.

    Raises:
        InputError: no meme has a text.
    """
    texts = with_lengths(memes)
    if texts.empty:
        raise InputError("no meme has a text, so captions have no lengths")
    frame = _summary(texts)
    columns = {
        "language": "tag",
        "class": "label; `all` is all of the language",
        "texts": "count of texts that are not empty",
        "words": "mean of the words a text",
        "sd": "of the words; sample standard deviation (ddof 1)",
        "median": "of the words",
        "quartiles": "of the words, the first to the third",
        "longest": "words of the longest text",
        "characters": "mean of the characters a text",
        "median characters": "of the characters",
    }
    method = (
        f"Of the {len(texts):,} texts that are not empty. Words by UAX #29 with the language's own "
        "segmentation (ICU), without marks; characters are code points in NFC (harmeme 4.4, "
        "charmemes A, araharmeme C)."
    )
    overall = texts["words"]
    sentence = (
        f"Captions have {overall.mean():.1f} words on average (median {overall.median():.0f}, "
        f"{len(texts):,} texts)."
    )
    return Section(
        "lengths",
        "Lengths of captions",
        (Table("caption-lengths", "Lengths of captions", frame, columns, method),),
        (_curves(texts, method),),
        (sentence,),
        {"words mean": float(overall.mean()), "words median": float(overall.median())},
    )


def with_lengths(memes: pd.DataFrame) -> pd.DataFrame:
    """Memes that have a text, with `language`, `class`, `words` and `characters`."""
    texts = memes[memes["text"] != ""].copy() if "text" in memes else memes.head(0).copy()
    texts["language"] = texts.get("language", "")
    texts["class"] = texts["label"].replace("", NO_LABEL) if "label" in texts else NO_LABEL
    texts["words"] = [
        len(plain_words(text, tag))
        for text, tag in zip(texts.get("text", ()), texts["language"], strict=True)
    ]
    texts["characters"] = [
        len(unicodedata.normalize("NFC", text.replace(SEPARATOR, " ")))
        for text in texts.get("text", ())
    ]
    return texts


def _summary(texts: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for tag, own in texts.groupby("language", sort=True):
        classes = list(own.groupby("class", sort=True))
        for label, group in [*classes, (ALL, own)] if len(classes) > 1 else [(ALL, own)]:
            count, long = group["words"], group["characters"]
            low, high = count.quantile([0.25, 0.75])
            rows.append(
                {
                    "language": tag,
                    "class": label,
                    "texts": len(group),
                    "words": count.mean(),
                    "sd": count.std(ddof=1),
                    "median": count.median(),
                    "quartiles": f"{low:g} to {high:g}",
                    "longest": int(count.max()),
                    "characters": long.mean(),
                    "median characters": long.median(),
                }
            )
    return pd.DataFrame(rows)


def _curves(texts: pd.DataFrame, method: str) -> Lines:
    """Of each class the share of its texts by words; the longest texts share the last point."""
    import pandas as pd

    longest = int(texts["words"].quantile(0.99))
    step = max(1, -(-longest // _BINS))
    place = (texts["words"].clip(upper=longest) // step) * step
    shares = pd.crosstab(place, texts["class"], normalize="columns")
    shares = shares.reindex(range(0, longest + 1, step), fill_value=0.0)
    shares.index.name = "words"
    title = "Lengths of captions by class"
    last = f"The last point is all texts of {shares.index[-1]} words and more. {method}"
    return Lines("caption-lengths", title, shares, "share of the class's texts", last)
