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
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from memeloc.curate.duplicates.grouping import QUESTION
from memeloc.curate.selection import DUPLICATES, TOPICS, answers_of
from memeloc.curate.verdict import PAIR, Judgement, Verdict
from memeloc.errors import InputError
from memeloc.items import Item, meme_id
from memeloc.model import SEPARATOR
from memeloc.tables.writing import Column
from memeloc.workspace.curating.selecting import choose_again, unusable
from memeloc.workspace.folder import WorkspaceFolder

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
    """Return columns and rows of a table; `selected` leaves only what is selected.

    Raises:
        InputError: nothing was selected yet.
    """
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
    """What the tables are made of, each read once and only when it is needed.

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
        """Items that are selected, and the templates that they are on."""
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
        """People's answers, by subject and question."""
        by_subject: dict[tuple[str, str], list[Judgement]] = {}
        for answer in self.store.curation.judgements():
            by_subject.setdefault((answer.subject, answer.question), []).append(answer)
        return by_subject

    @cached_property
    def people(self) -> dict[tuple[str, str], str]:
        return answers_of(answer for by in self.judgements.values() for answer in by)

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

    @cached_property
    def transcripts(self) -> Mapping[str, Any]:
        return self.store.transcripts.all()

    def outcome(self, verdict: Verdict) -> str:
        """Return what stands: people's answer, else the filter's."""
        return self.people.get((verdict.item, verdict.filter), verdict.verdict)

    def decided_by(self, verdict: Verdict) -> str:
        """Return the people whose answers the outcome rests on, a model, or `program`."""
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
            kept = str(duplicate.evidence.get("kept", "")) if duplicate and is_duplicate else ""
            yield {
                **self.about(item),
                **{name: str(topic.get(name, "")) for name in ("category", "topic", "keyword")},
                "duplicate_of": kept,
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
