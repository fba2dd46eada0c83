"""Extraction. In: memes, a recipe, a model's answers. Out: questions of them, `MemeKnowledge`."""

from memeloc.knowledge.extraction.asking import Extraction
from memeloc.knowledge.extraction.reading import knowledge_of

__all__ = ["Extraction", "knowledge_of"]
