"""The target prolific. In: a survey's sheets. Out: a study for each; and people, from its exports.

FOLDER/studies/SHEET.json      what POST /api/v1/studies/ takes, word for word
FOLDER/incomplete/SHEET.json   the same where something has to be known first; README.md says what
FOLDER/README.md               money, what is missing, and how to go on

What people answered comes through the program that the sheets are filled in with; a workspace joins
the two by participant. What was made goes into the state as soon as it is known; a run that died
between asking for a study and hearing of it finds it again by its internal name, which is unique to
a sheet. Publishing costs money: all of it is shown first, fees and tax included, and nothing is
published before that is agreed to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.pages import fill_page
from memeloc.request_pool import Backoff
from memeloc.settings import validate
from memeloc.survey.design.planning import amount
from memeloc.survey.model import Culture
from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.files import write_json, write_text
from memeloc.survey.targets.prolific import reading
from memeloc.survey.targets.prolific.api import DRAFT, SENT, ProlificApi, checked_id
from memeloc.survey.targets.prolific.studies import (
    FIXED,
    Filters,
    ProlificSettings,
    Study,
    differing,
    load_filters,
    lookup,
    study,
    write_filters,
)
from memeloc.survey.targets.protocol import (
    ALL_KINDS,
    RawRecord,
    SheetsToSend,
    State,
    Target,
    disagree,
    no_progress,
)

FILTERS = "prolific-filters.toml"
"""The workspace's file of the ids that Prolific's filters have."""
GROUP = "group"
"""The state's key of the participant group; a study is noted under `study/SHEET`."""


