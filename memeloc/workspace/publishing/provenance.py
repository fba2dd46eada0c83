"""How a dataset came about, and what annotators read. In: a workspace. Out: JSON values, guides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from memeloc.publish.release import ReleaseSettings
from memeloc.render.sets.reading import set_sha256
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import FOLDER, taxonomy_names
from memeloc.version import __version__
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.publishing.answers import SurveyTables, survey_settings
from memeloc.workspace.publishing.pictures import Pictures, made_by
from memeloc.workspace.surveys import Survey


def provenance(
    workspace: WorkspaceFolder,
    settings: ReleaseSettings,
    pictures: Pictures,
    surveys: SurveyTables,
) -> dict[str, Any]:
    """Return versions, seeds, hashes, models, prompts, the funnel.

    The same workspace gives the same values: there is no date among them.
    """
    store = workspace.store
    selection = store.curation.selection()
    items: dict[str, dict[str, int]] = {}
    for (source, kind), count in store.items.count().items():
        items.setdefault(source, {})[kind] = count
    refused = Counter(refusal.reason for refusal in store.items.refusals())
    verdicts = [
        (name, verdict)
        for by_filter in store.curation.verdicts().values()
        for name, verdict in by_filter.items()
    ]
    values: dict[str, Any] = {
        "memeloc": __version__,
        "rendered_with": made_by(pictures),
        "manifest_sha256": set_sha256(pictures.rendered) if pictures.rendered else "",
        "splits": {
            "seed": settings.seed,
            "shares": dict(settings.splits),
            "memes": dict(Counter(pictures.splits.values())),
            "by": "template and known duplicates; labels in the same shares",
        },
        "captions": _counted(
            (language, part, value)
            for (_, language), text in pictures.texts.items()
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
        "filters": _counted(
            (name, part, value)
            for name, verdict in verdicts
            for part, value in (
                ("outcomes", str(verdict.verdict)),
                ("models", str(verdict.evidence.get("model") or "")),
                ("settings", verdict.settings),
            )
        ),
        "selection": dict(selection.settings) if selection else {},
        "funnel": [dict(stage) for stage in selection.funnel] if selection else [],
        "surveys": survey_settings(surveys),
        "spent": [
            {"on": spent.name, "texts": spent.texts, "cost": spent.cost, "currency": spent.currency}
            for spent in store.spending.find()
        ],
        "erased_people": sum(receipt.get("people", 0) for receipt in store.erasures.receipts()),
    }
    return {name: value for name, value in values.items() if value not in ({}, [], "", 0)}


def _counted(values: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, dict[str, int]]]:
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


def survey_files(
    workspace: WorkspaceFolder, names: Sequence[str]
) -> tuple[dict[str, Path], dict[str, str]]:
    """Return files, and texts of files, by their paths in the release.

    taxonomies/NAME.toml are the label sets, guides/SURVEY.LANGUAGE.md what a culture's annotators
    read of them.
    """
    files: dict[str, Path] = {}
    texts: dict[str, str] = {}
    for name in names:
        survey = Survey(workspace, name)
        design = workspace.store.surveys.design(name)
        taxonomy = survey.taxonomy.name
        if design.get("taxonomy_toml"):
            texts[f"taxonomies/{taxonomy}.toml"] = design["taxonomy_toml"]
        elif taxonomy in taxonomy_names():
            files[f"taxonomies/{taxonomy}.toml"] = FOLDER / f"{taxonomy}.toml"
        for culture in survey.design.cultures:
            read = TaxonomyTexts(survey.texts(culture), survey.taxonomy)
            guide = _guide(survey.texts(culture).get("title"), read)
            texts[f"guides/{name}.{culture.locale.tag}.md"] = "\n".join(guide) + "\n"
    return files, texts


def _guide(title: str, texts: TaxonomyTexts) -> Iterator[str]:
    yield from (f"# {title}", "", texts.definition, "", f"## {texts.question}", "")
    for label, name in texts.labels.items():
        yield f"- **{name}** (`{label}`): {texts.definitions[label]}"
    if texts.rules:
        yield ""
        yield from (f"{number}. {rule}" for number, rule in enumerate(texts.rules, 1))
    for question, asked in texts.asked.items():
        yield from ("", f"## {asked}", "", f"`{question}`")
        answers = texts.answers[question]
        if answers:
            yield ""
            yield from (f"- {name} (`{answer}`)" for answer, name in answers.items())
