"""Taxonomies and texts to look at. In: a name, a language. Out: what ships, with all its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memeloc.model import Locale
from memeloc.survey.texts import TaxonomyTexts, readers, shipped_languages, survey_texts
from memeloc.taxonomy import Kind, load_taxonomy, taxonomy_names


@dataclass(frozen=True, slots=True)
class TaxonomySummary:
    """A taxonomy in short; see `Taxonomy`."""

    name: str
    source: str
    labels: tuple[str, ...]
    questions: tuple[str, ...]
    examples: int


@dataclass(frozen=True, slots=True)
class TaxonomyList:
    """The taxonomies that ship, and the languages that their texts are in."""

    taxonomies: tuple[TaxonomySummary, ...]
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelText:
    """A label as annotators read it; `group` is the name of its coarser class."""

    id: str
    severity: int
    group: str
    name: str
    definition: str


@dataclass(frozen=True, slots=True)
class ExampleText:
    """An example as annotators read it."""

    id: str
    label: str
    template: str
    caption: str
    why: str


@dataclass(frozen=True, slots=True)
class QuestionText:
    """A further question as annotators read it; `answers` are names by id, see `Question`."""

    id: str
    kind: Kind
    text: str
    answers: Mapping[str, str]
    when: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TaxonomyText:
    """A taxonomy in one language; all of its texts by name, and the same in order.

    `question` is the one for the label. `lacking` counts the texts that are in English for want of
    a translation.
    """

    name: str
    source: str
    most_severe: bool
    texts: Mapping[str, str]
    question: str
    definition: str
    labels: tuple[LabelText, ...]
    questions: tuple[QuestionText, ...]
    rules: tuple[str, ...]
    examples: tuple[ExampleText, ...]
    lacking: int
    language: str


def list_taxonomies() -> TaxonomyList:
    """What ships."""
    summaries = [
        TaxonomySummary(
            taxonomy.name,
            taxonomy.source,
            tuple(label.id for label in taxonomy.labels),
            tuple(question.id for question in taxonomy.questions),
            len(taxonomy.examples),
        )
        for taxonomy in map(load_taxonomy, taxonomy_names())
    ]
    return TaxonomyList(tuple(summaries), shipped_languages())


def describe(name: str, locale: Locale) -> TaxonomyText:
    """A taxonomy that ships, or of a .toml file, with all its texts in a language.

    Raises:
        InputError: there is none of that name, or the file is wrong.
    """
    taxonomy = load_taxonomy(name)
    texts = survey_texts(locale, taxonomy=taxonomy)
    shown = TaxonomyTexts(texts, taxonomy)
    keys = taxonomy.keys()
    return TaxonomyText(
        taxonomy.name,
        taxonomy.source,
        taxonomy.most_severe,
        {key: texts.get(key) for key in keys},
        shown.question,
        shown.definition,
        tuple(
            LabelText(
                label.id,
                label.severity,
                shown.groups.get(label.group, ""),
                shown.labels[label.id],
                shown.definitions[label.id],
            )
            for label in taxonomy.labels
        ),
        tuple(
            QuestionText(
                question.id,
                question.kind,
                shown.asked[question.id],
                shown.answers[question.id],
                question.when,
            )
            for question in taxonomy.questions
        ),
        shown.rules,
        tuple(
            ExampleText(
                example.id,
                example.label,
                example.template,
                shown.captions[example.id],
                shown.reasons[example.id],
            )
            for example in taxonomy.examples
        ),
        len(set(keys).intersection(texts.lacking(taxonomy))),
        locale.tag,
    )


@dataclass(frozen=True, slots=True)
class ShippedText:
    """A text, and the name that it is replaced by."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TextList:
    """Texts in one language, and the native speakers who have read all that ship in it."""

    language: str
    read_by: tuple[str, ...]
    texts: tuple[ShippedText, ...]


def list_texts(locale: Locale, beginning: str = "") -> TextList:
    """The texts that ship in a language, in English where there is none; by how names begin."""
    texts = survey_texts(locale)
    names = [name for name in texts.keys() if name.startswith(beginning)]  # noqa: SIM118
    shown = tuple(ShippedText(name, texts.get(name)) for name in names)
    return TextList(locale.tag, readers(locale.tag), shown)
