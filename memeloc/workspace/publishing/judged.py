"""What was collected and judged. In: published memes, their items. Out: tables of a release.

Labels of models and of people stand in tables of their own, and so do labels that a
source came with. Names of people who reviewed do not go out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.curate.selection import DUPLICATES, TOPICS
from memeloc.publish.release import ReleaseTable
from memeloc.tables import read_table
from memeloc.taxonomy import LABEL
from memeloc.workspace.folder import WorkspaceFolder

_MEMES = {
    "meme_id": "the meme, the same in all languages",
    "template": "the picture that the text stands on",
    "split": "its split; all memes of a template are in the same one",
    "category": "category of its template's topic",
    "topic": "topic of its template",
    "source": "where it was collected; empty of a meme of the team's own",
    "url": "the page or file that it stood in",
    "terms": "licence or terms of use as the source states them",
    "collected_sha256": "of the picture as it was collected, before metadata was taken out of it",
    "created": "when it was made, ISO 8601, as far as the source says",
    "year": "the year that it or its template is from",
}


def memes_table(
    workspace: WorkspaceFolder,
    templates: Mapping[str, str],
    splits: Mapping[str, str],
    items: Mapping[str, str],
) -> ReleaseTable:
    import pandas as pd

    by_meme = {meme: item for item, meme in reversed([*items.items()])}
    collected = {item.id: item for item in workspace.store.items.find(ids=list(items))}
    topics = _topics(workspace)
    rows = []
    for meme, template in templates.items():
        item = collected.get(by_meme.get(meme, ""))
        topic = topics.get(item.parent if item else template, {})
        rows.append(
            (
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
        )
    frame = pd.DataFrame(rows, columns=list(_MEMES), dtype=object)
    frame["year"] = frame["year"].astype("Int64")
    return ReleaseTable("memes", frame, "Memes, a row each", _MEMES)


def _topics(workspace: WorkspaceFolder) -> dict[str, Mapping[str, Any]]:
    verdicts = workspace.store.curation.verdicts(TOPICS)
    return {
        item: topics[0]
        for item, by in verdicts.items()
        if TOPICS in by and (topics := by[TOPICS].evidence.get("topics"))
    }


_TEMPLATES = {
    "template": "the template's name",
    "title": "its title",
    "description": "what the picture shows",
    "keywords": "keywords, with commas between",
    "source": "where the picture is from",
    "licence": "under what terms",
    "memes": "memes of this release on it",
}


def templates_table(workspace: WorkspaceFolder, templates: Mapping[str, str]) -> ReleaseTable:
    counts = Counter(templates.values())
    known = workspace.templates
    rows = [
        (
            name,
            known[name].title,
            known[name].description,
            ", ".join(known[name].keywords),
            known[name].source,
            known[name].licence,
            counts[name],
        )
        for name in counts
        if name in known
    ]
    return ReleaseTable.of("templates", rows, "Templates, a row each", _TEMPLATES)


_MODEL_LABELS = {
    "meme_id": "the meme",
    "culture": "the culture that it was asked as; empty for none",
    "question": "what was asked: the label (of all rounds or of one), or a filter's name",
    "model": "the model that answered",
    "label": "the label, or what came out of a filter: keep, drop, or review",
    "reason": "why, a short key; of a label its subcategories",
    "score": "what was compared with a threshold, in the filter's own unit",
    "evidence": "what it rests on, as JSON",
}


def model_labels(
    workspace: WorkspaceFolder,
    items: Mapping[str, str],
    published: Collection[str],
    tables: Sequence[Path],
    labelled: Iterable[tuple[Any, ...]] = (),
) -> ReleaseTable:
    """A row for each label of a model in tables, and each verdict of one on a published meme.

    `labelled` are rows of labels that are stored; see `labelled.labelled_rows`.

    Raises:
        InputError: a table cannot be read, or lacks a column.
    """
    rows: list[tuple[Any, ...]] = [*labelled]
    for path in tables:
        table = read_table(path, ("meme_id", "model", "label"))
        for row in table.rows:
            if row["meme_id"].strip() in published:
                meme, model, label = (row[name].strip() for name in ("meme_id", "model", "label"))
                culture = row["culture"].strip() if "culture" in table.columns else ""
                rows.append((meme, culture, LABEL, model, label, "", None, ""))
    rows += [
        (
            items[item],
            "",
            verdict.filter,
            str(verdict.evidence["model"]),
            str(verdict.verdict),
            verdict.reason,
            verdict.score,
            json.dumps(
                {k: v for k, v in verdict.evidence.items() if k not in ("model", "people")},
                ensure_ascii=False,
                sort_keys=True,
            ),
        )
        for item, by_filter in workspace.store.curation.verdicts().items()
        if item in items
        for verdict in by_filter.values()
        if verdict.evidence.get("model")
    ]
    made = ReleaseTable.of("model_labels", rows, "What models judged, a row each", _MODEL_LABELS)
    made.frame["score"] = made.frame["score"].astype("Float64")
    return made


_COLLECTED = {
    "meme_id": "the meme",
    "language": "the language of the version that has the label, as its source states it",
    "source": "where it was collected",
    "question": "the question, as the source calls it",
    "label": "the label, as written there",
}


def collected_labels(workspace: WorkspaceFolder, items: Mapping[str, str]) -> ReleaseTable:
    rows = [
        (items[item.id], item.language, item.origin.source, question, label)
        for item in (workspace.store.items.find(ids=list(items)) if items else ())
        for question, label in item.labels.items()
    ]
    return ReleaseTable.of("collected_labels", rows, "Labels that sources came with", _COLLECTED)


_JUDGEMENTS = {
    "meme_id": "the meme",
    "question": "what was judged: the filter's name",
    "keep": "reviewers who keep it",
    "drop": "reviewers who drop it",
}


def judgements(workspace: WorkspaceFolder, items: Mapping[str, str]) -> ReleaseTable:
    votes: dict[tuple[str, str], Counter[str]] = {}
    for judgement in workspace.store.curation.judgements():
        answer = judgement.answer.strip().lower()
        if judgement.subject in items and answer in ("keep", "drop"):
            key = (items[judgement.subject], judgement.question)
            votes.setdefault(key, Counter())[answer] += 1
    rows = [(*key, counts["keep"], counts["drop"]) for key, counts in votes.items()]
    return ReleaseTable.of("judgements", rows, "What the team's reviewers answered", _JUDGEMENTS)


def duplicates(workspace: WorkspaceFolder) -> list[Sequence[str]]:
    pairs: list[Sequence[str]] = []
    for item, by in workspace.store.curation.verdicts(DUPLICATES).items():
        if DUPLICATES in by and (kept := by[DUPLICATES].evidence.get("kept")):
            pairs.append((item, str(kept)))
    return pairs
