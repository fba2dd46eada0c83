"""Distribution shift. In: dated or several datasets, a way to train. Out: how well models transfer.

1. `fitting` trains and scores, whatever the models are: `Fit`, `score`.
2. `periods` divides a dataset by years, `temporal` trains on each period and tests on all.
3. `label_maps` gives datasets labels that they share, `aligned` draws a sample of the size of
   another, `transfer` trains on one dataset and tests on another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.shift.aligned import AlignedSample, aligned_sample
    from memeloc.evaluate.shift.label_maps import LabelMap, load_label_map
    from memeloc.evaluate.shift.periods import Period, consecutive_periods
    from memeloc.evaluate.shift.temporal import temporal_matrix, temporal_section
    from memeloc.evaluate.shift.transfer import (
        Corpus,
        Transfer,
        cross_dataset,
        transfer_section,
    )

__all__ = [
    "AlignedSample",
    "Corpus",
    "LabelMap",
    "Period",
    "Transfer",
    "aligned_sample",
    "consecutive_periods",
    "cross_dataset",
    "load_label_map",
    "temporal_matrix",
    "temporal_section",
    "transfer_section",
]

_HERE = "memeloc.evaluate.shift"

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        f"{_HERE}.aligned": ["AlignedSample", "aligned_sample"],
        f"{_HERE}.label_maps": ["LabelMap", "load_label_map"],
        f"{_HERE}.periods": ["Period", "consecutive_periods"],
        f"{_HERE}.temporal": ["temporal_matrix", "temporal_section"],
        f"{_HERE}.transfer": ["Corpus", "Transfer", "cross_dataset", "transfer_section"],
    },
)
