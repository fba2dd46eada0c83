"""What was collected and judged, as tables. In: a workspace. Out: columns and rows to write.

- `items`: a row an item of any kind, with the verdict of every filter, its reason, score and
  evidence, who decided, whether it is selected, and else the stage and reason that it went out by.
- `verdicts`: the same, a row for each item and filter.
- `pictures`: the finished memes, with their file and text.
- `templates`: with topic, year, and how many items are on each.
- `funnel`: the stages of the newest selection.

Nothing here is stored: the stage that an item goes out by is what the newest selection's settings
make of the verdicts and answers of now.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

from memeloc.curate.duplicates.grouping import QUESTION
from memeloc.curate.duplicates.pairs import PAIR
from memeloc.curate.selection import DUPLICATES, TOPICS, answers_of
from memeloc.curate.verdict import Judgement, Verdict
from memeloc.errors import InputError
from memeloc.items import Item, ItemKind, meme_id
from memeloc.model import SEPARATOR
from memeloc.store.curation import Selection
from memeloc.tables.writing import Column, Kind
from memeloc.workspace.curating.selecting import choose_again, unusable
from memeloc.workspace.folder import WorkspaceFolder

_Rows = tuple[Sequence[Column], Iterable[tuple[Any, ...]]]


def open_table(workspace: WorkspaceFolder, name: str, *, selected: bool = False) -> _Rows:
    """Columns and rows of a table of TABLES; `selected` leaves only what is selected.

    Raises:
        InputError: nothing was selected yet.
    """
    return TABLES[name](_Collected(workspace, selected))


@dataclass(frozen=True)
class _Collected:
    """What the tables are made of, each read once and only when it is needed."""

    workspace: WorkspaceFolder
    only_selected: bool

    @cached_property
    def all_items(self) -> list[Item]:
        return list(self.workspace.store.items.find())

    @cached_property
    def items(self) -> list[Item]:
        """Those that a table is of; of templates, those that something selected is on."""
        if not self.only_selected:
            return self.all_items
        if self.selection is None:
            raise InputError("Nothing was selected yet: run memeloc select.")
        parents = {item.parent for item in self.all_items if item.id in self.selected}
        return [item for item in self.all_items if item.id in self.selected | parents]

    @cached_property
    def names(self) -> dict[str, str]:
        return {item.id: item.name for item in self.all_items if item.kind == "template"}

    @cached_property
    def verdicts(self) -> dict[str, dict[str, Verdict]]:
        return self.workspace.store.curation.verdicts()

    @cached_property
    def judgements(self) -> dict[tuple[str, str], list[Judgement]]:
        """People's answers, by subject and question."""
        by_subject: dict[tuple[str, str], list[Judgement]] = {}
        for answer in self.workspace.store.curation.judgements():
            by_subject.setdefault((answer.subject, answer.question), []).append(answer)
        return by_subject

    @cached_property
    def people(self) -> dict[tuple[str, str], str]:
        return answers_of(answer for by in self.judgements.values() for answer in by)

    @cached_property
    def selection(self) -> Selection | None:
        return self.workspace.store.curation.selection()

    @cached_property
    def selected(self) -> frozenset[str]:
        return frozenset(self.selection.items if self.selection else ())

    @cached_property
    def out(self) -> dict[str, tuple[str, str]]:
        """Stage and reason of what is not selected."""
        if self.selection is None:
            return {}
        choice = choose_again(self.workspace, self.selection, self.verdicts)
        left = [item for item in choice.items if item not in self.selected]
        wrong = unusable(self.workspace, left, write=False)
        changed = dict.fromkeys(left, ("", "has changed: run memeloc select again"))
        last = {item: ("can be a meme", reason) for item, (reason, _) in wrong.items()}
        return {**choice.out, **changed, **last}

    def selected_or_out(self, item: Item) -> tuple[bool | None, str, str]:
        """Whether an item is selected; else the stage and reason that it goes out by."""
        if self.selection is None or item.kind == "template":
            return None, "", ""
        if item.id in self.selected:
            return True, "", ""
        return False, *self.out.get(item.id, ("", ""))

    @cached_property
    def transcripts(self) -> Mapping[str, Any]:
        return self.workspace.store.transcripts.all()

    def file(self, item: Item) -> str:
        """The picture's file, from the workspace's folder on."""
        root = self.workspace.root
        if item.path is None or root is None:
            return ""
        return item.path.relative_to(root).as_posix()

    def text_by(self, item: Item) -> str:
        """Who gave a text: a person, a reader, or the source that it was collected from."""
        read = self.transcripts.get(item.id)
        if read is not None and tuple(filter(None, read.parts)) == item.parts:
            return str(read.person or read.translator)
        return "source" if any(item.parts) else ""

    def outcome(self, verdict: Verdict) -> str:
        """What stands: people's answer, else the filter's."""
        return self.people.get((verdict.item, verdict.filter), verdict.verdict)

    def decided_by(self, verdict: Verdict) -> str:
        """The people whose answers the outcome rests on, a model, or `program`."""
        own = (verdict.item, verdict.filter)
        if own in self.people:
            by = [
                a.person
                for a in self.judgements[own]
                if a.answer.strip().lower() == self.people[own]
            ]
            return ", ".join(sorted({*by}))
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


