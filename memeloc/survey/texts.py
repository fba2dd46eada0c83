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
from types import MappingProxyType
from typing import Any

from memeloc.errors import InputError
from memeloc.model import Caption, Locale
from memeloc.taxonomy import LABEL, SOURCE, Label, Taxonomy

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
        self._texts = texts
        self._source = source

    def get(self, key: str, **values: object) -> str:
        """A text with its placeholders filled in; one that gets no value stays as it is.

        Raises:
            KeyError: there is no such text.
        """
        own = self._texts.get(key)
        text = own or self._source[key]
        if "{" not in text:
            return text

        def filled(match: re.Match[str]) -> str:
            value = values.get(match[1], match[0])
            if isinstance(value, int) and own:
                return str(value).translate(str.maketrans(_ASCII_DIGITS, self.digits))
            return str(value)

        return _PLACEHOLDER.sub(filled, text)

    @cached_property
    def digits(self) -> str:
        """The ten digits, 0 first, that the language writes numbers with.

        They are those of the age in the sentence of consent: one text decides for all of them.
        """
        for letter in self._texts.get("consent.yes", ""):
            if letter.isdecimal():
                zero = ord(letter) - unicodedata.decimal(letter)
                return "".join(chr(zero + value) for value in range(10))
        return _ASCII_DIGITS

    def has(self, key: str) -> bool:
        """Whether there is such a text, in this language or in English."""
        return bool(self._texts.get(key) or self._source.get(key))

    def source(self, key: str) -> str:
        """The English text."""
        return self._source[key]

    def replaced(self, own: Mapping[str, str], english: Mapping[str, str]) -> SurveyTexts:
        """The same with other texts in this language, and other English ones, by name."""
        kept = {key: text for key, text in own.items() if text.strip()}
        source = {key: text for key, text in english.items() if text.strip()}
        return SurveyTexts(self.locale, {**self._texts, **kept}, {**self._source, **source})

    def keys(self) -> tuple[str, ...]:
        """The names of all texts."""
        return tuple(dict.fromkeys((*self._source, *self._texts)))

    def lacking(self, taxonomy: Taxonomy) -> tuple[str, ...]:
        """Return the names of the texts that a survey by `taxonomy` shows in English instead."""
        return tuple(key for key in keys_in_use(taxonomy) if not self._texts.get(key))


class TaxonomyTexts:
    """What annotators read of a taxonomy in one language, by ids in the taxonomy's order.

    Attributes:
        question: the question for the label, which has `labels` to choose from.
        asked: the further questions by id, with `{text}` where an item's own text stands.
        answers: by question id (`LABEL` among them), the names of the answers by id.
    """

    def __init__(self, texts: SurveyTexts, taxonomy: Taxonomy) -> None:
        def get(key: str) -> str:
            return texts.get(f"taxonomy.{taxonomy.name}.{key}")

        self.question, self.definition = get("question"), get("definition")
        self.labels = {label.id: get(f"label.{label.id}.name") for label in taxonomy.labels}
        self.definitions = {
            label.id: explained(texts, taxonomy, label) for label in taxonomy.labels
        }
        self.groups = {group: get(f"group.{group}") for group in taxonomy.groups}
        self.rules = tuple(get(f"rule.{rule}") for rule in taxonomy.rules)
        examples = [example.id for example in taxonomy.examples]
        self.captions = {example: get(f"example.{example}.caption") for example in examples}
        self.reasons = {example: get(f"example.{example}.why") for example in examples}
        self.asked = dict[str, str]()
        self.answers: dict[str, dict[str, str]] = {LABEL: self.labels}
        for asked in taxonomy.questions:
            if asked.id in taxonomy.demographics:
                own = f"demographics.{asked.id}"
                self.asked[asked.id] = texts.get(f"{own}.text")
                keys = {answer: f"{own}.answer.{answer}" for answer in asked.answers}
                keys["prefer-not"] = "demographics.prefer-not"
                self.answers[asked.id] = {id: texts.get(key) for id, key in keys.items()}
                continue
            label = taxonomy.whose_kinds(asked)
            before = f"label.{label.id}.subcategory" if label else f"questions.{asked.id}.answer"
            self.answers[asked.id] = {answer: get(f"{before}.{answer}") for answer in asked.answers}
            self.asked[asked.id] = (
                texts.get("subcategories.question", label=self.labels[label.id])
                if label
                else get(f"questions.{asked.id}.text")
            )


