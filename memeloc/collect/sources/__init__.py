"""Sources of items. In: an address or a path. Out: what is found, refusals."""
