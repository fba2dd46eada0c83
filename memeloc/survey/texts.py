"""The texts of surveys. In: a language and a taxonomy. Out: every text that annotators read.

A TOML a language stands in memeloc/survey/texts/; its tables and keys joined by dots are a text's
name. A team's own corrections come first, then the language's text, then the English one.

Corrections come from untrusted files: a placeholder is a name in braces and nothing else, so that
no text can reach into the values, and what would leave people stuck is not used (see `usable`).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.model import Caption, Locale
from memeloc.settings import shipped_names
from memeloc.taxonomy import LABEL, SOURCE, Label, Taxonomy, load_taxonomy, taxonomy_names

FOLDER = Path(__file__).parent / "texts"

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_ASCII_DIGITS = "0123456789"
_NEEDED = frozenset({"code", "label", "text"})
"""Nobody gets on without the code that ends a survey, the answer that a check asks for, and the
item's own text in a question about it."""


class SurveyTexts:
    """All texts in one language by name; what `texts` lacks is taken from the English `source`.

    >>> from memeloc.locales import default
    >>> [survey_texts(default().get(tag)).digits for tag in ("bn", "hi")]
    ['০১২৩৪৫৬৭৮৯', '0123456789']
    """

    def __init__(self, locale: Locale, texts: Mapping[str, str], source: Mapping[str, str]) -> None:
        self.locale = locale
        self.english = source
        self._texts = texts

    def get(self, key: str, **values: object) -> str:
        """Return a text with its placeholders filled in; one that gets no value stays as it is.
        Raise KeyError if there is no such text."""
        translated = self._texts.get(key)
        text = translated or self.english[key]
        if "{" not in text:
            return text

        def filled(match: re.Match[str]) -> str:
            value = values.get(match[1], match[0])
            if isinstance(value, int) and translated:
                return str(value).translate(str.maketrans(_ASCII_DIGITS, self.digits))
            return str(value)

        return _PLACEHOLDER.sub(filled, text)

    @cached_property
    def digits(self) -> str:
        """The ten digits, 0 first, that the language writes numbers with: those of the age in the
        sentence of consent, so that one text decides for all of them."""
        for letter in self._texts.get("consent.yes", ""):
            if letter.isdecimal():
                zero = ord(letter) - unicodedata.decimal(letter)
                return "".join(chr(zero + value) for value in range(10))
        return _ASCII_DIGITS

    def has(self, key: str) -> bool:
        return bool(self._texts.get(key) or self.english.get(key))

    def replaced(self, translated: Mapping[str, str], english: Mapping[str, str]) -> SurveyTexts:
        """Return the same with other texts in this language, and other English ones, by name."""
        texts, source = {**self._texts, **_filled(translated)}, {**self.english, **_filled(english)}
        return SurveyTexts(self.locale, texts, source)

    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.english, *self._texts)))

    def lacking(self, taxonomy: Taxonomy) -> tuple[str, ...]:
        """Return the names of the texts that a survey by `taxonomy` shows in English instead."""
        return tuple(key for key in keys_in_use(taxonomy) if not self._texts.get(key))


