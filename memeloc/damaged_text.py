"""Text that arrived damaged. In: captions. Out: what is probably wrong with them.

Nothing is changed here: a warning names words, and what they probably were. A caption without
damage costs some five microseconds, for that of each picture is looked at.
"""

from __future__ import annotations

import html
import re
import string
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category, decomposition, normalize

from memeloc.counts import counted
from memeloc.locales import default
from memeloc.locales.tags import count_scripts, letter_scripts
from memeloc.model import SEPARATOR, UNSPACED, Caption, Locale


class Damage(NamedTuple):
    """Something in a caption that its author probably did not write; a note is drawn right."""

    kind: str
    sentence: str
    is_note: bool = False


_Found = tuple[str, str, str] | None
"""A kind, how its sentence begins, and the text as it was (the same where nobody knows)."""

_SHOWN_WORDS, _SHOWN_LETTERS = 3, 60  # of what a sentence quotes: it stays a line or two
_NOTES = ("drawn forms", "unbalanced direction")


def damage(text: str, locale: Locale) -> list[Damage]:
    """Return what is probably damaged in a text, at most one of each kind.

    >>> damage("FÃ¼r mich", default().get("de"))[0].sentence
    'Bytes were read in another encoding: “FÃ¼r” (probably “Für”).'
    """
    found = []
    for pattern, finder in _FINDERS[:1] if text.isascii() else _FINDERS:
        if not pattern.search(text) or not (result := finder(text, locale)):
            continue
        kind, why, mended = result
        before, after = text.split(" "), mended.split(" ")
        if len(before) != len(after):
            before, after = [text], [mended]
        words = [
            f"“{old[:_SHOWN_LETTERS]}” (probably “{new[:_SHOWN_LETTERS]}”)"
            for old, new in zip(before, after, strict=True)
            if old != new
        ]
        shown = f": {', '.join(words[:_SHOWN_WORDS])}" if words else ""
        found.append(Damage(kind, f"{why}{shown}.", kind in _NOTES))
    return found


# Tags only of inline text and of translators' formats: captions about programs hold <html> and
# </div>, and mean them.
_MARKUP = re.compile(
    r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});|&nbsp\b|\\u[0-9a-f]{4}"
    r"|</?(?:a|b|bpt|br|em|ept|font|g|i|p|ph|span|strong|sub|sup|u|wbr|x)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def _markup(text: str, _: Locale) -> _Found:
    def mended(match: re.Match[str]) -> str:
        found = match.group()
        if found[0] == "<":
            return " " if "br" in found.lower() else ""
        return html.unescape(found if found[0] == "&" else f"&#x{found[2:]};")

    plain = _MARKUP.sub(mended, _MARKUP.sub(mended, text))
    why = "References or tags are left in the text"
    return ("markup", why, plain) if plain != text else None


# The encodings by which UTF-8 is read where nobody says that it is UTF-8: Windows 1252 (what it
# leaves open is Latin-1, as in browsers) and its neighbours, those of old Macs and of DOS; and
# those whose texts are read as Windows 1252 (`Ïðèâåò`). ftfy does the first for all languages at
# once: it misses short words (`FГјr`) and a third of the starter set read as Windows 1251, takes
# Vietnamese `XÃ”` for damage, and is imported in 0.2 s. Tried on the starter set in 18 languages:
# in these encodings all captions are found, and of the right ones and their capitals none.
_READ_AS = ("cp1252", "cp1254", "cp1250", "cp1251", "cp1253", "mac_roman", "cp437")
_OLD = ("cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp874", "gbk", "big5", "cp949")
_LATIN = re.compile("(?<![A-Za-z])[¡-ÿ]{3,}(?![A-Za-z])")
_USUAL = frozenset("’‘“”„«»‹›…–—\xa0·")
"""Marks that stand beside letters in texts of any language."""
_CHARACTERS = {
    name: "".join(bytes([byte]).decode(name, "ignore") or chr(byte) for byte in range(256))
    for name in _READ_AS
}
_LEAD, _FOLLOWING = (
    re.escape("".join(chars[first:last] for chars in _CHARACTERS.values()))
    for first, last in ((0xC2, 0xF5), (0x80, 0xC0))
)
_MOJIBAKE = re.compile(
    f"[À-ÿ{_LEAD}](?:[\x80-\x9f{_FOLLOWING}]|(?<=[À-ÿ])[¡-ÿ]{{2}}|(?<=Ã)(?= |$))"
)


