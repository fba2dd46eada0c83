"""The store. In: a folder or a database's URL. Out: `Store`, with a repository a kind."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memeloc.store.database import Database, WorkspaceError, make_tables
from memeloc.store.queries import Repository

if TYPE_CHECKING:
    from memeloc.store.captions.captions import Captions, Drops
    from memeloc.store.captions.cases import Cases
    from memeloc.store.captions.corrections import Comparisons, Corrections
    from memeloc.store.captions.memory import Memory
    from memeloc.store.captions.sheets import Sheets
    from memeloc.store.captions.transcripts import Transcripts
    from memeloc.store.computed import Computed, Spending
    from memeloc.store.curation import Curation
    from memeloc.store.dumps import Dumps
    from memeloc.store.exports import Exports
    from memeloc.store.items import Datasets, Items
    from memeloc.store.model_answers import Knowledge, ModelLabels
    from memeloc.store.progress import Progress
    from memeloc.store.surveys.erasures import Erasures
    from memeloc.store.surveys.serving import Serving
    from memeloc.store.surveys.survey_texts import SurveyTexts
    from memeloc.store.surveys.surveys import Surveys

DATABASE_FILE = "memeloc.db"


def _repository(module: str, name: str) -> Any:
    """Return a repository, a class of a module of memeloc.store, that is made on first use."""

    def make(store: Repository) -> Any:
        kind = getattr(import_module(f"memeloc.store.{module}"), name)
        return kind(store.root, store.database)

    return cached_property(make)


class Store(Repository):
    """A workspace's data.

    Every method is one transaction, or several that can be interrupted between any two and run
    again; each may raise WorkspaceError when the database cannot be reached, read or written, and
    nothing of a failed step is stored. The repositories are imported when they are used.
    """

    captions: Captions = _repository("captions.captions", "Captions")
    sheets: Sheets = _repository("captions.sheets", "Sheets")
    corrections: Corrections = _repository("captions.corrections", "Corrections")
    cases: Cases = _repository("captions.cases", "Cases")
    drops: Drops = _repository("captions.captions", "Drops")
    dumps: Dumps = _repository("dumps", "Dumps")
    comparisons: Comparisons = _repository("captions.corrections", "Comparisons")
    memory: Memory = _repository("captions.memory", "Memory")
    items: Items = _repository("items", "Items")
    transcripts: Transcripts = _repository("captions.transcripts", "Transcripts")
    curation: Curation = _repository("curation", "Curation")
    datasets: Datasets = _repository("items", "Datasets")
    computed: Computed = _repository("computed", "Computed")
    surveys: Surveys = _repository("surveys.surveys", "Surveys")
    survey_texts: SurveyTexts = _repository("surveys.survey_texts", "SurveyTexts")
    exports: Exports = _repository("exports", "Exports")
    serving: Serving = _repository("surveys.serving", "Serving")
    erasures: Erasures = _repository("surveys.erasures", "Erasures")
    model_labels: ModelLabels = _repository("model_answers", "ModelLabels")
    knowledge: Knowledge = _repository("model_answers", "Knowledge")
    progress: Progress = _repository("progress", "Progress")
    spending: Spending = _repository("computed", "Spending")

    @classmethod
    def open(cls, where: Path | str, database: str = "", *, create: bool = False) -> Self:
        """Open the store of a folder, or of a URL (postgresql:// or sqlite:///); `database` is the
        URL of the folder's database where it is not memeloc.db in it.

        Raise InputError if the URL cannot be read, MissingDatabaseError if the database is a file
        that is missing or empty, and not to be made, WorkspaceError if it cannot be used.
        """
        root = None if isinstance(where, str) and "://" in where else Path(where)
        file = None if root is None else root / DATABASE_FILE
        store = cls(root, Database(database or file or where))
        try:
            if create and root is not None:
                root.mkdir(parents=True, exist_ok=True)
            if create and store.database.file is not None:
                store.database.file.touch()
        except OSError as error:
            raise WorkspaceError(f"{where}: cannot be written ({error.strerror}).") from error
        make_tables(store.database, create=create)
        return store

    @classmethod
    def create(cls, where: Path | str, database: str = "") -> Self:
        """Make the store of a folder; one that is there already is opened."""
        return cls.open(where, database, create=True)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
