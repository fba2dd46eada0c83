"""A workspace's folder. In: where it is. Out: settings, locales, templates, fonts and the store.

A workspace is a folder with memeloc.toml; its database is memeloc.db beside it, or what the
settings or MEMELOC_DATABASE_URL name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.locales import Registry, default
from memeloc.locales.tags import listed_tags
from memeloc.model import Locale, Template
from memeloc.store.database import MissingDatabaseError
from memeloc.store.store import Store
from memeloc.workspace.own_folders import FILE, asked_fonts, existing, workspace_folder
from memeloc.workspace.settings import Settings, database_url, first_file, read_settings

if TYPE_CHECKING:
    from memeloc.engine import Engine
    from memeloc.fonts import FontLibrary
    from memeloc.glossary import Glossary
    from memeloc.language_models import LanguageModel
    from memeloc.render import Renderer

Phases = Callable[[str, int, int | None], None]
"""Gets what is being done (such as "hashing"), how many more are done, and how many there are; None
when that is not known."""

RELEASES = "releases"
"""The folder for the tables of releases that were imported."""


def silent(phase: str, more: int, total: int | None) -> None:
    """Report nothing."""


class WorkspaceFolder:
    """The contents of a workspace's folder, opened: what each part of the Python API is made of.

    Attributes:
        root: the folder, None for a workspace opened by its database's URL.
        settings: what memeloc.toml says.
        store: where the data are; it takes exact tags of `locales`.
    """

    def __init__(self, root: Path | None, settings: Settings, store: Store) -> None:
        self.root = root
        self.settings = settings
        self.store = store

    @classmethod
    def create(
        cls, folder: str | Path, *, source: str = "en", languages: Sequence[str] = ()
    ) -> Self:
        """Make a workspace in `folder`, which is made if need be; what stands there stays. In a
        folder with memeloc.toml whose database is missing, the database alone is made. `source` is
        the tag of the language that the captions are written in, `languages` are those to translate
        into."""
        root = Path(folder)
        file = root / FILE
        if file.exists():
            # In a repository that was cloned the settings are here and the database is not.
            with suppress(MissingDatabaseError):
                Store.open(root, database_url(read_settings(file))).close()
                raise InputError("There is a workspace here already.", file=file)
        else:
            registry = default()
            tags = list(dict.fromkeys(registry.get(tag).tag for tag in listed_tags(languages)))
            text = first_file(registry.get(source).tag, tags)
            with replacing(file) as temporary:
                temporary.write_text(text, encoding="utf-8")
        for name in ("templates", "fonts"):
            (root / name).mkdir(exist_ok=True)
        settings = read_settings(file)
        return cls(root, settings, Store.create(root, database_url(settings)))

    @classmethod
    def find(cls, start: str | Path | None = None) -> Self:
        """Open the workspace of `start` (by default the working directory) or of a folder above."""
        return cls.open(workspace_folder(start))

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """Open a workspace by its folder, or by its database's URL (with the default settings)."""
        if isinstance(where, str) and "://" in where:
            return cls(None, Settings(), Store.open(where))
        root = Path(where)
        file = root / FILE
        if not file.is_file():
            raise InputError(
                f"There is no workspace here ({FILE} is missing); `memeloc init` makes one.",
                file=root,
            )
        settings = read_settings(file)
        return cls(root, settings, Store.open(root, database_url(settings)))

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def folders(self, kind: Literal["templates", "fonts", "locales"]) -> tuple[Path, ...]:
        """Return the folders (or files) that a setting names and that are there; relative ones are
        in the workspace's folder."""
        if self.root is None:
            return ()
        names: list[str] = getattr(self.settings, kind)
        if kind == "fonts":
            from memeloc.fonts.library import FontEntry

            names = [FontEntry.parse(name).font for name in names]
        return existing(self.root, names)

    @cached_property
    def asked_fonts(self) -> tuple[str | Path, ...]:
        """The fonts that come before memeloc's own, as `FontLibrary` takes them."""
        return () if self.root is None else asked_fonts(self.root, self.settings.fonts)

    @cached_property
    def fonts(self) -> FontLibrary:
        """memeloc's fonts, and before them the settings'; InputError where one is not there."""
        from memeloc.fonts import FontLibrary

        return FontLibrary(self.asked_fonts)

    @cached_property
    def engine(self) -> Engine:
        """The map that spreads the work of long commands, where it is installed."""
        from memeloc.engine import engine_of

        return engine_of(self.settings.engine)

    @cached_property
    def locales(self) -> Registry:
        """The built-in locales and the workspace's own."""
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

    def templates_with(
        self, folders: Sequence[Path]
    ) -> tuple[Mapping[str, Template], list[InputError]]:
        """Return the workspace's templates and those of other folders, which come first, and what
        is wrong with others."""
        if not folders:
            return self._templates
        from memeloc.templates import load_templates

        wrong = [*self.template_problems]
        templates, problems = load_templates((*folders, *self.folders("templates")))
        # Of two of one name the second is a problem, and that is the workspace's own.
        for problem in problems:
            if any(Path(problem.file or "").is_relative_to(folder) for folder in folders):
                wrong.append(problem)
        return templates, wrong

    def keep_templates(self, templates: Mapping[str, Template], dry_run: bool = False) -> None:
        """Copy templates of other folders into the workspace, so that it is whole without these;
        raise InputError if the workspace has another template of the name."""
        from memeloc.templates import copy_template, is_same_template, load_templates

        if self.root is None:
            return
        folders = [self.root / "templates", *self.folders("templates")]
        stored = load_templates([folder for folder in folders if folder.is_dir()])[0]
        new = {name: each for name, each in templates.items() if stored.get(name) != each}
        for name, template in new.items():
            if name in stored and not is_same_template(stored[name], template):
                raise InputError(
                    f"The workspace has another template {name!r}, {stored[name].image}: which is "
                    "meant? Rename one of them, or take that away, and run this again.",
                    file=template.image,
                )
        for name, template in new.items():
            if name not in stored and not dry_run:
                copy_template(template, folders[0])
        self.reload_templates()

    def reload_templates(self) -> None:
        """Read the templates' folders again when they are next asked for: some were written."""
        self.__dict__.pop("_templates", None)

    @property
    def template_problems(self) -> list[InputError]:
        """Errors of templates that were left out."""
        return self._templates[1]

    @cached_property
    def renderer(self) -> Renderer:
        """The renderer with the workspace's fonts and locales."""
        from memeloc.render import Renderer

        return Renderer(self.fonts, locales=self.locales)

    @cached_property
    def glossary(self) -> Glossary:
        """The team's glossary, empty where none is named; InputError where its file is wrong."""
        from memeloc.glossary import Glossary, read_glossary

        if self.root is None or not self.settings.glossary:
            return Glossary()
        return read_glossary(self.root / self.settings.glossary, self.locales)

    def locale(self, tag: str) -> Locale:
        """Return the locale a user means; data are stored under its tag (zh is zh-Hans)."""
        return self.locales.get(tag)

    @cached_property
    def source(self) -> Locale:
        """The language that captions are written in."""
        return self.locale(self.settings.source)

    @cached_property
    def languages(self) -> tuple[Locale, ...]:
        """The languages to translate into, as memeloc.toml lists them."""
        locales = dict.fromkeys(self.locale(tag) for tag in self.settings.languages)
        return tuple(locale for locale in locales if locale.tag != self.source.tag)

    @property
    def tags(self) -> list[str]:
        """The source language's tag, then those to translate into."""
        return [self.source.tag, *(locale.tag for locale in self.languages)]

    def locales_of(self, languages: Sequence[str] | None) -> list[Locale]:
        """Return the locales of tags as a user gives them, each once; None is all of the
        workspace's."""
        if languages is None:
            return list(self.languages)
        return list(dict.fromkeys(self.locale(tag) for tag in listed_tags(languages)))


class Part:
    """A part of the Python API: methods over one workspace."""

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self._workspace = workspace
        self._store = workspace.store

    @contextmanager
    def _open_model(
        self, name: str = "", budget: float | None = None
    ) -> Iterator[LanguageModel | None]:
        """Yield the language model of the settings, or another at its server, which may cost
        `budget` at the most; None when none is set."""
        values = self._workspace.settings.language_model
        if not (name or values.get("model") or os.environ.get("OPENAI_MODEL")):
            yield None
            return
        from memeloc.language_models import Budget, LanguageModel, read_model_settings

        settings = read_model_settings(values, model=name)
        cache = self._store.computed
        with LanguageModel(settings, cache=cache, budget=Budget(budget)) as model:
            yield model
