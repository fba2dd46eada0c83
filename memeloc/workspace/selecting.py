"""The choice of what is used. In: a workspace, settings. Out: memes, pictures, a page, and tables.

Tables of what was collected and judged:

- `items`: a row an item of any kind, with the verdict of every filter, its reason, score and
  evidence, who decided, whether it is selected, and else the stage and reason that it went out by.
- `verdicts`: the same, a row for each item and filter.
- `pictures`: the finished memes, with their file and text.
- `templates`: with topic, year, and how many items are on each.
- `funnel`: the stages of the newest selection.

Nothing of them is stored: the stage that an item goes out by is what the newest selection's
settings make of the verdicts and answers of now.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memeloc.curate.duplicates.dedup import FILTER, what_stays
from memeloc.curate.duplicates.grouping import QUESTION
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
from memeloc.curate.verdict import PAIR, Judgement, Verdict, Verdicts
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.items import OWN_NAME, FoundTemplate, Item, ItemKind, meme_id
from memeloc.model import SEPARATOR
from memeloc.settings import validate
from memeloc.store.captions.versions import check_parts
from memeloc.store.curation import Selection
from memeloc.tables.writing import Column
from memeloc.templates import load_templates, write_template
from memeloc.workspace.folder import Part, WorkspaceFolder

RECIPE = "recipe"  # what the settings of a stored selection call the recipe it was made by
_KINDS: tuple[ItemKind, ...] = ("caption", "picture")


@dataclass(frozen=True, slots=True)
class Choice:
    """The selection of each kind as things are now, and by which settings."""

    settings: SelectSettings
    by_kind: Mapping[ItemKind, Chosen]
    templates: Mapping[str, Item]

    @property
    def items(self) -> list[str]:
        return [item for chosen in self.by_kind.values() for item in chosen.items]

    @property
    def out(self) -> dict[str, tuple[str, str]]:
        return {item: why for chosen in self.by_kind.values() for item, why in chosen.out.items()}

    @property
    def stages(self) -> list[dict[str, Any]]:
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
    """Return which collected captions can be no memes: a short reason to count, and the sentence.

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
    """Return how many text boxes each collected template has, and the fault of others, by id.

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


_ORIGIN = "item kind source dataset key url terms fetched_at:time"
_OUT = "labels selected:truth out_at out_why"
_COLUMNS = {
    "items": f"{_ORIGIN} name meme template template_name language text text_by votes:integer "
    f"year:integer year_by created picture file width:integer height:integer {_OUT}",
    "verdicts": "item kind filter outcome verdict score:number reason evidence decided_by settings "
    "selected:truth",
    "pictures": f"{_ORIGIN} name meme file picture width:integer height:integer size:integer "
    f"language text text_by template template_name year:integer created {_OUT}",
    "templates": f"{_ORIGIN} name description keywords file picture year:integer year_by "
    "year_evidence category topic keyword duplicate_of captions:integer pictures:integer "
    "selected_captions:integer selected_pictures:integer",
    "funnel": "kind number:integer stage in:integer out:integer left:integer "
    "templates_in:integer templates_left:integer reasons",
}
"""The columns of each table, in their order; what stands after a colon is a column's kind."""


def open_table(
    workspace: WorkspaceFolder, name: str, *, selected: bool = False
) -> tuple[Sequence[Column], Iterator[tuple[Any, ...]]]:
    """Return columns and rows of a table; `selected` leaves only what is selected. Raise InputError
    if nothing was selected yet."""
    data = _Collected(workspace)
    if (selected or name == "funnel") and data.selection is None:
        raise InputError("Nothing was selected yet: run memeloc select.")
    names = _COLUMNS[name]
    if name == "items":
        for filter_, outcome in data.filters.items():
            names += f" {outcome} {filter_}_reason {filter_}_score:number"
            names += f" {filter_}_evidence {filter_}_by"
    pairs = (name.partition(":") for name in names.split())
    columns = [Column(column, kind or "text") for column, _, kind in pairs]  # type: ignore[arg-type]
    rows_of = {"items": data.items, "verdicts": data.judged, "pictures": data.pictures}
    rows_of |= {"templates": data.templates, "funnel": data.funnel}
    rows = rows_of[name](data.selected_items if selected else data.all_items)
    return columns, (tuple(row[column.name] for column in columns) for row in rows)


