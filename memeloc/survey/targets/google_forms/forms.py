"""A survey's forms as they are read back. In: a pack. Out: for each sheet what its texts mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.google_forms.plan import QUESTIONS, STOP, plan, question_id, second_key
from memeloc.survey.targets.places import folded
from memeloc.survey.targets.protocol import RawAnswer, RawSubmission, SurveyPack

_LONGEST_CHOICES = 20_000
"""Characters of a cell with several answers; what is longer names none."""

Texts = Mapping[str, Sequence[str]]
"""What one person wrote, by the questions' keys."""


class SheetForm:
    """A sheet's form as it is read back.

    Attributes:
        sheet: whose it is.
        items: its questions by key.
        titles: keys of questions by their titles, as compared.
        ids: ids of questions, as they were asked for, by key.
    """

    def __init__(self, pack: SurveyPack, sheet: Sheet) -> None:
        form = plan(pack, sheet)
        self.sheet = sheet
        self.items = {item.key: item for item in form.items if item.kind in QUESTIONS}
        self.titles = {folded(item.title): key for key, item in self.items.items()}
        self.ids = {key: question_id(own) for key, own in form.ids().items() if key in self.items}
        self._options = {
            key: {folded(option.id): option.id for option in item.options}
            | {folded(option.text): option.id for option in item.options}
            for key, item in self.items.items()
        }

    def submission(
        self, texts: Texts, row: int, submitted: datetime | str | None, *, own: str = ""
    ) -> RawSubmission:
        """What one person sent.

        Args:
            texts: what was written.
            row: where it stands.
            submitted: when it was sent.
            own: the id of the response, if the file has one.
        """
        filled = {key: [text for text in parts if text.strip()] for key, parts in texts.items()}
        answers, stopped = [], False
        for entry in map(entry_id, self.sheet.entries):
            labels = self.chosen(f"entry:{entry}", filled)
            stopped = stopped or STOP in labels
            second = self.chosen(second_key(entry), filled)
            if STOP not in labels and (labels or second):
                asked = (
                    (key, filled.get(key, [])) for key in (f"entry:{entry}", second_key(entry))
                )
                content = {self.items[key].title: written for key, written in asked if written}
                answers.append(RawAnswer(entry, labels, second, content=content))
        consent = self.chosen("consent", filled)
        return RawSubmission(
            " ".join(filled.get("participant", ())),
            answers,
            sheet=self.sheet.id,
            id=own,
            status="returned" if stopped else "complete",
            consent=False if consent == ["no"] else None,
            submitted=submitted,
            comments="\n".join(filled.get("comments", ())),
            row=row,
            content=self.content(filled),
        )

    def content(self, texts: Texts) -> dict[str, Any]:
        """What was written, by the questions' titles."""
        return {
            "sheet": self.sheet.id,
            "answers": {
                item.title: texts[key] for key, item in self.items.items() if texts.get(key)
            },
        }

    def chosen(self, key: str, texts: Texts) -> list[str]:
        """The ids of the options that texts name, in the form's order, and texts that name none."""
        item, options = self.items.get(key), self._options.get(key, {})
        ids: list[str] = []
        others: list[str] = []
        for text in texts.get(key, ()):
            option = options.get(folded(text))
            named = [option] if option else _split(text, options)
            ids += named
            if not named:
                others.append(text)
        order = [option.id for option in item.options] if item else []
        return [*sorted(set(ids), key=order.index), *others]


class Forms:
    """The forms of a survey's sheets, each planned when it is first needed.

    A sheet that cannot be expressed as a form raises as `plan` does.
    """

    def __init__(self, pack: SurveyPack) -> None:
        self._pack = pack
        self._sheets = {sheet.id: sheet for sheet in pack.sheets}
        self._forms: dict[str, SheetForm] = {}
        self.by_name = {folded(sheet): sheet for sheet in self._sheets}
        """Ids of sheets by themselves as texts are compared."""

    def get(self, sheet: str) -> SheetForm | None:
        """The form of the sheet of that id."""
        if sheet not in self._sheets:
            return None
        if sheet not in self._forms:
            self._forms[sheet] = SheetForm(self._pack, self._sheets[sheet])
        return self._forms[sheet]

    def __iter__(self) -> Iterator[SheetForm]:
        for sheet in self._sheets:
            if (form := self.get(sheet)) is not None:
                yield form

    @cached_property
    def titles(self) -> frozenset[str]:
        """The titles of all questions, as compared."""
        return frozenset(title for form in self for title in form.titles)

    @cached_property
    def participants(self) -> frozenset[str]:
        """The titles, as compared, of the questions that ask who answers."""
        return frozenset(folded(form.items["participant"].title) for form in self)

    @cached_property
    def questions(self) -> dict[str, tuple[SheetForm, str]]:
        """By a question's id the sheet's form and the question's key: also by Google's own ids."""
        found = {own: (form, key) for form in self for key, own in form.ids.items()}
        for sheet, values in self._pack.made.get("google-forms", {}).items():
            form = self.get(sheet)
            for key, item in values.get("items", {}).items():
                if form is not None and key in form.items:
                    found[str(item.get("questionId"))] = (form, key)
        return found


@lru_cache(maxsize=4)
def forms_of(pack: SurveyPack) -> Forms:
    """The forms of a survey; the same for all files of an import."""
    return Forms(pack)


def _split(text: str, options: Mapping[str, str]) -> list[str]:
    """Options that stand in one cell, between semicolons (Forms) or commas (the linked sheet).

    An option may have such a mark in it, so the longest that fits is taken each time.
    """
    rest, ids = folded(text), []
    if len(rest) > _LONGEST_CHOICES:
        return []
    longest_first = sorted(options, key=len, reverse=True)
    while rest:
        for option in longest_first:
            if rest == option or rest.startswith((f"{option};", f"{option},")):
                break
        else:
            return []
        ids.append(options[option])
        rest = rest[len(option) :].lstrip(";, ")
    return ids