@cache
def _runs(name: str) -> tuple[dict[int, int], re.Pattern[str]]:
    """Return the bytes of an encoding's characters, and a pattern of UTF-8 that was read as it."""
    chars = _CHARACTERS[name]
    table = dict(zip(range(256), range(256), strict=True))
    table |= {ord(char): byte for byte, char in enumerate(chars)}
    lead, following, high = map(re.escape, (chars[0xC2:0xF5], chars[0x80:0xC0], chars[0x80:]))
    return table, re.compile(f"[{lead}][\x80-\x9f{following}][\x80-\x9f{high}]*")


@cache
def _letters(locale: Locale) -> frozenset[str]:
    letters = "".join(locale.exemplars or default().exemplars(locale.tag))
    return frozenset(letters + letters.upper() + string.printable) | _USUAL


def _other_encoding(text: str, locale: Locale) -> _Found:
    letters, scripts = _letters(locale), letter_scripts(locale.script)
    if letters.issuperset(text) and not _changes_case(text):
        return None
    # `à` is Ã and a no-break space, of which editors make a usual one.
    whole = text if "Ã" in letters else re.sub("Ã(?= |$)", "Ã\xa0", text)

    def decoded(run: str, encoding: str, allowed: frozenset[str]) -> str:
        """Return what a run was, or the run where that would be no text of the language."""
        try:
            was = run.translate(table).encode("latin-1").decode(encoding)
        except UnicodeError:
            return run
        rest = was
        if name in ("mac_roman", "cp437") or run[0] in _USUAL:
            # There “ — ƒ lead letters of two bytes: “Ä is not Ҁ, and —É is У in Russian alone.
            rest = "".join(char for char in was if char not in letters and not "À" <= char <= "ÿ")
            allowed = scripts - {"Latn"}
        fits = count_scripts(rest).keys() <= allowed
        return was if fits and not {category(char) for char in was} & {"Cc", "Cn", "Co"} else run

    def mended(match: re.Match[str]) -> str:
        run = match.group()
        before = whole[max(0, match.start() - 1) : match.start()]
        is_sound = letters.issuperset(run) and not _changes_case(before + run)
        return run if is_sound else decoded(run, "utf-8", scripts | {"Latn"})

    def mended_latin(match: re.Match[str]) -> str:
        was = decoded(match.group(), name, scripts)
        return match.group() if _changes_case(was) else was

    why = "other encoding", "Bytes were read in another encoding"
    for name in _READ_AS:
        table, runs = _runs(name)
        if (was := runs.sub(mended, whole)) != whole:
            return _other_encoding(was, locale) or (*why, was)  # it may have happened twice
    table, _ = _runs("cp1252")
    old = () if "Latn" in scripts else _OLD if locale.script != "Hant" else _OLD[::-1]
    for name in old:  # noqa: B007 (read by mended_latin)
        if (was := _LATIN.sub(mended_latin, text)) != text:
            return *why, was
    return None


def _changes_case(text: str) -> bool:
    return any(a.islower() and b.isupper() for a, b in pairwise(text))


# Arabic letters in the forms in which they are drawn, without the ligatures and signs from U+FDF0
# and ornate parentheses, which people type; and letters that only end words, where one begins.
_SHAPED = re.compile("[\ufb50-\ufd3d\ufd50-\ufdc7\ufe70-\ufefc]+")
_REVERSED = re.compile(
    "(?<![\\w\"'״׳\u0591-\u05c7\u064b-\u0652\u200c])[ךםןףץةے][\u05d0-\u05ea\u0621-\u064a\u066e-\u06d3]"
)
_LEFT_TO_RIGHT = re.compile("[0-9A-Za-z\u00c0-\u024f][0-9A-Za-z\u00c0-\u024f.,:%]*")


def _drawn_forms(text: str, _: Locale) -> _Found:
    words = _SHAPED.findall(text)
    firsts = {decomposition(word[0]).split(" ")[0] for word in words}
    lasts = {decomposition(word[-1]).split(" ")[0] for word in words}
    # A form that joins the letter before it comes first, or one that joins the next comes last.
    is_reversed = firsts & {"<final>", "<medial>"} or lasts & {"<initial>", "<medial>"}
    if is_reversed or _REVERSED.search(text):
        parts = re.split(r"(\s*//\s*)", _LEFT_TO_RIGHT.sub(lambda match: match[0][::-1], text))
        was = normalize("NFKC", "".join(part[::-1] for part in parts))[:_SHOWN_LETTERS]
        why = f"Letters stand in the order in which they are seen, which was probably “{was}”"
        return "visual order", why, text
    plain = _SHAPED.sub(lambda match: normalize("NFKC", match[0]), text)
    why = "Letters are typed in their drawn forms, which no search finds"
    return ("drawn forms", why, plain) if words else None


