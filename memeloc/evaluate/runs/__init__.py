"""Zero-shot runs. In: a run file, its dataset, models. Out: every answer as a table, and a page.

1. `run` has what a run file may say: `Run`; `shipped/` those of the papers.
2. `dataset` is what is asked about: `RunData`, of tables, or given by a workspace.
3. `prompts` has texts in several languages, and those of a checkout.
4. `questions` makes of all that the questions; `asking` asks them, reads the answers and writes the
   folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.runs.asking import OpenRun as OpenRun
    from memeloc.evaluate.runs.dataset import RunData as RunData
    from memeloc.evaluate.runs.dataset import RunItem as RunItem
    from memeloc.evaluate.runs.run import Run as Run
    from memeloc.evaluate.runs.run import read_run as read_run
    from memeloc.evaluate.runs.run import run_names as run_names

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
