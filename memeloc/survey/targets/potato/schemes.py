"""A sheet's questions as Potato's schemes. In: a sheet's texts. Out: schemes, what items come with.

The program asks the same schemes of every item, shown by answers only. So a hidden scheme `asked`
has the names of those that not every item is asked, and each item comes with its answer; a draft
comes the same way. A question with a text of an item's own is a scheme for each of its texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memeloc.survey.model import PersonEntry
from memeloc.survey.targets.instructions import Item, SheetTexts, ShownQuestion
from memeloc.survey.targets.potato.reading import GATE, scheme_name
from memeloc.tables import drawable
from memeloc.taxonomy import LABEL, Kind

REQUIRED = {"label_requirement": {"required": True}}


@dataclass
class _Asked:
    """A question with one of its texts, and the keys of the items that ask it so."""

    name: str
    question: ShownQuestion
    items: set[str] = field(default_factory=set)


class Schemes:
    """How the entries of a sheet are answered."""

    def __init__(self, shown: SheetTexts) -> None:
        items = list(shown.items())
        self.items = [item for item in items if not isinstance(item.entry, PersonEntry)]
        self.person = next((item for item in items if isinstance(item.entry, PersonEntry)), None)
        self._questions = {item.key: shown.questions(item.entry) for item in items}
        texts: dict[str, dict[str, _Asked]] = {}
        for item in self.items:
            for question in self._questions[item.key]:
                of_text = texts.setdefault(question.id, {})
                made = of_text.setdefault(question.text, _Asked("", question))
                made.items.add(item.key)
        self._asked = [asked for of_text in texts.values() for asked in of_text.values()]
        for own, of_text in texts.items():
            for number, asked in enumerate(of_text.values(), 1):
                asked.name = scheme_name(own, number if len(of_text) > 1 else 0)
        self.has_spans = any(asked.question.kind == "span" for asked in self._asked)

    def of_items(self) -> list[dict[str, Any]]:
        """The schemes that every item has."""
        schemes = [self._scheme(asked) for asked in self._asked]
        if gated := [asked.name for asked in self._asked if self._is_gated(asked)]:
            labels = {name: name for name in gated}
            schemes.insert(0, choices(GATE, GATE, labels, "multiselect"))
        return schemes

    def of_person(self) -> list[dict[str, Any]]:
        """The schemes of the page about the person."""
        questions = self._questions[self.person.key] if self.person else ()
        kinds = {question.id: question.kind for question in questions}
        schemes = []
        for question in questions:
            conditions = [
                _answered(scheme_name(earlier), answers, kinds[earlier])
                for earlier, answers in question.when.items()
            ]
            schemes.append(_shown_when(_by_kind(question, scheme_name(question.id)), conditions))
        return schemes

    def prefilled(self, item: Item) -> dict[str, Any]:
        """What an item comes with: which schemes it asks, and drafts of answers."""
        own = [asked for asked in self._asked if item.key in asked.items]
        drafts = {question.id: question.draft for question in self._questions[item.key]}
        answers: dict[str, Any] = {
            asked.name: drafts[asked.question.id] for asked in own if drafts[asked.question.id]
        }
        gated = [asked.name for asked in own if self._is_gated(asked)]
        return answers | ({GATE: gated} if gated else {})

    def _is_gated(self, asked: _Asked) -> bool:
        return len(asked.items) < len(self.items)

    def _scheme(self, asked: _Asked) -> dict[str, Any]:
        conditions = []
        if self._is_gated(asked):
            conditions.append(_answered(GATE, (asked.name,), "choices"))
        for earlier, answers in asked.question.when.items():
            fitting = [
                _answered(each.name, answers, each.question.kind)
                for each in self._asked
                if each.question.id == earlier and each.items & asked.items
            ]
            conditions.append(fitting[0] if len(fitting) == 1 else {"any": fitting})
        return _shown_when(_by_kind(asked.question, asked.name), conditions)


def _by_kind(question: ShownQuestion, name: str) -> dict[str, Any]:
    """The scheme of a question."""
    if question.kind == "text":
        scheme: dict[str, Any] = {"annotation_type": "text", "multiline": True, "rows": 3}
        scheme |= {"name": name, "description": plain(question.text)}
    elif question.kind == "span":
        # The program writes the name over what is marked: a sign needs no language.
        labels = [{"name": "✎"}]
        scheme = {"annotation_type": "span", "name": name, "description": plain(question.text)}
        scheme |= {"labels": labels, "target_field": "caption"}
    else:
        least, most = question.scale or (0, -1)
        numbers = {str(number): str(number) for number in range(least, most + 1)}
        kind = "multiselect" if question.kind == "choices" else "radio"
        scheme = choices(name, question.text, question.answers or numbers, kind)
        scheme |= {"horizontal": True} if question.scale else {}
        scheme |= {"sequential_key_binding": True} if question.id == LABEL else {}
    return scheme | (REQUIRED if question.required else {})


def choices(
    name: str, text: str, answers: Mapping[str, str], kind: str = "radio"
) -> dict[str, Any]:
    """A scheme of answers to choose from, by id."""
    labels = [{"name": own, "displayed_label": plain(shown)} for own, shown in answers.items()]
    return {"annotation_type": kind, "name": name, "description": plain(text), "labels": labels}


def _answered(name: str, answers: Iterable[str], kind: Kind) -> dict[str, Any]:
    """A condition that one of these answers was chosen, alone or among others."""
    operator = "contains" if kind == "choices" else "equals"
    return {"schema": name, "operator": operator, "value": list(answers)}


def _shown_when(scheme: dict[str, Any], conditions: list[dict[str, Any]]) -> dict[str, Any]:
    return {**scheme, "display_logic": {"show_when": conditions}} if conditions else scheme


def plain(text: str) -> str:
    """A text that stands in a template of Jinja's and is no part of it."""
    for mark in "{%#":
        text = text.replace("{" + mark, "{\u200b" + mark)
    return drawable(text)
