"""What enters of a machine's answer: entities, invisible characters, other languages."""

from __future__ import annotations

from memeloc.locales import default
from memeloc.translate.answers import cleaned, other_script
from tests.each import each


@each(
    ("text", "source", "stored"),
    [
        ("Tom &amp; Jerry&#39;s &quot;hat&quot;", "Tom & Jerry", 'Tom & Jerry\'s "hat"'),
        ("&amp;lt;b&amp;gt;", "", "&lt;b&gt;"),
        ("type &amp;", "write &amp;", "type &amp;"),
        ("AT&T, R&D, 5 &copy 6 &nosuch;", "", "AT&T, R&D, 5 &copy 6 &nosuch;"),
        ("a\u202eb\u202c \u202ac", "", "ab c"),
        ("a&#8238;b", "", "ab"),
        ("\u2067شكرا\u2069 ok", "", "\u2067شكرا\u2069 ok"),
        ("\u2067شكرا ok", "", "شكرا ok"),
        ("ok \u2069\u2067", "", "ok "),
        ("می\u200cخواهم 👩\u200d💻 \u200f", "", "می\u200cخواهم 👩\u200d💻 \u200f"),
        ("a\x00b\x07c\x1b[1m\x9f\ufeff", "", "abc[1m"),
        ("a\tb\r\nc\u2028d\re", "", "a b\nc\nd\ne"),
        ("sun \ud83c", "", "sun \ufffd"),
    ],
)
def test_what_is_no_text_does_not_enter(text: str, source: str, stored: str) -> None:
    assert cleaned(text, source) == stored


@each(
    ("text", "tag", "script"),
    [
        ("मेरा कोड", "hi", ""),
        ("LOL", "hi", ""),
        ("我的代码", "hi", "Hani"),
        ("мой код", "de", "Cyrl"),
        ("μ-test of WiFi", "hi", ""),
        ("わたし", "zh-Hans", "Hira"),
        ("私", "ja", ""),
        ("42 !", "ja", ""),
    ],
)
def test_another_language_shows_by_its_script(text: str, tag: str, script: str) -> None:
    locales = default()
    assert other_script([text], locales.get(tag), locales.get("en")) == script
