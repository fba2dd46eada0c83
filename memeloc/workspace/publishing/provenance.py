"""How a dataset came about, and what annotators read. In: a workspace. Out: JSON values, guides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.publish.release import ReleaseSettings
from memeloc.render.sets.reading import set_sha256
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import FOLDER, taxonomy_names
from memeloc.version import __version__
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.publishing.answers import SurveyTables, survey_settings
from memeloc.workspace.survey import Survey

if TYPE_CHECKING:
    from memeloc.publish.release import ReleaseSettings
    from memeloc.workspace.publishing.captions import TakenCaptions
    from memeloc.workspace.publishing.pictures import RenderedSet


def provenance(
    workspace: WorkspaceFolder,
    settings: ReleaseSettings,
    captions: TakenCaptions,
    rendered: RenderedSet,
    surveys: SurveyTables,
    splits: Mapping[str, str],
) -> dict[str, Any]:
    """Versions, seeds, hashes, models, prompts, the funnel.

    The same workspace gives the same values: there is no date among them.
    """
    selection = workspace.store.curation.selection()
    values: dict[str, Any] = {
        "memeloc": __version__,
        "rendered_with": rendered.made_by(),
        "manifest_sha256": set_sha256(rendered.folder) if rendered.folder else "",
        "splits": {
            "seed": settings.seed,
            "shares": dict(settings.splits),
            "memes": dict(Counter(splits.values())),
            "by": "template and known duplicates; labels in the same shares",
        },
        "captions": _captions(captions),
        "translations": _translations(workspace),
        "collected": _collected(workspace),
        "filters": _filters(workspace),
        "selection": dict(selection.settings) if selection else {},
        "funnel": [dict(stage) for stage in selection.funnel] if selection else [],
        "surveys": survey_settings(surveys),
        "spent": [
            {"on": spent.name, "texts": spent.texts, "cost": spent.cost, "currency": spent.currency}
            for spent in workspace.store.spending.find()
        ],
        "erased_people": sum(
            receipt.get("people", 0) for receipt in workspace.store.erasures.receipts()
        ),
    }
    return {name: value for name, value in values.items() if value not in ({}, [], "", 0)}


def _captions(captions: TakenCaptions) -> dict[str, Any]:
    by_language: dict[str, dict[str, Counter[str]]] = {}
    for (_, language), row in captions.rows.items():
        counts = by_language.setdefault(
            language, {"states": Counter(), "stages": Counter(), "translators": Counter()}
        )
        counts["states"][row.state] += 1
        counts["stages"][row.stage] += 1
        if row.translator:
            counts["translators"][row.translator] += 1
    return {
        language: {name: dict(sorted(values.items())) for name, values in counts.items() if values}
        for language, counts in by_language.items()
    }


def _translations(workspace: WorkspaceFolder) -> list[dict[str, Any]]:
    return [
        {"language": language, "translator": translator, "captions": count, **made_by}
        for language, translator, made_by, count in workspace.store.captions.made_by()
    ]


def _collected(workspace: WorkspaceFolder) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {}
    for (source, kind), count in workspace.store.items.count().items():
        counts.setdefault(source, {})[kind] = count
    refused = Counter(refusal.reason for refusal in workspace.store.items.refusals())
    return {"items": counts, "refused": dict(refused)} if counts else {}


def _filters(workspace: WorkspaceFolder) -> dict[str, Any]:
    filters: dict[str, dict[str, Counter[str]]] = {}
    for by_filter in workspace.store.curation.verdicts().values():
        for name, verdict in by_filter.items():
            counts = filters.setdefault(
                name, {"outcomes": Counter(), "models": Counter(), "settings": Counter()}
            )
            counts["outcomes"][str(verdict.verdict)] += 1
            counts["settings"][verdict.settings] += 1
            if model := verdict.evidence.get("model"):
                counts["models"][str(model)] += 1
    return {
        name: {kind: dict(sorted(values.items())) for kind, values in counts.items() if values}
        for name, counts in filters.items()
    }


def survey_files(
    workspace: WorkspaceFolder, settings: ReleaseSettings, names: Sequence[str]
) -> tuple[dict[str, Path], dict[str, str]]:
    """Files, and texts of files, by their paths in the release.

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
            title = survey.texts(culture).get("title")
            guide = "\n".join(_guide(title, read)) + "\n"
            texts[f"guides/{name}.{culture.locale.tag}.md"] = guide
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
