"""`python -m memeloc`. In: arguments. Out: what the command line gives."""

from __future__ import annotations

from memeloc.cli import main

main()
