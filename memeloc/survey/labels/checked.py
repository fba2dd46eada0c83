"""A survey's quality control. In: submissions, checked. Out: tables, counts, all of a person, how
far it is and what it costs. Money is exact (`Decimal`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.survey.design.planning import CENT, Pace, measured_paces
from memeloc.survey.labels.settling import QuestionAgreement, answers_table, survey_agreement
from memeloc.survey.model import Culture, LabelDecision, Participant, Sheet, Submission
from memeloc.survey.quality import checking
from memeloc.survey.quality.checking import CheckReport
from memeloc.survey.quality.rules import Rules
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts
from memeloc.taxonomy import LABEL, Taxonomy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Checked:
    """The quality control of what is there by now; `rejected` are rows by reason, where there is
    nothing that could be judged."""

    survey: str
    taxonomy: Taxonomy
    cultures: tuple[Culture, ...]
    rules: Rules
    report: CheckReport
    sheets: tuple[Sheet, ...]
    submissions: list[Submission]
    rejected: Mapping[str, int]

    @property
    def retained(self) -> list[Submission]:
        return self.report.retained

    @cached_property
    def _tables(self) -> dict[bool, pd.DataFrame]:
        questions = [each.id for each in self.taxonomy.about("item", "picture")]
        tables = {}
        for is_before in (False, True):
            sheets = [sheet for sheet in self.sheets if (sheet.round == 0) == is_before]
            tables[is_before] = answers_table(self.retained, sheets, questions)
        return tables

    def answers(self, *, preannotation: bool = False, not_shown: bool = False) -> pd.DataFrame:
        """Return the retained answers, of the pre-annotation or all else, and what was `not_shown`
        if asked."""
        table = self._tables[preannotation]
        return table if not_shown else table[table["label"] != ""].reset_index(drop=True)

    def paces(self) -> dict[str, Pace]:
        """Return by culture code how long retained people took; see `measured_paces`."""
        return measured_paces(self.retained, self.sheets)

    @cached_property
    def agreement(self) -> tuple[QuestionAgreement, ...]:
        return survey_agreement(self.answers(), self.taxonomy)

    @property
    def table(self) -> pd.DataFrame:
        """`sheet`, `submission`, `participant`, `rule` and `evidence` (JSON) of each exclusion."""
        import pandas as pd

        rows = [
            (*row.key, row.participant, rule, _json(evidence))
            for row in self.report.judged
            for rule, evidence in sorted(row.reasons.items())
        ]
        columns = ["sheet", "submission", "participant", "rule", "evidence"]
        return pd.DataFrame(rows, columns=columns)

    def summary(self) -> dict[str, Any]:
        """Return how many submissions there are, and are retained, in all and `by_culture`; how
        many each rule excluded (`by_rule`), each exclusion with its evidence (`set_aside`), what a
        person should look at (`warnings`), people at the service without answers (`absent`), and
        the `agreement` of the retained by culture and question, and the `cause` why nothing is
        retained of what came."""
        report = self.report
        cultures = {sheet.id: sheet.culture.code for sheet in self.sheets}
        everybody = Counter(cultures.get(judged.sheet, "?") for judged in report.judged)
        retained = Counter(cultures.get(row.sheet, "?") for row in report.retained)
        codes = dict.fromkeys(culture.code for culture in self.cultures)
        return {
            "survey": self.survey,
            "submissions": len(report.judged),
            "retained": len(report.retained),
            "by_culture": {
                code: (retained[code], everybody[code])
                for code in codes | dict.fromkeys(sorted(everybody))
                if everybody[code]
            },
            "by_rule": report.counts(),
            "rules": self.rules,
            "set_aside": report.set_aside,
            "warnings": report.warnings,
            "absent": report.absent,
            "agreement": self.agreement,
            "cause": self.why_none(),
        }

    def why_none(self) -> str:
        """Return why nothing is retained of what came, with the command that goes on."""
        name, judged = self.survey, self.report.judged
        if self.report.retained:
            return ""
        if judged:
            rules = ", ".join(f"{rule} {n:,}" for rule, n in self.report.counts().items())
            return (
                f"all of {counted(len(judged), 'submission')} are excluded ({rules}); see why: "
                f"memeloc survey check {name} --out excluded.csv"
            )
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in self.rejected.items())
        return (
            f"all rows that came were rejected ({reasons}); take in answers to its sheets: "
            f"memeloc survey import {name} FILES"
            if self.rejected
            else ""
        )


PERSON_COLUMNS = ("sheet", "submitted", "item", "question", "answer", "expected")


def person_rows(
    checked: Checked,
    who: str,
    texts: Callable[[Culture], SurveyTexts],
    services: Iterable[Participant],
    decisions: Iterable[LabelDecision],
) -> Iterator[tuple[str, ...]]:
    """Yield all that a survey has of a person, as `PERSON_COLUMNS`: when each sheet was sent, every
    answer in the language of the sheet, what checks expected, what services report, and what
    excludes a sheet."""
    for judged in (each for each in checked.report.judged if each.participant == who):
        sent, sheet, on = judged.sent, judged.sheet, judged.on
        yield (sheet, str(sent.submitted or ""), "", "status", sent.status, "")
        if consent := sent.presented.get("consent"):
            agreed = f"version {consent.get('version')}, {consent.get('language')}"
            yield (sheet, str(consent.get("at")), "", "consent", agreed, "")
        shown = on and TaxonomyTexts(texts(on.culture), checked.taxonomy)
        asked = {LABEL: shown.question, **shown.asked} if shown else {}
        right = {check.id: check.expected for check, _ in judged.checks}
        for answer in sent.answers:
            for question in dict.fromkeys((LABEL, *answer.values)):
                names = shown.answers.get(question, {}) if shown else {}
                chosen = ", ".join(names.get(each, each) for each in answer.get(question))
                expected = right.get(answer.entry, "") if question == LABEL else ""
                if chosen or expected:
                    text = asked.get(question, question)
                    yield (sheet, "", answer.entry, text, chosen, names.get(expected, expected))
        for rule, evidence in sorted(judged.reasons.items()):
            yield (sheet, "", "", f"excluded by {rule}", _json(evidence), "")
        for remark in checked.report.warnings:
            if remark.rule == "kept" and judged.submission in remark.submissions:
                yield (sheet, "", "", "kept", str(remark.evidence["why"]), "")
    for service in services:
        if service.participant == who:
            facts = {"status": service.status, **service.facts}
            yield from (("", "", service.study, *fact, "") for fact in facts.items())
    for decided in decisions:
        if who in decided.people:
            label = "".join(decided.values.get(LABEL, ()))
            yield ("", "", decided.item, "took part in deciding", label, "")


def _json(evidence: Mapping[str, Any]) -> str:
    return json.dumps(dict(evidence), ensure_ascii=False, sort_keys=True)


FEWEST_LETTERS = 8
"""Letters of a stored id that name a person, where nobody else's begins with them."""