def keys_in_use(taxonomy: Taxonomy) -> tuple[str, ...]:
    """Return the names of the texts that people of a survey may read: not those of other
    taxonomies, nor of questions that are not asked."""
    unused = tuple(
        before
        for before, is_used in (
            ("taxonomy.", False),
            ("subcategories.", taxonomy.ask_subcategories),
            ("person.", bool(taxonomy.about("person"))),
            ("rules.", bool(taxonomy.rules)),
        )
        if not is_used
    )
    asked = tuple(f"demographics.{id}." for id in taxonomy.demographics)
    general = (
        key
        for key in shipped_texts(SOURCE)
        if not key.startswith((*unused, "demographics."))
        or key.startswith(asked)
        or (asked and key == "demographics.prefer-not")
    )
    return (*general, *taxonomy.keys())


def explained(texts: SurveyTexts, taxonomy: Taxonomy, label: Label) -> str:
    """What a label means: its definition, and in brackets the names of its finer kinds."""
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
    """The texts in a language, with those of a taxonomy of your own; de-AT takes those of de.

    `corrections` by name come before all others, but for those that `usable` refuses.
    """
    english = catalogue(taxonomy)
    corrected = {
        key: text
        for key, text in (corrections or {}).items()
        if text.strip() and usable(key, text, english.get(key, ""))
    }
    own = texts_in(locale.tag, [taxonomy] if taxonomy else [])
    return SurveyTexts(locale, {**own, **corrected}, english)


def texts_in(tag: str, taxonomies: Iterable[Taxonomy] = ()) -> dict[str, str]:
    """The texts by name that ship in a language, and that taxonomies bring; no English ones."""
    nearest = _nearest(tag, shipped_languages())
    texts = dict(shipped_texts(nearest)) if nearest else {}
    for taxonomy in taxonomies:
        if nearest := _nearest(tag, taxonomy.texts):
            texts |= taxonomy.texts[nearest]
    return texts


def catalogue(taxonomy: Taxonomy | None = None) -> dict[str, str]:
    """All English texts by name, with those of a taxonomy of your own.

    It is what `correct export --kind survey` sends out to translators.
    """
    own = taxonomy.texts.get(SOURCE, {}) if taxonomy is not None else {}
    return {**shipped_texts(SOURCE), **own}


@cache
def shipped_languages() -> tuple[str, ...]:
    """The tags of the languages that texts are shipped in, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def shipped_texts(tag: str) -> Mapping[str, str]:
    """The shipped texts of a language by name.

    Raises:
        InputError: there are none in that language.
    """
    return MappingProxyType(flat(_file(tag)[1]))


def readers(tag: str) -> tuple[str, ...]:
    """The native speakers who have read all that ships in a language; nobody where nothing does."""
    nearest = _nearest(tag, shipped_languages())
    return tuple(_file(nearest)[0]) if nearest else ()


@cache
def _file(tag: str) -> tuple[list[str], dict[str, Any]]:
    """Who has read the file of a language, and its texts."""
    if tag not in shipped_languages():
        raise InputError(
            f"There are no survey texts in {tag[:40]!r}; there are "
            f"{', '.join(shipped_languages())}."
        )
    values = tomllib.loads((FOLDER / f"{tag}.toml").read_text(encoding="utf-8"))
    return values.pop("read_by"), values


def placeholders(text: str) -> frozenset[str]:
    """The names of a text's placeholders, such as `number` in `Meme {number}`."""
    return frozenset(_PLACEHOLDER.findall(text))


def usable(key: str, text: str, english: str) -> bool:
    """Whether a correction keeps what people need of the English text, if there is one.

    That is the placeholders that nobody gets on without, and the parts of a caption.
    """
    if not english:
        return True
    lost = placeholders(english) - placeholders(text)
    is_caption = ".example." in key and key.endswith(".caption")
    parts = {len(Caption.parse(each).parts) for each in (text, english) if is_caption}
    return not lost & _NEEDED and len(parts) <= 1


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Texts by name: the keys of tables within tables, joined by dots."""
    texts: dict[str, str] = {}
    for key, value in values.items():
        name = f"{before}.{key}" if before else key
        if isinstance(value, Mapping):
            texts |= flat(value, name)
        else:
            texts[name] = str(value).strip()
    return texts


def _nearest(tag: str, tags: Iterable[str]) -> str:
    """The tag itself or the longest beginning of it that is there; empty when none is."""
    known = set(tags)
    while tag and tag not in known:
        tag = tag.rpartition("-")[0]
    return tag
