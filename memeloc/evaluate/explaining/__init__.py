"""Explanations. In: a trained model. Out: what its answers rest on.

1. `surrogate` fits a linear model near one item to whatever model there is (LIME); `regions`
   divides its picture, `local` leaves out its words and regions and asks the model.
2. `figures` has rows and cards of these, and the words that speak most for each label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.explaining.figures import explanation_card as explanation_card
    from memeloc.evaluate.explaining.figures import explanation_figures as explanation_figures
    from memeloc.evaluate.explaining.figures import telling_words as telling_words
    from memeloc.evaluate.explaining.local import Explanation as Explanation
    from memeloc.evaluate.explaining.local import explain as explain
    from memeloc.evaluate.explaining.regions import Regions as Regions
    from memeloc.evaluate.explaining.regions import find_regions as find_regions
    from memeloc.evaluate.explaining.surrogate import Surrogate as Surrogate
    from memeloc.evaluate.explaining.surrogate import fit_surrogate as fit_surrogate

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
