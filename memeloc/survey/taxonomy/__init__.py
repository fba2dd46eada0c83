"""Label sets. In: a shipped taxonomy's name, or the TOML of a team's own. Out: a `Taxonomy`."""

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
