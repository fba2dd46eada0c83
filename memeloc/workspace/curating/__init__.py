"""Curating. In: a workspace, what was collected. Out: verdicts, pairs, answers and selections.

`Curating` is in curating.py, its steps in a module each.
"""

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.workspace.curating.curating import Curating as Curating

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
