"""Words as each language cuts them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default
from memeloc.locales.words import segments, words
from tests.each import each


@each(
    ("tag", "text", "cut"),
    [
        ("de", "Na, geht’s?  3,5 Kilo", "Na , geht’s ? 3,5 Kilo"),
        ("zh", "我们今天开会。", "我们 今天 开会 。"),
        ("ja", "洗濯物を干した", "洗濯 物 を 干 した"),
        ("th", "เธอตากผ้า", "เธอ ตาก ผ้า"),
        ("km", "ខ្ញុំ\u200bចូលចិត្តកាហ្វេ", "ខ្ញុំ ចូលចិត្ត កាហ្វេ"),
        ("lo", "ຂ້ອຍມັກກາເຟ", "ຂ້ອຍ ມັກ ກາເຟ"),
        ("my", "ကော်ဖီသောက်တယ်", "ကော်ဖီ သောက် တယ်"),
        ("hi", "मुझे नींद आई", "मुझे नींद आई"),
    ],
)
def test_words_are_those_of_the_language(tag: str, text: str, cut: str) -> None:
    assert words(text, default().get(tag)) == cut.split()


@given(st.text(max_size=40), st.sampled_from(["de", "zh", "ar", "km"]))
def test_segments_together_are_the_text(text: str, tag: str) -> None:
    assert "".join(segments(text, default().get(tag))) == text
