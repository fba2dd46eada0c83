"""Captions of one's own. In: a table of captions to choose from. Out: captions on their templates.

The same table as `memeloc import` reads, but that its rows need no id and may say more: votes, an
address, a date. What is in other languages goes with each caption, and is its meme's when it is
selected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.captions import CaptionProblem, CaptionRow, CaptionsTable, read_captions
from memeloc.collect.protocol import Dataset, TablePreview, dataset_at
from memeloc.errors import InputError
from memeloc.items import (
    OWN_NAME,
    TRANSLATIONS,
    FoundCaption,
    FoundTemplate,
    Origin,
    Refusal,
    hash_of,
)
from memeloc.locales import Registry
from memeloc.locales.tags import listed_tags
from memeloc.model import Template

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_STATES = ("given", "machine")


@dataclass(frozen=True, slots=True)
class Within:
    """The workspace that a table's captions come into.

    Attributes:
        source: tag of the language of its captions.
        meme_ids: of the memes that it has.
        templates: returns its templates and those of further folders.
        keep: copies templates into it.
    """

    source: str
    locales: Registry
    meme_ids: Collection[str]
    templates: Callable[[Sequence[Path]], Mapping[str, Template]]
    keep: Callable[[Mapping[str, Template]], None]


@dataclass
class CaptionsSource:
    """A table of captions to choose from.

    Args:
        path: CSV, a workbook, JSON Lines or Parquet with the columns template and, by its tag or
            as caption or text, the source language; where there are, meme_id, votes, url, created
            and columns of other languages.
        templates: a folder of templates or pictures of yours; may be repeated. The workspace keeps
            a copy of those that the table names.
        langs: tags of the columns besides the source, with commas between; without, all.
        state: what the columns of other languages are, given by people as they are or a machine's,
            which `memeloc correct` sends out.
        by: who made them, the person or the translator's name.
        terms: licence or terms of use of the captions.
        within: the workspace.
    """

    name = "captions"
    summary = "a table of captions to choose from, with translations and templates of yours"
    usage = ("captions.csv", "captions.csv --templates pictures --state machine --by google")

    path: Path
    _: KW_ONLY
    templates: tuple[Path, ...] = ()
    langs: str = ""
    state: str = "given"
    by: str = ""
    terms: str = ""
    within: Within | None = None

    def __post_init__(self) -> None:
        if self.state not in _STATES:
            raise InputError(f"--state is {' or '.join(_STATES)}, not {self.state[:40]!r}")

    def dataset(self) -> Dataset:
        return dataset_at(self.path)

    def preview(self) -> list[TablePreview]:
        """Return which column is the caption, and which are its translations."""
        table = self._open()
        columns = {each.locale.tag: each.name for each in table.languages}
        return [TablePreview((self.path.name,), "captions", {"template": "template", **columns})]

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """Read the table; nothing is fetched."""
        table, problems = self._open(), list[CaptionProblem]()
        named = {row["template"] for row in table.table.rows} & table.templates.keys()
        used = {name: table.templates[name] for name in sorted(named)}
        if self.within is not None:
            ids = {row["meme_id"] for row in table.table.rows}
            if ids and ids <= {*self.within.meme_ids}:
                raise InputError(
                    "These captions are memes of this workspace already. What has changed in them "
                    f"comes in by: memeloc import {self.path}",
                    file=self.path,
                )
            self.within.keep(used)
        yield from map(self._template, used.values())
        keys = Counter[str]()
        for row in table.rows(problems.append):
            yield from self._refusals(problems, table)
            if row.source is not None:
                yield self._caption(row, table, keys)
        yield from self._refusals(problems, table)

    def _open(self) -> CaptionsTable:
        within = self.within
        source = [within.source] if within else []
        return read_captions(
            self.path,
            within.templates(self.templates) if within else {},
            [*source, *listed_tags(self.langs)] if self.langs not in ("", "all") else None,
            source=within.source if within else None,
            locales=within.locales if within else None,
            to_choose=True,
        )

    def _refusals(self, problems: list[CaptionProblem], table: CaptionsTable) -> Iterator[Refusal]:
        for kind, error, _ in problems:
            if kind != "empty caption" or error.column == table.source.name:
                yield Refusal(self.name, f"{self.path.name}, row {error.row}", kind, str(error))
        problems.clear()

    def _template(self, template: Template) -> FoundTemplate:
        return FoundTemplate(
            Origin(self.name, template.name, template.source, template.licence),
            template.title or template.name,
            template.image.read_bytes(),
            template.description,
            template.keywords,
            boxes=template.boxes,
            details={OWN_NAME: template.name},
        )

    def _caption(self, row: CaptionRow, table: CaptionsTable, keys: Counter[str]) -> FoundCaption:
        assert row.source is not None
        tags = {each.name: each.locale.tag for each in table.languages}
        translations = {
            tags[name]: {"parts": list(caption.parts), "state": self.state, "by": self.by}
            for name, caption in row.captions.items()
            if name != table.source.name
        }
        key = row.meme_id or f"{row.template}/{hash_of(*row.source.parts)[:16]}"
        keys[key] += 1
        if keys[key] > 1:  # the same text again is an item of its own, and a duplicate to be found
            key += f"/{keys[key]}"
        details: dict[str, Any] = {name.casefold(): text for name, text in row.details.items()}
        votes = details.pop("votes", "").replace(",", "")
        url, created = details.pop("url", ""), details.pop("created", "")
        if row.meme_id:
            details[OWN_NAME] = row.meme_id
        if translations:
            details[TRANSLATIONS] = translations
        return FoundCaption(
            Origin(self.name, key, url, self.terms),
            row.template,
            row.source.parts,
            table.source.locale.tag,
            int(votes) if votes.removeprefix("-").isdecimal() else None,
            created,
            details,
        )
