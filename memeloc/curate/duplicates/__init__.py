"""What is there twice. In: items, hashes, vectors. Out: pairs, groups, which one stays."""