class Prolific(Target):
    """Studies of Prolific's, and the people that it recruited; options are `ProlificSettings`."""

    name = "prolific"
    summary = "Prolific: a study for each sheet, with screening, quotas, pay and codes"
    kinds = ALL_KINDS

    def __init__(self, **options: Any) -> None:
        self.settings = validate(ProlificSettings, options, self.name)
        self.pay = self.settings.pay
        self.backoff = Backoff()

    def studies(self, survey: SheetsToSend, group: str = "") -> tuple[Study, ...]:
        filters, group = self._filters(survey.root), group or self.settings.group
        return tuple(study(survey, sheet, self.settings, filters, group) for sheet in survey.sheets)

    def missing(self, survey: SheetsToSend) -> list[str]:
        """Return what keeps studies from being sent, each once with what completes it."""
        studies, problems = self.studies(survey), list[str]()
        keys: dict[str, dict[str, None]] = defaultdict(dict)
        for each in studies:
            for name, missing in each.missing_filters.items():
                keys[name] |= dict.fromkeys(missing)
        if keys:
            names = (
                f"{name.replace('_', ' ')} ({', '.join(of)})".replace(f" ({FIXED})", "")
                for name, of in keys.items()
            )
            problems.append(
                f"Prolific's ids of these filters are not known: {', '.join(names)}. It gives them "
                "to those who have a token: set PROLIFIC_API_TOKEN, and run memeloc survey export "
                f"{survey.name} --to prolific --look-up; or write them into a copy of filters.toml."
            )
        if nowhere := [each.sheet for each in studies if each.is_nowhere]:
            problems.append(
                f"It is not known where {counted(len(nowhere), 'sheet')} can be filled in "
                f"({', '.join(nowhere[:3])}{' ...' if len(nowhere) > 3 else ''}): export again "
                "with --set urls=https://survey.university.example/{sheet}.html, or with the "
                "address of memeloc survey serve, --set server=https://..."
            )
        if self.settings.urls and survey.made.get("html", {}).get("codes") is False:
            problems.append(
                "The pages were exported without completion codes, and Prolific's people have to "
                f"enter one: memeloc survey export {survey.name} --to html without codes=false."
            )
        return problems

    def export(
        self, survey: SheetsToSend, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write the studies; those that lack something are kept apart, for they would recruit
        the wrong people."""
        studies, readme = self.studies(survey), folder / "README.md"
        written = [readme]
        for made in studies:
            places = [folder / each / f"{made.sheet}.json" for each in ("studies", "incomplete")]
            path, other = places if made.is_complete else places[::-1]
            write_json(path, made.body)
            other.unlink(missing_ok=True)  # of an earlier export
            written.append(path)
            on_sheet()
        rows = []
        cultures = {sheet.id: sheet.culture.code for sheet in survey.sheets}
        for name in (*sorted({*cultures.values()}), "all"):
            bodies = [each.body for each in studies if name in ("all", cultures[each.sheet])]
            places = sum(body["total_available_places"] for body in bodies)
            rewards = sum(body["reward"] * body["total_available_places"] for body in bodies)
            rows.append((name, len(bodies), places, rewards))
        text = fill_page(
            Path(__file__).parent / "readme.md.jinja",
            survey=survey.name,
            pay=self.pay,
            rows=rows,
            amount=amount,
            unmeasured=not (self.settings.minutes or survey.minutes) and studies[0],
            missing=self.missing(survey),
            group=self.settings.group,
        )
        write_text(readme, text)
        return written

    def recognises(self, path: Path) -> bool:
        """Return whether a file is Prolific's export, or its API's list of submissions."""
        return reading.recognises(path)

    def read(self, path: Path, survey: SheetsToSend) -> Iterable[RawRecord]:
        """Read the people of a file, and what cannot be placed; `sheet` has to be the survey's."""
        sheet = self.settings.sheet
        if sheet and all(sheet != each.id for each in survey.sheets):
            raise InputError(f"the survey has no sheet {sheet[:80]!r}")
        made = survey.made.get(self.name, {})
        ids = {key.removeprefix("study/"): value for key, value in made.items() if "study/" in key}
        return reading.people(path, survey, {ids[id]["id"]: id for id in ids}, sheet)

    def revoked(self, path: Path) -> Sequence[str]:
        return reading.revoked(path)

    def push(
        self,
        survey: SheetsToSend,
        state: State,
        *,
        dry_run: bool = False,
        publish: bool = False,
        agree: Callable[[str], bool] = disagree,
    ) -> Sequence[Mapping[str, Any]]:
        """Draft a study for each sheet, in one group; publish them if the money is agreed to."""
        if dry_run:
            noted = {sheet.id: state.get(f"study/{sheet.id}") or {} for sheet in survey.sheets}
            draft = {"status": DRAFT, "made": False}
            return [
                {"sheet": each.sheet, "study": noted[each.sheet].get("id", ""), **draft}
                for each in self.studies(survey)
            ]
        if missing := self.missing(survey):
            raise InputError("\n".join(missing))
        with self._connect() as api:
            cultures = [sheet.culture for sheet in survey.sheets]
            for problem in differing(self._filters(survey.root), api.filters(), cultures):
                raise InputError(problem)
            if not (self.settings.group or state.get(GROUP)):
                body = {
                    "name": f"memeloc {survey.name[:120]}",
                    "workspace_id": (workspace := api.workspace()),
                    "description": "Took part in a sheet of this survey; kept out of all others.",
                }
                path, query = "participant-groups/", {"workspace_id": workspace}
                state.put(GROUP, api.find_or_make(path, path, "name", body, **query)[0])
            studies = self.studies(survey, self.settings.group or str(state.get(GROUP)))
            drafts = [self._draft(api, each, state) for each in studies]
            bodies = {each.sheet: each.body for each in studies}
            waiting = [row for row in drafts if row["status"] == DRAFT] if publish else []
            costs = self._costs(api, [bodies[row["sheet"]] for row in waiting])
            public = {row["study"] for row in drafts if row["status"] != DRAFT}
            for row in waiting if waiting and agree(costs) is True else ():
                row["status"] = api.publish(row["study"], bodies[row["sheet"]]["filters"], public)
                public.add(row["study"])
            return drafts

    def _draft(self, api: ProlificApi, study: Study, state: State) -> dict[str, Any]:
        """Return a study's row: its sheet, id and status, and whether this run made it. Raises
        InputError if it was drafted with other content, or the account's currency differs."""
        noted, made = state.get(f"study/{study.sheet}") or {}, False
        if not noted:
            project = self.settings.project
            among = f"projects/{checked_id(project, 'project')}/studies/" if project else "studies/"
            id, made = api.find_or_make("studies/", among, "internal_name", study.body)
            noted = {"id": id, "digest": study.digest}
            record = None if made else api.study(id)
            for name in ("external_study_url", "total_available_places", "reward"):
                value = getattr(record, name, None)
                if value is not None and value != study.body[name]:
                    raise InputError(
                        f"Prolific has a study {study.body['internal_name']!r} whose {name} is "
                        f"another ({str(value)[:80]}); delete it there, or name the survey "
                        "otherwise."
                    )
            state.put(f"study/{study.sheet}", noted)
        elif noted["digest"] != study.digest:
            raise InputError(
                f"The study of {study.sheet} was drafted with other content. Keep it, or delete "
                f"it at Prolific ({noted['id']}) and push a survey of another name."
            )
        record = api.study(noted["id"])
        currency = record.presentment_currency_code or record.currency_code
        if currency and currency.upper() != self.pay.currency:
            raise InputError(
                f"Your account at Prolific pays in {currency[:10]}, and the wage is in "
                f"{self.pay.currency}: name wage and currency of the account."
            )
        return {"sheet": study.sheet, "study": record.id, "status": record.status, "made": made}

    def _costs(self, api: ProlificApi, bodies: Sequence[Mapping[str, Any]]) -> str:
        """Return what whoever agrees reads: the money as Prolific computes it, with fee and tax.
        Being screened out is counted as often as it may happen."""
        paid = [(body["reward"], body["total_available_places"]) for body in bodies]
        paid += [
            (action["fixed_screen_out_reward"], action["slots"])
            for body in bodies
            for code in body["completion_codes"]
            for action in code["actions"]
            if "fixed_screen_out_reward" in action
        ]
        total = sum(api.cost(reward, places) for reward, places in paid)
        rewards = sum(reward * places for reward, places in paid)
        return (
            f"Publishing {counted(len(bodies), 'study', 'studies')} costs "
            f"{amount(total, self.pay.currency)}, fee and tax "
            f"included; people get {rewards / 100:,.2f} of it."
        )

    def decide(
        self,
        decisions: Sequence[Decision],
        ids: Mapping[str, str],
        state: State,
        *,
        agree: Callable[[str], bool] = disagree,
    ) -> Mapping[str, int]:
        """Approve, ask to return and reject, each once. Outcomes are `sent`; `no id` when
        Prolific's id of the submission is not known; `sent before`; or its status there, such as
        `APPROVED` or `return requested`."""
        outcomes: Counter[str] = Counter()
        waiting: list[tuple[Decision, str]] = []
        for decision in decisions:
            id = ids.get(decision.service)
            if not id:
                outcomes["no id"] += 1
            elif state.get(f"decided/{decision.service}"):
                outcomes["sent before"] += 1
            else:
                waiting.append((decision, checked_id(id, "submission")))
        if not waiting:
            return outcomes
        counts = Counter(decision.action for decision, _ in waiting)
        listed = ", ".join(f"{action} {count:,}" for action, count in sorted(counts.items()))
        if agree(f"Sending to Prolific: {listed}. This cannot be taken back.") is not True:
            return {}
        with self._connect() as api:
            for decision, id in waiting:
                outcome = api.decide(id, decision)
                outcomes[outcome] += 1
                if outcome == SENT:
                    state.put(f"decided/{decision.service}", decision.action)
        return outcomes

    def look_up(
        self, cultures: Sequence[Culture], root: Path, out: Path | None = None
    ) -> Mapping[str, Any]:
        path = out or root / FILTERS
        with self._connect() as api:
            before = load_filters(path if path.exists() else None)
            filters, problems = lookup(before, api.filters(), cultures)
        today, source = datetime.now(UTC).date().isoformat(), f"{api.address}filters/"
        filters = filters.model_copy(update={"looked_up": today, "source": source})
        file = write_filters(filters, path)
        return {"file": file, "count": len(filters.criteria), "problems": problems}

    def _connect(self) -> ProlificApi:
        return ProlificApi(self.settings.endpoint, self.settings.workspace, self.backoff)

    def _filters(self, root: Path | None) -> Filters:
        """Return the file that is named, the workspace's, or the shipped one."""
        if self.settings.filters:
            return load_filters(Path(self.settings.filters))
        workspace = (root or Path()) / FILTERS
        return load_filters(workspace if workspace.exists() else None)
