"""Similar texts among many. In: texts, and one to look for. Out: similar ones, best first.

As in CAT tools, how similar two texts are is a share of 1: the mean of how many words and of how
many characters they have in common, whatever their case,

    (words + characters) / 2
    words = 2 · common words / words of both, their order apart (Dice 1945)
    characters = rapidfuzz's normalised indel ratio: 2 · longest common subsequence / length of both

A word is what stands between spaces and punctuation; in scripts that write no spaces (Chinese,
Japanese, Thai, Lao, Khmer, Burmese) each character is one, as in sacreBLEU's metrics for Chinese.

An index of words finds candidates: it gives the words' share of every text at once, and with the
lengths the most that the characters' share can be. Only texts that can reach the least similarity
that is asked for are compared letter by letter.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.locales.breaking import UNSPACED

_BETWEEN = (
    r"\s!-&(-/:-@\[-`{-~\u00a1-\u00bf\u2000-\u2018\u201a-\u206f\u3000-\u3004\u3008-\u3020"
    "\uff01-\uff0f\uff1a-\uff20\u060c\u061b\u061f\u06d4\u0964\u0965\u055a-\u055f"
)
_WORD = re.compile(f"[{UNSPACED}]|[^{UNSPACED}{_BETWEEN}]+")


def words(text: str) -> list[str]:
    """Return the words of a text, as similarity counts them.

    >>> words("Don't panic, 2 cats!"), words("小猫 ok")
    (["Don't", 'panic', '2', 'cats'], ['小', '猫', 'ok'])
    """
    return _WORD.findall(text)


class SimilarTexts:
    """An index of texts.

    >>> texts = SimilarTexts(["when the build passes", "When the build fails"])
    >>> texts.find("when the build fails!", 0.7)  # doctest: +ELLIPSIS
    [(1, 0.98...), (0, 0.77...)]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [text.casefold() for text in texts]
        postings: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for number, text in enumerate(self._texts):
            for word in _counted(text):
                postings[word].append(number)
        self._postings = {word: np.array(each, np.int32) for word, each in postings.items()}
        self._words = np.array([len(words(text)) for text in self._texts], np.int32)
        self._lengths = np.array([len(text) for text in self._texts], np.int32)

    def find(self, text: str, least: float) -> list[tuple[int, float]]:
        """Return the numbers of texts at least that similar, with how similar, best first.

        Of texts that are equally similar the later comes first. `least` is above 0 and at most 1.
        """
        from rapidfuzz import fuzz, process

        text = text.casefold()
        candidates, shares = self._candidates(text, least)
        if not len(candidates):
            return []
        ratios: NDArray[Any] = process.cdist(
            [text],
            [self._texts[index] for index in candidates],
            scorer=fuzz.ratio,
            dtype=np.float64,
        )[0]
        similar = (shares + ratios / 100) / 2
        kept = np.flatnonzero(similar >= least)
        order = kept[np.lexsort((-candidates[kept], -similar[kept]))]
        return [(int(candidates[at]), float(similar[at])) for at in order]

    def _candidates(self, text: str, least: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the numbers of the texts that can be that similar, and their share of words."""
        tokens = list(_counted(text))
        postings = [self._postings[token] for token in tokens if token in self._postings]
        found = np.concatenate(postings) if postings else np.empty(0, dtype=np.int32)
        common = np.bincount(found, minlength=len(self._texts))
        # The share of words must be 2 · least - 1 or more; a text has no fewer words than common.
        share = max(2 * least - 1, 0.0) / 2
        candidates = np.flatnonzero(common >= share / (1 - share) * len(tokens))
        both = np.maximum(self._words[candidates] + len(tokens), 1)
        shares = 2 * common[candidates] / both
        lengths = self._lengths[candidates]
        most = 2 * np.minimum(lengths, len(text)) / np.maximum(lengths + len(text), 1)
        possible = shares + most >= 2 * least
        return candidates[possible], shares[possible]


def _counted(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a text, each with how often it has come: what two share is a set then."""
    times: Counter[str] = Counter()
    for word in words(text):
        times[word] += 1
        yield word, times[word]
