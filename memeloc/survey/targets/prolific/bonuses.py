"""Bonuses at Prolific. In: bonuses, ids. Out: paid once, after the sum was agreed to.

docs.prolific.com/api-reference/bonuses: setting up pays nothing; paying is not idempotent, so a
request to pay is sent once. Before it the state notes what is being paid; a run that did not hear
how it ended looks, the next time, at the submission, which lists the bonuses that it got.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.survey.design.pay import amount
from memeloc.survey.quality.statuses import PAID
from memeloc.survey.rewards import Bonus
from memeloc.survey.targets.prolific.client import SERVICE, ProlificApi, checked_id, validated
from memeloc.survey.targets.prolific.columns import STATUSES, key_of
from memeloc.survey.targets.prolific.push import SENT
from memeloc.survey.targets.prolific.records import BonusRecord, StudyRecord, SubmissionRecord
from memeloc.survey.targets.protocol import State
from memeloc.survey.targets.services import RequestError

MOST = 200
"""People that one request may set up (docs.prolific.com, Bonuses)."""


@dataclass(frozen=True, slots=True)
class _Due:
    """What is to be paid of a bonus now, to a submission by Prolific's own id, in minor units."""

    bonus: Bonus
    submission: str
    minor: int


@dataclass(frozen=True, slots=True)
class _SetUp:
    """Bonuses that were set up at Prolific under an id, and are not paid yet."""

    id: str
    due: tuple[_Due, ...]


class Paying:
    """One run against one account; `state` has under `bonus/SUBMISSION` what was paid before.

    There, by a bonus's reason, stand the amounts `paid`, and the one that was being paid when a run
    ended without an answer (`paying`), in minor units.
    """

    def __init__(self, api: ProlificApi, currency: str, state: State) -> None:
        self.api, self.currency, self.state = api, currency, state
        self.outcomes: Counter[str] = Counter()

    def pay(
        self, bonuses: Sequence[Bonus], ids: Mapping[str, str], agree: Callable[[str], bool]
    ) -> Mapping[str, int]:
        """Pay what is due, and count outcomes; see `PayBonuses`.

        Raises:
            InputError: a study pays in another currency.
            ServiceError: Prolific refused, or did not say whether it paid.
        """
        by_study: dict[str, list[_Due]] = defaultdict(list)
        for bonus in bonuses:
            own = ids.get(bonus.service)
            if not own:
                self.outcomes["no id"] += 1
            elif due := self._due(bonus, checked_id(own, "submission")):
                by_study[due[0]].append(due[1])
        if not by_study:
            return self.outcomes
        set_up, total = [], 0
        for study, some in sorted(by_study.items()):
            self._check_currency(study)
            for start in range(0, len(some), MOST):
                made, cost = self._set_up(study, tuple(some[start : start + MOST]))
                set_up.append(made)
                total += cost
        if agree(self._costs(set_up, total)) is not True:
            return {}
        for each in set_up:
            self._pay(each)
        return self.outcomes

    def _due(self, bonus: Bonus, own: str) -> tuple[str, _Due] | None:
        """The study of a submission and what it is still to get; None when there is nothing."""
        answer = self.api.ask("GET", f"submissions/{own}/")
        record = validated(SubmissionRecord, answer)
        noted = self._noted(bonus)
        mine = noted.get(bonus.reason, {})
        if pending := mine.get("paying"):
            before = Counter(each for value in noted.values() for each in value.get("paid", ()))
            if Counter(map(round, record.bonus_payments or ()))[pending] <= before[pending]:
                self.outcomes["unclear"] += 1
                return None
            mine = self._note(bonus, paid=[*mine.get("paid", ()), pending])
        minor = round(bonus.amount * 100) - sum(mine.get("paid", ()))
        if minor <= 0:
            self.outcomes["sent before"] += 1
            return None
        status = STATUSES.get(key_of(record.status), "UNKNOWN")
        if status not in PAID:
            self.outcomes[status] += 1
            return None
        return checked_id(record.study_id or "", "study"), _Due(bonus, own, minor)

    def _check_currency(self, study: str) -> None:
        record = validated(StudyRecord, self.api.ask("GET", f"studies/{study}/"))
        currency = record.presentment_currency_code or record.currency_code
        if currency and currency.upper() != self.currency:
            raise InputError(
                f"The study {study} pays in {currency[:10]}, and the wage is in {self.currency}: "
                "name wage and currency of the account."
            )

    def _set_up(self, study: str, due: tuple[_Due, ...]) -> tuple[_SetUp, int]:
        """Set bonuses up; with what they cost, fee and tax included."""
        lines = "".join(f"{each.submission},{Decimal(each.minor) / 100:.2f}\n" for each in due)
        body = {"study_id": study, "csv_bonuses": lines}
        answer = self.api.ask("POST", "submissions/bonus-payments/", body)
        record = validated(BonusRecord, answer)
        wanted = sum(each.minor for each in due)
        if record.amount is not None and round(record.amount) != wanted:
            message = f"it would pay {round(record.amount)} minor units instead of {wanted}"
            raise ServiceError(SERVICE, message, retryable=False)
        return _SetUp(record.id, due), round(record.total_amount)

    def _costs(self, set_up: Sequence[_SetUp], total: int) -> str:
        due = [each for made in set_up for each in made.due]
        people = sum(each.minor for each in due)
        return (
            f"Paying bonuses for {counted(len(due), 'submission')} costs "
            f"{amount(total, self.currency)}, "
            f"fee and tax included; people get {people / 100:,.2f} of it. This cannot be taken "
            "back."
        )

    def _pay(self, set_up: _SetUp) -> None:
        for each in set_up.due:
            self._note(each.bonus, paying=each.minor)
        try:
            self.api.send("POST", f"bulk-bonus-payments/{set_up.id}/pay/")
        except RequestError as error:
            if 400 <= error.status < 500:  # it was refused, so nothing was paid
                self._forget(set_up)
                raise
            message = (
                "it is not known whether "
                f"{counted(len(set_up.due), 'bonus was', 'bonuses were')} paid ({error.message}); "
                "wait some minutes and run this again: what was paid is seen at the submissions"
            )
            raise ServiceError(SERVICE, message, retryable=False) from error
        except MissingError:
            self._forget(set_up)
            raise
        for each in set_up.due:
            paid = self._noted(each.bonus).get(each.bonus.reason, {}).get("paid", ())
            self._note(each.bonus, paid=[*paid, each.minor])
        self.outcomes[SENT] += len(set_up.due)

    def _forget(self, set_up: _SetUp) -> None:
        for each in set_up.due:
            self._note(each.bonus)

    def _noted(self, bonus: Bonus) -> dict[str, Any]:
        return dict(self.state.get(f"bonus/{bonus.service}") or {})

    def _note(self, bonus: Bonus, paid: Sequence[int] = (), paying: int = 0) -> dict[str, Any]:
        noted = self._noted(bonus)
        before = noted.get(bonus.reason, {}).get("paid", ())
        mine: dict[str, Any] = {"paid": [*(paid or before)]}
        if paying:
            mine["paying"] = paying
        self.state.put(f"bonus/{bonus.service}", {**noted, bonus.reason: mine})
        return mine
