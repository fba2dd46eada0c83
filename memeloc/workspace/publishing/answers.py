"""What people answered, for others. In: surveys. Out: answers, labels and people, as tables.

Annotators go out under hashes that are made for this: HMAC-SHA-256 of the stored hash and the
release's name, under the workspace's own key. They are the same in every release of that name, and
nobody without the key finds a person, or the same person in a dump or in another release.
"""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.people import protect
from memeloc.publish.release import ReleaseTable
from memeloc.survey.labels.settling import SHOWN, people_table
from memeloc.survey.texts import catalogue, keys_in_use, readers
from memeloc.taxonomy import Question
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.survey import Survey

if TYPE_CHECKING:
    import pandas as pd

    from memeloc.publish.release import ReleaseSettings
    from memeloc.workspace.survey_answers import Checked

_DIGITS = 16
"""Hex digits of an annotator's name."""
BETWEEN = "|"


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

    @cached_property
    def people(self) -> pd.DataFrame:
        return people_table(
            self.checked.retained,
            self.checked.sheets,
            self.survey.workspace.store.surveys.participants(self.survey.name),
            self.survey.taxonomy,
        )

    def questions(self, free_text: bool) -> tuple[Question, ...]:
        asked = self.survey.taxonomy.about("item", "picture")
        return tuple(question for question in asked if free_text or question.kind != "text")


@dataclass(frozen=True, eq=False)
class SurveyTables:
    """The surveys of a release.

    Attributes:
        notes: what stays behind, as sentences; more come with `tables`.
    """

    settings: ReleaseSettings
    key: bytes = field(repr=False)
    surveys: tuple[_Survey, ...]
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.survey.name for each in self.surveys)

    @property
    def collected(self) -> tuple[str, ...]:
        return tuple(meme for each in self.surveys for meme in each.survey.pictures)

    def annotator(self, stored: str) -> str:
        text = f"{self.settings.name}\0{stored}".encode("utf-8", "surrogatepass")
        return hmac.digest(self.key, b"memeloc release\0" + text, "sha256").hex()[:_DIGITS]

    def strata(self) -> dict[str, str]:
        by_meme: dict[str, Counter[str]] = defaultdict(Counter)
        for each in self.surveys:
            rows = each.labels
            for meme, label in zip(rows["item"], rows["label"], strict=True):
                if label:
                    by_meme[meme][label] += 1
        return {
            meme: min(counts, key=lambda label: (-counts[label], label))
            for meme, counts in by_meme.items()
        }

    def tables(
        self, published: Mapping[str, str], memes: Mapping[str, str]
    ) -> Iterator[ReleaseTable]:
        """Yield the tables of what goes out; `memes` are by item, where ids differ."""
        if not self.surveys:
            return
        import pandas as pd

        answers = pd.concat([self._answers(each) for each in self.surveys], ignore_index=True)
        labels = pd.concat([self._labels(each) for each in self.surveys], ignore_index=True)
        for frame in (answers, labels):
            frame["meme_id"] = [memes.get(item, item) for item in frame["meme_id"]]
        left = int((~answers["meme_id"].isin(published)).sum())
        if left:
            self.notes.append(
                f"{counted(left, 'answer stays', 'answers stay')} behind with memes that do too."
            )
        answers = answers[answers["meme_id"].isin(published)].reset_index(drop=True)
        labels = labels[labels["meme_id"].isin(published)].reset_index(drop=True)
        asked = self._asked()
        yield ReleaseTable(
            "answers",
            answers,
            "Answers of people, a row each",
            _described(answers, _ANSWERS, asked),
        )
        yield ReleaseTable(
            "labels",
            labels,
            "Labels by the votes of people, a row a meme and culture",
            _described(labels, _LABELS, asked),
        )
        yield self._people(answers)
        yield self._questions(published, memes)

    def _asked(self) -> dict[str, str]:
        asked: dict[str, str] = {}
        for each in self.surveys:
            taxonomy, english = each.survey.taxonomy, catalogue(each.survey.taxonomy)
            for question in taxonomy.questions:
                own = taxonomy.whose_kinds(question)
                text = english.get(f"taxonomy.{taxonomy.name}.questions.{question.id}.text")
                text = text or english.get(f"demographics.{question.id}.text")
                asked[question.id] = text or (f"which kind of {own.id}" if own else question.id)
        return asked

    def _answers(self, each: _Survey) -> pd.DataFrame:
        frame = each.answers
        questions = [question.id for question in each.questions(self.settings.free_text)]
        people = {person: self.annotator(person) for person in frame["participant"].unique()}
        frame = frame.assign(
            survey=each.survey.name,
            language=frame["culture"].map(each.languages),
            annotator=frame["participant"].map(people),
            meme_id=frame["item"],
        )
        first = ["survey", "meme_id", "culture", "language", "annotator", "label", SHOWN]
        frame = frame[[*first, *questions]].sort_values(first[:5])
        return frame.astype(object).where(frame.notna(), "")

    def _labels(self, each: _Survey) -> pd.DataFrame:
        free = {question.id for question in each.questions(True)}
        free -= {question.id for question in each.questions(self.settings.free_text)}
        frame = each.labels.drop(columns=sorted(free)).rename(columns={"item": "meme_id"})
        frame.insert(0, "survey", each.survey.name)
        return frame

    def _people(self, answers: pd.DataFrame) -> ReleaseTable:
        """A row an annotator, with the demographics that may go out and are of no small cell."""
        import pandas as pd

        wanted = self.settings.demographics
        facts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        known: set[str] = set()
        for each in self.surveys:
            for row in each.people.itertuples():
                known.add(str(row.question))
                values = facts[self.annotator(str(row.participant))][str(row.question)]
                if row.answer not in values:
                    values.append(str(row.answer))
        asked = self._asked()
        unknown = [name for name in wanted if name not in known and name not in asked]
        if unknown:
            have = ", ".join(sorted(known)) or "nothing"
            raise InputError(
                f"The setting release.demographics names {unknown[0][:60]!r}, which nobody was "
                f"asked and no service reports; known of people is {have}."
            )
        people = answers.drop_duplicates("annotator")[["annotator", "culture"]]
        rows = [
            {
                "annotator": person,
                "culture": culture,
                **{name: BETWEEN.join(facts[person][name]) for name in wanted},
            }
            for person, culture in people.sort_values(["culture", "annotator"]).itertuples(
                index=False
            )
        ]
        frame = pd.DataFrame(rows, columns=["annotator", "culture", *wanted], dtype=object)
        protected = protect(frame, wanted, self.settings.smallest_cell)
        for name, count in protected.withheld.items():
            self.notes.append(
                f"{counted(count, 'answer', 'answers')} to {name} stay behind: fewer than "
                f"{self.settings.smallest_cell} people of the culture share them."
            )
        columns = {name: asked.get(name, name.replace("_", " ")) for name in wanted}
        return ReleaseTable(
            "people",
            protected.table,
            "Annotators, a row each; what few people share is left empty",
            {"annotator": _ANSWERS["annotator"], "culture": _ANSWERS["culture"], **columns},
        )

    def _questions(self, published: Collection[str], memes: Mapping[str, str]) -> ReleaseTable:
        rows = [
            {
                "survey": each.survey.name,
                "meme_id": memes.get(meme, meme),
                "question": question,
                "text": text,
            }
            for each in self.surveys
            for meme, texts in each.survey.item_texts.items()
            for question, text in texts.items()
            if memes.get(meme, meme) in published
        ]
        return ReleaseTable.of(
            "questions", rows, "Texts that questions have of a meme's own", _QUESTIONS
        )

    def unread_texts(self, workspace: WorkspaceFolder) -> dict[str, int]:
        unread: dict[str, int] = {}
        for each in self.surveys:
            texts = catalogue(each.survey.taxonomy)
            english = {key: texts[key] for key in keys_in_use(each.survey.taxonomy)}
            for tag in dict.fromkeys(each.languages.values()):
                if tag.partition("-")[0] == "en" or readers(tag):
                    continue
                corrected = workspace.store.survey_texts.corrections(tag, english)
                unread[tag] = max(unread.get(tag, 0), len(english) - len(corrected))
        return {tag: count for tag, count in unread.items() if count > 0}


