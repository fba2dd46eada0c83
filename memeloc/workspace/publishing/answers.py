"""What people answered, for others. In: surveys. Out: answers, labels and people, as tables.

Annotators go out under hashes that are made for this: HMAC-SHA-256 of the stored hash and the
release's name, under the workspace's own key. They are the same in every release of that name, and
nobody without the key finds a person, or the same person in a dump or in another release.
"""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.people import protect
from memeloc.publish.release import ReleaseTable
from memeloc.settings import read_toml
from memeloc.survey.labels.settling import SHOWN, people_table
from memeloc.survey.texts import catalogue, keys_in_use, readers
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.surveys import Survey

if TYPE_CHECKING:
    from memeloc.publish.release import ReleaseSettings
    from memeloc.survey.labels.checked import Checked

_DIGITS = 16
"""Hex digits of an annotator's name."""
_BETWEEN = "|"


@cache
def described() -> dict[str, dict[str, str]]:
    """Return what the columns of each table are, and the `titles` of all."""
    return read_toml(Path(__file__).with_name("tables.toml"))


@dataclass(frozen=True, eq=False)
class _Survey:
    survey: Survey
    checked: Checked

    @property
    def languages(self) -> dict[str, str]:
        return {c.code: c.locale.tag for c in self.survey.design.cultures}

    @cached_property
    def answers(self) -> pd.DataFrame:
        return self.checked.answers()

    @cached_property
    def labels(self) -> pd.DataFrame:
        return self.survey.labels.settled(self.checked).table

    def questions(self, free_text: bool) -> list[str]:
        """Return the ids of what is asked about memes; those with typed answers where they may."""
        asked = self.survey.taxonomy.about("item", "picture")
        return [question.id for question in asked if free_text or question.kind != "text"]


@dataclass(frozen=True, eq=False)
class SurveyTables:
    """The surveys of a release that have answers."""

    settings: ReleaseSettings
    key: bytes = field(repr=False)
    surveys: tuple[_Survey, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.survey.name for each in self.surveys)

    @property
    def collected(self) -> tuple[str, ...]:
        """The items of finished memes that are asked about."""
        return tuple(meme for each in self.surveys for meme in each.survey.pictures)

    def _annotator(self, stored: str) -> str:
        text = f"{self.settings.name}\0{stored}".encode("utf-8", "surrogatepass")
        return hmac.digest(self.key, b"memeloc release\0" + text, "sha256").hex()[:_DIGITS]

    def strata(self) -> dict[str, str]:
        """Return the most frequent label of each meme, by which splits are stratified."""
        by_meme: dict[str, Counter[str]] = defaultdict(Counter)
        for each in self.surveys:
            for meme, label in zip(each.labels["item"], each.labels["label"], strict=True):
                if label:
                    by_meme[meme][label] += 1
        return {
            meme: min(counts, key=lambda label: (-counts[label], label))
            for meme, counts in by_meme.items()
        }

    def tables(
        self, published: Mapping[str, str], memes: Mapping[str, str], notes: list[str]
    ) -> Iterator[ReleaseTable]:
        """Yield the tables of what goes out.

        Args:
            published: the split of each meme.
            memes: by item, where ids differ.
            notes: sentences about what stays behind are added.
        """
        if not self.surveys:
            return
        asked = self._asked()
        answers = pd.concat([self._answers(each) for each in self.surveys], ignore_index=True)
        labels = pd.concat([self._labels(each) for each in self.surveys], ignore_index=True)
        for frame in (answers, labels):
            frame["meme_id"] = [memes.get(item, item) for item in frame["meme_id"]]
        if left := int((~answers["meme_id"].isin(published)).sum()):
            notes.append(
                f"{counted(left, 'answer stays', 'answers stay')} behind with memes that do too."
            )
        answers = answers[answers["meme_id"].isin(published)].reset_index(drop=True)
        labels = labels[labels["meme_id"].isin(published)].reset_index(drop=True)
        texts = [
            (each.survey.name, memes.get(meme, meme), question, text)
            for each in self.surveys
            for meme, of_meme in each.survey.item_texts.items()
            for question, text in of_meme.items()
            if memes.get(meme, meme) in published
        ]
        frames = {
            "answers": answers,
            "labels": labels,
            "people": self._people(answers, asked, notes),
            "questions": pd.DataFrame(texts, columns=list(described()["questions"])),
        }
        for name, frame in frames.items():
            columns = {}
            for column in map(str, frame.columns):
                vote = column.removeprefix("votes.")
                title = f"votes for {vote}" if vote != column else asked.get(column, column)
                columns[column] = described()[name].get(column) or title.replace("_", " ")
            yield ReleaseTable(name, frame, described()["titles"][name], columns)

    def _asked(self) -> dict[str, str]:
        """Return the questions in English, by their ids."""
        asked: dict[str, str] = {}
        for each in self.surveys:
            taxonomy, english = each.survey.taxonomy, catalogue(each.survey.taxonomy)
            for question in taxonomy.questions:
                label = taxonomy.whose_kinds(question)
                text = english.get(f"taxonomy.{taxonomy.name}.questions.{question.id}.text")
                text = text or english.get(f"demographics.{question.id}.text")
                asked[question.id] = text or (f"which kind of {label.id}" if label else question.id)
        return asked

    def _answers(self, each: _Survey) -> pd.DataFrame:
        frame = each.answers
        people = {person: self._annotator(person) for person in frame["participant"].unique()}
        frame = frame.assign(
            survey=each.survey.name,
            language=frame["culture"].map(each.languages),
            annotator=frame["participant"].map(people),
            meme_id=frame["item"],
        )
        first = ["survey", "meme_id", "culture", "language", "annotator", "label", SHOWN]
        questions = each.questions(self.settings.free_text)
        frame = frame[[*first, *questions]].sort_values(first[:5])
        return frame.astype(object).where(frame.notna(), "")

    def _labels(self, each: _Survey) -> pd.DataFrame:
        free = {*each.questions(True)} - {*each.questions(self.settings.free_text)}
        frame = each.labels.drop(columns=sorted(free)).rename(columns={"item": "meme_id"})
        frame.insert(0, "survey", each.survey.name)
        return frame

    def _people(
        self, answers: pd.DataFrame, asked: Mapping[str, str], notes: list[str]
    ) -> pd.DataFrame:
        """Return a row an annotator, with the demographics that may go out and are of no small
        cell."""
        wanted = list(self.settings.demographics)
        facts: dict[tuple[str, str], list[str]] = defaultdict(list)
        for each in self.surveys:
            survey, checked = each.survey, each.checked
            reported = survey.workspace.store.surveys.participants(survey.name)
            rows = people_table(checked.retained, checked.sheets, reported, survey.taxonomy)
            for row in rows.itertuples():
                values = facts[self._annotator(str(row.participant)), str(row.question)]
                if row.answer not in values:
                    values.append(str(row.answer))
        names = {question for _, question in facts}
        if unknown := [name for name in wanted if name not in names and name not in asked]:
            raise InputError(
                f"The setting release.demographics names {unknown[0][:60]!r}, which nobody was "
                "asked and no service reports; known of people is "
                f"{', '.join(sorted(names)) or 'nothing'}."
            )
        people = answers.drop_duplicates("annotator")[["annotator", "culture"]]
        people = people.sort_values(["culture", "annotator"], ignore_index=True).astype(object)
        for name in wanted:
            people[name] = [_BETWEEN.join(facts[person, name]) for person in people["annotator"]]
        protected = protect(people, wanted, self.settings.smallest_cell)
        for name, count in protected.withheld.items():
            notes.append(
                f"{counted(count, 'answer', 'answers')} to {name} stay behind: fewer than "
                f"{self.settings.smallest_cell} people of the culture share them."
            )
        return protected.table

    def unread_texts(self, workspace: WorkspaceFolder) -> dict[str, int]:
        """Return how many texts that these surveys show no person has read, by language."""
        unread: Counter[str] = Counter()
        for each in self.surveys:
            texts = catalogue(each.survey.taxonomy)
            english = {key: texts[key] for key in keys_in_use(each.survey.taxonomy)}
            for tag in dict.fromkeys(each.languages.values()):
                if tag.partition("-")[0] != "en" and not readers(tag):
                    corrected = workspace.store.survey_texts.corrections(tag, english)
                    unread[tag] = max(unread[tag], len(english) - len(corrected))
        return {tag: count for tag, count in unread.items() if count > 0}


