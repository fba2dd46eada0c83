"""Label sets. In: a shipped taxonomy's name, or the TOML of a team's own. Out: a `Taxonomy`."""

from memeloc.taxonomy.demographics import demographic_questions, with_demographics
from memeloc.taxonomy.file import FOLDER, SOURCE, load_taxonomy, parse_taxonomy, taxonomy_names
from memeloc.taxonomy.model import LABEL, About, Example, Kind, Label, Question, Role, Taxonomy
from memeloc.taxonomy.questions import without_drafts

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
