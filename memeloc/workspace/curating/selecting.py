"""The choice of what is used. In: a workspace, settings. Out: memes, pictures, and a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memeloc.curate.duplicates.dedup import FILTER, what_stays
from memeloc.curate.protocol import FILTERS, info
from memeloc.curate.recipes import load_recipe
from memeloc.curate.selection import (
    DUPLICATES,
    TOPICS,
    Chosen,
    SelectSettings,
    answers_of,
    funnel_page,
    select,
    select_pictures,
)
from memeloc.curate.verdict import Verdicts
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.items import OWN_NAME, FoundTemplate, Item, ItemKind
from memeloc.settings import validate
from memeloc.store.captions.versions import check_parts
from memeloc.store.curation import Selection
from memeloc.templates import load_templates, write_template
from memeloc.workspace.folder import Part, WorkspaceFolder

RECIPE = "recipe"
"""What the settings of a stored selection call the recipe that it was made by."""

_KINDS: tuple[ItemKind, ...] = ("caption", "picture")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a selection of each kind comes to as things are now, and by which settings."""

    settings: SelectSettings
    by_kind: Mapping[ItemKind, Chosen]
    templates: Mapping[str, Item]

    @property
    def items(self) -> list[str]:
        """Ids of all that is chosen."""
        return [item for chosen in self.by_kind.values() for item in chosen.items]

    @property
    def out(self) -> dict[str, tuple[str, str]]:
        """Stage and reason of all that is not."""
        return {item: why for chosen in self.by_kind.values() for item, why in chosen.out.items()}

    @property
    def stages(self) -> list[dict[str, Any]]:
        """The stages of all kinds."""
        return [stage for chosen in self.by_kind.values() for stage in chosen.stages]


