"""What was changed, and how far."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from memeloc.correct.report import Distance
from memeloc.locales import default
from memeloc.locales.words import words
from memeloc.model import Locale
from tests.each import each

DE, ZH, TH, KM, LO, MY = (default().get(tag) for tag in ("de", "zh", "th", "km", "lo", "my"))
TEXTS = st.text(st.sampled_from("ab c,ä我们ก"), max_size=12)


def distance(pairs: list[tuple[str, str]], locale: Locale = DE) -> Distance:
    result = Distance()
    for before, after in pairs:
        result.add([before], [after], locale)
    return result


@each(
    ("locale", "before", "after", "rate"),
    [
        (ZH, "我们今天开会", "我们明天开会", 100 / 3),
        (TH, "ฉันออกมาเพราะเห็นเธอตากผ้า", "ฉันออกมาเพราะเห็นเขาตากผ้า", 100 / 8),
        (KM, "ខ្ញុំចូលចិត្តកាហ្វេ", "ខ្ញុំចូលចិត្តតែ", 100 / 3),
        (LO, "ຂ້ອຍມັກກາເຟ", "ຂ້ອຍມັກຊາ", 100 / 3),
        (MY, "ကော်ဖီသောက်တယ်", "ကော်ဖီဝယ်တယ်", 100 / 3),
    ],
    ids=["zh", "th", "km", "lo", "my"],
)
def test_words_are_counted_where_there_are_no_spaces(
    locale: Locale, before: str, after: str, rate: float
) -> None:
    assert distance([(before, after)], locale).hter == pytest.approx(rate)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3))
def test_the_rate_is_sacrebleus_over_the_same_words(pairs: list[tuple[str, str]]) -> None:
    cut = [[" ".join(words(text, DE)) for text in side] for side in zip(*pairs, strict=True)]
    score = TER(case_sensitive=True).corpus_score(cut[0], [cut[1]]).score
    assert distance(pairs).hter == pytest.approx(score)
