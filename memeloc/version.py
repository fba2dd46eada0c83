"""memeloc's version. In: nothing. Out: what pictures, files and requests are marked with."""

__version__ = "0.2.0"