class Selecting(Part):
    """Choosing what is used."""

    def select(
        self,
        settings: Mapping[str, Any],
        *,
        recipe: str = "",
        page: Path | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Choose captions worth translating and finished memes; write the funnel as a page.

        Captions become memes. The page is funnel.html in the workspace; with `dry_run` none is
        written but one that is named.

        Return by name what was chosen by (`settings`, and `recipe` with what the `paper` had), the
        funnel (`stages` and `topics`, see `memeloc.curate.selection`), the ids of the `items` and
        how many are `selected` by kind, what was `refused` when it was collected by reason, the
        number of the `selection` and how many memes are `new` (None where nothing is stored), and
        `problems`: why captions that pass all can be no memes.

        Args:
            settings: those of `SelectSettings`.
            recipe: its settings take the place of memeloc.toml's.
        """
        workspace, curation = self._workspace, self._store.curation
        after = load_recipe(recipe) if recipe else None
        configured = workspace.settings.curate.get("select", {})
        if after is not None:
            configured = after.settings("select")
        problems: list[str] = []

        def check(captions: Sequence[str]) -> dict[str, str]:
            wrong = unusable(workspace, captions, write=not dry_run)
            problems.extend(str(error) for _, error in wrong.values())
            return {item: reason for item, (reason, _) in wrong.items()}

        choice = choose(workspace, {**configured, **settings}, check=check)
        plain = choice.settings.model_dump(mode="json")
        stages, items = choice.stages, choice.items
        topics = [line for chosen in choice.by_kind.values() for line in chosen.topics]
        stored: dict[str, Any] = {"selection": None, "new": None}
        if not dry_run:
            stored_settings = {**plain, RECIPE: after.name} if after else plain
            selection = curation.add_selection(
                stored_settings, stages, items, workspace.source.tag, list(choice.by_kind)
            )
            stored = {"selection": selection.id, "new": selection.new}
            page = page or (workspace.root / "funnel.html" if workspace.root else None)
        names = {id: template.name for id, template in choice.templates.items()}
        refusals = Counter(refusal.reason for refusal in self._store.items.refusals())
        refused = dict(refusals.most_common())
        paper = after.beside(stages) if after else []
        if page is not None:
            of_paper = after.paper if after else None
            text = funnel_page(stages, topics, names, plain, refused, of_paper, paper)
            with replacing(page) as temporary:
                temporary.write_text(text, encoding="utf-8")
        return {
            "settings": plain,
            "stages": stages,
            "topics": topics,
            "items": items,
            "selected": {kind: len(chosen.items) for kind, chosen in choice.by_kind.items()},
            "refused": refused,
            "dry_run": dry_run,
            "template_names": {id: names[id] for line in topics for id in line["taken"]},
            **stored,
            "problems": problems,
            "page": None if page is None else str(page),
            "recipe": after.use({"select": settings}) if after else None,
            "paper": paper,
        }

    def take_back_selection(self) -> dict[str, Any]:
        """Let the selection before the newest hold again; what was done for memes stays.

        Return whether there was one to take back, and how many items are selected now, by kind.
        """
        taken_back = self._store.curation.take_back_selection()
        now = self._store.curation.selection()
        pictures = len(now.pictures) if now else 0
        captions = len(now.items) - pictures if now else 0
        return {"taken_back": taken_back, "selected": {"caption": captions, "picture": pictures}}


def choose(
    workspace: WorkspaceFolder,
    settings: Mapping[str, Any],
    verdicts: Verdicts | None = None,
    check: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> Choice:
    """Return what a selection by these settings comes to; nothing is stored.

    `verdicts` are the newest ones, where they were read before; `check` says which captions can be
    no memes, which has to be known before so many are taken of the others.
    """
    store, root = workspace.store, workspace.root
    verdicts = store.curation.verdicts() if verdicts is None else verdicts
    people = answers_of(store.curation.judgements())
    templates = {item.id: item for item in store.items.find("template")}
    items = {kind: list(store.items.find(kind)) for kind in _KINDS}
    chosen_by = validate(SelectSettings, settings, "the selection")
    is_judged = TOPICS in chosen_by.filters or any(TOPICS in by for by in verdicts.values())
    is_set = not settings.keys().isdisjoint(("topics", "templates_per_topic", "top"))
    if items["caption"] and not is_judged and not is_set:
        # Nobody asked what templates are about, so no number of captions on a topic is wanted.
        changed = {"topics": False, "per_template": settings.get("per_template", 0)}
        chosen_by = chosen_by.model_copy(update=changed)
    if check is None and chosen_by.take:

        def check(captions: Sequence[str]) -> Mapping[str, str]:
            wrong = unusable(workspace, captions, write=False)
            return {item: reason for item, (reason, _) in wrong.items()}

    # The kind that is asked for, else those that there is something of.
    kinds: list[ItemKind] = [kind for kind in _KINDS if items[kind]] or ["caption"]
    if chosen_by.kind != "all":
        kinds = [chosen_by.kind]
    filters = {kind: _filters(kind, chosen_by, verdicts, items[kind]) for kind in kinds}
    chosen: dict[ItemKind, Chosen] = {}
    for kind in kinds:
        of_kind = chosen_by.model_copy(update={"filters": filters[kind]})
        if kind == "picture":
            files = {item.id: item.path for item in items[kind] if item.path is not None}
            missing = {id for id, path in files.items() if not path.is_file()}
            searched = store.curation.pair_settings()  # without models: a stage was left out
            not_run = {"likeness"} if searched is not None and not searched.get("models") else set()
            chosen[kind] = select_pictures(
                items[kind], verdicts, of_kind, people=people, missing=missing, not_run=not_run
            )
            continue
        duplicates, doubtful = what_stays(by[FILTER] for by in verdicts.values() if FILTER in by)
        # Nothing can be written on what has no picture, and no folder either.
        plain = {id for id, item in templates.items() if not item.picture}
        folders = {id for id in plain if root and (root / "templates" / id).exists()}
        chosen[kind] = select(
            items[kind],
            templates,
            verdicts,
            of_kind,
            duplicates=duplicates,
            doubtful=doubtful,
            people=people,
            unusable=plain - folders,
            check=check,
        )
    run = tuple(dict.fromkeys(name for names in filters.values() for name in names))
    return Choice(chosen_by.model_copy(update={"filters": run}), chosen, templates)


def choose_again(workspace: WorkspaceFolder, selection: Selection, verdicts: Verdicts) -> Choice:
    """Return what the settings of a stored selection come to now."""
    names = selection.settings.keys() & SelectSettings.model_fields.keys()
    return choose(workspace, {name: selection.settings[name] for name in names}, verdicts)


def _filters(
    kind: ItemKind, settings: SelectSettings, verdicts: Verdicts, items: Sequence[Item]
) -> tuple[str, ...]:
    """Return the filters that items of a kind pass, in their order."""
    names = FILTERS.names()
    for name in settings.filters:
        if name not in (*names, DUPLICATES):
            raise InputError(f"there is no filter {name!r}; there are {', '.join(names)}")
    kinds = {kind, "template"} if kind == "caption" else {kind}
    concerns = {name for name in names if kinds & {*info(name)["kinds"]}}
    if settings.filters:
        wanted = {*concerns, DUPLICATES, TOPICS}
        return tuple(name for name in settings.filters if name in wanted)
    ids = verdicts if kind == "caption" else [item.id for item in items]
    judged_by = {name for id in ids for name in verdicts.get(id, ())}
    return tuple(name for name in names if name in judged_by & concerns and name != TOPICS)


def unusable(
    workspace: WorkspaceFolder, ids: Collection[str], *, write: bool
) -> dict[str, tuple[str, InputError]]:
    """Which of some collected captions can be no memes: a short reason to count, and the sentence.

    Writes the folders of their templates, without `write` only for the time that it takes.
    """
    items, folder = workspace.store.items, workspace.store.folder / "templates"
    captions = list(items.find("caption", ids)) if ids else []
    if not captions:
        return {}
    templates = list(items.find("template", {item.parent for item in captions}))
    with TemporaryDirectory() as scratch:
        boxes, wrong = count_boxes(folder, templates, write_to=None if write else Path(scratch))
    reasons: dict[str, tuple[str, InputError]] = {}
    for item in captions:
        reason = sentence = ""
        try:
            number = len(check_parts(item.parts, item.id))
        except InputError as error:
            number, reason, sentence = 0, "its text cannot be used", error.message
        if item.parent in wrong:
            reason, sentence = "its template cannot be used", str(wrong[item.parent])
        elif item.parent not in boxes:
            reason, sentence = "no template", "its template was not collected."
        elif number > boxes[item.parent]:
            reason = "more parts than boxes"
            sentence = (
                f"The caption has {number} parts, its template {item.parent} has "
                f"{boxes[item.parent]} boxes."
            )
        if reason:
            reasons[item.id] = reason, InputError(f"{item.id}: {sentence}")
    return reasons


def count_boxes(
    folder: Path, templates: Sequence[Item], *, write_to: Path | None = None
) -> tuple[dict[str, int], dict[str, InputError]]:
    """How many text boxes each collected template has, and what is wrong with others, by id.

    The folders of those that are not there yet are written, to `folder` or `write_to`; one that is
    stays as it is: somebody may have moved its boxes. Those that the workspace has by a name of
    its own have no folder of their id.
    """
    wrong: dict[str, InputError] = {}
    counts = {item.id: len(item.boxes) for item in templates if OWN_NAME in item.details}
    ids = [item.id for item in templates if item.id not in counts]
    for item in templates:
        if item.id in ids and not (folder / item.id).exists():
            names = [field.name for field in fields(FoundTemplate) if field.name != "picture"]
            picture = item.path.read_bytes() if item.path else None
            try:
                found = FoundTemplate(
                    picture=picture, **{name: getattr(item, name) for name in names}
                )
                write_template(found, write_to or folder, name=item.id)
            except InputError as error:
                wrong[item.id] = error
    loaded, problems = load_templates((folder, *([write_to] if write_to else ())))
    for problem in problems:
        parts = Path(problem.file or "").parts
        wrong |= {id_: problem for id_ in ids if id_ in parts and id_ not in loaded}
    return counts | {id_: len(loaded[id_].boxes) for id_ in ids if id_ in loaded}, wrong
