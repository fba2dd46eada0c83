"""Published tables of memes. In: a folder or table. Out: finished memes, as their layouts say.

`layouts` are data: maps of columns. `records` reads rows, `folder` finds the picture that a row
names, and `reader` makes memes of both.
"""