def short_names(people: Collection[str]) -> dict[str, str]:
    """Return by stored id a name for tables: as few letters as make people different; `memeloc
    survey check --exclude` takes such a beginning."""
    ids = {id for id in people if "/" not in id}  # others are a sheet and a submission
    length = FEWEST_LETTERS
    while len({id[:length] for id in ids}) < len(ids):
        length += 1
    return {id: id[:length] if id in ids else id for id in people}


_NUMBERS = ("sheets", "annotators", "sent", "retained", "places", "wanted", "answered", "kept")


def progress(
    sheets: Sequence[Sheet], report: CheckReport, closed: Collection[str] = ()
) -> dict[str, Any]:
    """Return how far a survey is: a row for the `whole`, and rows of `cultures`, `batches` and
    `sheets`.

    Each has a `name`; of how many `sheets` it is; so many `annotators` are wanted; of those who
    `sent` it whole some are `retained`, and `places` are still wanted, but of `closed` sheets;
    `wanted`, `answered` and `kept` are the same as answers to memes.
    """
    counts = {sheet.id: Counter(dict.fromkeys(_NUMBERS, 0)) for sheet in sheets}
    for row in report.judged:
        is_whole = row.sent.status == checking.COMPLETE and "superseded" not in row.reasons
        if row.sheet in counts and is_whole:
            counts[row.sheet].update(sent=1, answered=len(row.labels))
            if not row.reasons:
                counts[row.sheet].update(retained=1, kept=len(row.labels))
    groups: dict[str, dict[str, Counter[str]]] = {
        "whole": {"all": Counter(dict.fromkeys(_NUMBERS, 0))},
        "cultures": {},
        "batches": {},
        "sheets": {},
    }
    for sheet in sheets:
        numbers = counts[sheet.id]
        places = max(sheet.wanted - numbers["retained"], 0) * (sheet.id not in closed)
        numbers.update(sheets=1, annotators=sheet.wanted, places=places)
        numbers.update(wanted=sheet.wanted * len(sheet.memes))
        names = ("all", sheet.culture.code, sheet.batch, sheet.id)
        for group, name in zip(groups.values(), names, strict=True):
            group.setdefault(name, Counter(dict.fromkeys(_NUMBERS, 0))).update(numbers)
    rows: dict[str, Any] = {
        group: [{"name": name, **numbers} for name, numbers in parts.items()]
        for group, parts in groups.items()
    }
    return rows | {"whole": rows["whole"][0]}


