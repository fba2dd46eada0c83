"""Taxonomies to look at. In: a name, a language. Out: what ships, and one with all its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memeloc.model import Locale
from memeloc.survey.targets.instructions import explained
from memeloc.survey.taxonomy import load_taxonomy, taxonomy_names
from memeloc.survey.texts import shipped_languages, survey_texts


@dataclass(frozen=True, slots=True)
class TaxonomySummary:
    """A taxonomy in short; see `Taxonomy`."""

    name: str
    source: str
    labels: tuple[str, ...]
    second: str | None
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
class TaxonomyText:
    """A taxonomy in one language.

    Attributes:
        name, source, most_severe: see `Taxonomy`.
        texts: all of its texts by their names.
        question, definition, labels, rules, examples: the same in order.
        second: the second question; empty for none.
        when: ids of the labels that it is asked after.
        answers: name of each of its answers by id.
        lacking: how many texts are in English for want of a translation.
        language: the tag of the language.
    """

    name: str
    source: str
    most_severe: bool
    texts: Mapping[str, str]
    question: str
    definition: str
    labels: tuple[LabelText, ...]
    second: str
    when: tuple[str, ...]
    answers: Mapping[str, str]
    rules: tuple[str, ...]
    examples: tuple[ExampleText, ...]
    lacking: int
    language: str


def list_taxonomies() -> TaxonomyList:
    """What ships."""
    return TaxonomyList(
        tuple(
            TaxonomySummary(
                one.name,
                one.source,
                tuple(label.id for label in one.labels),
                None if one.second is None else one.second.id,
                len(one.examples),
            )
            for one in map(load_taxonomy, taxonomy_names())
        ),
        shipped_languages(),
    )


def describe(name: str, locale: Locale) -> TaxonomyText:
    """A taxonomy with all its texts in a language.

    Args:
        name: of one that ships, or the .toml file of another.
        locale: the language.

    Raises:
        InputError: there is none of that name, or the file is wrong.
    """
    taxonomy = load_taxonomy(name)
    texts = survey_texts(locale, taxonomy=taxonomy)
    before = f"taxonomy.{taxonomy.name}"
    second = taxonomy.second
    asked = f"{before}.second.{second.id}" if second else ""
    return TaxonomyText(
        taxonomy.name,
        taxonomy.source,
        taxonomy.most_severe,
        {key: texts.get(key) for key in taxonomy.keys()},  # noqa: SIM118
        texts.get(f"{before}.question"),
        texts.get(f"{before}.definition"),
        tuple(
            LabelText(
                one.id,
                one.severity,
                texts.get(f"{before}.group.{one.group}") if one.group else "",
                texts.get(f"{before}.label.{one.id}.name"),
                explained(texts, taxonomy, one),
            )
            for one in taxonomy.labels
        ),
        texts.get(f"{asked}.question") if second else "",
        second.when if second else (),
        {one: texts.get(f"{asked}.answer.{one}") for one in (second.answers if second else ())},
        tuple(texts.get(f"{before}.rule.{rule}") for rule in taxonomy.rules),
        tuple(
            ExampleText(
                one.id,
                one.label,
                one.template,
                texts.get(f"{before}.example.{one.id}.caption"),
                texts.get(f"{before}.example.{one.id}.why"),
            )
            for one in taxonomy.examples
        ),
        len(set(taxonomy.keys()).intersection(texts.lacking(taxonomy))),
        locale.tag,
    )
