"""Places in sheets. In: who comes. Out: the token of their place, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from memeloc.errors import InputError
from memeloc.store.surveys.participant_ids import hash_id
from memeloc.store.tables.types import now
from memeloc.survey.model import Culture
from memeloc.survey.serving.places import Place, Refusal, Wish
from memeloc.survey.targets.places import clean_id
from memeloc.workspace.surveys.serving.served import Message, Served

_REFUSED: dict[Refusal, str] = {
    "full": "serve.full",
    "taken part": "serve.taken",
    "time over": "serve.time",
}
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Comer:
    """Who comes: an id, and what the address says besides; empty where it says nothing."""

    participant: str
    study: str = ""
    sheet: str = ""
    culture: str = ""
    sex: str = ""


@dataclass(frozen=True, slots=True)
class AskSex:
    """The design has a quota by sex, and the address does not say which: it has to be asked."""

    culture: Culture


@dataclass(frozen=True, slots=True)
class Links:
    """Personal links of a survey: the culture and the address of each."""

    survey: str
    links: tuple[tuple[str, str], ...]


class Joining(Served):
    """Gives places."""

    def links(self, wanted: Mapping[str, int], address: str = "") -> Links:
        """New personal links, for one person each.

        Args:
            wanted: how many by culture.
            address: the server's, where the settings name none.

        Raises:
            InputError: nobody of a culture is asked.
        """
        for code in wanted:
            if code not in self._cultures:
                codes = ", ".join(self._cultures)
                raise InputError(f"{self.name} asks nobody of {code[:20]!r}; it asks {codes}")
        before = f"{self.settings.address or address}/join/"
        return Links(
            self.name,
            tuple(
                (code, before + self.tokens.link(code))
                for code, number in wanted.items()
                for _ in range(number)
            ),
        )

    def join_by_link(self, token: str, sex: str = "") -> str | Message | AskSex:
        """`join` for who has a personal link."""
        parts = self.tokens.read_link(token)
        if parts is None:
            return self.message(None, "serve.link")
        culture, person = parts
        return self.join(Comer(person, culture=culture, sex=sex))

    def join(self, comer: Comer) -> str | Message | AskSex:
        """The token of somebody's place, a new one or theirs from before."""
        sheet = comer.sheet or self._sheet_of_study.get(comer.study, "")
        if sheet in self.sheets:
            culture = self.sheets[sheet].own.culture
        else:
            found = self._cultures.get(comer.culture.strip().upper())
            if found is None or sheet:
                return self.message(found, "serve.link")
            culture = found
        participant = clean_id(comer.participant)
        # What begins with "{{" is a placeholder that no service has filled in: everybody's.
        if not participant or participant.startswith("{{") or len(participant) > _LONGEST_ID:
            return self.message(culture, "serve.link")
        sex = comer.sex.strip().casefold()[:100] if self.settings.sex else ""
        if self.settings.sex and not sex:
            return AskSex(culture)
        at, wish = now(), Wish(sheet, culture.code, sex)
        place = self._places.take(
            self.name,
            hash_id(self._key, participant),
            sex,
            at + self._hold,
            lambda taken: self._assigner.assign(wish, taken, at),
            at,
        )
        if isinstance(place, Place):
            return self.tokens.place(place.id, place.sheet)
        return self.message(culture, _REFUSED[place])

    @cached_property
    def _cultures(self) -> dict[str, Culture]:
        return {sheet.culture.code: sheet.culture for sheet in self.pack.sheets}

    @cached_property
    def _sheet_of_study(self) -> dict[str, str]:
        """The sheet of each study that a recruiter's target made, by its id there."""
        return {
            str(made["id"]): key.removeprefix("study/")
            for state in self.pack.made.values()
            for key, made in state.items()
            if key.startswith("study/") and isinstance(made, dict) and "id" in made
        }
