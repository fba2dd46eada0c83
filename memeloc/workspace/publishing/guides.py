"""What annotators read. In: surveys. Out: taxonomies, and guides in Markdown, as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from memeloc.publish.settings import ReleaseSettings
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import FOLDER, taxonomy_names
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.surveys.survey import Survey


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
