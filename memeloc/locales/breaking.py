"""Ends of words and lines. In: texts, habits of line breaking. Out: offsets, what libraries need.

Grapheme clusters and words are those of UAX #29, ends of lines those of UAX #14, as ICU tailors
them for the locale, with its dictionaries for Thai, Lao, Khmer, Burmese, Chinese and Japanese.

pyphen brings the dictionaries of LibreOffice, each under its own licence. The built-in locales name
those under the LGPL, the MPL, the LPPL or a licence like MIT's (the Ukrainian patterns are under
both of the latter in TeX's hyph-utf8); the Czech, Norwegian and Romanian ones, under the GPL alone,
are for those to name in a locale of their own whom that suits. The Finnish one is memeloc's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from memeloc.errors import InputError
from memeloc.model import Locale

if TYPE_CHECKING:
    import icu

_MKHEDRULI = {capital: capital - 0x1C90 + 0x10D0 for capital in range(0x1C90, 0x1CC0)}


def uppercase(text: str, locale: Locale) -> str:
    """Return `text` in upper case by the rules of the locale's language.

    A locale whose poster style is not upper case gets the text back as it is. Georgian letters stay
    as they are in every locale: Mtavruli is not used as capitals are elsewhere.

    >>> from memeloc.locales import default
    >>> uppercase("ışık istiyor", default().get("tr"))
    'IŞIK İSTİYOR'
    """
    if not locale.uppercase:
        return text
    import icu  # only here: it takes long to load

    for pattern, replacement in locale.casing:
        text = re.sub(pattern, replacement, text)
    upper = icu.UnicodeString(text).toUpper(icu.Locale.forLanguageTag(locale.tag))
    return str(upper).translate(_MKHEDRULI)


def coverage(
    locale: Locale, letters: Iterable[str], family_for: Callable[[str], str | None], *, upper: bool
) -> dict[str, str | None]:
    """Return which family draws each grapheme cluster of `letters`; None where none does.

    What has no look of its own (joiners, the soft hyphen) is left out; with `upper` the upper-case
    forms are looked at, too, where the locale's poster style is upper case.
    """
    texts = list(letters)
    if upper:
        texts += [uppercase(text, locale) for text in texts]
    return {
        cluster: family_for(cluster)
        for text in dict.fromkeys(texts)
        for cluster in (text[a:b] for a, b in pairwise([0, *ends(text, "Character", "en")]))
        if any(unicodedata.category(char) != "Cf" and char != "\u034f" for char in cluster)
    }


Unit = Literal["Character", "Word", "Line"]
Habit = Literal["words", "characters", "phrases", "dictionary"]
"""Where lines may end: at spaces, between characters, phrases, or a dictionary's words."""

HABITS: tuple[Habit, ...] = get_args(Habit)

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Letters that stand without spaces between words, as ranges of a regular expression: Thai, Lao,
Burmese, Khmer, kana and Chinese characters."""

_PHRASE_MODELS = {"Jpan": "ja", "Hans": "zh-hans", "Hant": "zh-hant"}
_WORD_MODELS = {"Thai": "th"}
_POSSIBLE: dict[str, tuple[Habit, ...]] = {
    **dict.fromkeys(("Thai", "Laoo", "Khmr", "Mymr"), ("dictionary",)),
    **dict.fromkeys(_PHRASE_MODELS, ("phrases", "characters")),
    "Kore": ("words", "characters"),
}


def possible(script: str) -> tuple[Habit, ...]:
    """Return the habits that a script can have, its usual one first.

    >>> possible("Jpan")
    ('phrases', 'characters')
    """
    return _POSSIBLE.get(script, ("words",))


def breaking(habit: Habit, tag: str, script: str) -> tuple[str, str]:
    """Return ICU's locale identifier and BudouX's model (or none) for a possible habit.

    Characters and phrases keep small kana, prolonged sound marks and closing punctuation off the
    beginning of a line (`lb=strict`, CSS Text 3 `line-break: strict`). Korean words are kept whole
    (`lw=keepall`, CSS `word-break: keep-all`), which `memeloc.render.typesetting.breaks` does, for
    ICU 78 ignores it. Thai, Lao, Khmer and Burmese need no keyword: ICU has their dictionaries;
    for Thai BudouX sees words whole that ICU cuts.

    >>> breaking("phrases", "ja", "Jpan")
    ('ja@lb=strict', 'ja')
    """
    icu = tag.replace("-", "_")
    if habit in ("characters", "phrases"):
        return f"{icu}@lb=strict", _PHRASE_MODELS[script] if habit == "phrases" else ""
    if habit == "dictionary":
        return icu, _WORD_MODELS.get(script, "")
    return f"{icu}@lw=keepall" if habit == "words" and script == "Kore" else icu, ""


def ends(text: str, unit: Unit, locale: str) -> list[int]:
    """Return where each unit of a text ends, in code points, ascending, by ICU's locale identifier.

    >>> ends("tea 🍵 now", "Word", "en")
    [3, 4, 5, 6, 9]
    """
    import icu

    iterator = _iterator(unit, locale)
    iterator.setText(icu.UnicodeString(text))
    found = list(iterator)
    if not found or found[-1] == len(text):
        return found
    # ICU counts UTF-16 units, two for a character beyond U+FFFF.
    units = accumulate((2 if char > "\uffff" else 1) for char in text)
    points = {unit: point for point, unit in enumerate(units, 1)}
    return [points[end] for end in found if end in points]


@cache
def _iterator(unit: Unit, locale: str) -> icu.BreakIterator:
    import icu

    make = getattr(icu.BreakIterator, f"create{unit}Instance")
    return make(icu.Locale(locale))


@cache
def dictionary(name: str) -> Path:
    """Return the file of a dictionary of hyphenation, memeloc's or pyphen's; else InputError."""
    for folder in _folders():
        if (path := folder / f"hyph_{name}.dic").is_file():
            return path
    near = dictionaries(name.split("_")[0])
    hint = f"it has {' and '.join(near)}" if near else "leave hyphenation out for this language"
    raise InputError(f"pyphen has no dictionary {name!r}; {hint}")


def dictionaries(language: str) -> list[str]:
    """Return the names of the dictionaries of a language.

    >>> dictionaries("de")
    ['de_AT', 'de_CH', 'de_DE']
    """
    names = [
        file.stem[5:] for folder in _folders() for file in folder.glob(f"hyph_{language}*.dic")
    ]
    return sorted(name for name in names if name.split("_")[0] == language)


def _folders() -> list[Path]:
    spec = find_spec("pyphen")
    pyphens = Path(spec.origin).parent / "dictionaries" if spec and spec.origin else Path()
    return [Path(__file__).parent / "data", pyphens]
