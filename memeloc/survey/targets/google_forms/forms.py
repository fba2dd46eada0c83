"""A survey's forms as they are read back. In: a pack. Out: for each sheet what its texts mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.google_forms.items import QUESTIONS, STOP, question_id
from memeloc.survey.targets.google_forms.plan import Planned, plan, question_key
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.protocol import RawAnswer, RawSubmission, SurveyPack
from memeloc.tables import folded

Texts = Mapping[str, Sequence[str]]
"""What one person wrote, by the questions' keys; no text is blank."""


class SheetForm:
    """A sheet's form as it is read back.

    Attributes:
        items: its questions by key.
        titles: keys of questions by their titles, as compared.
    """

    def __init__(self, pack: SurveyPack, sheet: Sheet, planned: Planned) -> None:
        self._form = form = plan(pack, sheet, planned)
        self.sheet = sheet
        self.items = {item.key: item for item in form.items if item.kind in QUESTIONS}
        self.titles = {folded(item.title): item.asks or key for key, item in self.items.items()}
        further = [question.id for question in pack.taxonomy.questions]
        self._entries = [
            (
                own,
                key := question_key(own),
                item.title if (item := self.items.get(key)) else "",
                {name: key for name in further if (key := question_key(own, name)) in self.items},
            )
            for own in map(entry_id, sheet.entries)
        ]
        self._places = pack.places
        self._stop = {STOP, folded(pack.texts[sheet.culture.locale.tag].get("stop.button"))}
        names = SheetTexts(pack, sheet).answers if further else {}
        self._answers = {question: _Names(names[question]) for question in further}

    def ids(self) -> dict[str, str]:
        """Keys of questions by the ids that they were asked for by."""
        questions = ((own, self.items.get(key)) for key, own in self._form.ids().items())
        return {question_id(own): item.asks or item.key for own, item in questions if item}

    def submission(
        self, texts: Texts, row: int, submitted: datetime | str | None, *, own: str = ""
    ) -> RawSubmission:
        """What one person sent; `own` is the id of the response, if the file has one."""
        answers, stopped = [], False
        for entry, own_key, title, further_keys in self._entries:
            labels = texts.get(own_key, ())
            content = {title: labels} if labels else {}
            further = {}
            for question, key in further_keys.items():
                if cells := texts.get(key):
                    content[self.items[key].title] = cells
                    ids = self._answers[question].ids
                    further[question] = [own for text in cells for own in ids(text)]
            if labels and not self._stop.isdisjoint(map(folded, labels)):
                stopped = True
            elif content:
                answers.append(RawAnswer(entry, labels, further, content=content))
        return RawSubmission(
            " ".join(texts.get("participant", ())),
            answers,
            sheet=self.sheet.id,
            id=own,
            status="returned" if stopped else "complete",
            consent=self._consent(texts.get("consent", ()), answered=bool(answers)),
            submitted=submitted,
            comments="\n".join(texts.get("comments", ())),
            row=row,
            content=self.content(texts),
        )

    def _consent(self, texts: Sequence[str], *, answered: bool) -> bool | str | None:
        """Whether somebody agrees; who answered has done so, for the form asks for it first."""
        consents = [self._places.consent(self.sheet, text) for text in texts]
        if False in consents:
            return False
        if True in consents:
            return True
        return None if answered and not texts else " ".join(texts)

    def content(self, texts: Texts) -> dict[str, Any]:
        """What was written, by the questions' titles."""
        written = {self.items[key].title: texts[key] for key in texts if texts[key]}
        return {"sheet": self.sheet.id, "answers": written}


class _Names:
    """The names of a question's answers, as they stand in a cell."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._ids = {folded(text): own for own, name in names.items() for text in (own, name)}
        longest_first = sorted(map(re.escape, self._ids), key=len, reverse=True)
        self._name = re.compile(rf"({'|'.join(longest_first)})(?:[;,][;, ]*|$)")

    def ids(self, text: str) -> list[str]:
        """Ids of the answers in one cell; the text itself if it names another.

        They stand between semicolons (Forms) or commas (the linked sheet); an answer may have such
        a mark in it, so the longest that fits is taken each time.
        """
        rest, ids, end = folded(text), [], 0
        while self._ids and (match := self._name.match(rest, end)):
            ids.append(self._ids[match[1]])
            end = match.end()
        return ids if ids and end == len(rest) else [text]


class Forms:
    """The forms of a survey's sheets; raises as `plan` does.

    Attributes:
        sheets: forms by the sheet's id; folded_ids: by that as compared.
        titles: of all questions, as compared.
        participants: titles, as compared, of the questions that ask who answers.
    """

    def __init__(self, pack: SurveyPack) -> None:
        planned: Planned = {}
        self.sheets = {sheet.id: SheetForm(pack, sheet, planned) for sheet in pack.sheets}
        self.folded_ids = {folded(sheet): form for sheet, form in self.sheets.items()}
        forms = self.sheets.values()
        self.titles = frozenset(title for form in forms for title in form.titles)
        self.participants = frozenset(folded(form.items["participant"].title) for form in forms)
        self._made = pack.made.get("google-forms", {})

    @cached_property
    def questions(self) -> dict[str, tuple[SheetForm, str]]:
        """The form and the question's key by the question's id, also by Google's own."""
        questions = {
            own: (form, key) for form in self.sheets.values() for own, key in form.ids().items()
        }
        for sheet, values in self._made.items():
            for key, item in values.get("items", {}).items():
                if sheet in self.sheets and key in self.sheets[sheet].items:
                    asked = self.sheets[sheet].items[key].asks or key
                    questions[str(item.get("questionId"))] = (self.sheets[sheet], asked)
        return questions


@lru_cache(maxsize=4)
def forms_of(pack: SurveyPack) -> Forms:
    """The forms of a survey; the same for all files of an import."""
    return Forms(pack)