# Burmese for the font Zawgyi, which has an order of its own, and letters where Unicode has those of
# Mon, Karen and Shan: E or a medial where no consonant is before it, U+1033, 1034 and 1060 to 1097,
# and the stacking sign, which is Zawgyi's sign of a closed syllable, with nothing behind it, behind
# letters that bear none, or between rows of the alphabet that are not stacked (Unicode's FAQ on
# Myanmar; CLDR's detector). Tried on 30 phrases in both: 26 are found, and none in Unicode; of
# myanmartools, a model of 84 kB last released in 2020, 29 and 4. Wrong for Shan, hence `my` alone.
_ZAWGYI = re.compile(
    "(?<![\u1000-\u102a\u1039-\u103f])[\u1031\u103b-\u103e]|[\u1033\u1034\u1060-\u1097]"
    "|\u1039(?![\u1000-\u1021])|[ငယရဝ]\u1039|[က-င]\u1039[စ-ဘ]|[စ-ည]\u1039[က-ငဋ-ဘ]"
    "|[တ-န]\u1039[က-ဏပ-ဘ]|[ပ-မ]\u1039[က-န]"
)


def _zawgyi(text: str, locale: Locale) -> _Found:
    words = [word for word in text.split() if _ZAWGYI.search(word)]
    if locale.tag.partition("-")[0] != "my" or not words:
        return None
    shown = words[0][:_SHOWN_LETTERS]
    return "Zawgyi", f"“{shown}” is typed for the font Zawgyi; convert it to Unicode", text


def _direction(text: str, _: Locale) -> _Found:
    if override := re.search("[\u202d\u202e]", text):
        word = re.sub("[\u202a-\u202e]", "", text[override.end() :]).strip()[:_SHOWN_LETTERS]
        why = f"U+{ord(override[0]):04X} before “{word}” forces the letters' order; remove it"
        return "forced direction", why, text
    embeddings = sum(map(text.count, "\u202a\u202b")) != text.count("\u202c")
    isolates = sum(map(text.count, "\u2066\u2067\u2068")) != text.count("\u2069")
    why = "A mark of direction is opened or closed alone"
    return ("unbalanced direction", why, text) if embeddings or isolates else None


# Letters drawn alike in most faces. A word is suspect only where all its letters of one script are
# among them (UTS #39's mixed-script confusable, with a table for eyes, not for fraud): units
# (`kΩ`), formulas (`αx`) and brands with endings (`iPhone-ом`) are none, nor is an ending behind
# capitals (`VPNа`), which Russian writes.
_ALIKE = {
    "Cyrl": ("АВЕЅІЈКМНОРСТХаеіјорсухѕԛԝһ", "ABESIJKMHOPCTXaeijopcyxsqwh"),
    "Grek": ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϳ", "ABEZHIKMNOPTYXovj"),
}
_MIXED = re.compile("[Ͱ-ԯ](?:[A-Za-zÀ-ɏ]|(?<=[A-Za-zÀ-ɏ].))")


def _alike(text: str, locale: Locale) -> _Found:
    strange: dict[str, None] = {}

    def mended(match: re.Match[str]) -> str:
        word = match.group()
        scripts = count_scripts(word)
        other = next((script for script in _ALIKE if scripts.keys() == {"Latn", script}), "")
        if not other or (locale.script == other and re.fullmatch("[A-Z]{2,}[Ͱ-ԯ]+", word)):
            return word
        theirs, latin = _ALIKE[other]
        tables = {"Latn": str.maketrans(theirs, latin), other: str.maketrans(latin, theirs)}
        for script in sorted(tables, key=lambda each: (each != locale.script, -scripts[each])):
            plain = word.translate(tables[script])
            if count_scripts(plain).keys() == {script}:
                strange.update({a: None for a, b in zip(word, plain, strict=True) if a != b})
                return plain
        return word

    plain = re.sub(r"[^\W\d_]+", mended, text)
    letters = ", ".join(f"{char} is U+{ord(char):04X}" for char in strange)
    why = f"Letters of another script look alike ({letters})"
    return ("look-alike letters", why, plain) if strange else None