_ANSWERS = {
    "survey": "the survey",
    "meme_id": "the meme",
    "culture": "who was asked: the country's ISO 3166-1 code",
    "language": "language of the sheet, a BCP 47 tag",
    "annotator": "who answered: a keyed hash, the same in all tables",
    "label": "the label given, by its id in the taxonomy",
    SHOWN: "for how many milliseconds the picture was seen; empty where that was not measured",
}
_LABELS = {
    "survey": "the survey",
    "meme_id": "the meme",
    "culture": _ANSWERS["culture"],
    "label": "the label by majority, or as people decided together; empty for none",
    "state": "settled, short (of answers), tied, given up, rejected, or decided (together)",
    "answers": "answers, without skips",
    "votes": "answers that vote for a label",
    "abstained": "answers that mean 'I don't know'",
    "rejected": "answers that reject the meme as invalid",
    "reasons": "why it is rejected, the most frequent first",
}
_QUESTIONS = {
    "survey": "the survey",
    "meme_id": "the meme",
    "question": "the question's id in the taxonomy",
    "text": "what stands in the question for this meme, or the draft that people corrected",
}


def _described(
    frame: pd.DataFrame, known: Mapping[str, str], asked: Mapping[str, str]
) -> dict[str, str]:
    def title(name: str) -> str:
        if name.startswith("votes."):
            return f"votes for {name.removeprefix('votes.')}"
        return known.get(name) or asked.get(name, name)

    return {str(name): title(str(name)) for name in frame.columns}


def survey_tables(workspace: WorkspaceFolder, settings: ReleaseSettings) -> SurveyTables:
    """The surveys that go out.

    Raises:
        InputError: there is no survey of a name that the settings have.
    """
    names: Sequence[str] = workspace.store.surveys.names()
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
        surveys.append(_Survey(survey, survey.answers.checked(keep=False)))
    with_answers = tuple(each for each in surveys if each.checked.submissions)
    key = workspace.store.surveys.key if with_answers else b""
    return SurveyTables(settings, key, with_answers)


def survey_settings(tables: SurveyTables) -> dict[str, Any]:
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
