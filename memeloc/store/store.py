"""The store. In: a folder or a database's URL. Out: `Store`, with a repository a kind."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memeloc.store.database import Database, WorkspaceError, make_tables
from memeloc.store.queries import Repository

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


def _repository(module: str) -> Any:
    """The repository of a module of memeloc.store, whose class has its name, made on first use."""

    def make(store: Repository) -> Any:
        name = module.rpartition(".")[2].title().replace("_", "")
        kind = getattr(import_module(f"memeloc.store.{module}"), name)
        return kind(store.root, store.database)

    return cached_property(make)


class Store(Repository):
    """A workspace's data. Languages are exact tags of the locale registry.

    Every method is one transaction, or several that can be interrupted between any two and run
    again; each may raise WorkspaceError when the database cannot be reached, read or written, and
    nothing of a failed step is stored. The repositories are imported when they are used.
    """

    captions: Captions = _repository("captions.captions")
    sheets: Sheets = _repository("captions.sheets")
    corrections: Corrections = _repository("captions.corrections")
    cases: Cases = _repository("captions.cases")
    drops: Drops = _repository("captions.drops")
    dumps: Dumps = _repository("dumps")
    comparisons: Comparisons = _repository("captions.comparisons")
    memory: Memory = _repository("captions.memory")
    items: Items = _repository("items")
    transcripts: Transcripts = _repository("captions.transcripts")
    translations: Translations = _repository("captions.translations")
    curation: Curation = _repository("curation")
    datasets: Datasets = _repository("datasets")
    computed: Computed = _repository("computed")
    surveys: Surveys = _repository("surveys.surveys")
    survey_texts: SurveyTexts = _repository("surveys.survey_texts")
    exports: Exports = _repository("exports")
    serving: Serving = _repository("surveys.serving")
    erasures: Erasures = _repository("surveys.erasures")
    label_decisions: LabelDecisions = _repository("surveys.label_decisions")
    model_labels: ModelLabels = _repository("model_labels")
    knowledge: Knowledge = _repository("knowledge")
    progress: Progress = _repository("progress")
    spending: Spending = _repository("spending")

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

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
