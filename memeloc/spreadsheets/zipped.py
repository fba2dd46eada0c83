"""Until the survey targets read through memeloc.tables: the former name."""

from memeloc.tables.archives import LARGEST_RATIO

__all__ = ["LARGEST_RATIO"]