class TaxonomyTexts:
    """The texts of a taxonomy in one language, by ids in the taxonomy's order: the
    `question` for the label, all others (`asked`) by id, with `{text}` where an item's own text
    stands, and the names of `answers` by question id (`LABEL` among them) and id."""

    def __init__(self, texts: SurveyTexts, taxonomy: Taxonomy) -> None:
        before = f"taxonomy.{taxonomy.name}"

        def named(kind: str, ids: Iterable[str], end: str = "") -> dict[str, str]:
            return {each: texts.get(f"{before}.{kind}.{each}{end}") for each in ids}

        self.question = texts.get(f"{before}.question")
        self.definition = texts.get(f"{before}.definition")
        self.labels = named("label", (label.id for label in taxonomy.labels), ".name")
        self.definitions = {
            label.id: explained(texts, taxonomy, label) for label in taxonomy.labels
        }
        self.groups = named("group", taxonomy.groups)
        self.rules = tuple(named("rule", taxonomy.rules).values())
        examples = [example.id for example in taxonomy.examples]
        self.captions = named("example", examples, ".caption")
        self.reasons = named("example", examples, ".why")
        self.asked: dict[str, str] = {}
        self.answers: dict[str, dict[str, str]] = {LABEL: self.labels}
        for each in taxonomy.questions:
            if each.id in taxonomy.demographics:
                asked = texts.get(f"demographics.{each.id}.text")
                keys = {
                    answer: f"demographics.{each.id}.answer.{answer}" for answer in each.answers
                }
                keys["prefer-not"] = "demographics.prefer-not"
                answers = {answer: texts.get(key) for answer, key in keys.items()}
            elif label := taxonomy.whose_kinds(each):
                asked = texts.get("subcategories.question", label=self.labels[label.id])
                answers = named(f"label.{label.id}.subcategory", each.answers)
            else:
                asked = texts.get(f"{before}.questions.{each.id}.text")
                answers = named(f"questions.{each.id}.answer", each.answers)
            self.asked[each.id], self.answers[each.id] = asked, answers


def keys_in_use(taxonomy: Taxonomy) -> tuple[str, ...]:
    """Return the names of the texts that people of a survey may read: not those of other
    taxonomies, nor of questions that are not asked."""
    asked = tuple(f"demographics.{id}." for id in taxonomy.demographics)
    sections = {
        "taxonomy": (),
        "subcategories": ("",) if taxonomy.ask_subcategories else (),
        "person": ("",) if taxonomy.about("person") else (),
        "rules": ("",) if taxonomy.rules else (),
        "demographics": (*asked, "demographics.prefer-not") if asked else (),
    }
    general = (
        key for key in shipped_texts(SOURCE) if key.startswith(sections.get(_section(key), ("",)))
    )
    return (*general, *taxonomy.keys())


def _section(key: str) -> str:
    section, dot, _ = key.partition(".")
    return section if dot else ""


def explained(texts: SurveyTexts, taxonomy: Taxonomy, label: Label) -> str:
    """Return what a label means: its definition, and in brackets the names of its finer kinds."""
    before = f"taxonomy.{taxonomy.name}.label.{label.id}"
    # Languages write lists in their own ways; a point between two names is read in all of them.
    finer = " · ".join(texts.get(f"{before}.subcategory.{kind}") for kind in label.subcategories)
    definition = texts.get(f"{before}.definition")
    return f"{definition} ({finer})" if finer else definition


def survey_texts(
    locale: Locale,
    corrections: Mapping[str, str] | None = None,
    *,
    taxonomy: Taxonomy | None = None,
) -> SurveyTexts:
    """Return the texts in a language, with those of a taxonomy of your own; de-AT takes those of
    de. `corrections` by name come before all others, but for those that `usable` refuses."""
    english = catalogue(taxonomy)
    corrected = {
        key: text
        for key, text in _filled(corrections or {}).items()
        if usable(key, text, english.get(key, ""))
    }
    texts = texts_in(locale.tag, [taxonomy] if taxonomy else [])
    return SurveyTexts(locale, {**texts, **corrected}, english)


def texts_in(tag: str, taxonomies: Iterable[Taxonomy] = ()) -> dict[str, str]:
    """Return the texts by name that ship in a language, and that taxonomies bring; no English
    ones."""
    shipped = nearest(tag, shipped_languages())
    texts = dict(shipped_texts(shipped)) if shipped else {}
    for taxonomy in taxonomies:
        if brought := nearest(tag, taxonomy.texts):
            texts |= taxonomy.texts[brought]
    return texts


def catalogue(taxonomy: Taxonomy | None = None) -> dict[str, str]:
    """Return all English texts by name, with those of a taxonomy of your own: what `correct export
    --kind survey` sends out to translators."""
    texts = taxonomy.texts.get(SOURCE, {}) if taxonomy is not None else {}
    return {**shipped_texts(SOURCE), **texts}


@cache
def shipped_languages() -> tuple[str, ...]:
    return shipped_names(FOLDER)


