"""Held by Unicode's own break tests and by what typographers forbid in each language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default
from memeloc.render.typesetting.breaks import (
    clusters,
    opportunities,
    unicode_opportunities,
    word_ends,
)
from tests.each import each
from tests.render.sentences import SENTENCES
from tests.render.word_tables import KHMER, LAO

UNICODE = Path("/usr/share/unicode/auxiliary")

# Debian's files are Unicode 15.0's, ICU 78 is Unicode 17's. Every case in which the rules have
# changed in between is listed in the files' notation, as ICU breaks it, by the rule that did it.
LINE_DEVIATIONS = {
    # LB20a (16.0): no break after a hyphen that begins a word.
    "× 002D × 0023 ÷": "LB20a",
    "× 002D × 0308 × 0023 ÷": "LB20a",
    "× 002D × 00A7 ÷": "LB20a",
    "× 002D × 0308 × 00A7 ÷": "LB20a",
    "× 002D × 50005 ÷": "LB20a",
    "× 002D × 0308 × 50005 ÷": "LB20a",
    "× 002D × 0E01 ÷": "LB20a",
    "× 002D × 0308 × 0E01 ÷": "LB20a",
    # LB25 (16.0): IS × NU, no break between a comma or full stop and a digit.
    "× 002C × 0030 ÷": "LB25",
    "× 002C × 0308 × 0030 ÷": "LB25",
    "× 0061 × 002E × 0032 × 0020 ÷": "LB25",
    "× 0061 × 002E × 0032 × 0020 ÷ 0915 ÷": "LB25",
    "× 0061 × 002E × 0032 × 0020 ÷ 672C ÷": "LB25",
    "× 0061 × 002E × 0032 × 3000 ÷ 672C ÷": "LB25",
    "× 0061 × 002E × 0032 × 3000 ÷ 307E ÷": "LB25",
    "× 0061 × 002E × 0032 × 3000 ÷ 0033 ÷": "LB25",
    "× 0041 × 002E × 0031 × 0020 ÷ BABB ÷": "LB25",
    "× BD24 ÷ C5B4 × 002E × 0020 ÷ 0041 × 002E × 0032 × 0020 ÷ BCFC ÷": "LB25",
    "× BD10 ÷ C694 × 002E × 0020 ÷ 0041 × 002E × 0033 × 0020 ÷ BABB ÷": "LB25",
    "× C694 × 002E × 0020 ÷ 0041 × 002E × 0034 × 0020 ÷ BABB ÷": "LB25",
    "× 0061 × 002E × 0032 × 3000 ÷ 300C ÷": "LB25",
    # LB15c (16.0): break before a decimal mark that follows a space (and LB25 after it).
    "× 0065 × 0071 × 0075 × 0061 × 006C × 0073 × 0020 ÷ 002E × 0033 × 0035 × 0020 ÷ "
    "0063 × 0065 × 006E × 0074 × 0073 ÷": "LB15c",
    # LB15 is gone (15.1): a quotation mark, spaces and an opening bracket may be parted.
    "× 0022 × 0020 ÷ 2329 ÷": "LB15",
    "× 0022 × 0308 × 0020 ÷ 2329 ÷": "LB15",
    "× 0022 × 0020 ÷ 0028 ÷": "LB15",
    "× 0022 × 0308 × 0020 ÷ 0028 ÷": "LB15",
    "× 0061 × 006D × 0062 × 0069 × 0067 × 0075 × 00AB × 0020 ÷ 0028 × 0020 × 0308 × 0020 × "
    "0029 × 0020 ÷ 00BB × 0028 × 0065 × 0308 × 0029 ÷": "LB15",
    "× 0061 × 006D × 0062 × 0069 × 0067 × 0075 × 00AB × 0020 ÷ 007B × 0020 × 0308 × 0020 × "
    "007D × 0020 ÷ 00BB × 0028 × 0065 × 0308 × 0029 ÷": "LB15",
    # LB15a, LB15b (15.1): none after « and its spaces, none before » and its.
    "× 0061 × 006D × 0062 × 0069 × 0067 × 0075 × 0028 × 00AB × 0020 × 0308 × 0020 × 00BB × "
    "0029 ÷ 0028 × 0065 × 0308 × 0029 ÷": "LB15a",
    "× 0061 × 006D × 0062 × 0069 × 0067 × 0075 × 007B × 00AB × 0020 × 0308 × 0020 × 00BB × "
    "007D ÷ 0028 × 0065 × 0308 × 0029 ÷": "LB15a",
    # LB21a (15.1): a hyphen between two Hebrew words may end a line.
    "× 05D0 × 002D ÷ 05D0 ÷": "LB21a",
}

CLOSING = "、。，．・：；？！”’）〕］｝〉》」』】…‥～〜｡｣､"
OPENING = "“‘（〔［｛〈《「『【"

odd_text = st.text(
    alphabet=st.sampled_from(
        "aé 中文，。「」ひっー한글 اب؟"
        " אב กำนี้ខ្មែរ\u00ad\u200b\u200d\u0301\u1f3f😀👩‍🚀🇩🇪\U0001f3fd\U00020000-.,'1%"
    )
    | st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"),
    max_size=40,
)


def cases(name: str) -> Iterator[tuple[str, list[int], str]]:
    """Each test's text, the offsets at which it breaks, and the test as written."""
    path = UNICODE / name
    if not path.is_file():
        pytest.fail(f"{path} is missing: install the Debian package unicode-data.")
    for line in path.read_text(encoding="utf-8").splitlines():
        written = line.partition("#")[0].strip()
        if written:
            yield *read(written), written


