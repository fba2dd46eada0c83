"""The store. In: a folder or a database's URL. Out: `Store`, with a repository a kind."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memeloc.store.database import Database, WorkspaceError
from memeloc.store.queries import Repository
from memeloc.store.schema import make_tables

if TYPE_CHECKING:
    from memeloc.store.captions.captions import Captions
    from memeloc.store.captions.cases import Cases
    from memeloc.store.captions.comparisons import Comparisons
    from memeloc.store.captions.corrections import Corrections
    from memeloc.store.captions.drops import Drops
    from memeloc.store.captions.memory import Memory
    from memeloc.store.captions.sheets import Sheets
    from memeloc.store.captions.transcripts import Transcripts
    from memeloc.store.captions.translations import Translations
    from memeloc.store.computed import Computed
    from memeloc.store.curation import Curation
    from memeloc.store.datasets import Datasets
    from memeloc.store.dumps import Dumps
    from memeloc.store.exports import Exports
    from memeloc.store.items import Items
    from memeloc.store.knowledge import Knowledge
    from memeloc.store.model_labels import ModelLabels
    from memeloc.store.progress import Progress
    from memeloc.store.spending import Spending
    from memeloc.store.surveys.erasures import Erasures
    from memeloc.store.surveys.label_decisions import LabelDecisions
    from memeloc.store.surveys.serving import Serving
    from memeloc.store.surveys.survey_texts import SurveyTexts
    from memeloc.store.surveys.surveys import Surveys

DATABASE_FILE = "memeloc.db"

_PARTS = {
    "captions": (
        *("captions", "sheets", "corrections", "cases", "drops", "comparisons", "memory"),
        *("transcripts", "translations"),
    ),
    "surveys": ("surveys", "survey_texts", "serving", "erasures", "label_decisions"),
}
"""The packages of repositories that are not beside this module."""
_MODULES = {name: f"{part}.{name}" for part, names in _PARTS.items() for name in names}


class Store(Repository):
    """A workspace's data. Languages are exact tags of the locale registry.

    Every method is one transaction, or several that can be interrupted between any two and run
    again; each may raise WorkspaceError when the database cannot be reached, read or written, and
    nothing of a failed step is stored. The repositories are imported when they are used.
    """

    captions: Captions
    sheets: Sheets
    corrections: Corrections
    cases: Cases
    drops: Drops
    dumps: Dumps
    comparisons: Comparisons
    memory: Memory
    items: Items
    transcripts: Transcripts
    translations: Translations
    curation: Curation
    datasets: Datasets
    computed: Computed
    surveys: Surveys
    survey_texts: SurveyTexts
    exports: Exports
    serving: Serving
    erasures: Erasures
    label_decisions: LabelDecisions
    model_labels: ModelLabels
    knowledge: Knowledge
    progress: Progress
    spending: Spending

    @classmethod
    def open(cls, where: Path | str, database: str = "") -> Self:
        """Open the store of a folder, or of a database by its URL.

        Args:
            where: a workspace's folder, or a URL (postgresql:// or sqlite:///).
            database: the URL of the folder's database where it is not memeloc.db in it.

        Raises:
            InputError: the URL cannot be read.
            MissingDatabaseError: the database is a file that is missing or empty.
            WorkspaceError: the database cannot be used.
        """
        store = cls._at(where, database)
        make_tables(store.database)
        return store

    @classmethod
    def create(cls, where: Path | str, database: str = "") -> Self:
        """Make the store of a folder; one that is there already is opened.

        Args, Raises: as of `open`.
        """
        store = cls._at(where, database)
        try:
            if store.root is not None:
                store.root.mkdir(parents=True, exist_ok=True)
            if store.database.file is not None:
                store.database.file.touch()
        except OSError as error:
            raise WorkspaceError(f"{where}: cannot be written ({error.strerror}).") from error
        make_tables(store.database, create=True)
        return store

    @classmethod
    def _at(cls, where: Path | str, database: str) -> Self:
        if isinstance(where, str) and "://" in where:
            return cls(None, Database(where))
        root = Path(where)
        return cls(root, Database(database or root / DATABASE_FILE))

    def __getattr__(self, name: str) -> Repository:
        """The repository of a name, which is its module's and its class's, too."""
        if name not in Store.__annotations__:
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        module = import_module(f"memeloc.store.{_MODULES.get(name, name)}")
        kind: type[Repository] = getattr(module, name.title().replace("_", ""))
        repository = kind(self.root, self.database)
        setattr(self, name, repository)
        return repository

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
