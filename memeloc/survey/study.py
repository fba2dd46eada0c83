"""The study that surveys belong to. In: the table study of memeloc.toml. Out: what people read.

Whoever answers reads who is responsible, what for, for how long and how to withdraw. memeloc
ships a sentence for each in every language; what they say of a study, only its team knows. The team
may put its own text in the place of any that ships, in English as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """What a study says of itself; an empty text is not shown."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

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
        """Tables within tables are names with dots."""
        if not isinstance(value, Mapping):
            return value
        return {
            tag: flat(texts) if isinstance(texts, Mapping) else texts
            for tag, texts in value.items()
        }

    def line(self, name: str, tag: str) -> str:
        """What it says in a language under a name of `LINES`; in English where that is lacking."""
        value = getattr(self, name)
        return value if isinstance(value, str) else str(_nearest(value, tag) or "")

    def replaced(self, tag: str) -> dict[str, str]:
        """The team's own texts in a language, by name."""
        return dict(self.texts.get(tag) or self.texts.get(tag.partition("-")[0]) or {})

    def apply(self, texts: SurveyTexts) -> SurveyTexts:
        """All texts in a language, with the study's own.

        Raises:
            InputError: there is no text of that name, or it lost what people need.
        """
        tag = texts.locale.tag
        known, own, english = set(texts.keys()), self.replaced(tag), self.replaced(ENGLISH)
        for key, text in (own | english).items():
            if key in known:
                _check_usable(key, text, texts.source(key))
            elif not key.startswith("taxonomy."):  # another survey may have that taxonomy
                raise InputError(
                    f"[study.texts] of memeloc.toml has {key[:80]!r}, which is no text; "
                    "`memeloc survey texts` lists their names."
                )
        changed = texts.replaced(own, english)
        lines = {f"study.{name}": self.line(name, tag) for name in LINES}
        filled = {
            key: text if key.endswith(".withdrawal") else changed.get(key, **{key[6:]: text})
            for key, text in lines.items()
            if text.strip()
        }
        return changed.replaced(filled, {})

    def warnings(self, tags: Sequence[str], contact: str) -> Iterator[str]:
        """What people read nowhere, a sentence each; `tags`: languages that are asked in."""
        lacking = [name for name in ("controller", "retention") if not getattr(self, name)]
        lacking += [] if contact else ["contact"]
        if lacking:
            yield (
                f"The page for consent does not say {_named(lacking)}: set "
                f"{' and '.join(lacking)} under [study] in memeloc.toml."
            )
        for name in LINES:
            value = getattr(self, name)
            if isinstance(value, dict):
                missing = [tag for tag in tags if not _own(value, tag)]
            else:
                missing = list(tags[1:]) if value and name in _PROSE else []
            if missing:
                example = ", ".join(f'{tag} = "..."' for tag in tags)
                yield (
                    f"[study] {name} has no text in {', '.join(missing)}: write "
                    f"{name} = {{{example}}}."
                )
        for key in sorted(self.replaced(ENGLISH)):
            if missing := [tag for tag in tags if tag != ENGLISH and key not in self.replaced(tag)]:
                yield (
                    f"[study.texts.en] has a text of your own for {key}; {', '.join(missing)} "
                    "still say what ships."
                )


def _check_usable(key: str, text: str, shipped: str) -> None:
    if text.strip() and not usable(key, text, shipped):
        needed = ", ".join(f"{{{name}}}" for name in sorted(placeholders(shipped)))
        raise InputError(
            f"[study.texts] of memeloc.toml: {key} has to have what the text that ships has: "
            f"{needed or 'as many parts, with // between'}."
        )


def _nearest(texts: Mapping[str, str], tag: str) -> str:
    return _own(texts, tag) or texts.get(ENGLISH) or next(iter(texts.values()), "")


def _own(texts: Mapping[str, str], tag: str) -> str:
    return texts.get(tag) or texts.get(tag.partition("-")[0]) or ""


def _named(names: Iterable[str]) -> str:
    meanings = {
        "controller": "who is responsible",
        "retention": "how long data are kept",
        "contact": "whom to ask",
    }
    return " and ".join(meanings[name] for name in names)
