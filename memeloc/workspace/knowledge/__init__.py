"""Knowledge of memes in a workspace. In: a workspace, a model. Out: what it found, and questions.

`asking` has a model asked and stores what it answers; `stored` gives it back, `knowledge` and
`questions` are the API.
"""

from memeloc.workspace.knowledge.knowledge import Knowledge
from memeloc.workspace.knowledge.stored import KnowledgeSettings

__all__ = ["Knowledge", "KnowledgeSettings"]
