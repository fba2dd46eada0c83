"""Extraction. In: memes, dimensions, a model. Out: `KnowledgeAnswer`s, `MemeKnowledge`."""
