"""The dataset, beside packages and examples. In: answers. Out: comparisons."""

from __future__ import annotations

import math
import statistics
from collections import Counter

import pandas as pd

from memeloc.analyze.dataset import describe
from memeloc.locales.words import plain_words
from memeloc.reports.figures import wide
from tests.analyze.comparisons.comparison import Values, compared

TEXTS = pd.DataFrame(
    {
        "text": ["the cat naps", "the cat", "the tea", "the hot tea tea", "hot cat", "tea at noon"],
        "label": ["cats", "cats", "tea", "tea", "cats", "tea"],
        "language": ["en"] * 6,
        "meme": list("abcdef"),
    }
)


@compared("tf-idf of words that tell a class", "harmeme 4.4; charmemes A", "its formula, by hand")
def tf_idf() -> Values:
    texts = [plain_words(text, "en") for text in TEXTS["text"]]
    counts = Counter(word for text in texts for word in set(text))
    vectors = []
    for text in texts:
        weights = {
            word: text.count(word) * (math.log(7 / (1 + counts[word])) + 1)
            for word in set(text)
            if counts[word] > 1
        }
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        vectors.append({word: weight / length for word, weight in weights.items()})
    for row in wide(describe(TEXTS), "class-words").itertuples():
        for value, own in ((row.tf_idf, True), (row.rest, False)):
            chosen = [v for v, name in zip(vectors, TEXTS["label"], strict=True)
                      if (row.group == f"en · {name}") == own]  # fmt: skip
            yield value, statistics.fmean(vector.get(row.item, 0.0) for vector in chosen)


@compared(
    "Lengths of captions: mean, deviation, median",
    "harmeme 4.4; charmemes A",
    "Python `fmean`, `stdev`, `median`",
)
def lengths() -> Values:
    for row in wide(describe(TEXTS), "caption-lengths").to_dict("records"):
        is_own = (TEXTS["label"] == row["item"]) | (row["item"] in ("", "all"))
        counts = [len(text.split()) for text in TEXTS["text"][is_own]]
        yield row["words"], statistics.fmean(counts)
        yield row["sd"], statistics.stdev(counts)
        yield row["median"], statistics.median(counts)
