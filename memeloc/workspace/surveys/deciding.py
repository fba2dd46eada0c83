"""Decisions for a recruitment service. In: a quality control. Out: approve, return, reject."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from memeloc.errors import InputError
from memeloc.sheets import write_sheet_table
from memeloc.survey.design.pay import read_rates
from memeloc.survey.messages import Message
from memeloc.survey.quality.decisions import READ, SENT, Decision, decisions
from memeloc.survey.rewards import Bonus
from memeloc.survey.targets.protocol import Decide
from memeloc.survey.targets.registry import make_target
from memeloc.survey.targets.resolver import import_file
from memeloc.workspace.surveys.checking import Checking
from memeloc.workspace.surveys.packs import sent_packs
from memeloc.workspace.surveys.stored import Agree, SurveyState, disagree, recruiter

Listed = TypeVar("Listed", Decision, Bonus, Message)

_AS_DECIDED = ("study", "sheet", "category", "message")
_COLUMNS = (
    "action", "submission", "participant", "study", "sheet", "category", "message", "rules",
    "earned", "not_read",
)  # fmt: skip


class Deciding(Checking):
    """Decisions for a recruitment service."""

    def decide(
        self,
        out: str | Path,
        *,
        exported: Sequence[str | Path] = (),
        minutes: float = 0,
        implicit_count: bool = False,
        reject_fast: bool = False,
        send: bool = False,
        agree: Agree = disagree,
    ) -> dict[str, Any]:
        """List for the recruitment service whom to approve, ask to return, or reject.

        Return the `counts` of actions, the `decisions`, the `file`, how many were `sent` to what
        end, how many are `unknown`, as they have no id of the service's here, and by reason the
        rows that were `not_read` and do not say whose they are.

        Args:
            out: the list, a .csv file.
            exported: the service's exports, which have the ids that are stored as hashes.
            minutes: that a sheet takes; 0 for what people were given.
            implicit_count: whether implicit checks count beside a failed explicit one.
            reject_fast: whether exceptionally fast ones are rejected; else they are paid.
            send: whether the service is given the decisions.
            agree: is given the counts as a sentence before; only True goes on.

        Raises:
            InputError: the minutes are not known.
        """
        checked = self.checked()
        given = self.minutes
        by_sheet = {
            sheet.id: minutes or given[sheet.batch]
            for sheet in checked.sheets
            if minutes or sheet.batch in given
        }
        if not by_sheet:
            raise InputError("How long does a sheet take? Nothing went out yet; give --minutes")
        rates, service = read_rates(self.settings(recruiter())), recruiter()
        unread: dict[str, Counter[str]] = defaultdict(Counter)
        for target, person, reason in self._store.rejected(self.name):
            if target != service and reason not in READ:
                unread[person][reason] += 1
        cultures = self.design.cultures
        texts = {culture.locale.tag: self.texts(culture) for culture in cultures}
        decided = decisions(
            checked.report,
            by_sheet,
            {sheet.id: texts[sheet.culture.locale.tag] for sheet in checked.sheets},
            rewards={sheet: rates.reward(math.ceil(time)) for sheet, time in by_sheet.items()},
            unread=unread,
            implicit_count=implicit_count,
            reject_fast=reject_fast,
        )

        def cells(decision: Decision) -> dict[str, str]:
            earned = decision.earned
            is_unread = decision.action == "look"
            return {
                **{name: getattr(decision, name) for name in ("action", *_AS_DECIDED)},
                "rules": " ".join(decision.rules),
                "earned": "" if earned is None else f"{earned} {rates.currency}",
                "not_read": json.dumps(decision.evidence) if is_unread else "",
            }

        ids = self._plain_ids(service, exported)
        listed = self._list(out, _COLUMNS, decided, ids, cells)
        sent: Mapping[str, int] = {}
        if send:
            recruiting = self.target(service)
            assert isinstance(recruiting, Decide)
            to_send = [decision for decision in decided if decision.action in SENT]
            sent = recruiting.decide(to_send, ids, SurveyState(self, service), agree=agree)
        return {
            "survey": self.name,
            "counts": dict(sorted(Counter(decision.action for decision in decided).items())),
            "decisions": decided,
            "file": listed["file"],
            "sent": dict(sorted(sent.items())),
            "unknown": listed["unknown"],
            "not_read": dict(sorted(unread[""].items())),
        }

    def _list(
        self,
        out: str | Path,
        columns: Sequence[str],
        rows: Sequence[Listed],
        ids: Mapping[str, str],
        cells: Callable[[Listed], Mapping[str, str]],
    ) -> dict[str, Any]:
        """Write a list for the service's own page, with the service's ids as far as they are known.

        Return its `file`, and how many rows are `unknown`.
        """
        lines = []
        for row in rows:
            submission, participant = (ids.get(id, id) for id in (row.service, row.participant))
            line = {"submission": submission, "participant": participant, **cells(row)}
            lines.append([line[name] for name in columns])
        file, _ = write_sheet_table(Path(out), columns, lines)
        return {"file": file, "unknown": sum(row.service not in ids for row in rows)}

    def _plain_ids(self, service: str, exported: Sequence[str | Path]) -> dict[str, str]:
        """By what is stored of an id, the id, as far as the service's exports name it."""
        ids: dict[str, str] = {}
        target, pack = make_target(service), self.with_state(sent_packs(self)[0])
        for path in exported:
            for person in import_file(target, Path(path), pack).participants:
                for plain in filter(None, (person.participant, person.submission)):
                    ids[plain] = ids[self._store.hash_participant(plain)] = plain
        return ids
