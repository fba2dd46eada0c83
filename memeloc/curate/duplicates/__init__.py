"""Duplicates. In: items, hashes, vectors. Out: pairs, groups, which one stays."""
