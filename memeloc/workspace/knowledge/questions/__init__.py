"""Questions in a workspace. In: what was extracted, models, people. Out: a checked benchmark.

`asking` has a model write them, `stored` gives those of a run, `people` builds surveys of them and
reads what was judged; `questions` is the API.
"""

from memeloc.workspace.knowledge.questions.asking import AskSettings
from memeloc.workspace.knowledge.questions.questions import Questions

__all__ = ["AskSettings", "Questions"]
