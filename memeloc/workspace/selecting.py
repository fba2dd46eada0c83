"""The choice of what is worth translating. In: a workspace, settings. Out: memes, and a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memeloc.curate import registry
from memeloc.curate.duplicates.dedup import FILTER, what_stays
from memeloc.curate.selecting.funnel import funnel_page
from memeloc.curate.selecting.selection import TOPICS, SelectSettings, answers_of, select
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.settings import validate
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.part import Part


@dataclass(frozen=True, slots=True)
class SelectResult:
    """What was selected, and how.

    Attributes:
        settings: what was chosen by.
        stages: what came in and went out of each, and why; see `memeloc.curate.selecting.funnel`.
        items: the ids of the captions.
        template_names: of the templates that were taken, by id.
        selection: the number of the stored selection.
        new: memes that were not there before.
        problems: captions that became no memes, and why.
    """

    settings: dict[str, Any]
    stages: list[dict[str, Any]]
    topics: list[dict[str, Any]]
    items: list[str]
    dry_run: bool
    template_names: dict[str, str]
    selection: int | None = None
    new: int | None = None
    problems: list[str] = field(default_factory=list)
    page: str | None = None


class Selecting(Part):
    """Choosing what is worth translating."""

    def select(
        self, settings: Mapping[str, Any], *, page: Path | None = None, dry_run: bool = False
    ) -> SelectResult:
        """Choose what is worth translating, make memes of it, and write the funnel as a page.

        `settings` are those of `SelectSettings`. The page is funnel.html in the workspace; with
        `dry_run` none is written but one that is named.
        """
        workspace, store = self._workspace, self._store
        verdicts = store.curation.verdicts()
        chosen_by = _settings(
            workspace, settings, {name for by in verdicts.values() for name in by}
        )
        duplicates, doubtful = what_stays(by[FILTER] for by in verdicts.values() if FILTER in by)
        templates = {item.id: item for item in store.items.find("template")}
        chosen = select(
            list(store.items.find("caption")),
            templates,
            verdicts,
            chosen_by,
            duplicates=duplicates,
            doubtful=doubtful,
            people=answers_of(store.curation.judgements()),
        )
        plain = chosen_by.model_dump(mode="json")
        names = {id: template.name for id, template in templates.items()}
        stages = chosen.funnel.as_json()
        stored: dict[str, Any] = {}
        if not dry_run:
            selection = store.curation.add_selection(
                plain, stages, chosen.items, workspace.source.tag
            )
            stored = {
                "selection": selection.id,
                "new": selection.new,
                "problems": [str(problem) for problem in selection.problems],
            }
            page = page or (workspace.root / "funnel.html" if workspace.root else None)
        if page is not None:
            with replacing(page) as temporary:
                temporary.write_text(funnel_page(chosen.funnel, names, plain), encoding="utf-8")
        return SelectResult(
            plain,
            stages,
            chosen.funnel.topics_as_json(),
            list(chosen.items),
            dry_run,
            {id: names[id] for line in chosen.funnel.topics for id in line.taken},
            page=None if page is None else str(page),
            **stored,
        )


def _settings(
    workspace: WorkspaceFolder, settings: Mapping[str, Any], run: set[str]
) -> SelectSettings:
    configured = workspace.settings.curate.get("select", {})
    chosen = validate(SelectSettings, {**configured, **settings}, "the selection")
    names = registry.names()
    for name in chosen.filters:
        if name not in names:
            raise InputError(f"there is no filter {name!r}; there are {', '.join(names)}")
    if not chosen.filters:
        ordered = tuple(name for name in names if name in run and name != TOPICS)
        chosen = chosen.model_copy(update={"filters": ordered})
    return chosen
