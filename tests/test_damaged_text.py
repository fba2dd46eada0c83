"""Text that arrived damaged is named, and text that is as it should be never is."""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.damaged_text import damage, lost_parts
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.render import Renderer
from memeloc.templates import load_templates
from tests.each import each

STARTER = Path(__file__).parents[1] / "examples" / "starter" / "captions.csv"


def _starter() -> list[tuple[str, str]]:
    with STARTER.open(encoding="utf-8", newline="") as stream:
        return [
            (tag, text)
            for row in csv.DictReader(stream)
            for tag, text in row.items()
            if tag not in ("meme_id", "template") and text
        ]


def _kinds(tag: str, text: str) -> list[str]:
    return [found.kind for found in damage(text, default().get(tag))]


DAMAGED = [
    ("de", "// FÃ¼r die StraÃŸe", "other encoding", "“FÃ¼r” (probably “Für”)"),
    ("fr", "// dÃ©jÃ  vu", "other encoding", "(probably “déjà"),
    ("fr", "// voilÃ", "other encoding", "“voilà”"),
    ("en", "donâ€™t ðŸ˜‚", "other encoding", "“don’t”"),
    ("en", "CafÃ© No. 5", "other encoding", "“Café”"),
    ("de", "FГјr mich", "other encoding", "“Für”"),
    ("pt", "nÃ£o sei", "other encoding", "“não”"),
    ("ru", "РџСЂРёРІРµС‚, РјРёСЂ", "other encoding", "“Привет,”"),
    ("ru", "Ïðèâåò, ìèð", "other encoding", "“Привет,”"),
    ("ru", "ðÒÉ×ÅÔ", "other encoding", "“Привет”"),
    ("hi", "à¤¨à¤®à¤¸à¥\x8dà¤¤à¥‡", "other encoding", "“नमस्ते”"),
    ("zh-Hans", "ä¸\xadæ–‡", "other encoding", "“中文”"),
    ("fr", "// c&#39;est la vie &amp; voil&agrave;", "markup", "“c'est”"),
    ("es", "// uno<br>dos", "markup", "uno dos”"),
    ("en", "a <b>bold</b> move", "markup", "“bold”"),
    ("ar", "// ﻢﻟﺎﻌﻟﺎﺑ ﺎﺒﺣﺮﻣ", "visual order", "مرحبا بالعالم"),
    ("ar", "ةسردملا", "visual order", "المدرسة"),
    ("he", "םולש 24", "visual order", "24 שלום"),
    ("ar", "ﻣﺮﺣﺒﺎ", "drawn forms", "مرحبا"),
    ("my", "// မဟုတ္ဘူ။ ျမန္မာ", "Zawgyi", "font Zawgyi"),
    ("my", "ေကာင္း", "Zawgyi", "font Zawgyi"),
    ("my", "တစ္ခု", "Zawgyi", "font Zawgyi"),
    ("de", "FÃƒÂ¼r mich", "other encoding", "“Für”"),
    ("en", "rock &amp;amp; roll caf\\u00e9", "markup", "“café”"),
    ("he", "!םולש, ירוצ", "visual order", "שלום!"),
    ("en", "pay \u202e05$ now\u202c", "forced direction", "U+202E"),
    ("he", "\u202bשלום", "unbalanced direction", "alone"),
    ("en", "Mоnday again", "look-alike letters", "о is U+043E"),
    ("ru", "Пpивет", "look-alike letters", "p is U+0070"),
    ("el", "Kαλημέρα", "look-alike letters", "K is U+004B"),
    ("hi", "Gοοgle खोज", "look-alike letters", "ο is U+03BF"),
]


@each(("tag", "text", "kind", "said"), DAMAGED)
def test_damaged_text_is_named(tag: str, text: str, kind: str, said: str) -> None:
    (found,) = damage(text, default().get(tag))
    assert found.kind == kind
    assert said in found.sentence
    assert found.is_note == (kind in ("drawn forms", "unbalanced direction"))


SOUND = [
    ("en", "rock & roll, R&D; <3, a < b > c, see <html>"),
    ("en", "café – naïve… 19\xa0°C “Ärger” —Éric"),
    ("en", "αx + 2πr in kΩ, 5 μm"),
    ("de", "ƒîẋ ƀéƒöŕé bed"),
    ("pt", "AMANHÃ… “AMANHÔ"),
    ("vi", "QUÁ XÔ"),
    ("uk", "СІРІ ДНІ"),
    ("ru", "наш VPNа и SMSка, iPhone-ом, Wi-Fi в T-shirt"),
    ("sr", "Џем и џемпер, Ђорђе"),
    ("ja", "Tシャツ、Wi-Fiがない"),
    ("ar", "ﷺ ﴿نص﴾ ﷼ مدرسة"),
    ("he", "\u2067שלום\u2069 עולם, שָׁלוֹם"),
    ("my", "မြန်မာ ဘာသာ ကျောင်း ကောင်း ယောက်ျား တက္ကသိုလ် ဥက္ကဋ္ဌ ဗြဟ္မာ သင်္ကြန် ကမ္ဘာ ဆန္ဒ"),
    ("en", "my C:\\users and x.org/a&b=c, a\\b"),
    ("he", 'או"ם, חז"ל, שָׁלוֹם'),
    ("th", "ก็\u200bแค่นั้น"),
    ("fa", "می\u200cخواهم"),
]


