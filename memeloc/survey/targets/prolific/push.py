"""What is sent to Prolific. In: studies and decisions. Out: drafts, published if agreed to.

What was made goes into the state as soon as it is known. A run that died between asking for a study
and hearing of it finds it again by its internal name, which is unique to a sheet. Publishing costs
money: all of it is shown first, fees and tax included, and nothing is published before that is
agreed to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError, ServiceError
from memeloc.survey.design.pay import amount
from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.prolific.client import SERVICE, ProlificApi, checked_id, validated
from memeloc.survey.targets.prolific.columns import STATUSES, key_of
from memeloc.survey.targets.prolific.records import (
    CostRecord,
    GroupRecord,
    StudyRecord,
    SubmissionRecord,
)
from memeloc.survey.targets.prolific.settings import ProlificSettings
from memeloc.survey.targets.prolific.studies import STUDIES_FILTER, Study, digest
from memeloc.survey.targets.protocol import State

DRAFT, SENT = "UNPUBLISHED", "sent"
GROUP = "group"
"""The state's key of the participant group; a study is noted under `study/SHEET`."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A study at Prolific, of its id and status there, and whether this run made it.

    In a dry run it is one that would be made; its id is empty if it is not there.
    """

    sheet: str
    study: str
    status: str
    made: bool


def noted(state: State, study: Study) -> Mapping[str, str]:
    """What the state holds of a sheet's study: its `id` and the `digest` of its content."""
    return state.get(f"study/{study.sheet}") or {}


def studies_made(values: Mapping[str, Any]) -> dict[str, str]:
    """By Prolific's id of a study the id of its sheet, from a state's values.

    >>> studies_made({"study/r1-b01-DE": {"id": "65f0", "digest": "x"}, "group": "7"})
    {'65f0': 'r1-b01-DE'}
    """
    return {
        value["id"]: key.removeprefix("study/")
        for key, value in values.items()
        if key.startswith("study/")
    }


