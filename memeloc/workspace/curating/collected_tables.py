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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from memeloc.curate.duplicates.grouping import QUESTION
from memeloc.curate.duplicates.pairs import PAIR
from memeloc.curate.review.judgement import Judgement
from memeloc.curate.selecting.stages import DUPLICATES, TOPICS, answers_of
from memeloc.curate.verdict import Verdict
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.model import SEPARATOR
from memeloc.store.curation import Selection
from memeloc.tables.writing import Column, Kind
from memeloc.workspace.curating.selecting import choose_again
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
        unusable = self.workspace.store.curation.unusable(left, write=False)
        changed = dict.fromkeys(left, ("", "has changed: run memeloc select again"))
        last = {item: ("can be a meme", reason) for item, (reason, _) in unusable.items()}
        return {**choice.out, **changed, **last}

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


def _items(data: _Collected) -> _Rows:
    filters = list(dict.fromkeys(name for by in data.verdicts.values() for name in by))
    columns = [*_columns(_ORIGIN), *_columns("name template template_name language text text_by")]
    columns += _columns("votes:integer year:integer year_by created picture file")
    columns += _columns("width:integer height:integer labels selected:truth out_at out_why")
    taken = {column.name for column in columns}
    for name in filters:
        outcome = f"{name}_outcome" if name in taken else name  # the filter `language` has one, too
        columns += _columns(
            f"{outcome} {name}_reason {name}_score:number {name}_evidence {name}_by"
        )

    def rows() -> Iterator[tuple[Any, ...]]:
        for item in data.items:
            verdicts = data.verdicts.get(item.id, {})
            year = item.year
            yield (
                *_origin(item),
                item.name,
                item.parent,
                data.names.get(item.parent, ""),
                item.language,
                SEPARATOR.join(item.parts),
                data.text_by(item),
                item.votes,
                year.year if year else None,
                year.by if year else "",
                item.created,
                item.picture,
                data.file(item),
                item.width or None,
                item.height or None,
                _json(item.labels),
                *_selected(data, item),
                *(cell for name in filters for cell in _judged(data, verdicts.get(name))),
            )

    return columns, rows()


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
    columns = [*_columns(_ORIGIN), *_columns("name file picture width:integer height:integer")]
    columns += _columns("size:integer language text text_by template template_name year:integer")
    columns += _columns("created labels selected:truth out_at out_why")
    rows = (
        (
            *_origin(item),
            item.name,
            data.file(item),
            item.picture,
            item.width or None,
            item.height or None,
            item.size or None,
            item.language,
            SEPARATOR.join(item.parts),
            data.text_by(item),
            item.parent,
            data.names.get(item.parent, ""),
            item.year.year if item.year else None,
            item.created,
            _json(item.labels),
            *_selected(data, item),
        )
        for item in data.items
        if item.kind == "picture"
    )
    return columns, rows


def _templates(data: _Collected) -> _Rows:
    columns = [*_columns(_ORIGIN), *_columns("name description keywords file picture")]
    columns += _columns("year:integer year_by year_evidence category topic keyword duplicate_of")
    columns += _columns("captions:integer pictures:integer selected_captions:integer")
    columns += _columns("selected_pictures:integer")
    there = Counter((item.parent, item.kind) for item in data.all_items)
    chosen = Counter(
        (item.parent, item.kind) for item in data.all_items if item.id in data.selected
    )

    def rows() -> Iterator[tuple[Any, ...]]:
        for item in data.items:
            if item.kind != "template":
                continue
            verdicts, year = data.verdicts.get(item.id, {}), item.year
            topics = verdicts[TOPICS].evidence.get("topics") if TOPICS in verdicts else None
            topic = topics[0] if topics else {}
            duplicate = verdicts.get(DUPLICATES)
            is_duplicate = duplicate is not None and data.outcome(duplicate) == "drop"
            yield (
                *_origin(item),
                item.name,
                item.description,
                ", ".join(item.keywords),
                data.file(item),
                item.picture,
                year.year if year else None,
                year.by if year else "",
                year.evidence if year else "",
                *(str(topic.get(key, "")) for key in ("category", "topic", "keyword")),
                str(duplicate.evidence.get("kept", "")) if is_duplicate and duplicate else "",
                *(there[item.id, kind] for kind in ("caption", "picture")),
                *(chosen[item.id, kind] for kind in ("caption", "picture")),
            )

    return columns, rows()


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


def _columns(names: str) -> list[Column]:
    """Columns in the order of their names; `year:integer` is of that kind."""
    kinds: dict[str, Kind] = {
        "integer": "integer", "number": "number", "truth": "truth", "time": "time"
    }  # fmt: skip
    pairs = (name.partition(":") for name in names.split())
    return [Column(name, kinds.get(kind, "text")) for name, _, kind in pairs]


def _origin(item: Item) -> tuple[Any, ...]:
    origin = item.origin
    texts = (origin.source, origin.dataset, origin.key, origin.url, origin.terms)
    return (item.id, item.kind, *texts, origin.fetched)


def _selected(data: _Collected, item: Item) -> tuple[Any, ...]:
    """Whether it is selected; else the stage and reason that it goes out by."""
    if data.selection is None or item.kind == "template":
        return None, "", ""
    if item.id in data.selected:
        return True, "", ""
    return False, *data.out.get(item.id, ("", ""))


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
