"""The store. In: a folder or a database's URL. Out: `Store`, with a repository for each kind.

    with Store.open("my-set") as store:
        store.captions.current("de")             # {meme_id: CaptionVersion}
        store.items.find("picture")              # an iterator of Items
        store.surveys.submissions("pilot")

What people typed is append-only: a newer row supersedes, and triggers in the database refuse to
change or delete one (tables/ says which). Every change of the schema is a migration in versions/
with a test. Languages are exact tags of the locale registry; times are aware and in UTC. What
translating, correcting and the rest do with it stands in memeloc.workspace.
"""

from typing import TYPE_CHECKING, Any

from memeloc.correct.placing import PlacedAnswer
from memeloc.store.caption_versions import check_parts
from memeloc.store.database import WorkspaceError
from memeloc.store.records import (
    AddedAnswers,
    CaptionVersion,
    CaseRecord,
    CorrectionRecord,
    FileRecord,
    ImportSummary,
    Kind,
    KnownSheet,
    LanguageStatus,
    SheetRecord,
    ToCorrect,
    ToTranslate,
)
from memeloc.store.store import Store
from memeloc.translate.memory import MemoryUnit

if TYPE_CHECKING:
    from memeloc.store.old_workspace import Workspace

__all__ = [
    "AddedAnswers",
    "CaptionVersion",
    "CaseRecord",
    "CorrectionRecord",
    "FileRecord",
    "ImportSummary",
    "Kind",
    "KnownSheet",
    "LanguageStatus",
    "MemoryUnit",
    "PlacedAnswer",
    "SheetRecord",
    "Store",
    "ToCorrect",
    "ToTranslate",
    "Workspace",
    "WorkspaceError",
    "check_parts",
]


def __getattr__(name: str) -> Any:
    """The former workspace, which stands above the store; it goes with its last caller."""
    if name == "Workspace":
        from memeloc.store.old_workspace import Workspace

        return Workspace
    raise AttributeError(name)