def read(written: str) -> tuple[str, list[int]]:
    text, ends = "", []
    for item in written.split():
        if item == "÷":
            ends.append(len(text))
        elif item != "×":
            text += chr(int(item, 16))
    return text, [end for end in ends if end]


def pieces(text: str, tag: str) -> list[str]:
    ends = opportunities(text, default().get(tag))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def words(text: str, tag: str) -> list[str]:
    """What lines are made of where that fits."""
    locale = default().get(tag)
    ends, _ = word_ends(text, locale, opportunities(text, locale))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


# Where UAX #14 breaks within a grapheme cluster, memeloc never does. By the character that would
# begin the line, in how many of the tests:
WITHIN_CLUSTERS = {
    "\u0308": 89,  # LB10: a combining mark after a space stands for itself
    "\u200d": 84,  # LB10: so does a joiner
    "\U0001f3fb": 144,  # LB30b: a skin tone stays with emoji bases only
    "\U0001f3ff": 1,
}


@pytest.mark.parametrize(
    ("name", "tag", "deviations"),
    [
        ("LineBreakTest.txt", "en", LINE_DEVIATIONS),
        ("GraphemeBreakTest.txt", "", {}),
    ],
)
def test_unicodes_break_test(name: str, tag: str, deviations: dict[str, str]) -> None:
    changed = dict(read(written) for written in deviations)
    assert len(changed) == len(deviations)
    count = 0
    within: Counter[str] = Counter()
    for text, expected, written in cases(name):
        count += 1
        ours = unicode_opportunities(text, default().get(tag)) if tag else clusters(text)
        if tag:
            whole = clusters(text)
            within.update(text[end] for end in expected if end not in whole)
            expected = [end for end in expected if end in whole]
        if text in changed:
            assert changed[text] != expected, f"{written} is no deviation"
            assert ours == changed.pop(text), written
        else:
            assert ours == expected, written
    assert not changed
    assert within == (WITHIN_CLUSTERS if tag else {})
    assert count > 600


@each("tag", sorted(SENTENCES))
def test_line_breaks_are_between_grapheme_clusters(tag: str) -> None:
    for text in SENTENCES[tag]:
        assert set(opportunities(text, default().get(tag))) <= set(clusters(text))


@each("tag", ["ja", "zh-Hans", "zh-Hant"])
@each("mark", CLOSING)
def test_no_line_begins_with_closing_punctuation(tag: str, mark: str) -> None:
    text = f"天地{mark}人々{mark}"
    assert all(not piece.startswith(mark) for piece in pieces(text, tag))


@each("tag", ["ja", "zh-Hans", "zh-Hant"])
@each("mark", OPENING)
def test_no_line_ends_with_opening_punctuation(tag: str, mark: str) -> None:
    assert all(not piece.endswith(mark) for piece in pieces(f"天地{mark}人々", tag))


@each(
    ("tag", "text"),
    [
        ("th", "แมว|กำลัง|นอน|หลับ|อยู่|บน|แป้น|พิมพ์"),
        ("km", "ឆ្មា|កំពុង|គេង"),
        ("lo", "ການ|ປະຊຸມ|ມື້ນີ້"),
        ("my", "ကမ္ဘာ|လောက|ဒီ|နေ့"),
    ],
)
def test_scripts_without_spaces_break_between_words(tag: str, text: str) -> None:
    words = text.split("|")
    cut = pieces("".join(words), tag)
    ends = {len("".join(cut[: i + 1])) for i in range(len(cut))}
    assert ends <= {len("".join(words[: i + 1])) for i in range(len(words))}
    assert len(cut) > 1


