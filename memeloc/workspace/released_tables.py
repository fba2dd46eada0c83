"""What goes out beside pictures. In: a workspace. Out: captions, tables, how they came about.

Labels of models and of people stand in tables of their own, and so do labels that a source came
with. Names of people who reviewed do not go out. What each column is stands in
memeloc/publish/tables.toml.

Annotators go out under hashes that are made for this: HMAC-SHA-256 of the stored hash and the
release's name, under the workspace's own key. They are the same in every release of that name, and
nobody without the key finds a person, or the same person in a dump or in another release.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.items import Item, Origin, meme_id
from memeloc.language_models.job import sent_counts
from memeloc.model import SEPARATOR
from memeloc.publish.people import protect
from memeloc.publish.release import ReleaseSettings, ReleaseTable, described
from memeloc.store.captions.states import taken_states
from memeloc.store.records import Accept
from memeloc.survey.labels.settling import SHOWN, people_table
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, catalogue, keys_in_use, readers
from memeloc.tables import read_table
from memeloc.taxonomy import FOLDER, LABEL, Taxonomy, taxonomy_names
from memeloc.version import __version__
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labels import labellings
from memeloc.workspace.surveys import Survey

if TYPE_CHECKING:
    from memeloc.survey.labels.checked import Checked

Key = tuple[str, str]
"""A meme and a language."""
Row = tuple[Any, ...]
_DIGITS = 16
"""Hex digits of an annotator's name: 64 bits, in which no two of a million people are alike."""


class Text(NamedTuple):
    """The text of a meme in a language, what became of it, and what wrote it. `item` is the
    finished meme that it stands in; None of a caption."""

    template: str
    parts: tuple[str, ...]
    state: str = "given"
    stage: str = "collected"
    round: int = 0
    translator: str = ""
    item: Item | None = None


def current_captions(workspace: WorkspaceFolder, which: Accept) -> dict[Key, Text]:
    """Return the captions of memes that are not dropped, by their states; in the memes' order."""
    stored, taken = workspace.store.captions, taken_states(which)
    states = {
        (status.meme_id, status.language): status.state
        for status in stored.states(rounds=workspace.settings.correction.rounds)
    }
    templates = stored.templates()
    return {
        (meme, tag): Text(
            templates[meme], version.parts, states[meme, tag], version.stage, version.round,
            version.translator,
        )
        for tag in dict.fromkeys([*workspace.tags, *(language for _, language in states)])
        for meme, version in stored.current(tag).items()
        if states.get((meme, tag)) in taken
    }  # fmt: skip


def finished_memes(workspace: WorkspaceFolder, items: Iterable[Item]) -> dict[Key, Text]:
    """Return collected pictures, those of a meme's languages under its one id."""

    def tag(item: Item) -> str:
        """Return a language's tag, `und` (undetermined, ISO 639-2) where the source has none."""
        with suppress(InputError):
            return workspace.locale(item.language).tag if item.language else "und"
        return "und"

    keys = {item.id: (meme_id(item), tag(item)) for item in items}
    versions = Counter(keys.values())
    # Several of one language would be files of one name: each of them is a meme.
    return {
        (meme if versions[meme, language] == 1 else item.id, language): Text(
            item.parent, item.parts, item=item
        )
        for item in items
        for meme, language in (keys[item.id],)
    }


@dataclass(frozen=True, eq=False)
class ReleasedSurvey:
    """A survey that people have answered, as it goes out."""

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


def released_surveys(workspace: WorkspaceFolder, settings: ReleaseSettings) -> list[ReleasedSurvey]:
    """Return the surveys that go out. Raise InputError if there is no survey of a name that the
    settings have."""
    names = workspace.store.surveys.names()
    wanted = names if settings.surveys is None else settings.surveys
    for name in wanted:
        if name not in names:
            raise InputError(
                f"The setting release.surveys names {name[:60]!r}; there are "
                f"{', '.join(names) or 'no surveys'}."
            )
    surveys = [Survey(workspace, name) for name in wanted]
    checked = [ReleasedSurvey(each, each.answers.checked(keep=False)) for each in surveys]
    return [each for each in checked if each.checked.submissions]


def strata(surveys: Iterable[ReleasedSurvey]) -> dict[str, str]:
    """Return the most frequent label of each item, by which splits are stratified."""
    by_item: dict[str, Counter[str]] = defaultdict(Counter)
    for each in surveys:
        for item, label in zip(each.labels["item"], each.labels["label"], strict=True):
            if label:
                by_item[item][label] += 1
    return {
        item: min(counts, key=lambda label: (-counts[label], label))
        for item, counts in by_item.items()
    }


