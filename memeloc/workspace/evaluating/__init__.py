"""Evaluating models on memes. In: a run, a workspace or a dataset's folder. Out: its results.

`own_memes` gives the workspace's memes with the labels of a survey, `published` those of a release;
`evaluating` runs `memeloc.evaluate.runs` on them. `learned` gives the memes of a
survey to models that are trained.
"""

from __future__ import annotations

from memeloc.evaluate.runs.asking import OpenRun
from memeloc.workspace.evaluating.evaluating import Evaluating, open_run

__all__ = ["Evaluating", "OpenRun", "open_run"]
