"""Label sets: the shipped ones, those of a team's own, and the TOML they are written in."""

from memeloc.survey.taxonomy.file import (
    FOLDER,
    SOURCE,
    load_taxonomy,
    parse_taxonomy,
    taxonomy_names,
)
from memeloc.survey.taxonomy.model import Example, Label, SecondQuestion, Taxonomy

__all__ = [
    "FOLDER",
    "SOURCE",
    "Example",
    "Label",
    "SecondQuestion",
    "Taxonomy",
    "load_taxonomy",
    "parse_taxonomy",
    "taxonomy_names",
]