def unread_texts(workspace: WorkspaceFolder, surveys: Iterable[ReleasedSurvey]) -> dict[str, int]:
    """Return how many texts that these surveys show no person has read, by language."""
    unread: Counter[str] = Counter()
    for each in surveys:
        texts = catalogue(each.survey.taxonomy)
        english = {key: texts[key] for key in keys_in_use(each.survey.taxonomy)}
        for tag in dict.fromkeys(each.languages.values()):
            if tag.partition("-")[0] != "en" and not readers(tag):
                corrected = workspace.store.survey_texts.corrections(tag, english)
                unread[tag] = max(unread[tag], len(english) - len(corrected))
    return {tag: count for tag, count in unread.items() if count > 0}


@dataclass(frozen=True, eq=False)
class Contents:
    """The parts of a workspace that go out.

    Attributes:
        splits: by meme.
        items: published memes by collected item.
        notes: sentences about what stays behind, to which all that gathers adds.
    """

    workspace: WorkspaceFolder
    settings: ReleaseSettings
    texts: Mapping[Key, Text]
    surveys: Sequence[ReleasedSurvey]
    splits: Mapping[str, str]
    items: Mapping[str, str]
    notes: list[str]


def release_tables(contents: Contents, models: Mapping[str, Path]) -> dict[str, ReleaseTable]:
    """Return the tables that have rows, in their order; `models` are tables of labels of models, by
    the names that the settings give them."""
    store, items = contents.workspace.store, contents.items
    asked = _asked(contents.surveys)
    templates = {meme: text.template for (meme, _), text in contents.texts.items()}
    votes: dict[Key, Counter[str]] = defaultdict(Counter)
    for judgement in store.curation.judgements():
        answer = judgement.answer.strip().lower()
        if judgement.subject in items and answer in ("keep", "drop"):
            votes[items[judgement.subject], judgement.question][answer] += 1
    rows: dict[str, Iterable[Row] | pd.DataFrame] = {
        "memes": _memes(contents, templates),
        "captions": (
            (meme, language, text.template, contents.splits[meme], SEPARATOR.join(text.parts),
             text.state, text.stage, text.round, text.translator)
            for (meme, language), text in contents.texts.items()
            if text.item is None or any(text.parts)
        ),
        "templates": (
            (name, each.title, each.description, ", ".join(each.keywords), each.source,
             each.licence, count)
            for name, count in Counter(templates.values()).items()
            if (each := contents.workspace.templates.get(name))
        ),
        **_survey_frames(contents, asked),
        "model_labels": chain(
            _rounds(contents), _model_tables(contents, models), _verdicts(contents)
        ),
        "collected_labels": (
            (items[item.id], item.language, item.origin.source, question, label)
            for item in (store.items.find(ids=list(items)) if items else ())
            for question, label in item.labels.items()
        ),
        "judgements": ((*key, each["keep"], each["drop"]) for key, each in votes.items()),
    }  # fmt: skip
    tables = {}
    for name, of_table in rows.items():
        frame = of_table if isinstance(of_table, pd.DataFrame) else _frame(name, of_table)
        columns = {}
        for column in map(str, frame.columns):
            vote = column.removeprefix("votes.")
            title = f"votes for {vote}" if vote != column else asked.get(column, column)
            columns[column] = described()[name].get(column) or title.replace("_", " ")
        if len(frame):
            tables[name] = ReleaseTable(name, frame, described()["titles"][name], columns)
    return tables


def _frame(name: str, rows: Iterable[Row]) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows), columns=list(described()[name]))
    types = {"year": "Int64", "score": "Float64"}
    return frame.astype({name: kind for name, kind in types.items() if name in frame})


def _memes(contents: Contents, templates: Mapping[str, str]) -> Iterator[Row]:
    store, items = contents.workspace.store, contents.items
    by_meme = {meme: item for item, meme in reversed([*items.items()])}
    collected = {item.id: item for item in store.items.find(ids=list(items))}
    topics = store.curation.topics()
    for meme, template in templates.items():
        item = collected.get(by_meme.get(meme, ""))
        topic = topics.get(item.parent if item else template, {})
        origin = item.origin if item else Origin("", "")
        yield (
            meme,
            template,
            contents.splits[meme],
            topic.get("category", ""),
            topic.get("topic", ""),
            origin.source,
            origin.url,
            origin.terms,
            item.picture if item and item.kind == "picture" else "",
            item.created if item else "",
            item.year.year if item and item.year else None,
        )


