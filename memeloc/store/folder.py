"""Opening a workspace. In: a folder, or a database's URL. Out: settings, locales, templates, data.

A workspace is a folder with memeloc.toml; its database is memeloc.db beside it, or what the
settings or MEMELOC_DATABASE_URL name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from memeloc.errors import InputError
from memeloc.model import Locale, Template
from memeloc.store.database import Database, WorkspaceError
from memeloc.store.migrating import migrate
from memeloc.workspace.settings import FILE, Settings, database_url, first_file, read_settings

if TYPE_CHECKING:
    from memeloc.locales import Registry

DATABASE_FILE = "memeloc.db"


class WorkspaceFolder:
    """A workspace's folder: its settings, what they name, and the database, opened and migrated.

    Attributes:
        root: the folder, None for a workspace opened by its database's URL.
        settings: what memeloc.toml says.
        database: where the data are.
    """

    def __init__(self, root: Path | None, settings: Settings, database: Database) -> None:
        self.root = root
        self.settings = settings
        self.database = database
        migrate(database)

    # Opening and closing

    @classmethod
    def create(
        cls, folder: str | Path, *, source: str = "en", languages: Sequence[str] = ()
    ) -> Self:
        """Make a workspace in `folder`, which is made if need be; what stands there stays.

        Args:
            folder: where.
            source: tag of the language that the captions are written in.
            languages: tags of those to translate into.

        Raises:
            InputError: there is a workspace already, or a tag is unknown.
        """
        from memeloc.locales import default

        root = Path(folder)
        file = root / FILE
        if file.exists():
            raise InputError("There is a workspace here already.", file=file)
        registry = default()
        tags = list(dict.fromkeys(registry.get(tag).tag for tag in languages))
        words = first_file(registry.get(source).tag, tags)
        root.mkdir(parents=True, exist_ok=True)
        _write(file, words)
        for name in ("templates", "fonts"):
            (root / name).mkdir(exist_ok=True)
        return cls.open(root)

    @classmethod
    def find(cls, start: str | Path | None = None) -> Self:
        """Open the workspace of `start` (by default the working directory) or of a folder above.

        Raises:
            InputError: there is none.
        """
        return cls.open(workspace_folder(start))

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """Open a workspace by its folder, or by its database's URL (with the default settings).

        An older database is brought to the newest schema.

        Raises:
            InputError: there is no workspace, or its settings are wrong.
            WorkspaceError: the database cannot be used.
        """
        if isinstance(where, str) and "://" in where:
            return cls(None, Settings(), Database(where))
        root = Path(where)
        file = root / FILE
        if not file.is_file():
            raise InputError(
                f"There is no workspace here ({FILE} is missing); `memeloc init` makes one.",
                file=root,
            )
        settings = read_settings(file)
        url = database_url(settings)
        return cls(root, settings, Database(url if url else root / DATABASE_FILE))

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

    # What the settings name

    def folders(self, kind: Literal["templates", "fonts", "locales"]) -> tuple[Path, ...]:
        """The folders (or files) that a setting `templates`, `fonts` or `locales` names and that
        are there; relative ones are in the workspace's folder."""
        if self.root is None:
            return ()
        named = [self.root / name for name in getattr(self.settings, kind)]
        return tuple(path for path in named if path.exists())

    @cached_property
    def font_files(self) -> tuple[Path, ...]:
        """The font files that come before memeloc's own."""
        found: list[Path] = []
        for path in self.folders("fonts"):
            if path.is_dir():
                kinds = {".ttf", ".otf", ".ttc", ".otc"}
                found += sorted(one for one in path.iterdir() if one.suffix.lower() in kinds)
            else:
                found.append(path)
        return tuple(found)

    @cached_property
    def locales(self) -> Registry:
        """The built-in locales and the workspace's own."""
        from memeloc.locales import Registry, default

        folders = self.folders("locales")
        return Registry.load(*folders) if folders else default()

    @cached_property
    def _templates(self) -> tuple[dict[str, Template], list[InputError]]:
        from memeloc.templates import load_templates

        return load_templates(self.folders("templates"))

    @property
    def templates(self) -> Mapping[str, Template]:
        """The built-in templates and the workspace's own, by name."""
        return self._templates[0]

    @property
    def template_problems(self) -> list[InputError]:
        """What is wrong with templates that were left out."""
        return self._templates[1]

    def locale(self, tag: str) -> Locale:
        """The locale a user means by `tag`; data are stored under its tag (zh is zh-Hans).

        Raises:
            InputError: there is none.
        """
        return self.locales.get(tag)

    @cached_property
    def source(self) -> Locale:
        """The language that captions are written in."""
        return self.locale(self.settings.source)

    @cached_property
    def languages(self) -> tuple[Locale, ...]:
        """The languages to translate into, as memeloc.toml lists them."""
        found = (self.locale(tag) for tag in self.settings.languages)
        return tuple(dict.fromkeys(one for one in found if one.tag != self.source.tag))


def workspace_folder(start: str | Path | None = None) -> Path:
    """The folder with memeloc.toml: `start` (by default the working directory) or one above it.

    Raises:
        InputError: there is none.
    """
    begin = Path.cwd() if start is None else Path(start).resolve()
    for folder in (begin, *begin.parents):
        if (folder / FILE).is_file():
            return folder
    raise InputError(
        "There is no workspace here, nor in any folder above; `memeloc init` makes one.",
        file=begin,
    )


def _write(file: Path, words: str) -> None:
    """Write a file whole or not at all."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_text(words, encoding="utf-8")
        os.replace(temporary, file)  # noqa: PTH105
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise WorkspaceError(f"{file}: cannot be written ({error.strerror}).") from error
