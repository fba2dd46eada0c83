"""Building a survey. In: a workspace's memes, cultures, a design. Out: a `BuildResult`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.model import Acceptance, Locale
from memeloc.survey.design.build import notes
from memeloc.survey.design.settings import RELAXED
from memeloc.survey.model import Batch, Culture
from memeloc.survey.texts import TaxonomyTexts, survey_texts
from memeloc.taxonomy import SOURCE
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import StoredSurvey

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9_-])?")
_RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{device}{number}" for device in ("COM", "LPT") for number in range(10)
}
"""Names that no file of Windows can have."""
_CODE = re.compile("[A-Z]{2}(-[A-Z]{2})?")


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A survey that was built, or what was chosen for it.

    Attributes:
        memes, sheets: how many there are; `annotators` is how many places the sheets have.
        new: how many batches were not there before.
        taxonomy, question, answers: what is asked, in English; answers by the label's id.
        checks: how many attention checks a sheet has, by kind.
        remarks: what could not be kept to, a sentence each.
        left_out: by language, the memes without a caption in it.
        acceptance: of the memes' captions, which were taken and left out by their states.
        outcomes: of a choice: by outcome how many memes were taken, and how many there were.
    """

    survey: str
    memes: int
    batches: tuple[Mapping[str, Any], ...]
    sheets: int
    annotators: int
    new: int
    taxonomy: str
    question: str
    answers: Mapping[str, str]
    checks: Mapping[str, int]
    remarks: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outcomes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    acceptance: Acceptance | None = None


def build_result(
    survey: StoredSurvey, batches: Sequence[Batch], memes: Mapping[str, str], new: int, **more: Any
) -> BuildResult:
    """Return what was built, with further fields of `BuildResult`."""
    texts = TaxonomyTexts(
        survey_texts(default().get(SOURCE), taxonomy=survey.taxonomy), survey.taxonomy
    )
    fields = ("id", "memes", "cultures", "answers")
    more["remarks"] = (*more.get("remarks", ()), *notes(batches, memes))
    return BuildResult(
        survey.name,
        len(memes),
        tuple({name: getattr(batch, name) for name in fields} for batch in batches),
        sum(len(batch.cultures) for batch in batches),
        sum(len(batch.cultures) * batch.answers for batch in batches),
        new,
        taxonomy=survey.taxonomy.name,
        question=texts.question,
        answers=texts.labels,
        checks={"explicit": survey.design.explicit, "implicit": survey.design.implicit},
        **more,
    )


def read_cultures(
    workspace: WorkspaceFolder, text: str, relaxed: str = RELAXED
) -> tuple[Culture, ...]:
    """Cultures from `DE,MX=es,IN=hi`: countries, each with its language where that is not plain.

    A country without a language takes the workspace's language that is spoken there, by the
    locales' own countries. `IN-US=hi+en` are bicultural people, who were born in the one country,
    live in the other, and speak both languages; their sheets are in the first.

    Raises:
        InputError: it is not a country, or has no language, or several.
    """
    free = {code.strip().upper() for code in relaxed.split(",") if code.strip()}
    cultures = []
    for word in filter(None, map(str.strip, text.split(","))):
        code, _, tags = (part.strip() for part in word.partition("="))
        code, (first, _, other) = code.upper(), tags.partition("+")
        if not _CODE.fullmatch(code) or code[:2] == code[3:]:
            raise InputError(
                f"--cultures: {code[:20]!r} is not a country; write two letters each, with commas "
                "between, as US,DE,MX=es; for bicultural people two countries, as IN-US=hi+en"
            )
        if "UK" in code.split("-"):
            raise InputError("--cultures: the United Kingdom's code is GB (ISO 3166), not UK")
        if other and "-" not in code:
            raise InputError(
                f"--cultures: {word[:30]!r} has two languages and one country; bicultural people "
                "have two, as IN-US=hi+en"
            )
        locale = _spoken(workspace, code[:2], first.strip())
        second = _spoken(workspace, code[3:], other.strip()) if "-" in code else None
        cultures.append(Culture(code, locale, code not in free, second))
    codes = [culture.code for culture in cultures]
    unknown = free.difference(codes, {"NONE"})
    if unknown and relaxed != RELAXED:
        raise InputError(
            f"--relaxed: {min(unknown)[:20]!r} is not one of the cultures; name some of "
            f"{','.join(codes)}, or none"
        )
    return tuple(cultures)


def _spoken(workspace: WorkspaceFolder, country: str, tag: str) -> Locale:
    """The language of a tag, or the workspace's only one of a country."""
    languages = {locale.tag: locale for locale in (workspace.source, *workspace.languages)}
    spoken = [locale for locale in languages.values() if locale.country == country]
    if not tag and len(spoken) != 1:
        raise InputError(
            f"Which language is {country} asked in? "
            + ("Several are" if spoken else "None of the workspace's is")
            + f" of that country; write {country}=TAG, with one of {', '.join(languages)} or "
            "another."
        )
    return workspace.locale(tag) if tag else spoken[0]


def check_name(name: str, names: Sequence[str]) -> None:
    """Refuse a survey's name that cannot be a folder's everywhere, nor stand in ids."""
    if name.split(".")[0].upper() in _RESERVED:
        raise InputError(f"A survey cannot be called {name[:80]!r}: no folder on Windows can.")
    if not _NAME.fullmatch(name):
        raise InputError(
            f"A survey cannot be called {name[:80]!r}: 1 to 60 of a to z, A to Z, digits, '.', '-' "
            "and '_', a letter or digit first, no '.' last."
        )
    for other in names:
        if other != name and other.casefold() == name.casefold():
            raise InputError(
                f"There is a survey {other!r}; some systems keep both in one folder, so give this "
                f"one another name than {name!r}."
            )