class Drafting:
    """One run against one account; `state` has what was made so far."""

    def __init__(
        self, api: ProlificApi, survey: str, settings: ProlificSettings, state: State
    ) -> None:
        self.api, self.survey, self.settings, self.state = api, survey, settings, state
        self._ids: Mapping[str, set[str]] | None = None

    def group(self) -> str:
        """The group of all who took part in this survey, made when there is none."""
        if not self.state.get(GROUP):
            workspace = self.api.workspace()
            self.state.put(GROUP, self.api.patiently(lambda: self._find_or_make_group(workspace)))
        return str(self.state.get(GROUP))

    def _find_or_make_group(self, workspace: str) -> str:
        name = f"memeloc {self.survey[:120]}"
        for group in self.api.pages(GroupRecord, "participant-groups/", workspace_id=workspace):
            if group.name == name and not group.is_deleted:
                return group.id
        body = {
            "name": name,
            "workspace_id": workspace,
            "description": "Took part in a sheet of this survey; kept out of all others.",
        }
        return validated(GroupRecord, self.api.send("POST", "participant-groups/", body)).id

    def draft(self, study: Study) -> Pushed:
        """A study, found or made.

        Raises:
            InputError: it was drafted with other content, or the account's currency is another.
        """
        before, made = noted(self.state, study), False
        if not before:
            own, made = self._find_or_make(study)
            before = {"id": own, "digest": digest(study.body)}
            self.state.put(f"study/{study.sheet}", before)
        elif before["digest"] != digest(study.body):
            raise InputError(
                f"The study of {study.sheet} was drafted with other content. Keep it, or delete "
                f"it at Prolific ({before['id']}) and push a survey of another name."
            )
        record = self._study(before["id"])
        currency = record.presentment_currency_code or record.currency_code
        if currency and currency.upper() != self.settings.pay.currency:
            raise InputError(
                f"Your account at Prolific pays in {currency[:10]}, and the wage is in "
                f"{self.settings.pay.currency}: name wage and currency of the account."
            )
        return Pushed(study.sheet, record.id, record.status, made)

    def _study(self, own: str) -> StudyRecord:
        return validated(StudyRecord, self.api.ask("GET", f"studies/{own}/"))

    def _find_or_make(self, study: Study) -> tuple[str, bool]:
        tried = False

        def send() -> str:
            nonlocal tried
            if tried or self._ids is None:  # an answer that was lost may have made it
                self._ids = self._ids_by_name()
            name = study.body["internal_name"]
            ids = self._ids.get(name, ())
            if len(ids) > 1:
                message = (
                    f"it has {counted(len(ids), 'study', 'studies')} named {name!r}; "
                    "delete all but one"
                )
                raise ServiceError(SERVICE, message, retryable=False)
            for own in ids:
                self._check_same(study, own)
                return own
            tried = True
            return validated(StudyRecord, self.api.send("POST", "studies/", study.body)).id

        return self.api.patiently(send), tried

    def _ids_by_name(self) -> Mapping[str, set[str]]:
        project = self.settings.project
        path = f"projects/{checked_id(project, 'project')}/studies/" if project else "studies/"
        ids: dict[str, set[str]] = defaultdict(set)
        for record in self.api.pages(StudyRecord, path):
            ids[record.internal_name or ""].add(record.id)
        return ids

    def _check_same(self, study: Study, own: str) -> None:
        record = self._study(own)
        for name in ("external_study_url", "total_available_places", "reward"):
            value = getattr(record, name)
            if value is not None and value != study.body[name]:
                raise InputError(
                    f"Prolific has a study {study.body['internal_name']!r} whose {name} is another "
                    f"({str(value)[:80]}); delete it there, or name the survey otherwise."
                )

    def publish(
        self, studies: Sequence[Study], drafts: Sequence[Pushed], agree: Callable[[str], bool]
    ) -> list[Pushed]:
        """Publish what is still a draft, once the money is agreed to."""
        bodies = {study.sheet: study.body for study in studies}
        waiting = [bodies[pushed.sheet] for pushed in drafts if pushed.status == DRAFT]
        if not waiting or agree(self._costs(waiting)) is not True:
            return list(drafts)
        public = {pushed.study for pushed in drafts if pushed.status != DRAFT}
        published = []
        for pushed in drafts:
            if pushed.status == DRAFT:
                status = self._publish(pushed.study, bodies[pushed.sheet]["filters"], public)
                pushed = replace(pushed, status=status)
                public.add(pushed.study)
            published.append(pushed)
        return published

    def _publish(self, own: str, filters: Sequence[Any], public: set[str]) -> str:
        """The status of a study once it is public."""
        path = f"studies/{own}/"
        if public:
            # Who returned another sheet of this survey has seen memes, and is in no group.
            before = {"filter_id": STUDIES_FILTER, "selected_values": sorted(public)}
            self.api.ask("PATCH", path, {"filters": [*filters, before]})

        def send() -> str:
            status = validated(StudyRecord, self.api.send("GET", path)).status
            if status != DRAFT:  # it was published, and the answer lost
                return status
            answer = self.api.send("POST", f"{path}transition/", {"action": "PUBLISH"})
            return validated(StudyRecord, answer).status

        return self.api.patiently(send)

    def _costs(self, bodies: Sequence[Mapping[str, Any]]) -> str:
        """What whoever agrees reads: the money as Prolific computes it, with its fee and tax.

        Being screened out is counted as often as it may happen.
        """
        paid = [(body["reward"], body["total_available_places"]) for body in bodies]
        paid += [
            (action["fixed_screen_out_reward"], action["slots"])
            for body in bodies
            for code in body["completion_codes"]
            for action in code["actions"]
            if "fixed_screen_out_reward" in action
        ]
        total = 0
        for reward, places in paid:
            asked = {"reward": reward, "total_available_places": places}
            answer = self.api.ask("POST", "study-cost-calculator/", asked)
            total += round(validated(CostRecord, answer).total_cost)
        rewards, currency = sum(each * places for each, places in paid), self.settings.pay.currency
        return (
            f"Publishing {counted(len(bodies), 'study', 'studies')} costs "
            f"{amount(total, currency)}, fee and tax "
            f"included; people get {rewards / 100:,.2f} of it."
        )


def decide(api: ProlificApi, submission: str, decision: Decision) -> str:
    """Send a decision: `SENT`; or the status of the submission where it had been decided before."""
    path, body = decision.body()
    tried = False

    def send() -> str:
        nonlocal tried
        # Looked at each time: an answer that was lost may have been one of success.
        record = validated(SubmissionRecord, api.send("GET", f"submissions/{submission}/"))
        status = STATUSES.get(key_of(record.status), "UNKNOWN")
        asked = bool(record.return_requested) and decision.action == "return"
        if status != STATUSES["awaiting review"] or asked:
            return SENT if tried else "return requested" if asked else status
        tried = True
        api.send("POST", f"submissions/{submission}/{path}", body)
        return SENT

    return api.patiently(send)
