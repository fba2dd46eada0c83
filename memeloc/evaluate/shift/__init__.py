"""Distribution shift. In: dated or several datasets, a way to train. Out: how well models transfer.

1. `fitting` trains and scores, whatever the models are: `Fit`, `scored`.
2. `periods` divides a dataset by years, `temporal` trains on each period and tests on all.
3. `label_maps` gives datasets labels that they share, `transfer` trains on one dataset and tests on
   another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.shift.label_maps import LabelMap as LabelMap
    from memeloc.evaluate.shift.label_maps import load_label_map as load_label_map
    from memeloc.evaluate.shift.periods import Period as Period
    from memeloc.evaluate.shift.periods import consecutive_periods as consecutive_periods
    from memeloc.evaluate.shift.temporal import temporal_figures as temporal_figures
    from memeloc.evaluate.shift.transfer import Corpus as Corpus
    from memeloc.evaluate.shift.transfer import aligned_sample as aligned_sample
    from memeloc.evaluate.shift.transfer import transfer_figures as transfer_figures

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
