"""Label sets: the shipped ones, those of one's own, and the TOML they are written in."""

from memeloc.survey.taxonomy.definition import (
    FOLDER,
    SOURCE,
    Example,
    Label,
    SecondQuestion,
    Taxonomy,
    load_taxonomy,
    taxonomy_names,
)

__all__ = [
    "FOLDER",
    "SOURCE",
    "Example",
    "Label",
    "SecondQuestion",
    "Taxonomy",
    "load_taxonomy",
    "taxonomy_names",
]