class _Collected:
    """The data that the tables are made of, each read once and only when it is needed.

    For each table there is a method that yields its rows about some items, by column.
    """

    def __init__(self, workspace: WorkspaceFolder) -> None:
        self.workspace, self.store = workspace, workspace.store
        self.selection = self.store.curation.selection()
        self.selected = frozenset(self.selection.items if self.selection else ())
        self.all_items = list(self.store.items.find())
        self.names = {item.id: item.name for item in self.all_items if item.kind == "template"}

    @property
    def selected_items(self) -> list[Item]:
        parents = {item.parent for item in self.all_items if item.id in self.selected}
        return [item for item in self.all_items if item.id in self.selected | parents]

    @cached_property
    def verdicts(self) -> dict[str, dict[str, Verdict]]:
        return self.store.curation.verdicts()

    @cached_property
    def filters(self) -> dict[str, str]:
        """Filters that judged anything, and the column of each one's outcome: the name `language`
        is that of an item's column, too."""
        names = dict.fromkeys(name for by in self.verdicts.values() for name in by)
        taken = {name.partition(":")[0] for name in _COLUMNS["items"].split()}
        return {name: f"{name}_outcome" if name in taken else name for name in names}

    @cached_property
    def judgements(self) -> dict[tuple[str, str], list[Judgement]]:
        by_subject: dict[tuple[str, str], list[Judgement]] = {}
        for answer in self.store.curation.judgements():
            by_subject.setdefault((answer.subject, answer.question), []).append(answer)
        return by_subject

    @cached_property
    def people(self) -> dict[tuple[str, str], str]:
        return answers_of(answer for by in self.judgements.values() for answer in by)

    @cached_property
    def out(self) -> dict[str, tuple[str, str]]:
        if self.selection is None:
            return {}
        choice = choose_again(self.workspace, self.selection, self.verdicts)
        left = [item for item in choice.items if item not in self.selected]
        wrong = unusable(self.workspace, left, write=False)
        changed = dict.fromkeys(left, ("", "has changed: run memeloc select again"))
        last = {item: ("can be a meme", reason) for item, (reason, _) in wrong.items()}
        return {**choice.out, **changed, **last}

    @cached_property
    def transcripts(self) -> Mapping[str, Any]:
        return self.store.transcripts.all()

    def outcome(self, verdict: Verdict) -> str:
        return self.people.get((verdict.item, verdict.filter), verdict.verdict)

    def decided_by(self, verdict: Verdict) -> str:
        subject = (verdict.item, verdict.filter)
        if decided := self.people.get(subject):
            answers = self.judgements[subject]
            by = {each.person for each in answers if each.answer.strip().lower() == decided}
            return ", ".join(sorted(by))
        if verdict.filter == DUPLICATES and verdict.evidence.get("stage") == "people":
            pair = PAIR.join(sorted((verdict.item, str(verdict.evidence.get("with", "")))))
            answers = self.judgements.get((pair, QUESTION), [])
            return ", ".join(sorted({answer.person for answer in answers})) or "people"
        answered = verdict.evidence.get("people")
        if isinstance(answered, Mapping) and answered:
            # By question where a filter puts several, else by person.
            by_question = {
                answer.person
                for question in answered
                for answer in self.judgements.get((verdict.item, str(question)), [])
            }
            return ", ".join(sorted(by_question or {*map(str, answered)}))
        return str(verdict.evidence.get("model") or "program")

    def about(self, item: Item) -> dict[str, Any]:
        """Return an item's cells but for those of a selection."""
        origin, year, root = item.origin, item.year, self.workspace.root
        read, text_by = self.transcripts.get(item.id), "source" if any(item.parts) else ""
        if read is not None and tuple(filter(None, read.parts)) == item.parts:
            text_by = str(read.person or read.translator)
        file = item.path.relative_to(root).as_posix() if item.path and root else ""
        return {
            "item": item.id,
            "meme": "" if item.kind == "template" else meme_id(item),
            **{name: getattr(origin, name) for name in ("source", "dataset", "key", "url")},
            "terms": origin.terms,
            "fetched_at": origin.fetched,
            **{name: getattr(item, name) for name in ("kind", "name", "description", "language")},
            **{name: getattr(item, name) for name in ("votes", "created", "picture")},
            **{name: getattr(item, name) or None for name in ("width", "height", "size")},
            "template": item.parent,
            "template_name": self.names.get(item.parent, ""),
            "text": SEPARATOR.join(item.parts),
            "text_by": text_by,
            "keywords": ", ".join(item.keywords),
            "year": year.year if year else None,
            "year_by": year.by if year else "",
            "year_evidence": year.evidence if year else "",
            "file": file,
            "labels": _json(item.labels),
        }

    def items(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        for item in items:
            row = self.about(item) | {"selected": None, "out_at": "", "out_why": ""}
            if self.selection is not None and item.kind != "template":
                row["selected"] = item.id in self.selected
                if not row["selected"]:
                    row["out_at"], row["out_why"] = self.out.get(item.id, ("", ""))
            for name, outcome in self.filters.items():
                verdict = self.verdicts.get(item.id, {}).get(name)
                row[outcome] = self.outcome(verdict) if verdict else ""
                row[f"{name}_reason"] = verdict.reason if verdict else ""
                row[f"{name}_score"] = verdict.score if verdict else None
                row[f"{name}_evidence"] = _json(verdict.evidence) if verdict else ""
                row[f"{name}_by"] = self.decided_by(verdict) if verdict else ""
            yield row

    def pictures(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        return self.items([item for item in items if item.kind == "picture"])

    def judged(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        for item in items:
            for verdict in self.verdicts.get(item.id, {}).values():
                yield {
                    "item": item.id,
                    "kind": item.kind,
                    "filter": verdict.filter,
                    "outcome": self.outcome(verdict),
                    "verdict": verdict.verdict,
                    "score": verdict.score,
                    "reason": verdict.reason,
                    "evidence": _json(verdict.evidence),
                    "decided_by": self.decided_by(verdict),
                    "settings": verdict.settings,
                    "selected": item.id in self.selected,
                }

    def templates(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        collected = Counter((item.parent, item.kind) for item in self.all_items)
        chosen = Counter(
            (item.parent, item.kind) for item in self.all_items if item.id in self.selected
        )
        for item in items:
            if item.kind != "template":
                continue
            verdicts = self.verdicts.get(item.id, {})
            topics = verdicts[TOPICS].evidence.get("topics") if TOPICS in verdicts else None
            topic, duplicate = topics[0] if topics else {}, verdicts.get(DUPLICATES)
            is_duplicate = duplicate is not None and self.outcome(duplicate) == "drop"
            original = str(duplicate.evidence.get("kept", "")) if duplicate and is_duplicate else ""
            yield {
                **self.about(item),
                **{name: str(topic.get(name, "")) for name in ("category", "topic", "keyword")},
                "duplicate_of": original,
                "captions": collected[item.id, "caption"],
                "pictures": collected[item.id, "picture"],
                "selected_captions": chosen[item.id, "caption"],
                "selected_pictures": chosen[item.id, "picture"],
            }

    def funnel(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        for number, stage in enumerate(self.selection.funnel if self.selection else (), 1):
            reasons = _json(stage["reasons"])
            yield {"kind": "caption", **stage, "number": number, "reasons": reasons}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False) if value else ""