_ATTRIBUTES = {
    **{name: f"origin.{name}" for name in ("source", "dataset", "key", "url", "terms")},
    **{"fetched_at": "origin.fetched", "item": "id", "template": "parent"},
}
"""An item's attributes by the name of their column, where the names differ."""

_CELLS: Mapping[str, Callable[[_Collected, Item], Any]] = {
    "meme": lambda _, item: "" if item.kind == "template" else meme_id(item),
    "keywords": lambda _, item: ", ".join(item.keywords),
    "template_name": lambda data, item: data.names.get(item.parent, ""),
    "text": lambda _, item: SEPARATOR.join(item.parts),
    "text_by": lambda data, item: data.text_by(item),
    "year": lambda _, item: item.year.year if item.year else None,
    "year_by": lambda _, item: item.year.by if item.year else "",
    "year_evidence": lambda _, item: item.year.evidence if item.year else "",
    "file": lambda data, item: data.file(item),
    "width": lambda _, item: item.width or None,
    "height": lambda _, item: item.height or None,
    "size": lambda _, item: item.size or None,
    "labels": lambda _, item: _json(item.labels),
    "selected": lambda data, item: data.selected_or_out(item)[0],
    "out_at": lambda data, item: data.selected_or_out(item)[1],
    "out_why": lambda data, item: data.selected_or_out(item)[2],
}
"""What an item has in a column that is made of more."""


def _of_items(
    data: _Collected,
    names: str,
    kind: ItemKind | None = None,
    more: Callable[[Item], Sequence[Any]] = lambda item: (),
    others: str = "",
) -> _Rows:
    """Columns of an item by their names, and `others`, whose cells `more` gives."""
    columns = _columns(f"{_ORIGIN} {names}")
    cells = [
        partial(_CELLS[name], data) if name in _CELLS else attrgetter(_ATTRIBUTES.get(name, name))
        for name in (column.name for column in columns)
    ]
    rows = (
        (*(cell(item) for cell in cells), *more(item))
        for item in data.items
        if kind in (None, item.kind)
    )
    return [*columns, *_columns(others)], rows


def _items(data: _Collected) -> _Rows:
    filters = list(dict.fromkeys(name for by in data.verdicts.values() for name in by))
    names = (
        "name meme template template_name language text text_by votes:integer year:integer year_by "
        "created picture file width:integer height:integer labels selected:truth out_at out_why"
    )
    taken = {column.name for column in _columns(names)}  # the filter `language` has one, too
    others = " ".join(
        f"{outcome} {name}_reason {name}_score:number {name}_evidence {name}_by"
        for name in filters
        for outcome in [f"{name}_outcome" if name in taken else name]
    )

    def judged(item: Item) -> list[Any]:
        verdicts = data.verdicts.get(item.id, {})
        return [cell for name in filters for cell in _judged(data, verdicts.get(name))]

    return _of_items(data, names, more=judged, others=others)


