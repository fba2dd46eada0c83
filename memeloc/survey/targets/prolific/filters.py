"""Prolific's filters. In: a culture, and a TOML of ids. Out: who may take part, as its API has it.

Prolific gives the ids of filters and of their choices only to those who have a token. What its
documentation shows stands in data/prolific_filters.toml; `lookup` asks for the rest and `write`
keeps it. An id that is missing is told in a sentence, and never left out in silence.
"""

from __future__ import annotations

import json
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memeloc.errors import InputError
from memeloc.spreadsheets import replacing
from memeloc.survey.model import Culture

SHIPPED = Path(__file__).parent / "filters.toml"
SCREENED = ("first_language", "nationality", "country_of_birth", "residence", "monocultural")
"""What is screened for (multi3hate 3.3), in the order of the study's filters."""
SEX = "sex"
FIXED = "fixed"
"""The key of a choice that is the same for every culture."""

Kind = Literal["language", "country", "fixed"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Choices of a filter that stand for one of ours.

    Attributes:
        ids: Prolific's, such as `1`.
        labels: what they are called there; what `differing` compares with.
    """

    ids: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """Something that is screened for.

    Attributes:
        name: one of `SCREENED`, or `sex`.
        filter_id: Prolific's name of the filter; empty when unknown.
        titles: how the filter may be called where people see it.
        kind: what its choices are by: the culture's language or country, or the same for all.
        labels: of a fixed one, how its choices may be called.
        choices: by language tag, country or `fixed`.
    """

    name: str
    filter_id: str
    titles: tuple[str, ...]
    kind: Kind
    labels: tuple[str, ...] = ()
    choices: Mapping[str, Choice] = field(default_factory=dict)

    def key(self, culture: Culture) -> str:
        """What a culture's choice is found by."""
        if self.kind == "language":
            return culture.locale.tag
        return culture.code if self.kind == "country" else FIXED


@dataclass(frozen=True, slots=True)
class Filters:
    """All that is known of Prolific's filters.

    Attributes:
        looked_up: the day, as ISO 8601 has it.
        source: where.
        criteria: by name.
        countries: by ISO 3166-1 code, how Prolific's choices may call it.
        file: where it stands.
    """

    looked_up: str
    source: str
    criteria: Mapping[str, Criterion]
    countries: Mapping[str, tuple[str, ...]]
    file: Path

    def of(self, culture: Culture, *, balance_sex: bool) -> tuple[list[dict[str, Any]], list[str]]:
        """The filters of a culture's studies, and a sentence for each id that is missing.

        The residence is left out where annotators need not live in the country (multi3hate 3.3).
        """
        found: list[dict[str, Any]] = []
        missing: list[str] = []
        names = [one for one in SCREENED if one != "residence" or culture.resident]
        for name in (*names, *((SEX,) if balance_sex else ())):
            criterion = self.criteria[name]
            choice = criterion.choices.get(criterion.key(culture))
            if not criterion.filter_id or choice is None:
                missing.append(self._sentence(criterion, culture))
                continue
            one: dict[str, Any] = {
                "filter_id": criterion.filter_id,
                "selected_values": list(choice.ids),
            }
            if name == SEX:
                one["weightings"] = dict.fromkeys(choice.ids, 1)
            found.append(one)
        return found, missing

    def _sentence(self, criterion: Criterion, culture: Culture) -> str:
        what = criterion.name.replace("_", " ")
        whose = "" if criterion.kind == FIXED else f" for {criterion.key(culture)}"
        return (
            f"Prolific's id of the filter {what}{whose} is not known: it is told only to those who "
            "have a token. Look it up by `memeloc survey filters NAME`, or write it into a copy "
            f"of {self.file.name}."
        )


def load_filters(path: Path | None = None) -> Filters:
    """Read a TOML of filters; without one, the shipped one.

    Raises:
        InputError: it cannot be read, or says something that cannot be.
    """
    file = path or SHIPPED
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        read = _File.model_validate(values)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is not TOML: {error}", file=file) from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise InputError(f"{place}: {first['msg']}", file=file) from error
    lacking = [name for name in (*SCREENED, SEX) if name not in read.criteria]
    if lacking:
        raise InputError(f"has no [criteria.{lacking[0]}]; copy the shipped file", file=file)
    criteria = {
        name: Criterion(
            name,
            one.filter_id,
            one.titles,
            one.kind,
            one.labels,
            {key: Choice(choice.ids, choice.labels) for key, choice in one.choices.items()},
        )
        for name, one in read.criteria.items()
    }
    return Filters(read.looked_up, read.source, criteria, read.countries, file)


def lookup(
    known: Filters,
    answered: Iterable[Mapping[str, Any]],
    cultures: Sequence[Culture],
    *,
    source: str,
    day: str,
) -> tuple[Filters, list[str]]:
    """Find the ids that a survey needs in what GET /api/v1/filters/ answered.

    Args:
        known: what is known so far; choices of other cultures are kept.
        answered: the filters, each with `filter_id`, `title` and `choices` by id.
        cultures: those of the survey.
        source: the address that was asked.
        day: ISO 8601.

    Returns:
        What is known now, and a sentence for each thing that was not found.
    """
    listed = [one for one in answered if isinstance(one, Mapping)]
    problems: list[str] = []
    criteria: dict[str, Criterion] = {}
    for name, criterion in known.criteria.items():
        entry = _filter(criterion, listed)
        if entry is None:
            problems.append(
                f"No filter of Prolific is called {' or '.join(criterion.titles)}; look for it "
                f"in your account and write its id into [criteria.{name}]."
            )
            criteria[name] = criterion
            continue
        offered = entry.get("choices")
        labelled = (
            {str(key): str(label) for key, label in offered.items()}
            if isinstance(offered, Mapping)
            else {}
        )
        choices = dict(criterion.choices)
        wanted = {criterion.key(one): one for one in cultures} or {}
        if criterion.kind == FIXED and cultures:
            wanted = {FIXED: cultures[0]}
        for key, culture in wanted.items():
            names = _names(known, criterion, culture)
            ids = tuple(i for i, label in labelled.items() if _plain(label) in names)
            if not ids and criterion.kind == FIXED:
                ids = _containing(labelled, criterion.labels)
            if not ids or (name == SEX and len(ids) != 2):
                choices.pop(key, None)
                problems.append(
                    f"The filter {entry['filter_id']!r} has no choice that is surely {key}; it has "
                    f"{'; '.join(f'{i} = {label}' for i, label in list(labelled.items())[:12])}. "
                    f"Write the right one into [criteria.{name}.choices]."
                )
                continue
            choices[key] = Choice(ids, tuple(labelled[i] for i in ids))
        criteria[name] = replace(criterion, filter_id=str(entry["filter_id"]), choices=choices)
    return replace(known, looked_up=day, source=source, criteria=criteria), problems


def differing(
    known: Filters, answered: Iterable[Mapping[str, Any]], cultures: Sequence[Culture]
) -> list[str]:
    """A sentence for each id that means something else by now than it is written to mean.

    A choice whose number came to stand for another country would recruit the wrong people.
    """
    by_id = {str(one.get("filter_id")): one for one in answered if isinstance(one, Mapping)}
    found: list[str] = []
    for name, criterion in known.criteria.items():
        keys = {criterion.key(one) for one in cultures if name != "residence" or one.resident}
        for key in sorted(keys):
            choice = criterion.choices.get(key)
            if not criterion.filter_id or choice is None:
                continue
            entry = by_id.get(criterion.filter_id)
            if entry is None:
                found.append(
                    f"Prolific has no filter {criterion.filter_id!r} any more; look again."
                )
                break
            offered = entry.get("choices")
            labels = offered if isinstance(offered, Mapping) else {}
            for number, label in zip(choice.ids, choice.labels, strict=True):
                now = str(labels.get(number, "nothing"))
                if _plain(now) != _plain(label):
                    found.append(
                        f"Choice {number} of Prolific's filter {criterion.filter_id!r} is "
                        f"{now[:60]!r} and not {label!r}; look the filters up again."
                    )
    return found


def write_filters(known: Filters, path: Path) -> None:
    """Write a TOML that `load_filters` reads; whole, by rename."""
    lines = [
        "# Ids of Prolific's filters, as GET /api/v1/filters/ gave them.",
        f"looked_up = {_quoted(known.looked_up)}",
        f"source = {_quoted(known.source)}",
    ]
    for name in sorted(known.criteria):
        one = known.criteria[name]
        lines += [
            "",
            f"[criteria.{name}]",
            f"filter_id = {_quoted(one.filter_id)}",
            f"titles = {_quoted(list(one.titles))}",
            f"kind = {_quoted(one.kind)}",
            f"labels = {_quoted(list(one.labels))}",
        ]
        if one.choices:
            lines.append(f"[criteria.{name}.choices]")
            lines += [
                f"{_quoted(key)} = {{ ids = {_quoted(list(choice.ids))}, "
                f"labels = {_quoted(list(choice.labels))} }}"
                for key, choice in sorted(one.choices.items())
            ]
    lines += ["", "[countries]"]
    lines += [
        f"{_quoted(code)} = {_quoted(list(of))}" for code, of in sorted(known.countries.items())
    ]
    with replacing(path) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class _Choice(_Section):
    ids: Annotated[tuple[_Id, ...], Field(min_length=1)]
    labels: Annotated[tuple[str, ...], Field(min_length=1)]

    def model_post_init(self, _context: Any) -> None:
        if len(self.ids) != len(self.labels):
            raise ValueError("there is a label for each id")


class _Criterion(_Section):
    filter_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{0,100}$")] = ""
    titles: Annotated[tuple[str, ...], Field(min_length=1)]
    kind: Kind
    labels: tuple[str, ...] = ()
    choices: dict[str, _Choice] = {}


class _File(_Section):
    looked_up: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    source: str
    criteria: dict[str, _Criterion]
    countries: dict[str, tuple[str, ...]] = {}


def _filter(criterion: Criterion, listed: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The filter of that id, or of one of the titles, the first title first."""
    usable = [one for one in listed if isinstance(one.get("filter_id"), str)]
    for one in usable:
        if criterion.filter_id and one["filter_id"] == criterion.filter_id:
            return one
    for title in criterion.titles:
        same = [one for one in usable if _plain(str(one.get("title", ""))) == _plain(title)]
        if len(same) == 1:
            return same[0]
    return None


def _names(known: Filters, criterion: Criterion, culture: Culture) -> frozenset[str]:
    if criterion.kind == "language":
        locale = culture.locale
        names: Sequence[str] = (locale.recruitment or locale.name.split(" (")[0],)
    elif criterion.kind == "country":
        names = known.countries.get(culture.code, ())
    else:
        names = criterion.labels
    return frozenset(_plain(one) for one in names)


def _containing(labelled: Mapping[str, str], words: Sequence[str]) -> tuple[str, ...]:
    """The one choice that has one of the words in it; none when there are several."""
    found = tuple(
        number
        for number, label in labelled.items()
        if any(_plain(word) in _plain(label) for word in words)
    )
    return found if len(found) == 1 else ()


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _quoted(value: str | list[str]) -> str:
    """A value as TOML has it, which for these is as JSON has it."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode("utf-8")
