"""The tables of a release. In: what goes out, a workspace. Out: `ReleaseTable`s by name.

Labels of models and of people stand in tables of their own, and so do labels that a source came
with. Names of people who reviewed do not go out. What each column is stands in tables.toml.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.curate.selection import TOPICS
from memeloc.errors import InputError
from memeloc.language_models.job import sent_counts
from memeloc.model import SEPARATOR
from memeloc.publish.release import ReleaseTable
from memeloc.tables import read_table
from memeloc.taxonomy import LABEL
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labels import Labelling, labellings
from memeloc.workspace.publishing.answers import SurveyTables, described
from memeloc.workspace.publishing.pictures import Key, Text

Row = tuple[Any, ...]


def release_tables(
    workspace: WorkspaceFolder,
    models: Mapping[str, Path],
    texts: Mapping[Key, Text],
    surveys: SurveyTables,
    splits: Mapping[str, str],
    items: Mapping[str, str],
    notes: list[str],
) -> dict[str, ReleaseTable]:
    """Return the tables that have rows.

    Args:
        models: tables of labels of models, by the names that the settings give them.
        items: published memes by collected item.
        notes: sentences about what stays behind are added.
    """
    templates = {meme: text.template for (meme, _), text in texts.items()}
    rows: dict[str, Iterable[Row]] = {
        "memes": _memes(workspace, templates, splits, items),
        "captions": _captions(texts, splits),
        "templates": _templates(workspace, templates),
    }
    later: dict[str, Iterable[Row]] = {
        "model_labels": [
            *_labelled(workspace, items, splits, notes),
            *_model_tables(models, surveys, splits, notes),
            *_verdicts(workspace, items),
        ],
        "collected_labels": [
            (items[item.id], item.language, item.origin.source, question, label)
            for item in (workspace.store.items.find(ids=list(items)) if items else ())
            for question, label in item.labels.items()
        ],
        "judgements": _judgements(workspace, items),
    }
    tables = [_table(*each) for each in rows.items()]
    tables += surveys.tables(splits, items, notes)
    tables += [_table(*each) for each in later.items()]
    return {table.name: table for table in tables if len(table.frame)}


def _table(name: str, rows: Iterable[Row]) -> ReleaseTable:
    columns = described()[name]
    made = ReleaseTable.of(name, rows, described()["titles"][name], columns)
    for column, kind in {"year": "Int64", "score": "Float64"}.items():
        if column in columns:
            made.frame[column] = made.frame[column].astype(kind)  # type: ignore[call-overload]
    return made


def _memes(
    workspace: WorkspaceFolder,
    templates: Mapping[str, str],
    splits: Mapping[str, str],
    items: Mapping[str, str],
) -> Iterator[Row]:
    by_meme = {meme: item for item, meme in reversed([*items.items()])}
    collected = {item.id: item for item in workspace.store.items.find(ids=list(items))}
    topics = {
        item: by_filter[TOPICS].evidence["topics"][0]
        for item, by_filter in workspace.store.curation.verdicts(TOPICS).items()
        if TOPICS in by_filter and by_filter[TOPICS].evidence.get("topics")
    }
    for meme, template in templates.items():
        item = collected.get(by_meme.get(meme, ""))
        topic = topics.get(item.parent if item else template, {})
        yield (
            meme,
            template,
            splits[meme],
            str(topic.get("category", "")),
            str(topic.get("topic", "")),
            item.origin.source if item else "",
            item.origin.url if item else "",
            item.origin.terms if item else "",
            item.picture if item and item.kind == "picture" else "",
            item.created if item else "",
            item.year.year if item and item.year else None,
        )


def _captions(texts: Mapping[Key, Text], splits: Mapping[str, str]) -> Iterator[Row]:
    for (meme, language), text in texts.items():
        if text.item is None or any(text.parts):
            said = SEPARATOR.join(text.parts)
            written = text.state, text.stage, text.round, text.translator
            yield meme, language, text.template, splits[meme], said, *written


def _templates(workspace: WorkspaceFolder, templates: Mapping[str, str]) -> Iterator[Row]:
    for name, count in Counter(templates.values()).items():
        if name in workspace.templates:
            template = workspace.templates[name]
            keywords = ", ".join(template.keywords)
            rights = template.source, template.licence
            yield name, template.title, template.description, keywords, *rights, count


def _labelled(
    workspace: WorkspaceFolder,
    items: Mapping[str, str],
    splits: Mapping[str, str],
    notes: list[str],
) -> Iterator[Row]:
    """Yield what models labelled: a row for what all rounds agree on, and one for each round."""
    if not workspace.store.model_labels.labellings():
        return
    for labelling in labellings(workspace):
        try:
            yield from list(_rounds(labelling, items, splits))
        except InputError as error:
            notes.append(f"Labels by {labelling.labelled.model} stay behind: {error}")


def _rounds(
    labelling: Labelling, items: Mapping[str, str], splits: Mapping[str, str]
) -> Iterator[Row]:
    sent = defaultdict(list)
    for answer in labelling.answers:
        sent[answer.item].append(answer.settings)
    model = labelling.labelled.model
    for outcome in labelling.outcomes:
        meme = items.get(outcome.item, outcome.item)
        if meme not in splits:
            continue
        about = {
            "taxonomy": labelling.labelled.taxonomy,
            "prompt": labelling.labelled.prompt,
            "rounds": labelling.settings.rounds,
            "equal": labelling.settings.equal,
            "state": outcome.state,
            "sent": sent_counts(sent[outcome.item]),
        }
        if outcome.state == "accepted":
            subcategories = "|".join(outcome.subcategories)
            yield meme, "", LABEL, model, outcome.label, subcategories, None, _json(about)
        for number, labels in enumerate(outcome.rounds, 1):
            if labels:
                given = {**about, "given": [str(label) for label in labels]}
                question = f"{LABEL}, round {number}"
                yield meme, "", question, model, labels[0].category, "", None, _json(given)


def _model_tables(
    models: Mapping[str, Path],
    surveys: SurveyTables,
    splits: Mapping[str, str],
    notes: list[str],
) -> Iterator[Row]:
    """Yield a row for each label in tables, and note labels that no survey's taxonomy has.

    Raises:
        InputError: a table cannot be read, or lacks a column.
    """
    taxonomies = {
        each.survey.taxonomy.name: [label.id for label in each.survey.taxonomy.labels]
        for each in surveys.surveys
    }
    known = {label for labels in taxonomies.values() for label in labels}
    for name, path in models.items():
        unknown: list[tuple[int, str]] = []
        table = read_table(path, ("meme_id", "model", "label"))
        for row in table.rows:
            meme, model, label = (row[name].strip() for name in ("meme_id", "model", "label"))
            if meme in splits:
                culture = row["culture"].strip() if "culture" in table.columns else ""
                yield meme, culture, LABEL, model, label, "", None, ""
                if known and label not in known:
                    unknown.append((row.number, label))
        if unknown:
            number, label = unknown[0]
            labels = "; ".join(f"{name}: {', '.join(ids)}" for name, ids in taxonomies.items())
            notes.append(
                f"{name}, row {number}: the label {label[:60]!r} is not of the taxonomy "
                f"({labels}); {counted(len(unknown), 'row has', 'rows have')} such labels."
            )


def _verdicts(workspace: WorkspaceFolder, items: Mapping[str, str]) -> Iterator[Row]:
    for item, by_filter in workspace.store.curation.verdicts().items():
        for verdict in by_filter.values() if item in items else ():
            evidence = dict(verdict.evidence)
            evidence.pop("people", None)
            if model := evidence.pop("model", None):
                outcome = str(verdict.verdict), verdict.reason, verdict.score
                yield items[item], "", verdict.filter, str(model), *outcome, _json(evidence)


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def _judgements(workspace: WorkspaceFolder, items: Mapping[str, str]) -> Iterator[Row]:
    votes: dict[tuple[str, str], Counter[str]] = {}
    for judgement in workspace.store.curation.judgements():
        answer = judgement.answer.strip().lower()
        if judgement.subject in items and answer in ("keep", "drop"):
            key = (items[judgement.subject], judgement.question)
            votes.setdefault(key, Counter())[answer] += 1
    for key, counts in votes.items():
        yield *key, counts["keep"], counts["drop"]
