"""What a habit of line breaking means to ICU and BudouX. In: habit, tag, script. Out: names."""

from __future__ import annotations

from typing import Literal, get_args

Habit = Literal["words", "characters", "phrases", "dictionary"]
"""Where lines may end: at spaces, between characters, phrases, or a dictionary's words."""

HABITS: tuple[Habit, ...] = get_args(Habit)

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Letters that stand without spaces between words, as ranges of a regular expression: Thai, Lao,
Burmese, Khmer, kana and Chinese characters."""

_PHRASE_MODELS = {"Jpan": "ja", "Hans": "zh-hans", "Hant": "zh-hant"}
_WORD_MODELS = {"Thai": "th"}
_DICTIONARIES = frozenset({"Thai", "Laoo", "Khmr", "Mymr"})
_IDEOGRAPHIC = frozenset({"Jpan", "Hans", "Hant", "Kore"})


def possible(script: str) -> tuple[Habit, ...]:
    """The habits that a script can have, its usual one first.

    >>> possible("Jpan")
    ('phrases', 'characters')
    """
    if script in _DICTIONARIES:
        return ("dictionary",)
    if script in _PHRASE_MODELS:
        return ("phrases", "characters")
    return ("words", "characters") if script in _IDEOGRAPHIC else ("words",)


def breaking(habit: Habit, tag: str, script: str) -> tuple[str, str]:
    """ICU's locale identifier and BudouX's model (or none) for a habit of `possible(script)`.

    Characters and phrases keep small kana, prolonged sound marks and closing punctuation off the
    beginning of a line (`lb=strict`, CSS Text 3 `line-break: strict`). Korean words are kept whole
    (`lw=keepall`, CSS `word-break: keep-all`), which `memeloc.render.typesetting.break_rules`
    does, for ICU 78 ignores it. Thai, Lao, Khmer and Burmese need no keyword: ICU has their
    dictionaries; for Thai BudouX sees words whole that ICU cuts.

    >>> breaking("phrases", "ja", "Jpan")
    ('ja@lb=strict', 'ja')
    """
    icu = tag.replace("-", "_")
    if habit in ("characters", "phrases"):
        return f"{icu}@lb=strict", _PHRASE_MODELS[script] if habit == "phrases" else ""
    if habit == "dictionary":
        return icu, _WORD_MODELS.get(script, "")
    return f"{icu}@lw=keepall" if habit == "words" and script == "Kore" else icu, ""
