"""Translation of captions. In: captions in one language. Out: captions in others, with their marks.

A translator is chosen by name; the memory is asked before it, the cost is known before anything is
sent, and each answer is handed on as it comes.

>>> from memeloc.locales import default
>>> from memeloc.model import Caption
>>> en, de = default().get("en"), default().get("de")
>>> item = TranslationItem("1", Caption(("me", "my code")), en, de)
>>> run([item], create("pseudo"), on_answer=lambda answer: print(answer.caption)).translated
[ɱé öñé] // [ɱý çöðé öñé]
1
"""

from memeloc.translate.memory import MemoryUnit, TranslationMemory
from memeloc.translate.protocol import (
    TRANSLATORS,
    Answer,
    Estimate,
    FreeTranslator,
    Translation,
    TranslationFailure,
    TranslationItem,
    Translator,
    create,
    failure,
)
from memeloc.translate.run import RunSummary, plan, run

names = TRANSLATORS.names
"""Return the names of all translators: memeloc's own, then those of other packages."""

__all__ = [
    "TRANSLATORS",
    "Answer",
    "Estimate",
    "FreeTranslator",
    "MemoryUnit",
    "RunSummary",
    "Translation",
    "TranslationFailure",
    "TranslationItem",
    "TranslationMemory",
    "Translator",
    "create",
    "failure",
    "names",
    "plan",
    "run",
]
