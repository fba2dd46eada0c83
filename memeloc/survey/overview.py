"""Taxonomies and texts to look at. In: a name, a language. Out: what ships, with all its texts."""

from __future__ import annotations

from typing import Any

from memeloc.model import Locale
from memeloc.survey.texts import TaxonomyTexts, readers, shipped_languages, survey_texts
from memeloc.taxonomy import load_taxonomy, taxonomy_names


def list_taxonomies() -> dict[str, Any]:
    """Return the taxonomies that ship, in short, and the languages that their texts are in."""
    taxonomies = [
        {
            "name": each.name,
            "source": each.source,
            "labels": [label.id for label in each.labels],
            "questions": [question.id for question in each.questions],
            "examples": len(each.examples),
        }
        for each in map(load_taxonomy, taxonomy_names())
    ]
    return {"taxonomies": taxonomies, "languages": shipped_languages()}


def describe(name: str, locale: Locale) -> dict[str, Any]:
    """Return a taxonomy that ships, or of a .toml file, as annotators read it in a language.

    All its `texts` stand by name, and the same in order: `question` is the one for the label, the
    `group` of a label is the name of its coarser class, `answers` of a question are names by id.
    `lacking` counts the texts that are in English for want of a translation.

    Raises:
        InputError: there is none of that name, or the file is wrong.
    """
    taxonomy = load_taxonomy(name)
    texts = survey_texts(locale, taxonomy=taxonomy)
    shown = TaxonomyTexts(texts, taxonomy)
    keys = taxonomy.keys()
    return {
        "name": taxonomy.name,
        "source": taxonomy.source,
        "most_severe": taxonomy.most_severe,
        "texts": {key: texts.get(key) for key in keys},
        "question": shown.question,
        "definition": shown.definition,
        "labels": [
            {
                "id": label.id,
                "severity": label.severity,
                "group": shown.groups.get(label.group, ""),
                "name": shown.labels[label.id],
                "definition": shown.definitions[label.id],
            }
            for label in taxonomy.labels
        ],
        "questions": [
            {
                "id": question.id,
                "kind": question.kind,
                "text": shown.asked[question.id],
                "answers": shown.answers[question.id],
                "when": question.when,
            }
            for question in taxonomy.questions
        ],
        "rules": shown.rules,
        "examples": [
            {
                "id": example.id,
                "label": example.label,
                "template": example.template,
                "caption": shown.captions[example.id],
                "why": shown.reasons[example.id],
            }
            for example in taxonomy.examples
        ],
        "lacking": len(set(keys).intersection(texts.lacking(taxonomy))),
        "language": locale.tag,
    }


def list_texts(locale: Locale, beginning: str = "") -> dict[str, Any]:
    """Return the texts that ship in a language, in English where there is none, by how names begin.

    `read_by` are the native speakers who have read all that ship in it.
    """
    texts = survey_texts(locale)
    names = [name for name in texts.keys() if name.startswith(beginning)]  # noqa: SIM118
    shown = [{"name": name, "text": texts.get(name)} for name in names]
    return {"language": locale.tag, "read_by": readers(locale.tag), "texts": shown}