@each(
    ("tag", "text"),
    [
        ("en", "C++ ¦km/h ¦AND/OR ¦yes!no ¦a|b"),
        ("en", "tea ¦/ ¦coffee ¦.NET ¦v.2 ¦.5 ¦(a)¦(b)"),
        ("en", "well-¦known ¦really?¦yes"),
        ("fr", "« oui » ¦non ? ¦oui ! ¦et : ¦non"),
        ("ru", "да/¦нет"),
        # A dash belongs to its range, to what it opens and to what it closes.
        ("en", "open ¦9–5, ¦won ¦3–2, ¦page ¦24 – 27"),
        ("en", "word ¦– ¦word—¦word"),
        ("en", "“Why?” ¦— Nobody"),
        ("fr", "— Encore ? ¦— Encore !"),
        ("es", "—el ¦de ¦Soria— ¦dijo"),
        ("zh-Hans", "从¦1990—2020¦年¦——¦好"),
        ("ko", "개인¦(정치인)¦입니다. ¦선전¦·¦선동 ¦회의는 ¦10시"),
    ],
)
def test_lines_end_where_browsers_end_them(tag: str, text: str) -> None:
    assert pieces(text.replace("¦", ""), tag) == text.split("¦")


@each(
    ("tag", "text"),
    [
        ("ko", "개인¦(정치인)입니다. ¦선전·¦선동"),
        ("ko", "“집에 ¦가고 ¦싶다”라고"),
        ("th", "มีม ¦เฮอร์¦เซ"),
        ("lo", "ຢູເຄຣ¦ນຽນ"),
        ("km", "យេ¦ម៉ែន"),
        ("my", "ဘယ်လ်¦ဂျီ¦ယမ်"),
        # Loan words.
        ("ja", "スマートフォン"),
        ("ja", "メール"),
        ("zh-Hans", "假期"),
        # Numbers and their counters.
        ("ja", "鉛筆¦3本¦と¦りんご¦二十個"),
        ("zh-Hans", "三个¦苹果，¦20个¦梨，¦星期一¦上午"),
        ("zh-Hant", "三個¦蘋果，¦4小時"),
    ],
)
def test_words_and_syllables_stay_whole_where_that_fits(tag: str, text: str) -> None:
    assert words(text.replace("¦", ""), tag) == text.split("¦")


@given(odd_text)
def test_clusters_are_ascending_whole_and_keep_marks_with_their_bases(text: str) -> None:
    ends = clusters(text)
    assert ends == sorted(set(ends))
    assert (ends or [0])[-1] == len(text)
    for end in ends[:-1]:
        assert unicodedata.category(text[end]) != "Mn"


@each(
    "text",
    [
        "00 \u0bbe", "a \u0301", "0\u1100\U0001f3fb0", "\u0600中", "\u06dd字", "中\uff9e中",
        "漢\u200d字", "\u200b\u0301a", "က\u1039中", "中\u094d中", "— \u20e3", "\u3000\U000e0041",
    ],
    ids=ascii,
)  # fmt: skip
def test_no_line_break_splits_a_cluster_where_uax_14_alone_would(text: str) -> None:
    for tag in ("en", "ja", "ko", "hi", "my"):
        assert set(opportunities(text, default().get(tag))) <= set(clusters(text))


CLUSTERING = (
    " \u3000\u200b-!中文가각อำກຳကக字あｶ👩❤🇩1"
    "\u0301\u0bbe\u0600\u06dd\u094d\u1039\u17d2\u200c\u200d\ufe0f\U0001f3fb\uff9e\U000110bd\U000e0041"
)


@given(st.text(st.sampled_from(CLUSTERING), max_size=12), st.sampled_from(["en", "ja", "th", "my"]))
def test_line_breaks_split_no_cluster_of_anything(text: str, tag: str) -> None:
    assert set(opportunities(text, default().get(tag))) <= set(clusters(text))


def inner(text: str) -> set[int]:
    """The places of the bars in a text, as offsets without them."""
    return set(accumulate(len(part) for part in text.split("|")))


@pytest.mark.parametrize(("tag", "table"), [("km", KHMER), ("lo", LAO)])
def test_khmer_and_lao_break_between_words_and_nowhere_else(tag: str, table: str) -> None:
    entries = table.split()
    between = taken = 0
    for first, second, third in zip(entries, entries[1:], entries[2:], strict=False):
        text = "|".join([first, second, third])
        ends = set(accumulate(map(len, words(text.replace("|", ""), tag))))
        assert ends <= inner(text), text
        plain = [entry.replace("|", "") for entry in (first, second, third)]
        whole = set(accumulate(map(len, plain)))
        between += len(whole)
        taken += len(whole & ends)
    assert taken >= 0.9 * between  # the rest are compounds, as rice and water are a meal
