"""A survey that is being served. In: a stored survey, its pack, settings. Out: `Served`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.model import Locale
from memeloc.survey.model import Culture
from memeloc.survey.quality.rules import Rules
from memeloc.survey.serving.pages import ServedSheet
from memeloc.survey.serving.places import (
    COMPLETE,
    FAILED_CHECKS,
    OPEN,
    RETURNED,
    SCREENED_OUT,
    Assigner,
)
from memeloc.survey.serving.settings import ServeSettings
from memeloc.survey.serving.tokens import Tokens
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.texts import SurveyTexts, survey_texts
from memeloc.workspace.surveys.checking import Checking

_ENDS = {
    OPEN: "serve.time",
    COMPLETE: "sent.thanks",
    RETURNED: "serve.ended",
    FAILED_CHECKS: "serve.failed",
    SCREENED_OUT: "serve.unqualified",
}
"""The message at each end; of an open place when it is somebody else's by now."""


@dataclass(frozen=True, slots=True)
class Message:
    """What people read who get no sheet, or no more of it; `code` may be empty."""

    locale: Locale
    title: str
    text: str
    code: str = ""


class Served:
    """What all parts need.

    Args:
        pack: what goes out of it, with its pictures.
        rules: of quality control: attention ends sheets early, person says how many sheets
            somebody may fill.

    Raises:
        InputError: the settings ask for more right answers than there are training items.
    """

    def __init__(
        self, survey: Checking, pack: SurveyPack, settings: ServeSettings, rules: Rules
    ) -> None:
        trained = min(settings.training, len(pack.taxonomy.examples))
        if trained < settings.training or settings.qualify > trained:
            raise InputError(
                f"[survey.serve] asks for training = {settings.training} and qualify = "
                f"{settings.qualify}; {pack.taxonomy.name} has {len(pack.taxonomy.examples)} "
                "examples, and no more than are asked can be right"
            )
        self.name, self.pack, self.settings = survey.name, pack, settings
        self.sheets: Mapping[str, ServedSheet] = {
            sheet.id: ServedSheet(pack, sheet, settings.training) for sheet in pack.sheets
        }
        self._survey, self._rules = survey, rules
        self._places = survey.workspace.store.serving
        self._key = survey.workspace.store.surveys.key
        self.tokens = Tokens(survey.name, self._key)
        self._assigner = Assigner(pack.sheets, settings, rules.person.sheets)
        self._hold = timedelta(minutes=settings.hold_minutes)

    def texts(self, culture: Culture | None) -> SurveyTexts:
        """What a culture's people read; English where nobody knows whose."""
        if culture is None:
            return self._english
        return self.pack.texts[culture.locale.tag]

    def message(self, culture: Culture | None, key: str) -> Message:
        """A text for people of a culture."""
        texts = self.texts(culture)
        return Message(texts.locale, texts.get("title"), texts.get(key))

    def end(self, sheet: ServedSheet, status: str) -> Message:
        """The message at a sheet's end, with the code that it ends by."""
        codes = self.pack.codes[sheet.own.id]
        code = {
            COMPLETE: codes.done,
            FAILED_CHECKS: codes.failed_checks,
            SCREENED_OUT: codes.screened_out,
        }.get(status, "")
        text = sheet.get(_ENDS[status], code=code)
        return Message(sheet.locale, sheet.get("title"), text, code)

    def sheet_of(self, token: str) -> tuple[str, ServedSheet] | None:
        """The place's id and the sheet of a place's token; None for another one."""
        parts = self.tokens.read_place(token)
        if parts is None or parts[1] not in self.sheets:
            return None
        return parts[0], self.sheets[parts[1]]

    @property
    def _english(self) -> SurveyTexts:
        return survey_texts(default().get("en"))
