"""What stands beside a release's data. In: a `Release`, a folder with its data. Out: files in it.

1. `layout` finds which files hold which languages, splits and tables; `summary` counts.
2. `card`, `croissant` and `citation` are functions from a release to a file's text.
3. `describe` writes them, whatever layout the data are in.
"""
