"""The target prolific. In: a survey's sheets. Out: a study for each; and people, from its exports.

FOLDER/studies/SHEET.json      what POST /api/v1/studies/ takes, word for word
FOLDER/incomplete/SHEET.json   the same where something has to be known first; README.md says what
FOLDER/README.md               money, what is missing, and how to go on

What people answered comes through the program that the sheets are filled in with; a workspace joins
the two by participant.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.request_pool import Backoff
from memeloc.settings import validate
from memeloc.survey.design.planning import amount
from memeloc.survey.model import Culture
from memeloc.survey.quality.decisions import Decision
from memeloc.survey.targets.files import write_json, write_text
from memeloc.survey.targets.prolific.api import SENT, ProlificApi, checked_id, decide
from memeloc.survey.targets.prolific.filters import (
    FIXED,
    Filters,
    differing,
    load_filters,
    lookup,
    write_filters,
)
from memeloc.survey.targets.prolific.reading import Export, recognises
from memeloc.survey.targets.prolific.studies import (
    DRAFT,
    Drafting,
    ProlificSettings,
    Study,
    studies_made,
    study,
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
_README = Path(__file__).parent / "readme.txt"
_NO_GROUP = "These files name no group: whoever creates studies of them by hand adds one."
_MISSING = "\n## Missing\n\nStudies in `incomplete` cannot be sent until these are known:\n\n"
_MINUTES = (
    "\nNobody measured how long a sheet takes; {} is taken to last {estimated_completion_time} "
    "minutes. Measure it: Prolific asks for more pay when the median takes longer.\n"
)


class Prolific(Target):
    """Studies of Prolific's, and the people that it recruited; options are `ProlificSettings`.

    Raises:
        InputError: one of them has a value that it cannot have.
    """

    name = "prolific"
    summary = "Prolific: a study for each sheet, with screening, quotas, pay and codes"
    kinds = ALL_KINDS

    def __init__(self, **options: Any) -> None:
        self.settings = validate(ProlificSettings, options, self.name)
        self.pay = self.settings.pay
        self.backoff = Backoff()

    def recognises(self, path: Path) -> bool:
        """Return whether a file is Prolific's export, or its API's list of submissions."""
        return recognises(path)

    def studies(self, to_send: SheetsToSend) -> tuple[Study, ...]:
        """Return the study of each sheet; raises as `study` does."""
        filters = self._filters(to_send.root)
        return tuple(study(to_send, sheet, self.settings, filters) for sheet in to_send.sheets)

    def missing(self, to_send: SheetsToSend) -> list[str]:
        """Return what keeps studies from being sent, each once with what completes it."""
        studies, problems = self.studies(to_send), list[str]()
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
                "to those who have a token: set PROLIFIC_API_TOKEN, and run memeloc survey filters "
                f"{to_send.name}; or write them into a copy of filters.toml."
            )
        nowhere = [each.sheet for each in studies if each.is_nowhere]
        if nowhere:
            problems.append(
                f"It is not known where {counted(len(nowhere), 'sheet')} can be filled in "
                f"({', '.join(nowhere[:3])}{' ...' if len(nowhere) > 3 else ''}): export again "
                "with --option urls=https://survey.university.example/{sheet}.html, or with the "
                "address of memeloc survey serve, --option server=https://..."
            )
        if self.settings.urls and to_send.made.get("html", {}).get("codes") is False:
            problems.append(
                "The pages were exported without completion codes, and Prolific's people have to "
                f"enter one: memeloc survey export {to_send.name} --to html without codes=false."
            )
        return problems

    def export(
        self, to_send: SheetsToSend, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write the studies; those that lack something are kept apart, for they would recruit
        the wrong people."""
        studies = self.studies(to_send)
        written = [folder / "README.md"]
        for made in studies:
            here, elsewhere = "studies", "incomplete"
            if not made.is_complete:
                here, elsewhere = elsewhere, here
            path = folder / here / f"{made.sheet}.json"
            write_json(path, made.body)
            (folder / elsewhere / path.name).unlink(missing_ok=True)  # of an earlier export
            written.append(path)
            on_sheet()
        write_text(folder / "README.md", self._readme(to_send, studies))
        return written

    def read(self, path: Path, to_send: SheetsToSend) -> Iterable[RawRecord]:
        """Read the people of a file, and what cannot be placed; `sheet` has to be the survey's."""
        sheet = self.settings.sheet
        if sheet and all(sheet != each.id for each in to_send.sheets):
            raise InputError(f"the survey has no sheet {sheet[:80]!r}")
        return Export(path).people(to_send, studies_made(to_send.made.get(self.name, {})), sheet)

    def revoked(self, path: Path) -> Sequence[str]:
        """Return people of an export of whom it says that they revoked consent."""
        return Export(path).revoked()

    def push(
        self,
        to_send: SheetsToSend,
        state: State,
        *,
        dry_run: bool = False,
        publish: bool = False,
        agree: Callable[[str], bool] = disagree,
    ) -> Sequence[Mapping[str, Any]]:
        """Draft a study for each sheet; publish them if the money is agreed to."""
        studies = self.studies(to_send)
        if dry_run:
            ids = [(state.get(f"study/{each.sheet}") or {}).get("id", "") for each in studies]
            return [
                {"sheet": each.sheet, "study": id, "status": DRAFT, "made": False}
                for each, id in zip(studies, ids, strict=True)
            ]
        if missing := self.missing(to_send):
            raise InputError("\n".join(missing))
        with self._connect() as api:
            cultures = [sheet.culture for sheet in to_send.sheets]
            for problem in differing(self._filters(to_send.root), api.filters(), cultures):
                raise InputError(problem)
            drafting = Drafting(api, to_send.name, self.settings, state)
            if not self.settings.group:
                group = drafting.group()
                studies = tuple(each.in_group(group) for each in studies)
            drafts = [drafting.draft(each) for each in studies]
            if publish:
                drafting.publish(studies, drafts, agree)
            return drafts

    def decide(
        self,
        decisions: Sequence[Decision],
        ids: Mapping[str, str],
        state: State,
        *,
        agree: Callable[[str], bool] = disagree,
    ) -> Mapping[str, int]:
        """Approve, ask to return and reject, each once.

        Outcomes are `sent`; `no id` when Prolific's id of the submission is not known; `sent
        before`; or its status there, such as `APPROVED` or `return requested`.
        """
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
                outcome = decide(api, id, decision)
                outcomes[outcome] += 1
                if outcome == SENT:
                    state.put(f"decided/{decision.service}", decision.action)
        return outcomes

    def look_up(
        self, cultures: Sequence[Culture], root: Path, out: Path | None = None
    ) -> Mapping[str, Any]:
        """Ask for the ids of filters that cultures need, and keep them."""
        path = out or root / FILTERS
        with self._connect() as api:
            before = load_filters(path if path.exists() else None)
            filters, problems = lookup(before, api.filters(), cultures)
        today, source = datetime.now(UTC).date(), f"{api.base_url}/api/v1/filters/"
        update = {"looked_up": today.isoformat(), "source": source}
        file = write_filters(filters.model_copy(update=update), path)
        return {"file": file, "count": len(filters.criteria), "problems": problems}

    def _connect(self) -> ProlificApi:
        return ProlificApi(self.settings.endpoint, self.settings.workspace, self.backoff)

    def _filters(self, root: Path | None) -> Filters:
        """Return the file that is named, the workspace's, or the shipped one."""
        if self.settings.filters:
            return load_filters(Path(self.settings.filters))
        workspace = (root or Path()) / FILTERS
        return load_filters(workspace if workspace.exists() else None)

    def _readme(self, to_send: SheetsToSend, studies: Sequence[Study]) -> str:
        pay, rows, missing = self.pay, list[str](), self.missing(to_send)
        cultures = {sheet.id: sheet.culture.code for sheet in to_send.sheets}
        for name in (*sorted({*cultures.values()}), "all"):
            some = [each.body for each in studies if name in ("all", cultures[each.sheet])]
            places = sum(body["total_available_places"] for body in some)
            rewards = sum(body["reward"] * body["total_available_places"] for body in some)
            paid = (amount(each, pay.currency) for each in (rewards, rewards * (1 + pay.fee)))
            rows.append(f"| {name} | {len(some)} | {places} | {' | '.join(paid)} |")
        minutes = group = lacking = ""
        if studies and not (self.settings.minutes or to_send.minutes):
            minutes = _MINUTES.format(studies[0].sheet, **studies[0].body)
        if self.settings.group:
            group = f"These studies do so with the group {self.settings.group}."
        if missing:
            lacking = _MISSING + "".join(f"- {sentence}\n" for sentence in missing)
        return _README.read_text(encoding="utf-8").format(
            survey=to_send.name,
            pay=pay,
            rows="\n".join(rows),
            minutes=minutes,
            missing=lacking,
            group=group or _NO_GROUP,
        )
