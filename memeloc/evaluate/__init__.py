"""Models as subjects. In: memes, questions and what people answered. Out: how right models are.

One evaluation, from run to page:

1. a model is asked (zero-shot), or trained and then applied; either way its answers are one long
   table: `answers.ModelAnswers`;
2. `choices` reads which of the options an answer in words chooses;
3. `gold` has what is right, by each culture or annotator: `Gold`;
4. `metrics` counts, and the sections of the report are made of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.answers import ModelAnswers as ModelAnswers
    from memeloc.evaluate.choices import Choice as Choice
    from memeloc.evaluate.choices import read_choice as read_choice
    from memeloc.evaluate.gold import Gold as Gold

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