@each(("tag", "text"), SOUND)
def test_sound_text_is_left_in_peace(tag: str, text: str) -> None:
    assert damage(text, default().get(tag)) == []


@given(
    st.text(st.sampled_from("aaéÃ¼Ðïж οя<b>&amp;;\\u00e9\u202e\u2066ﻢﺎםש္ျေက//|\n \xa0\x81")),
    st.sampled_from(["en", "ru", "el", "ar", "he", "my", "zh-Hant", "th"]),
)
def test_any_text_is_looked_at(text: str, tag: str) -> None:
    for found in damage(text, default().get(tag)):
        assert found.sentence.endswith(".")
    lost = lost_parts(Caption.parse(text, 2), 2, Caption(("a", "b")))
    if lost and (written := re.search("write “(.*)”", lost.sentence, re.DOTALL)):
        parts = Caption.parse(written[1]).parts
        assert len(parts) == 2
        assert all(parts)


def test_the_starter_set_has_no_damage_in_any_case_or_normal_form() -> None:
    flagged = [
        (tag, text)
        for tag, caption in _starter()
        for text in (caption, caption.upper(), unicodedata.normalize("NFD", caption))
        if damage(text, default().get(tag))
    ]
    assert flagged == []


def test_no_alphabet_is_damage() -> None:
    alphabets = {
        locale.tag: " ".join(each for each in default().exemplars(locale.tag) if each.isalpha())
        for locale in default()
    }
    flagged = {
        tag: _kinds(tag, text)
        for tag, letters in alphabets.items()
        for text in (letters, letters.upper(), letters.replace(" ", ""))
        if _kinds(tag, text)
    }
    assert flagged == {}


@each("encoding", ["latin-1", "cp1252", "cp1254", "cp1250", "cp1251", "cp1253", "cp437"])
def test_the_starter_set_read_in_another_encoding_is_damaged(encoding: str) -> None:
    def misread(text: str) -> str:
        return "".join(
            bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode()
        )

    missed = [
        text
        for tag, text in _starter()
        if not text.isascii() and "other encoding" not in _kinds(tag, misread(text))
    ]
    assert missed == []


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(max_side=300)


def _circles(renderer: Renderer, tag: str, text: str) -> list[str]:
    template = load_templates()[0]["cloud-monday"]
    findings = renderer.render(template, text, tag).proof.findings
    return [found.detail for found in findings if found.kind == "dotted circle"]


@each(
    ("tag", "text", "said"),
    [
        ("mr", "अॅपमुळे फोन बंद", "“अॅपमुळे”: it is probably “ॲपमुळे”"),
        ("hi", "यह कर्ि है", "“कर्ि”: a mark has no letter"),
        ("bn", "অাম খাই", "it is probably “আম”"),
        ("gu", "અાપણે", "it is probably “આપણે”"),
        ("ta", "அூ", "it is probably “ஆ”"),
    ],
)
def test_a_dotted_circle_that_nobody_typed_is_named(
    renderer: Renderer, tag: str, text: str, said: str
) -> None:
    (sentence,) = _circles(renderer, tag, text)
    assert said in sentence


def test_a_dotted_circle_that_was_typed_is_none(renderer: Renderer) -> None:
    assert _circles(renderer, "hi", "मात्रा ◌ि और ◌") == []
    assert _circles(renderer, "hi", "ॲप ठीक है, कर्म भी") == []


@each(
    ("source", "caption", "said"),
    [
        ("then // now", "damals | heute", "if | parts it, write “damals // heute”"),
        ("then // now", "antes / ahora", "if / parts it, write “antes // ahora”"),
        ("then // now", "avant\naprès", "if a line break parts it, write “avant // après”"),
        ("then // now", "तब", "text for part 2, the caption has none"),
        ("then // now", "// maintenant", "text for part 1, the"),
        ("a // b // c", "a//b", "“//” without spaces is drawn"),
        ("a // b // c", "a // b | c", "write “a // b // c”"),
        ("then // now", "以前／現在", "if / parts it, write “以前 // 現在”"),
        ("then // now", "antes<br>ahora", "write “antes // ahora”"),
        ("a // b // c", "a///b", "“//” without spaces is drawn"),
    ],
)
def test_a_part_that_is_lost_is_named(source: str, caption: str, said: str) -> None:
    counts = len(Caption.parse(source).parts)
    found = lost_parts(Caption.parse(caption, counts), 4, Caption.parse(source))
    assert found is not None
    assert said in found.sentence


@each(
    ("source", "caption"),
    [
        ("then // now", "damals // heute"),
        ("// now", "// heute"),
        ("now", "heute | morgen"),
        ("see https://x.org//a", "siehe https://x.org//a"),
        ("a // b", "a / b // c | d"),
    ],
)
def test_a_caption_with_its_parts_is_left_in_peace(source: str, caption: str) -> None:
    assert lost_parts(Caption.parse(caption), 2, Caption.parse(source)) is None
