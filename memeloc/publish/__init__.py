"""Datasets for others. In: a `Release`: pictures, captions, answers, labels. Out: a folder.

1. `release` is what goes out, whatever it is written as; `memeloc.workspace` gathers it.
2. `publishing` has it checked (`checks`: what should not go out) and written in one layout
   (`writers`), in one step (`folder`), and adds `card`, `citing` and `croissant`.
3. `reading` takes a release back in.
"""