def _rounds(contents: Contents) -> Iterator[Row]:
    """Yield what models labelled: a row for what all rounds agree on, and one for each round."""
    workspace = contents.workspace
    for labelling in labellings(workspace) if workspace.store.model_labels.labellings() else ():
        labelled, sent = labelling.labelled, defaultdict(list)
        try:
            outcomes = labelling.outcomes
            for answer in labelling.answers:
                sent[answer.item].append(answer.settings)
        except InputError as error:
            contents.notes.append(f"Labels by {labelled.model} stay behind: {error}")
            continue
        for outcome in outcomes:
            meme = contents.items.get(outcome.item, outcome.item)
            if meme not in contents.splits:
                continue
            about = {
                "taxonomy": labelled.taxonomy,
                "prompt": labelled.prompt,
                "rounds": labelling.settings.rounds,
                "equal": labelling.settings.equal,
                "state": outcome.state,
                "sent": sent_counts(sent[outcome.item]),
            }
            if outcome.state == "accepted":
                kinds = "|".join(outcome.subcategories)
                label = LABEL, labelled.model, outcome.label, kinds, None
                yield meme, "", *label, _json(about)
            for number, labels in enumerate(outcome.rounds, 1):
                if labels:
                    every = {**about, "given": [str(label) for label in labels]}
                    question = f"{LABEL}, round {number}"
                    label = question, labelled.model, labels[0].category, "", None
                    yield meme, "", *label, _json(every)


def _model_tables(contents: Contents, models: Mapping[str, Path]) -> Iterator[Row]:
    """Yield a row for each label in tables, and note labels that no survey's taxonomy has; raise
    InputError if a table cannot be read, or lacks a column."""
    taxonomies = {
        each.survey.taxonomy.name: [label.id for label in each.survey.taxonomy.labels]
        for each in contents.surveys
    }
    labels = {label for of_taxonomy in taxonomies.values() for label in of_taxonomy}
    for name, path in models.items():
        unknown: list[tuple[int, str]] = []
        table = read_table(path, ("meme_id", "model", "label"))
        for row in table.rows:
            meme, model, label = (row[name].strip() for name in ("meme_id", "model", "label"))
            if meme in contents.splits:
                culture = row["culture"].strip() if "culture" in table.columns else ""
                yield meme, culture, LABEL, model, label, "", None, ""
                if labels and label not in labels:
                    unknown.append((row.number, label))
        if unknown:
            number, label = unknown[0]
            listed = "; ".join(f"{name}: {', '.join(ids)}" for name, ids in taxonomies.items())
            contents.notes.append(
                f"{name}, row {number}: the label {label[:60]!r} is not of the taxonomy "
                f"({listed}); {counted(len(unknown), 'row has', 'rows have')} such labels."
            )


def _verdicts(contents: Contents) -> Iterator[Row]:
    for item, by_filter in contents.workspace.store.curation.verdicts().items():
        for verdict in by_filter.values() if item in contents.items else ():
            evidence = dict(verdict.evidence)
            evidence.pop("people", None)
            if model := evidence.pop("model", None):
                outcome = str(verdict.verdict), verdict.reason, verdict.score
                yield (
                    contents.items[item],
                    "",
                    verdict.filter,
                    str(model),
                    *outcome,
                    _json(evidence),
                )


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def _asked(surveys: Iterable[ReleasedSurvey]) -> dict[str, str]:
    """Return the questions in English, by their ids."""
    asked: dict[str, str] = {}
    for each in surveys:
        taxonomy, english = each.survey.taxonomy, catalogue(each.survey.taxonomy)
        for question in taxonomy.questions:
            label = taxonomy.whose_kinds(question)
            text = english.get(f"taxonomy.{taxonomy.name}.questions.{question.id}.text")
            text = text or english.get(f"demographics.{question.id}.text")
            asked[question.id] = text or (f"which kind of {label.id}" if label else question.id)
    return asked


