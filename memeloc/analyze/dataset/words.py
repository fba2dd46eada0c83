"""Words that tell a class. In: texts with labels. Out: by language and class the words, by tf-idf.

harmeme (Table 3) lists the five words a class with the highest tf-idf, charmemes A says that such
words separate its classes. Neither gives the formula; here it is scikit-learn's: the count of a
word times ln((1 + n) / (1 + df)) + 1, each text scaled to length 1, and of a class the mean over
its texts. What also stands in other classes' texts tells nothing of a class, in any language and
without a list of stop words: words are ranked by how far that mean is above the mean of the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.analyze.settings import Settings
from memeloc.errors import InputError, MissingError
from memeloc.locales.words import plain_words
from memeloc.reports.sections import Section, Table

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""Words a class; harmeme shows five."""
FEWEST = 2
"""Texts that a word must stand in: a word of one text tells that text."""

_COLUMNS = {
    "language": "tag",
    "class": "label",
    "word": "in small letters",
    "tf-idf": "mean over the class's texts, 0 to 1",
    "rest": "mean over the texts of all other classes, 0 to 1",
    "texts": "texts of the class that have the word",
}


def words(memes: pd.DataFrame, settings: Settings) -> Section:
    """By language and class the words of the highest tf-idf above that of other classes.

    Raises:
        InputError: no language has texts of two classes.
        MissingError: scikit-learn is not installed.
    """
    import pandas as pd

    if not {"text", "label"} <= set(memes):
        raise InputError("words that tell a class need texts and labels")
    texts = memes[(memes["text"] != "") & (memes["label"] != "")]
    tags = texts["language"] if "language" in texts else texts["text"].map(lambda _: "")
    rows: list[tuple[Any, ...]] = []
    measured = 0
    for tag, own in texts.groupby(tags, sort=True):
        if own["label"].nunique() > 1:
            rows += [(tag, *row) for row in class_words(own["text"], own["label"], str(tag))]
            measured += len(own)
    if not measured:
        raise InputError("no language has texts of two classes, so no words tell them apart")
    method = (
        f"Of {measured:,} texts with a label, a language at a time; words by the language's own "
        f"segmentation (ICU) that stand in at least {FEWEST} texts; tf-idf as of scikit-learn's "
        "TfidfVectorizer, ranked by how far the mean in the class is above that in the rest "
        "(harmeme 4.4, charmemes A)."
    )
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    table = Table("words", "Words that tell a class", frame, _COLUMNS, method, captions=("word",))
    return Section("words", "Words that tell a class", (table,))


def class_words(
    texts: pd.Series[str], labels: pd.Series[str], tag: str
) -> list[tuple[str, str, float, float, int]]:
    """Class, word, mean tf-idf in the class and in the rest, texts of the class with the word.

    Raises:
        MissingError: scikit-learn is not installed.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as error:
        raise MissingError(
            "Words that tell a class need scikit-learn: pip install 'memeloc[analyze]'"
        ) from error

    vectorizer = TfidfVectorizer(analyzer=lambda text: plain_words(text, tag), min_df=FEWEST)
    try:
        weights = vectorizer.fit_transform(texts)
    except ValueError:  # no word stands in enough texts
        return []
    vocabulary = vectorizer.get_feature_names_out()
    given = labels.to_numpy()
    rows: list[tuple[str, str, float, float, int]] = []
    for label in sorted(set(given)):
        own, rest = weights[given == label], weights[given != label]
        score, other = (np.asarray(part.mean(axis=0)).ravel() for part in (own, rest))
        standing = np.asarray((own > 0).sum(axis=0)).ravel()
        # Ties are in the order of the vocabulary, which is sorted.
        ranked = np.argsort(-(score - other), kind="stable")[:SHOWN]
        rows += [
            (str(label), str(vocabulary[k]), float(score[k]), float(other[k]), int(standing[k]))
            for k in ranked
            if score[k] > other[k]
        ]
    return rows
