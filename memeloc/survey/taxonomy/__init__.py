"""Label sets. In: the name of a shipped taxonomy, or the TOML of one's own. Out: a `Taxonomy`."""

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
