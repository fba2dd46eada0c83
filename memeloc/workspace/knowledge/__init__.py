"""Knowledge of memes in a workspace. In: a workspace, a model. Out: what it found, and questions.

`running` asks and stores, whatever is asked; the other modules say what.
"""

from memeloc.workspace.knowledge.knowledge import Knowledge
from memeloc.workspace.knowledge.settings import KnowledgeSettings

__all__ = ["Knowledge", "KnowledgeSettings"]
