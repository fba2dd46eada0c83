"""A survey's forms as they are read back. In: a pack. Out: each sheet's `Known`, by its id.

A survey may have thousands of sheets, and an import thousands of files. So a form is planned once
for all sheets that differ by their ids alone, and a sheet's own is made of it when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from memeloc.survey.model import Check, Sheet, entry_id
from memeloc.survey.targets.google_forms.answers import Known
from memeloc.survey.targets.google_forms.plan import Form, plan, question_id, second_key
from memeloc.survey.targets.google_forms.words import plain
from memeloc.survey.targets.protocol import SurveyPack

_REMEMBERED = 2000

_Shape = tuple[object, ...]


class Forms(Mapping[str, Known]):
    """The forms of a survey.

    Args:
        pack: the survey; a sheet that cannot be said as a form raises as `plan` does when it, or
            one like it, is asked for.
    """

    def __init__(self, pack: SurveyPack) -> None:
        self._pack = pack
        self._sheets = {sheet.id: sheet for sheet in pack.sheets}
        self._planned: dict[_Shape, tuple[Sheet, Form]] = {}
        self._known: dict[str, Known] = {}
        self.by_name = {plain(one): one for one in self._sheets}
        """Ids by themselves as texts are compared."""

    def __getitem__(self, sheet: str) -> Known:
        found = self._known.get(sheet)
        if found is None:
            found = self._known[sheet] = Known.of(
                self._form(self._sheets[sheet]), self._sheets[sheet]
            )
            if len(self._known) > _REMEMBERED:
                del self._known[next(iter(self._known))]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._sheets)

    def __len__(self) -> int:
        return len(self._sheets)

    def __contains__(self, sheet: object) -> bool:
        return sheet in self._sheets

    @cached_property
    def participants(self) -> frozenset[str]:
        """The titles, as compared, of the questions that ask who answers."""
        found = set()
        for sheet in self._sheets.values():
            first, form = self._like(sheet)
            title = next(item.title for item in form.items if item.key == "participant")
            found.add(plain(title.replace(first.id, sheet.id)))
        return frozenset(found)

    @cached_property
    def titles(self) -> frozenset[str]:
        """The titles of all questions, as compared."""
        found = set(self.participants)
        for first, form in self._planned.values():
            found.update(Known.of(form, first).titles)
        return frozenset(found)

    @cached_property
    def questions(self) -> Mapping[str, tuple[str, str]]:
        """By a question's id, as it was asked for, the sheet's id and the question's key."""
        found = {}
        for sheet in self._sheets.values():
            known = Known.of(self._form(sheet), sheet)
            for key, own in known.form.ids().items():
                if key in known.items:
                    found[question_id(own)] = (sheet.id, key)
        return found

    def _like(self, sheet: Sheet) -> tuple[Sheet, Form]:
        """A sheet that differs from this one by ids alone, and its form."""
        asked = tuple(
            one.expected if isinstance(one, Check) and one.kind == "explicit" else None
            for one in sheet.entries
        )
        coded = sheet.id in self._pack.codes
        shape = (sheet.culture.code, sheet.culture.locale.tag, asked, coded)
        found = self._planned.get(shape)
        if found is None:
            found = self._planned[shape] = (sheet, plan(self._pack, sheet))
        return found

    def _form(self, sheet: Sheet) -> Form:
        first, form = self._like(sheet)
        return form if first is sheet else _renamed(form, first, sheet)


def _renamed(form: Form, first: Sheet, sheet: Sheet) -> Form:
    """A form with another sheet's ids; its pictures, and what is said of them, stay the first's."""
    names: dict[str, str] = {}
    for old, new in zip(map(entry_id, first.entries), map(entry_id, sheet.entries), strict=True):
        names |= {f"entry:{old}": f"entry:{new}", second_key(old): second_key(new)}
    items = []
    for item in form.items:
        if item.key == "participant":
            item = replace(item, title=item.title.replace(first.id, sheet.id))
        elif item.key in names:
            item = replace(item, key=names[item.key])
        else:
            own, piece, number = item.key.rpartition(":before-")
            if own in names:
                item = replace(item, key=f"{names[own]}{piece}{number}")
        items.append(item)
    return replace(form, sheet=sheet.id, items=tuple(items))