def costs(
    places: Mapping[str, int],
    report: CheckReport,
    people: Iterable[Participant],
    rewards: Mapping[str, Decimal],
    fee: Decimal = Decimal(0),
) -> dict[str, Decimal]:
    """Return what a survey costs, in the currency of the reward: what is `paid` for approved work,
    `owed` for work that waits for a decision, for people who are at it (`running`), and for the
    places that are left besides (`to_come`), and the `total`. Raise InputError if a study is of no
    sheet, and rewards differ.

    Args:
        places: by sheet id, how many are left; see `progress`.
        people: what the recruitment service says of them.
        rewards: by sheet id, what a person gets for it.
        fee: the service's share on top, such as 0.33 for a third.
    """
    prices = {
        sheet: (reward * (1 + fee)).quantize(CENT, ROUND_HALF_UP)
        for sheet, reward in rewards.items()
    }
    # Whose submission at the service is whose sheet's: by what they sent, or by the study's name.
    sheet_of = {(row.participant, row.service): row.sheet for row in report.judged if row.service}
    by_person = {row.participant: row.sheet for row in report.judged if row.participant}
    sums = {"paid": Decimal(0), "owed": Decimal(0), "running": Decimal(0)}
    kinds = dict.fromkeys(checking.PAID, "paid") | dict.fromkeys(checking.WAITING, "owed")
    kinds |= dict.fromkeys(checking.RUNNING, "running")
    running: Counter[str] = Counter()
    for person in (person for person in people if person.status.upper() in kinds):
        kind = kinds[person.status.upper()]
        sheet = (
            sheet_of.get((person.participant, person.submission))
            or min(checking.words_of(person.study) & prices.keys(), default="")
            or by_person.get(person.participant, "")
        )
        if sheet not in prices and len(set(prices.values())) != 1:
            raise InputError(
                f"the study {person.study[:60]!r} is of no sheet of this survey, so its reward is "
                "not known; name studies by their sheets"
            )
        sums[kind] += prices.get(sheet) or next(iter(prices.values()))
        running[sheet] += kind == "running"
    to_come = sum(
        (price * max(places[sheet] - running[sheet], 0) for sheet, price in prices.items()),
        Decimal(0),
    )
    return {**sums, "to_come": to_come, "total": sum(sums.values(), to_come)}