def shipped_texts(tag: str) -> Mapping[str, str]:
    """Return the shipped texts of a language by name; raise InputError if there are none in it."""
    return _file(tag)[1]


def readers(tag: str) -> tuple[str, ...]:
    """Return the native speakers who have read all that ships in a language."""
    shipped = nearest(tag, shipped_languages())
    return _file(shipped)[0] if shipped else ()


@cache
def _file(tag: str) -> tuple[tuple[str, ...], Mapping[str, str]]:
    if tag not in shipped_languages():
        languages = ", ".join(shipped_languages())
        raise InputError(f"There are no survey texts in {tag[:40]!r}; there are {languages}.")
    values = tomllib.loads((FOLDER / f"{tag}.toml").read_text(encoding="utf-8"))
    return tuple(values.pop("read_by")), flat(values)


def placeholders(text: str) -> frozenset[str]:
    """Return the names of a text's placeholders, such as `number` in `Meme {number}`."""
    return frozenset(_PLACEHOLDER.findall(text))


def usable(key: str, text: str, english: str) -> bool:
    """Return whether a correction keeps what people need of the English text, if there is one: the
    placeholders that nobody gets on without, and the parts of a caption."""
    if not english:
        return True
    lost = placeholders(english) - placeholders(text)
    is_caption = ".example." in key and key.endswith(".caption")
    parts = {len(Caption.parse(each).parts) for each in (text, english) if is_caption}
    return not lost & _NEEDED and len(parts) <= 1


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Return texts by name: the keys of tables within tables, joined by dots."""
    texts: dict[str, str] = {}
    for key, value in values.items():
        inner = isinstance(value, Mapping)
        texts |= flat(value, f"{before}{key}.") if inner else {before + key: str(value).strip()}
    return texts


def nearest(tag: str, tags: Iterable[str]) -> str:
    """Return the tag itself or the longest beginning of it that is one of `tags`; else ""."""
    present = set(tags)
    while tag and tag not in present:
        tag = tag.rpartition("-")[0]
    return tag


def _filled(texts: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in texts.items() if text.strip()}


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
    `lacking` counts the texts that are in English for want of a translation. Raises InputError if
    there is none of that name, or the file is wrong.
    """
    taxonomy = load_taxonomy(name)
    texts = survey_texts(locale, taxonomy=taxonomy)
    shown = TaxonomyTexts(texts, taxonomy)

    def rows(entities: Iterable[Any], fields: str, **named: Mapping[str, Any]) -> list[Any]:
        return [
            {field: getattr(each, field) for field in fields.split()}
            | {field: values.get(each.id) for field, values in named.items()}
            for each in entities
        ]

    groups = {label.id: shown.groups.get(label.group, "") for label in taxonomy.labels}
    keys = taxonomy.keys()
    return {
        "name": taxonomy.name,
        "source": taxonomy.source,
        "most_severe": taxonomy.most_severe,
        "texts": {key: texts.get(key) for key in keys},
        "question": shown.question,
        "definition": shown.definition,
        "labels": rows(
            taxonomy.labels,
            "id severity",
            group=groups,
            name=shown.labels,
            definition=shown.definitions,
        ),
        "questions": rows(
            taxonomy.questions, "id kind when", text=shown.asked, answers=shown.answers
        ),
        "rules": shown.rules,
        "examples": rows(
            taxonomy.examples, "id label template", caption=shown.captions, why=shown.reasons
        ),
        "lacking": len(set(keys).intersection(texts.lacking(taxonomy))),
        "language": locale.tag,
    }


def list_texts(locale: Locale, beginning: str = "") -> dict[str, Any]:
    """Return the texts that ship in a language, in English where there is none, by how names begin,
    and the native speakers who have read them (`read_by`)."""
    texts = survey_texts(locale)
    names = [name for name in texts.keys() if name.startswith(beginning)]  # noqa: SIM118
    shown = [{"name": name, "text": texts.get(name)} for name in names]
    return {"language": locale.tag, "read_by": readers(locale.tag), "texts": shown}
