"""The store. In: a folder or a database's URL. Out: `Store`, with a repository a kind."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from memeloc.store.captions import Captions
from memeloc.store.cases import Cases
from memeloc.store.computed import Computed
from memeloc.store.corrections import Corrections
from memeloc.store.curation import Curation
from memeloc.store.database import Database, WorkspaceError
from memeloc.store.exports import Exports
from memeloc.store.files import Files
from memeloc.store.items import Items, folder_of
from memeloc.store.memory import Memory
from memeloc.store.migrating import migrate
from memeloc.store.sheets import Sheets
from memeloc.store.survey_texts import SurveyTexts
from memeloc.store.surveys import Surveys
from memeloc.store.transcripts import Transcripts

DATABASE_FILE = "memeloc.db"


class Store:
    """A workspace's data. Languages are exact tags of the locale registry.

    Every method is one transaction, or several that can be interrupted between any two and run
    again; each may raise WorkspaceError when the database cannot be reached, read or written, and
    nothing of a failed step is stored.

    Attributes:
        root: the folder of pictures and templates; None for a store opened by its database's URL.
        database: where the data are.
    """

    def __init__(self, root: Path | None, database: Database) -> None:
        self.root = root
        self.database = database
        self.captions = Captions(database)
        self.sheets = Sheets(database)
        self.corrections = Corrections(database)
        self.cases = Cases(database)
        self.memory = Memory(database)
        self.files = Files(database)
        self.items = Items(root, database)
        self.transcripts = Transcripts(database)
        self.curation = Curation(root, database)
        self.computed = Computed(database)
        self.surveys = Surveys(root, database)
        self.survey_texts = SurveyTexts(database)
        self.exports = Exports(database)

    @classmethod
    def open(cls, where: Path | str, database: str = "") -> Self:
        """Open the store of a folder, or of a database by its URL.

        An older database is brought to the newest schema.

        Args:
            where: a workspace's folder, or a URL (postgresql:// or sqlite:///).
            database: the URL of the folder's database where it is not memeloc.db in it.

        Raises:
            InputError: the URL cannot be read.
            MissingDatabaseError: the database is a file that is missing or empty.
            WorkspaceError: the database cannot be used.
        """
        store = cls._at(where, database)
        migrate(store.database)
        return store

    @classmethod
    def create(cls, where: Path | str, database: str = "") -> Self:
        """Make the store of a folder; one that is there already is opened.

        Args, Raises: as of `open`.
        """
        store = cls._at(where, database)
        if file := store.database.file:
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            except OSError as error:
                raise WorkspaceError(f"{file}: cannot be written ({error.strerror}).") from error
        migrate(store.database, create=True)
        return store

    @classmethod
    def _at(cls, where: Path | str, database: str) -> Self:
        if isinstance(where, str) and "://" in where:
            return cls(None, Database(where))
        root = Path(where)
        return cls(root, Database(database or root / DATABASE_FILE))

    @property
    def cache_folder(self) -> Path:
        """Where fetched pages are kept; it may be deleted at any time.

        Raises:
            InputError: the store has no folder.
        """
        return folder_of(self.root) / ".cache"

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
