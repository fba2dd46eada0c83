"""The study that surveys belong to. In: the table study of memeloc.toml. Out: what people read.

Whoever answers reads who is responsible, what for, for how long and how to withdraw. memeloc
ships a sentence for each in every language; what they say of a study, only its team knows. The team
may put its own text in the place of any that ships, in English as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memeloc.errors import InputError
from memeloc.survey.texts import SurveyTexts, flat, placeholders, usable

LINES = ("controller", "purpose", "retention", "ethics", "withdrawal")
"""What the page for consent says of a study below the text itself, in order, as `study.NAME`."""

_PROSE = ("purpose", "retention", "withdrawal")
"""Those that are no names and numbers, so that one text cannot be in all languages."""

ENGLISH = "en"

PerLanguage = str | dict[str, str]
"""One text for all languages, or one for each by its tag."""


class Study(BaseModel):
    """A study's own account of itself; an empty text is not shown."""

    # Each command reads it: descriptions from docstrings would parse this file at every start.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    controller: PerLanguage = Field(
        default="", description="who is responsible for the data: institution and address"
    )
    contact: str = Field(
        default="", description="whom people may ask, and where they withdraw: an address"
    )
    purpose: PerLanguage = Field(default="", description="what the answers are collected for")
    retention: PerLanguage = Field(
        default="", description="how long data of people are kept, as until a date"
    )
    ethics: PerLanguage = Field(
        default="", description="the approval: which committee, and its number"
    )
    withdrawal: PerLanguage = Field(
        default="",
        description="the whole sentence on withdrawing, in the place of the one that ships",
    )
    texts: dict[str, dict[str, str]] = Field(
        default={},
        description="texts in the place of those that ship, a table a language, as "
        "[study.texts.en.consent]",
    )

    @field_validator("texts", mode="before")
    @classmethod
    def _flattened(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {
            tag: flat(texts) if isinstance(texts, Mapping) else texts
            for tag, texts in value.items()
        }

    def line(self, name: str, tag: str) -> str:
        """Return what stands under a name of `LINES` in a language; in English where it lacks."""
        value = getattr(self, name)
        if isinstance(value, str):
            return value
        return _in(value, tag) or value.get(ENGLISH) or next(iter(value.values()), "")

    def apply(self, texts: SurveyTexts) -> SurveyTexts:
        """Return all texts in a language, with the study's own; raise InputError if there is no
        text of that name, or it lost what people need."""
        tag = texts.locale.tag
        in_language, english = (_in(self.texts, each) or {} for each in (tag, ENGLISH))
        for key, text in (in_language | english).items():
            shipped = texts.english.get(key)
            if shipped is None and not texts.has(key):
                if key.startswith("taxonomy."):  # another survey may have that taxonomy
                    continue
                raise InputError(
                    f"[study.texts] of memeloc.toml has {key[:80]!r}, which is no text; "
                    "`memeloc survey show texts` lists their names."
                )
            if text.strip() and not usable(key, text, shipped or ""):
                needed = ", ".join(f"{{{name}}}" for name in sorted(placeholders(shipped or "")))
                raise InputError(
                    f"[study.texts] of memeloc.toml: {key} has to have what the text that ships "
                    f"has: {needed or 'as many parts, with // between'}."
                )
        changed = texts.replaced(in_language, english)
        lines = {f"study.{name}": self.line(name, tag) for name in LINES}
        filled = {
            key: text if key.endswith(".withdrawal") else changed.get(key, **{key[6:]: text})
            for key, text in lines.items()
            if text.strip()
        }
        return changed.replaced(filled, {})

    def warnings(self, tags: Sequence[str], contact: str) -> Iterator[str]:
        """Yield what people read nowhere, a sentence each; `tags`: languages that are asked in."""
        needed = {
            "who is responsible": ("controller", self.controller),
            "how long data are kept": ("retention", self.retention),
            "whom to ask": ("contact", contact),
        }
        if lacking := {meaning: name for meaning, (name, value) in needed.items() if not value}:
            yield (
                f"The page for consent does not say {' and '.join(lacking)}: set "
                f"{' and '.join(lacking.values())} under [study] in memeloc.toml."
            )
        for name in LINES:
            value = getattr(self, name)
            if isinstance(value, dict):
                missing = [tag for tag in tags if not _in(value, tag)]
            else:
                missing = list(tags[1:]) if value and name in _PROSE else []
            if missing:
                example = ", ".join(f'{tag} = "..."' for tag in tags)
                yield (
                    f"[study] {name} has no text in {', '.join(missing)}: write "
                    f"{name} = {{{example}}}."
                )
        for key in sorted(self.texts.get(ENGLISH, {})):
            if missing := [tag for tag in tags if key not in (_in(self.texts, tag) or {})]:
                yield (
                    f"[study.texts.en] has a text of your own for {key}; {', '.join(missing)} "
                    "still say what ships."
                )


def _in(texts: Mapping[str, Any], tag: str) -> Any:
    """Return what is there for a language, or for the one that its tag begins with."""
    return texts.get(tag) or texts.get(tag.partition("-")[0])
