"""Bonuses and messages. In: a quality control. Out: tables for the service's own page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.settings import read_toml
from memeloc.survey.design.pay import read_rates
from memeloc.survey.messages import Message, write_messages
from memeloc.survey.rewards import Bonus, Shortfall, equal_bonuses, shortfalls, time_bonuses
from memeloc.workspace.surveys.checking import Checked
from memeloc.workspace.surveys.deciding import Deciding
from memeloc.workspace.surveys.stored import recruiter

_BONUS = ("submission", "participant", "sheet", "amount", "currency", "reason")
_MESSAGE = ("submission", "participant", "sheet", "text")


class Contacting(Deciding):
    def shortfalls(self, checked: Checked) -> tuple[Shortfall, ...]:
        """The sheets that took a culture's retained people longer than they were paid for.

        They are paid for the minutes that the sheet says, or those of the service's settings where
        these are more.
        """
        settings = self.settings(recruiter())
        least = int(settings.get("minutes", 0))
        promised = {batch: max(minutes, least) for batch, minutes in self.minutes.items()}
        return shortfalls(checked.sheets, checked.paces(), promised, read_rates(settings))

    def bonus(
        self,
        out: str | Path,
        *,
        each: Decimal | None = None,
        reason: str = "",
        exported: Sequence[str | Path] = (),
    ) -> dict[str, Any]:
        """List whom to pay a bonus.

        Return the `bonuses`, their `total` without the service's fee, the `currency`, `shortfalls`,
        the sheets that took longer than was promised, the `file`, and how many are `unknown`.

        Args:
            out: the list, a .csv file.
            each: what each retained person gets; None makes up for sheets that took longer than
                was promised, for all whose work is paid.
            reason: a word that tells this bonus from others of the same people.
            exported: the service's exports, which have the ids that are stored as hashes.
        """
        service = recruiter()
        checked = self.checked()
        short, report = self.shortfalls(checked), checked.report
        bonuses = time_bonuses(report, short) if each is None else equal_bonuses(report, each)
        if reason:
            bonuses = [replace(bonus, reason=reason) for bonus in bonuses]
        currency = read_rates(self.settings(service)).currency

        def cells(bonus: Bonus) -> dict[str, str]:
            amount = {"amount": f"{bonus.amount:.2f}", "currency": currency}
            return {"sheet": bonus.sheet, **amount, "reason": bonus.reason}

        listed = self._list(out, _BONUS, bonuses, self._plain_ids(service, exported), cells)
        return {
            "survey": self.name,
            "bonuses": bonuses,
            "total": sum((bonus.amount for bonus in bonuses), Decimal(0)),
            "currency": currency,
            "shortfalls": short,
            **listed,
        }

    def message(
        self,
        out: str | Path,
        texts: Mapping[str, str],
        *,
        to: str = "everybody",
        cultures: Collection[str] = (),
        exported: Sequence[str | Path] = (),
    ) -> dict[str, Any]:
        """List whom to write what.

        Return the `messages`, by text to how many it goes (`texts`), the `file`, and how many are
        `unknown`.

        Args:
            out: the list, a .csv file.
            texts: by language tag; the one under an empty tag is for all other languages.
            to: retained, excluded, absent, everybody, or a rule of quality control.
            cultures: codes; all by default.
            exported: as of `bonus`.

        Raises:
            InputError: there is no such group, or no text in a person's language.
        """
        service = recruiter()
        checked = self.checked()
        for code in cultures:
            self.design.culture(code)
        messages = write_messages(checked.report, checked.sheets, texts, to, cultures)

        def cells(message: Message) -> dict[str, str]:
            return {"sheet": message.sheet, "text": message.text}

        listed = self._list(out, _MESSAGE, messages, self._plain_ids(service, exported), cells)
        texts_sent = dict(Counter(message.text for message in messages))
        return {"survey": self.name, "messages": messages, "texts": texts_sent, **listed}


def read_texts(text: str, file: Path | None) -> dict[str, str]:
    """Messages by language tag: one for all, or those of a TOML `TAG = "text"`.

    Raises:
        InputError: there is neither or both, or the file holds something else.
    """
    if bool(text.strip()) == (file is not None):
        raise InputError("Write the message as --text, or name a file of texts by --texts.")
    if file is None:
        return {"": text.strip()}
    values = read_toml(file)
    if not values or not all(isinstance(value, str) and value.strip() for value in values.values()):
        raise InputError('The file holds a line a language, as de = "Danke!"', file=file)
    return {tag: str(value).strip() for tag, value in values.items()}