def _survey_frames(contents: Contents, asked: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return answers, labels, people and questions' texts of the memes that go out."""
    if not contents.surveys:
        return {}
    store, settings = contents.workspace.store.surveys, contents.settings
    key, parts = store.key, defaultdict[str, list[pd.DataFrame]](list)

    @cache
    def annotator(person: str) -> str:
        text = f"{settings.name}\0{person}".encode("utf-8", "surrogatepass")
        return hmac.digest(key, b"memeloc release\0" + text, "sha256").hex()[:_DIGITS]

    for each in contents.surveys:
        survey, checked, name = each.survey, each.checked, each.survey.name
        about_memes = survey.taxonomy.about("item", "picture")
        typed = [q.id for q in about_memes if q.kind == "text" and not settings.free_text]
        texts = [
            (item, question, text)
            for item, of_item in survey.item_texts.items()
            for question, text in of_item.items()
        ]
        answers = each.answers.rename(columns={"item": "meme_id"})
        answers["language"] = answers["culture"].map(each.languages)
        answers["annotator"] = answers["participant"].map(annotator)
        first = ["meme_id", "culture", "language", "annotator", "label", SHOWN]
        answers = answers[[*first, *(q.id for q in about_memes if q.id not in typed)]]
        answers = answers.sort_values(first[:4])
        labels = each.labels.drop(columns=typed).rename(columns={"item": "meme_id"})
        frames = {
            "answers": answers.astype(object).where(answers.notna(), ""),
            "labels": labels,
            "people": people_table(
                checked.retained, checked.sheets, store.participants(name), survey.taxonomy
            ),
            "questions": pd.DataFrame(texts, columns=list(described()["questions"])[1:]),
        }
        for table, frame in frames.items():
            frame.insert(0, "survey", name)
            parts[table].append(frame)
    frames = {table: pd.concat(several, ignore_index=True) for table, several in parts.items()}
    for table in ("answers", "labels", "questions"):
        frame = frames[table]
        frame["meme_id"] = [contents.items.get(item, item) for item in frame["meme_id"]]
        goes = frame["meme_id"].isin(contents.splits)
        if table == "answers" and (left := int((~goes).sum())):
            contents.notes.append(
                f"{counted(left, 'answer stays', 'answers stay')} behind with memes that do too."
            )
        frames[table] = frame[goes].reset_index(drop=True)
    facts = frames["people"]
    facts["annotator"] = facts["participant"].map(annotator)
    frames["people"] = _people(contents, frames["answers"], facts, asked)
    return frames


def _people(
    contents: Contents, answers: pd.DataFrame, facts: pd.DataFrame, asked: Mapping[str, str]
) -> pd.DataFrame:
    """Return who answered, with the demographics that may go out."""
    wanted, smallest = [*contents.settings.demographics], contents.settings.smallest_cell
    reported = {*facts["question"]}
    if unknown := [name for name in wanted if name not in reported and name not in asked]:
        raise InputError(
            f"The setting release.demographics names {unknown[0][:60]!r}, which nobody was "
            "asked and no service reports; known of people is "
            f"{', '.join(sorted(reported)) or 'nothing'}."
        )
    people = answers.drop_duplicates("annotator")[["annotator", "culture"]]
    people = people.sort_values(["culture", "annotator"], ignore_index=True).astype(object)
    for name in wanted:
        of_question = facts[facts["question"] == name].drop_duplicates(["annotator", "answer"])
        joined = of_question.groupby("annotator")["answer"].agg("|".join)
        people[name] = [joined.get(person, "") for person in people["annotator"]]
    protected, withheld = protect(people, wanted, smallest)
    for name, count in withheld.items():
        contents.notes.append(
            f"{counted(count, 'answer', 'answers')} to {name} stay behind: fewer than "
            f"{smallest} people of the culture share them."
        )
    return protected


def provenance(contents: Contents, made_by: Mapping[str, Any]) -> dict[str, Any]:
    """Return versions, seeds, hashes, models, prompts, the funnel; `made_by` is what drew the
    pictures. The same workspace gives the same values: there is no date among them."""
    store, settings, texts = contents.workspace.store, contents.settings, contents.texts
    selection = store.curation.selection()
    items: dict[str, dict[str, int]] = {}
    for (source, kind), count in store.items.count().items():
        items.setdefault(source, {})[kind] = count
    refused = Counter(refusal.reason for refusal in store.items.refusals())
    values: dict[str, Any] = {
        "memeloc": __version__,
        **made_by,
        "splits": {
            "seed": settings.seed,
            "shares": dict(settings.splits),
            "memes": dict(Counter(contents.splits.values())),
            "by": "template and known duplicates; labels in the same shares",
        },
        "captions": _counts(
            (language, part, value)
            for (_, language), text in texts.items()
            if text.item is None
            for part, value in (
                ("states", text.state),
                ("stages", text.stage),
                ("translators", text.translator),
            )
        ),
        "translations": [
            {"language": language, "translator": translator, "captions": count, **made}
            for language, translator, made, count in store.captions.made_by()
        ],
        "collected": {"items": items, "refused": dict(refused)} if items else {},
        "filters": _counts(
            (name, part, value)
            for by_filter in store.curation.verdicts().values()
            for name, verdict in by_filter.items()
            for part, value in (
                ("outcomes", str(verdict.verdict)),
                ("models", str(verdict.evidence.get("model") or "")),
                ("settings", verdict.settings),
            )
        ),
        "selection": dict(selection.settings) if selection else {},
        "funnel": [dict(stage) for stage in selection.funnel] if selection else [],
        "surveys": {each.survey.name: _survey_settings(each) for each in contents.surveys},
        "spent": [
            {"on": spent.name, "texts": spent.texts, "cost": spent.cost, "currency": spent.currency}
            for spent in store.spending.find()
        ],
        "erased_people": sum(receipt.get("people", 0) for receipt in store.erasures.receipts()),
    }
    return {name: value for name, value in values.items() if value not in ({}, [], "", 0)}


def _counts(values: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, dict[str, int]]]:
    """Return how often each value of a part of something is; an empty one is none."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    for name, part, value in values:
        parts = counts.setdefault(name, {})
        if value:
            parts.setdefault(part, Counter())[value] += 1
    return {
        name: {part: dict(sorted(values.items())) for part, values in parts.items()}
        for name, parts in counts.items()
    }


def _survey_settings(each: ReleasedSurvey) -> dict[str, Any]:
    """Return how a survey was designed, checked and settled, as JSON values."""
    survey, design, report = each.survey, each.survey.design, each.checked.report
    return {
        "taxonomy": survey.taxonomy.name,
        "cultures": each.languages,
        "seed": design.seed,
        "memes_per_sheet": design.size,
        "answers_wanted": design.answers,
        "attention_checks": {"explicit": design.explicit, "implicit": design.implicit},
        "recipe": survey.recipe.get("name", ""),
        "rules": each.checked.rules.model_dump(mode="json", exclude={"outlier": {"people"}}),
        "settling": survey.labels.settling().model_dump(mode="json"),
        "submissions": len(report.judged),
        "retained": len(report.retained),
        "excluded": report.counts(),
        "people": int(each.answers["participant"].nunique()),
        "answers": len(each.answers),
    }


def survey_files(surveys: Iterable[ReleasedSurvey]) -> tuple[dict[str, Path], dict[str, str]]:
    """Return files, and texts of files, by their paths in the release. taxonomies/NAME.toml are the
    label sets, guides/SURVEY.LANGUAGE.md what a culture's annotators read of them."""
    files: dict[str, Path] = {}
    texts: dict[str, str] = {}
    for each in surveys:
        survey, taxonomy = each.survey, each.survey.taxonomy.name
        design = survey.workspace.store.surveys.design(survey.name)
        if design.get("taxonomy_toml"):
            texts[f"taxonomies/{taxonomy}.toml"] = design["taxonomy_toml"]
        elif taxonomy in taxonomy_names():
            files[f"taxonomies/{taxonomy}.toml"] = FOLDER / f"{taxonomy}.toml"
        for culture in survey.design.cultures:
            text = _guide(survey.texts(culture), survey.taxonomy)
            texts[f"guides/{survey.name}.{culture.locale.tag}.md"] = text
    return files, texts


def _guide(texts: SurveyTexts, taxonomy: Taxonomy) -> str:
    shown = TaxonomyTexts(texts, taxonomy)
    labels = [
        f"- **{name}** (`{id}`): {shown.definitions[id]}" for id, name in shown.labels.items()
    ]
    rules = [f"{number}. {rule}" for number, rule in enumerate(shown.rules, 1)]
    parts = [f"# {texts.get('title')}", shown.definition, f"## {shown.question}"]
    parts += ["\n".join(labels), "\n".join(rules)]
    for question, asked in shown.asked.items():
        answers = [f"- {name} (`{id}`)" for id, name in shown.answers[question].items()]
        parts += [f"## {asked}", f"`{question}`", "\n".join(answers)]
    return "\n\n".join(filter(None, parts)) + "\n"
