"""Label sets. In: a shipped taxonomy's name, or the TOML of a team's own. Out: a `Taxonomy`."""

from memeloc.taxonomy.file import (
    FOLDER,
    SOURCE,
    demographic_questions,
    load_taxonomy,
    parse_taxonomy,
    taxonomy_names,
    with_demographics,
    without_drafts,
)
from memeloc.taxonomy.model import LABEL, About, Example, Kind, Label, Question, Role, Taxonomy

__all__ = [
    "FOLDER",
    "LABEL",
    "SOURCE",
    "About",
    "Example",
    "Kind",
    "Label",
    "Question",
    "Role",
    "Taxonomy",
    "demographic_questions",
    "load_taxonomy",
    "parse_taxonomy",
    "taxonomy_names",
    "with_demographics",
    "without_drafts",
]
