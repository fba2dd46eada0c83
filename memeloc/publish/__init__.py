"""Datasets for others. In: a `Release`: pictures, captions, answers, labels. Out: a folder.

1. `release` is what goes out, whatever it is written as; `memeloc.workspace` gathers it.
2. A writer of the registry `writers` writes it in one layout; `describing` adds its card and the
   like.
3. `checks` refuses what should not go out, and says where; `reading` takes a release back in.
"""