_FINDERS = (
    (re.compile(r"[&<\\]"), _markup),
    (_MOJIBAKE, _other_encoding),
    (re.compile("[ךםןףץةے\ufb50-\ufd3d\ufd50-\ufdc7\ufe70-\ufefc]"), _drawn_forms),
    (re.compile("[\u1031-\u1034\u1039\u103b-\u103e\u1060-\u1097]"), _zawgyi),
    (re.compile("[\u202a-\u202e\u2066-\u2069]"), _direction),
    (_MIXED, _alike),
)
"""What a text holds that is to be looked at, and how; of ASCII only the first. Each pattern begins
with one class of characters, which `re` skips to ten times as fast as to an alternative."""

VOWELS: dict[str, str] = dict(
    re.findall(
        r"(\S+)=(\S+)",
        "अऺ=ॳ अऻ=ॴ अा=आ अॅ=ॲ अॆ=ऄ अॉ=ऑ अॊ=ऒ अो=ओ अौ=औ अॏ=ॵ अॖ=ॶ अॗ=ॷ आऺ=ॴ आॅ=ऑ आॆ=ऒ आे=ओ आै=औ "
        "उु=ऊ एॅ=ऍ एॆ=ऎ एे=ऐ অা=আ ঋৃ=ৠ ঌৢ=ৡ ਅਾ=ਆ ਅੈ=ਐ ਅੌ=ਔ ੲਿ=ਇ ੲੀ=ਈ ੲੇ=ਏ ੳੁ=ਉ ੳੂ=ਊ ੳੋ=ਓ અા=આ "
        "અૅ=ઍ અે=એ અૈ=ઐ અૉ=ઑ અો=ઓ અૌ=ઔ ଅା=ଆ ଏୗ=ଐ ଓୗ=ଔ அூ=ஆ ఒౕ=ఓ ఒౌ=ఔ ಉಾ=ಊ ಋಾ=ೠ ಒೌ=ಔ ഇൗ=ഈ ഉൗ=ഊ "
        "എെ=ഐ ഒാ=ഓ ഒൗ=ഔ අා=ආ අැ=ඇ අෑ=ඈ උෟ=ඌ ඍෘ=ඎ ඏෟ=ඐ එ්=ඒ එෙ=ඓ ඔෟ=ඖ",
    )
)
"""Letters with signs that look like a letter of their own, and that letter, of Devanagari to
Sinhala (the tables "Vowel letters" in chapters 12 and 13 of Unicode 17; DoNotEmit.txt)."""


def dotted_circle(word: str) -> str:
    """Return a sentence on a word drawn with a dotted circle, and how it is usually spelt."""
    mended = word
    for typed, vowel in VOWELS.items():
        mended = mended.replace(typed, vowel)
    why = f"it is probably “{mended}”" if mended != word else "a mark has no letter to stand on"
    return f"A dotted circle is drawn in “{word}”: {why}."


_BETWEEN = {
    "//": UNSPACED,
    "|": re.compile(r"\s*[|｜¦│‖]+\s*"),
    "/": re.compile(r"\s*[/／]\s*"),
    "a line break": re.compile(r"\s*(?:\n|<br\s*/?>)\s*", re.IGNORECASE),
}
"""Marks that people and machines write between parts, the likeliest first."""


def lost_parts(
    caption: Caption, boxes: int | None = None, source: Caption | None = None
) -> Damage | None:
    """Return which of its source's parts a caption lacks, and what could stand between its parts.

    `boxes` is how many the template has; of a caption without `source` only a mark tells that parts
    are lost.
    """
    parts, needed = caption.parts, source.parts if source else ()
    slashes = any(UNSPACED.search(part) for part in parts if "://" not in part)
    if not slashes and all(parts) and len(parts) >= max(len(needed), 1 if source else 2):
        return None
    expected = len(needed) or boxes or 0
    empty = [at for at, part in enumerate(needed, 1) if part and not any(parts[at - 1 : at])]
    what = f"The caption has {counted(len(parts), 'part')} of {expected}"
    if empty:
        what = f"Its source has text for part {', '.join(map(str, empty))}, the caption has none"
    marks = _BETWEEN.items() if empty or slashes or not source else ()
    for name, mark in marks:
        pieces = [" ".join(piece.split()) for part in parts if part for piece in mark.split(part)]
        written = Caption.parse(SEPARATOR.join(pieces))
        is_whole = 1 < len(written.parts) == expected and all(written.parts)
        if is_whole and (source or name in ("//", "|")):
            return Damage("missing part", f"{what}; if {name} parts it, write “{written}”.")
    if slashes:
        what += "; “//” without spaces is drawn, “ // ” parts a caption"
    return Damage("missing part", f"{what}.") if empty or slashes else None
