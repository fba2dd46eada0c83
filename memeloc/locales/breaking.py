"""What a line-breaking habit means. In: habit, tag, script. Out: ICU's locale and BudouX's model.

This is the one place that maps the habit of a locale's TOML to `Locale.line_break` and
`Locale.phrase_model`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Habit = Literal["words", "characters", "phrases", "dictionary"]
"""Where lines may end: at spaces, between characters, phrases, or a dictionary's words."""

HABITS: tuple[Habit, ...] = get_args(Habit)

_PHRASE_MODELS = {"Jpan": "ja", "Hans": "zh-hans", "Hant": "zh-hant"}
_DICTIONARIES = frozenset({"Thai", "Laoo", "Khmr", "Mymr"})
_IDEOGRAPHIC = frozenset({"Jpan", "Hans", "Hant", "Kore"})


class Breaking(NamedTuple):
    """What the line breaker is given.

    Attributes:
        icu: locale identifier for ICU's line breaker, with its keywords.
        phrase_model: BudouX model, or empty.
    """

    icu: str
    phrase_model: str


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


def breaking(habit: Habit, tag: str, script: str) -> Breaking:
    """ICU's locale and BudouX's model for a habit.

    Characters and phrases keep small kana, prolonged sound marks and closing punctuation off the
    beginning of a line (`lb=strict`, CSS Text 3 `line-break: strict`). Korean words are kept whole
    (CSS `word-break: keep-all`), which ICU 78 does under `lw=phrase`; its breaker ignores
    `lw=keepall`. Thai, Lao, Khmer and Burmese need no keyword: ICU has their dictionaries.

    Args:
        habit: one of `possible(script)`.
        tag: BCP 47 tag.
        script: ISO 15924 code.

    >>> breaking("phrases", "ja", "Jpan")
    Breaking(icu='ja@lb=strict', phrase_model='ja')
    """
    icu = tag.replace("-", "_")
    if habit in ("characters", "phrases"):
        model = _PHRASE_MODELS[script] if habit == "phrases" else ""
        return Breaking(f"{icu}@lb=strict", model)
    if habit == "words" and script == "Kore":
        return Breaking(f"{icu}@lw=phrase", "")
    return Breaking(icu, "")