def _verdicts(data: _Collected) -> _Rows:
    columns = _columns("item kind filter outcome verdict score:number reason evidence decided_by")
    columns += _columns("settings selected:truth")
    rows = (
        (
            item.id,
            item.kind,
            verdict.filter,
            data.outcome(verdict),
            verdict.verdict,
            verdict.score,
            verdict.reason,
            _json(verdict.evidence),
            data.decided_by(verdict),
            verdict.settings,
            item.id in data.selected,
        )
        for item in data.items
        for verdict in data.verdicts.get(item.id, {}).values()
    )
    return columns, rows


def _pictures(data: _Collected) -> _Rows:
    return _of_items(
        data,
        "name meme file picture width:integer height:integer size:integer language text text_by "
        "template template_name year:integer created labels selected:truth out_at out_why",
        "picture",
    )


def _templates(data: _Collected) -> _Rows:
    existing = Counter((item.parent, item.kind) for item in data.all_items)
    chosen = Counter(
        (item.parent, item.kind) for item in data.all_items if item.id in data.selected
    )

    def judged(item: Item) -> list[Any]:
        verdicts = data.verdicts.get(item.id, {})
        topics = verdicts[TOPICS].evidence.get("topics") if TOPICS in verdicts else None
        topic = topics[0] if topics else {}
        duplicate = verdicts.get(DUPLICATES)
        is_duplicate = duplicate is not None and data.outcome(duplicate) == "drop"
        return [
            *(str(topic.get(key, "")) for key in ("category", "topic", "keyword")),
            str(duplicate.evidence.get("kept", "")) if is_duplicate and duplicate else "",
            *(counts[item.id, kind] for counts in (existing, chosen) for kind in _ON_TEMPLATES),
        ]

    return _of_items(
        data,
        "name description keywords file picture year:integer year_by year_evidence",
        "template",
        judged,
        "category topic keyword duplicate_of captions:integer pictures:integer "
        "selected_captions:integer selected_pictures:integer",
    )


def _funnel(data: _Collected) -> _Rows:
    if data.selection is None:
        raise InputError("Nothing was selected yet: run memeloc select.")
    columns = _columns("kind number:integer stage in:integer out:integer left:integer")
    columns += _columns("templates_in:integer templates_left:integer reasons")
    rows = (
        (
            stage.get("kind", "caption"),
            number,
            *(stage[key] for key in ("stage", "in", "out", "left")),
            *(stage[key] for key in ("templates_in", "templates_left")),
            _json(stage["reasons"]),
        )
        for number, stage in enumerate(data.selection.funnel, 1)
    )
    return columns, rows


TABLES: Mapping[str, Callable[[_Collected], _Rows]] = {
    "items": _items,
    "verdicts": _verdicts,
    "pictures": _pictures,
    "templates": _templates,
    "funnel": _funnel,
}
"""The tables of what was collected, by name."""

_ORIGIN = "item kind source dataset key url terms fetched_at:time"
_ON_TEMPLATES: tuple[ItemKind, ...] = ("caption", "picture")
_WRITTEN: Mapping[str, Kind] = {
    "integer": "integer",
    "number": "number",
    "truth": "truth",
    "time": "time",
}


def _columns(names: str) -> list[Column]:
    """Columns in the order of their names; `year:integer` is of that kind."""
    pairs = (name.partition(":") for name in names.split())
    return [Column(name, _WRITTEN.get(kind, "text")) for name, _, kind in pairs]


def _judged(data: _Collected, verdict: Verdict | None) -> tuple[Any, ...]:
    """What stands, reason, score, evidence and who decided."""
    if verdict is None:
        return "", "", None, "", ""
    evidence = _json(verdict.evidence)
    return (
        data.outcome(verdict), verdict.reason, verdict.score, evidence, data.decided_by(verdict)
    )  # fmt: skip


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False) if value else ""