def survey_tables(workspace: WorkspaceFolder, settings: ReleaseSettings) -> SurveyTables:
    """Return the surveys that go out.

    Raises:
        InputError: there is no survey of a name that the settings have.
    """
    names = workspace.store.surveys.names()
    wanted = names if settings.surveys is None else settings.surveys
    for name in wanted:
        if name not in names:
            raise InputError(
                f"The setting release.surveys names {name[:60]!r}; there are "
                f"{', '.join(names) or 'no surveys'}."
            )
    surveys = []
    for name in wanted:
        survey = Survey(workspace, name)
        checked = survey.answers.checked(keep=False)
        if checked.submissions:
            surveys.append(_Survey(survey, checked))
    key = workspace.store.surveys.key if surveys else b""
    return SurveyTables(settings, key, tuple(surveys))


def survey_settings(tables: SurveyTables) -> dict[str, Any]:
    """Return how each survey was designed, checked and settled, as JSON values."""
    return {
        each.survey.name: {
            "taxonomy": each.survey.taxonomy.name,
            "cultures": each.languages,
            "seed": each.survey.design.seed,
            "memes_per_sheet": each.survey.design.size,
            "answers_wanted": each.survey.design.answers,
            "attention_checks": {
                "explicit": each.survey.design.explicit,
                "implicit": each.survey.design.implicit,
            },
            "recipe": each.survey.recipe.get("name", ""),
            "rules": each.checked.rules.model_dump(mode="json", exclude={"outlier": {"people"}}),
            "settling": each.survey.labels.settling().model_dump(mode="json"),
            "submissions": len(each.checked.report.judged),
            "retained": len(each.checked.report.retained),
            "excluded": each.checked.report.counts(),
            "people": int(each.answers["participant"].nunique()),
            "answers": len(each.answers),
        }
        for each in tables.surveys
    }
