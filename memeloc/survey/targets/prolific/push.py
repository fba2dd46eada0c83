"""Studies drafted at Prolific. In: studies, and what was made. Out: drafts, published if agreed to.

What was made goes into the state as soon as it is known. A run that died between asking for a study
and hearing of it finds it again by its internal name, which is unique to a sheet. Publishing costs
money: all of it is shown first, fees and tax included, and nothing is published before that is
agreed to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memeloc.errors import InputError, ServiceError
from memeloc.survey.targets.prolific.client import SERVICE, ProlificApi, checked_id, validated
from memeloc.survey.targets.prolific.records import CostRecord, GroupRecord, StudyRecord
from memeloc.survey.targets.prolific.settings import ProlificSettings
from memeloc.survey.targets.prolific.studies import STUDIES_FILTER, Study, digest
from memeloc.survey.targets.protocol import State

DRAFT = "UNPUBLISHED"
GROUP = "group"
"""The state's key of the participant group; a study is noted under `study/SHEET`."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A study at Prolific, or in a dry run one that would be made.

    Attributes:
        sheet: the sheet's id.
        study: Prolific's id; empty in a dry run.
        status: as Prolific has it, such as `UNPUBLISHED`.
        made: whether this run made it.
    """

    sheet: str
    study: str
    status: str
    made: bool


@dataclass(frozen=True, slots=True)
class Money:
    """What publishing costs, in minor units.

    Attributes:
        currency: of the account.
        studies: how many are published.
        rewards: what of the total people get; being screened out is counted as often as it may
            happen.
        total: with Prolific's fee and tax, as Prolific computes them.
    """

    currency: str
    studies: int
    rewards: int
    total: int

    def sentence(self) -> str:
        """What whoever agrees reads."""
        return (
            f"Publishing {self.studies} studies costs {self.total / 100:,.2f} {self.currency}, "
            f"fee and tax included; people get {self.rewards / 100:,.2f} of it."
        )


def noted(state: State, study: Study) -> Mapping[str, str]:
    """What the state holds of a sheet's study: its `id` and the `digest` of its content."""
    found = state.get(f"study/{study.sheet}")
    return found if isinstance(found, dict) else {}


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
    """One run against one account.

    Args:
        api: the connection.
        survey: the survey's name.
        settings: the options.
        state: what was made so far.
    """

    def __init__(
        self, api: ProlificApi, survey: str, settings: ProlificSettings, state: State
    ) -> None:
        self.api, self.survey, self.settings, self.state = api, survey, settings, state
        self._ids: dict[str, list[str]] | None = None

    def group(self) -> str:
        """The group of all who took part in this survey, made when there is none."""
        noted_group = self.state.get(GROUP)
        if noted_group:
            return str(noted_group)
        workspace = self.api.workspace()
        name = f"memeloc {self.survey[:120]}"

        def send() -> str:
            # Looked for each time: an answer that was lost may have made it.
            for group in self.api.pages(GroupRecord, "participant-groups/", workspace_id=workspace):
                if group.name == name and not group.is_deleted:
                    return group.id
            body = {
                "name": name,
                "workspace_id": workspace,
                "description": "Took part in a sheet of this survey; kept out of all others.",
            }
            return validated(GroupRecord, self.api.send("POST", "participant-groups/", body)).id

        made = self.api.patiently(send)
        self.state.put(GROUP, made)
        return made

    def draft(self, study: Study) -> Pushed:
        """A study, found or made.

        Raises:
            InputError: it was drafted with other content, or the account's currency is another.
        """
        before, made = noted(self.state, study), False
        if not before:
            number, made = self._found_or_made(study)
            before = {"id": number, "digest": digest(study.body)}
            self.state.put(f"study/{study.sheet}", before)
        elif before["digest"] != digest(study.body):
            raise InputError(
                f"The study of {study.sheet} was drafted with other content. Keep it, or delete "
                f"it at Prolific ({before['id']}) and push a survey of another name."
            )
        record = self.api.get(StudyRecord, f"studies/{before['id']}/")
        currency = record.presentment_currency_code or record.currency_code
        if currency and currency.upper() != self.settings.pay.currency:
            raise InputError(
                f"Your account at Prolific pays in {currency[:10]}, and the wage is in "
                f"{self.settings.pay.currency}: name wage and currency of the account."
            )
        return Pushed(study.sheet, record.id, record.status, made)

    def _found_or_made(self, study: Study) -> tuple[str, bool]:
        tried = False

        def send() -> tuple[str, bool]:
            nonlocal tried
            if tried or self._ids is None:  # an answer that was lost may have made it
                self._ids = self._ids_by_name()
            ids = self._ids.get(study.internal_name, [])
            if len(ids) > 1:
                raise ServiceError(
                    SERVICE,
                    f"it has {len(ids)} studies named {study.internal_name!r}; delete all but one",
                    retryable=False,
                )
            if ids:
                self._check_same(study, ids[0])
                return ids[0], tried
            tried = True
            answer = self.api.send("POST", "studies/", dict(study.body))
            return validated(StudyRecord, answer).id, True

        return self.api.patiently(send)

    def _ids_by_name(self) -> dict[str, list[str]]:
        project = self.settings.project
        path = f"projects/{checked_id(project, 'project')}/studies/" if project else "studies/"
        ids: dict[str, dict[str, None]] = {}
        for record in self.api.pages(StudyRecord, path):
            ids.setdefault(record.internal_name or "", {})[record.id] = None
        return {name: list(each) for name, each in ids.items()}

    def _check_same(self, study: Study, number: str) -> None:
        """Whether a study that bears the name asks for the same."""
        record = self.api.get(StudyRecord, f"studies/{number}/")
        for name in ("external_study_url", "total_available_places", "reward"):
            value = getattr(record, name)
            if value is not None and value != study.body[name]:
                raise InputError(
                    f"Prolific has a study {study.internal_name!r} whose {name} is another "
                    f"({str(value)[:80]}); delete it there, or name the survey otherwise."
                )

    def publish(
        self,
        studies: Sequence[Study],
        drafts: Sequence[Pushed],
        agree: Callable[[str], bool],
    ) -> tuple[Pushed, ...]:
        """Publish what is still a draft, once the money is agreed to."""
        waiting = [each.sheet for each in drafts if each.status == DRAFT]
        bodies = {each.sheet: each.body for each in studies}
        if not waiting or agree(self.money([bodies[name] for name in waiting]).sentence()) is not (
            True
        ):
            return tuple(drafts)
        return tuple(self._published(drafts, bodies))

    def _published(
        self, drafts: Sequence[Pushed], bodies: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Pushed]:
        out = [each.study for each in drafts if each.status != DRAFT]
        for draft in drafts:
            if draft.status != DRAFT:
                yield draft
                continue
            path = f"studies/{draft.study}/"
            if out:
                # Who returned another sheet of this survey has seen memes, and is in no group.
                before = {"filter_id": STUDIES_FILTER, "selected_values": sorted(out)}
                filters = [*bodies[draft.sheet]["filters"], before]
                self.api.ask("PATCH", path, {"filters": filters})

            def send(path: str = path) -> StudyRecord:
                record = validated(StudyRecord, self.api.send("GET", path))
                if record.status != DRAFT:  # it was published, and the answer lost
                    return record
                answer = self.api.send("POST", f"{path}transition/", {"action": "PUBLISH"})
                return validated(StudyRecord, answer)

            status = self.api.patiently(send).status
            out.append(draft.study)
            yield Pushed(draft.sheet, draft.study, status, draft.made)

    def money(self, bodies: Sequence[Mapping[str, Any]]) -> Money:
        """What publishing studies costs, fee and tax included."""
        total, rewards = 0, 0
        for body in bodies:
            paid = [(body["reward"], body["total_available_places"])]
            paid += [
                (action["fixed_screen_out_reward"], action["slots"])
                for code in body["completion_codes"]
                for action in code["actions"]
                if "fixed_screen_out_reward" in action
            ]
            for reward, places in paid:
                asked = {"reward": reward, "total_available_places": places}
                answer = self.api.ask("POST", "study-cost-calculator/", asked)
                total += round(validated(CostRecord, answer).total_cost)
                rewards += reward * places
        return Money(self.settings.pay.currency, len(bodies), rewards, total)
