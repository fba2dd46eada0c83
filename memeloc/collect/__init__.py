"""Sources. In: public sites, APIs, files and datasets. Out: what is found there, and refusals.

`registry` finds a source by name; its constructor's parameters are its options (`protocol`). It
asks `fetch` for pages: robots.txt, a pause between requests, a cache on disk, and a connection that
goes only to a public address that was checked. What it yields are the entities of `memeloc.items`.
"""
