"""Graphs. In: `MemeKnowledge`. Out: RDF, its store, checks, queries, files and drawings."""
