"""Studies drafted at Prolific. In: a survey's sheets. Out: drafts; published only when it is said.

What was made is told to the state as soon as it is known. A run that died between asking for a
study and hearing of it finds it again by its internal name, which is one a sheet. Publishing costs
money: it shows all of it first, fees and tax included, and goes on only when told so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memeloc.errors import InputError, ServiceError
from memeloc.spreadsheets import replacing
from memeloc.survey.targets.prolific.client import SERVICE, ApiSettings, ProlificApi, checked_id
from memeloc.survey.targets.prolific.filters import differing
from memeloc.survey.targets.prolific.studies import STUDIES_FILTER, Study, digest
from memeloc.survey.targets.protocol import SurveyPack

if TYPE_CHECKING:
    from memeloc.survey.targets.prolific.export import Prolific

STATE = "prolific-made"
DRAFT = "UNPUBLISHED"


class State(Protocol):
    """What remembers what was made; the workspace is one."""

    def get(self, key: str) -> str:
        """What was put under a key, or empty."""
        ...

    def put(self, key: str, value: str) -> None:
        """Remember a value; it is kept when this returns."""
        ...


class FileState:
    """A state in a JSON file, written whole each time.

    Raises:
        InputError: the file is none of these.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._values: dict[str, str] = {}
        if not path.exists():
            return
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"cannot be read as a state: {error}", file=path) from error
        values = value.get("values") if isinstance(value, dict) else None
        if not isinstance(values, dict) or value.get("memeloc") != STATE:
            raise InputError("is not the state of a push; name another file", file=path)
        self._values = {str(key): str(one) for key, one in values.items()}

    @property
    def values(self) -> Mapping[str, str]:
        """All of it by key."""
        return dict(self._values)

    def get(self, key: str) -> str:
        """See `State`."""
        return self._values.get(key, "")

    def put(self, key: str, value: str) -> None:
        """See `State`."""
        self._values[key] = value
        text = json.dumps({"memeloc": STATE, "values": self._values}, indent=1, sort_keys=True)
        with replacing(self.path) as partial:
            partial.write_text(text + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class PushSettings:
    """How studies are drafted.

    Attributes:
        state: is told what was made.
        api: how Prolific is reached.
        dry_run: tell what would be made, and ask Prolific nothing.
        environ: instead of the process's environment, for tests.
    """

    state: State
    api: ApiSettings = field(default_factory=ApiSettings)
    dry_run: bool = False
    environ: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Money:
    """What publishing costs, in minor units.

    Attributes:
        currency: of the account.
        studies: by sheet, the total with Prolific's fee and tax, as Prolific works it out; being
            screened out is counted as often as it may happen.
        rewards: what of it people get.
        total: all of it.
    """

    currency: str
    studies: Mapping[str, int]
    rewards: int
    total: int


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


def push(
    pack: SurveyPack,
    exporter: Prolific,
    settings: PushSettings,
    *,
    publish: bool = False,
    agree: Callable[[Money], bool] | None = None,
) -> tuple[Pushed, ...]:
    """Draft a study for each sheet; publish them when that is said and agreed to.

    Args:
        pack: the survey.
        exporter: says what the studies are.
        settings: see `PushSettings`.
        publish: whether drafts are to be published.
        agree: is shown the money before; only True goes on.

    Raises:
        InputError: an id or address is missing, a filter has come to mean something else, a study
            was drafted with other content, or the account's currency is another.
        MissingError: httpx or the token is missing, or is not accepted.
        ServiceError: Prolific refused, or could not be reached.
    """
    studies = exporter.studies(pack)
    missing = list(dict.fromkeys(sentence for one in studies for sentence in one.missing))
    if settings.dry_run:
        state = settings.state
        return tuple(
            Pushed(one.sheet, state.get(_key(pack.name, one.sheet, "study")), DRAFT, made=False)
            for one in studies
        )
    if missing:
        more = f" ({len(missing) - 1} more are missing)" if len(missing) > 1 else ""
        raise InputError(f"{missing[0]}{more}")
    if publish and agree is None:
        raise InputError("Publishing has to be agreed to when the money is shown.")
    with ProlificApi(settings.api, settings.environ) as api:
        making = _Making(pack, exporter, settings, api)
        making.check()
        group = exporter.settings.group or making.group()
        whole = [one if exporter.settings.group else one.in_group(group) for one in studies]
        drafts = making.drafts(whole)
        if publish and agree is not None:
            return making.publish(whole, drafts, agree)
        return drafts


def studies_made(values: Mapping[str, Any]) -> dict[str, str]:
    """By Prolific's id of a study the id of its sheet, from all that a push noted.

    >>> studies_made({"pilot/r1-b01-DE/study": "65f0", "pilot/r1-b01-DE/published": "ACTIVE"})
    {'65f0': 'r1-b01-DE'}
    """
    found = {}
    for key, value in values.items():
        parts = str(key).split("/")
        if len(parts) > 2 and parts[-1] == "study" and isinstance(value, str) and value:
            found[value] = parts[-2]
    return found


def _key(survey: str, sheet: str, what: str) -> str:
    return f"{survey}/{sheet}/{what}"


class _Making:
    """One run against one account."""

    def __init__(
        self, pack: SurveyPack, exporter: Prolific, settings: PushSettings, api: ProlificApi
    ) -> None:
        self.pack, self.exporter, self.api, self.state = pack, exporter, api, settings.state
        self._listed: dict[str, list[str]] | None = None

    def check(self) -> None:
        """Whether the ids still mean what they were written to mean."""
        cultures = list({sheet.culture.code: sheet.culture for sheet in self.pack.sheets}.values())
        problems = differing(self.exporter.settings.filters, self.api.filters(), cultures)
        if problems:
            raise InputError(problems[0])

    def group(self) -> str:
        """The group of all who took part in this survey, made when there is none."""
        key = f"{self.pack.name}/group"
        known = self.state.get(key)
        if known:
            return checked_id(known, "participant group")
        workspace = self.api.workspace()
        name = f"memeloc {self.pack.name[:120]}"

        def send() -> str:
            # Looked for each time: an answer that was lost may have made it.
            for one in self.api.pages("participant-groups/", workspace_id=workspace):
                if one.get("name") == name and not one.get("is_deleted"):
                    return checked_id(one.get("id"), "participant group")
            body = {
                "name": name,
                "workspace_id": workspace,
                "description": "Took part in a sheet of this survey; kept out of all others.",
            }
            made = self.api.send("POST", "participant-groups/", body)
            return checked_id(_field(made, "id"), "participant group")

        found = str(self.api.patiently(send))
        self.state.put(key, found)
        return found

    def drafts(self, studies: Sequence[Study]) -> tuple[Pushed, ...]:
        """Every study, found or made."""
        return tuple(self._draft(one) for one in studies)

    def _draft(self, study: Study) -> Pushed:
        key = _key(self.pack.name, study.sheet, "study")
        known, made = self.state.get(key), False
        if not known:
            known, made = self._found_or_made(study)
            self.state.put(_key(self.pack.name, study.sheet, "digest"), digest(study.body))
            self.state.put(key, known)
        elif self.state.get(_key(self.pack.name, study.sheet, "digest")) != digest(study.body):
            raise InputError(
                f"The study of {study.sheet} was drafted with other content. Keep it, or delete "
                f"it at Prolific ({known}) and push with another state."
            )
        there = self.api.get(f"studies/{checked_id(known, 'study')}/")
        self._check_currency(there)
        return Pushed(study.sheet, known, str(_field(there, "status") or ""), made)

    def _found_or_made(self, study: Study) -> tuple[str, bool]:
        self._listed = self._listed if self._listed is not None else self._list()
        tried = False

        def send() -> tuple[str, bool]:
            nonlocal tried
            if tried:  # an answer that was lost may have made it
                self._listed = self._list()
            found = (self._listed or {}).get(study.internal_name, [])
            if len(found) > 1:
                raise ServiceError(
                    SERVICE,
                    f"it has {len(found)} studies named {study.internal_name!r}; delete all but "
                    "one",
                    retryable=False,
                )
            if found:
                self._check_same(study, found[0])
                return found[0], tried
            tried = True
            made = self.api.send("POST", "studies/", dict(study.body))
            return checked_id(_field(made, "id"), "study"), True

        found, made = self.api.patiently(send)
        return str(found), bool(made)

    def _list(self) -> dict[str, list[str]]:
        """Ids of the account's studies by internal name."""
        project = self.exporter.settings.project
        path = f"projects/{checked_id(project, 'project')}/studies/" if project else "studies/"
        found: dict[str, list[str]] = {}
        for one in self.api.pages(path):
            number, name = one.get("id"), one.get("internal_name")
            if isinstance(number, str) and isinstance(name, str):
                found.setdefault(name, []).append(checked_id(number, "study"))
        return {name: list(dict.fromkeys(ids)) for name, ids in found.items()}

    def _check_same(self, study: Study, number: str) -> None:
        """Whether a study that bears the name asks for the same."""
        there = self.api.get(f"studies/{number}/")
        for name in ("external_study_url", "total_available_places", "reward"):
            said = _field(there, name)
            if said is not None and said != study.body[name]:
                raise InputError(
                    f"Prolific has a study {study.internal_name!r} whose {name} is another "
                    f"({str(said)[:80]}); delete it there, or name the survey otherwise."
                )

    def _check_currency(self, there: Any) -> None:
        said = _field(there, "presentment_currency_code") or _field(there, "currency_code")
        wanted = self.exporter.settings.pay.currency
        if isinstance(said, str) and said and said.upper() != wanted:
            raise InputError(
                f"Your account at Prolific pays in {said[:10]}, and the wage is in {wanted}: name "
                "wage and currency of the account."
            )

    def publish(
        self, studies: Sequence[Study], drafts: Sequence[Pushed], agree: Callable[[Money], bool]
    ) -> tuple[Pushed, ...]:
        """Publish what is a draft still, once the money is agreed to."""
        waiting = {one.sheet for one in drafts if one.status == DRAFT}
        if not waiting:
            return tuple(drafts)
        money = self._money([one for one in studies if one.sheet in waiting])
        if agree(money) is not True:
            return tuple(drafts)
        bodies = {one.sheet: one.body for one in studies}
        out = [one.study for one in drafts if one.status != DRAFT]
        done: list[Pushed] = []
        for one in drafts:
            if one.sheet not in waiting:
                done.append(one)
                continue
            if out:
                # Who returned another sheet of this survey has seen memes, and is in no group.
                before = {"filter_id": STUDIES_FILTER, "selected_values": sorted(out)}
                filters = {"filters": [*bodies[one.sheet]["filters"], before]}
                self.api.ask("PATCH", f"studies/{one.study}/", filters)
            status = str(self.api.patiently(lambda study=one.study: self._published(study)))
            self.state.put(_key(self.pack.name, one.sheet, "published"), status)
            out.append(one.study)
            done.append(Pushed(one.sheet, one.study, status, one.made))
        return tuple(done)

    def _published(self, study: str) -> str:
        """Publish a draft, once: what is none any more is left alone."""
        status = _field(self.api.send("GET", f"studies/{study}/"), "status")
        if status != DRAFT:
            return str(status)
        answer = self.api.send("POST", f"studies/{study}/transition/", {"action": "PUBLISH"})
        return str(_field(answer, "status") or "")

    def _money(self, studies: Sequence[Study]) -> Money:
        costs: dict[str, int] = {}
        rewards = 0
        for one in studies:
            costs[one.sheet] = 0
            for reward, places in _paid(one.body):
                asked = {"reward": reward, "total_available_places": places}
                total = _field(self.api.ask("POST", "study-cost-calculator/", asked), "total_cost")
                if isinstance(total, bool) or not isinstance(total, int | float) or total < 0:
                    raise ServiceError(
                        SERVICE, "it does not say what a study costs", retryable=False
                    )
                costs[one.sheet] += round(total)
                rewards += reward * places
        currency = self.exporter.settings.pay.currency
        return Money(currency, costs, rewards, sum(costs.values()))


def _paid(body: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Rewards of a study, each with how many people may get it."""
    found = [(body["reward"], body["total_available_places"])]
    for code in body["completion_codes"]:
        for action in code["actions"]:
            if "fixed_screen_out_reward" in action:
                found.append((action["fixed_screen_out_reward"], action["slots"]))
    return found


def _field(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
