"""Every statistic beside an independent package, a printed example, or counting by brute force.

`tests/analyze/test_comparisons.py` holds them to their tolerance, and
`tools/make_statistics_table.py` writes the table of guides/statistics.md from them.
"""

# Each module enters its comparisons, which the guide lists in this order.
from tests.analyze.comparisons import within  # isort: skip
from tests.analyze.comparisons import labels  # isort: skip
from tests.analyze.comparisons import between  # isort: skip
from tests.analyze.comparisons import random_groups  # isort: skip
from tests.analyze.comparisons import annotators  # isort: skip
from tests.analyze.comparisons import dataset  # isort: skip
from tests.analyze.comparisons import evaluation  # isort: skip
from tests.analyze.comparisons.comparison import COMPARISONS, Comparison

__all__ = [
    "COMPARISONS",
    "Comparison",
    "annotators",
    "between",
    "dataset",
    "evaluation",
    "labels",
    "random_groups",
    "within",
]
