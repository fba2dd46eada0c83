"""Embedding models. In: pictures or texts. Out: vectors."""
