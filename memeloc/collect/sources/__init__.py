"""Where items are collected from. In: an address or a path. Out: what is found, refusals."""
