"""Prolific's filters. In: a culture, and a TOML of ids. Out: who may take part, as its API has it.

Prolific gives the ids of filters and of their choices only to those who have a token. What its
documentation shows stands in filters.toml beside this file; `lookup` finds the rest in the API's
list and `write_filters` keeps it. An id that is missing is always named in a sentence.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memeloc.settings import read_toml, validate
from memeloc.survey.model import Culture
from memeloc.survey.targets.prolific.records import FilterRecord
from memeloc.survey.targets.writing import write_text

SHIPPED = Path(__file__).parent / "filters.toml"
SCREENED = ("first_language", "nationality", "country_of_birth", "residence", "monocultural")
"""What is screened for (multi3hate 3.3), in the order of the study's filters."""
SEX = "sex"
FIXED = "fixed"
"""The key of a choice that is the same for every culture."""

_Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Choice(_Section):
    """Choices of a filter that stand for one of ours.

    Attributes:
        ids: Prolific's, such as `1`.
        labels: what they are called there; what `differing` compares with.
    """

    ids: Annotated[tuple[_Id, ...], Field(min_length=1)]
    labels: Annotated[tuple[str, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _a_label_for_each(self) -> Self:
        if len(self.ids) != len(self.labels):
            raise ValueError("there is a label for each id")
        return self


class Criterion(_Section):
    """Something that is screened for.

    Attributes:
        filter_id: Prolific's name of the filter; empty when unknown.
        titles: how the filter may be called where people see it.
        kind: what its choices are by: the culture's language or country, or the same for all.
        labels: of a fixed one, how its choices may be called.
        choices: by language tag, country or `fixed`.
    """

    filter_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{0,100}$")] = ""
    titles: Annotated[tuple[str, ...], Field(min_length=1)]
    kind: Literal["language", "country", "fixed"]
    labels: tuple[str, ...] = ()
    choices: dict[str, Choice] = {}

    def key(self, culture: Culture) -> str:
        """What a culture's choice is found by."""
        if self.kind == "language":
            return culture.locale.tag
        return culture.code if self.kind == "country" else FIXED


class Filters(_Section):
    """All that is known of Prolific's filters: what a TOML of them holds.

    Attributes:
        looked_up: the day, as ISO 8601 has it.
        source: where.
        criteria: by name: `SCREENED` and `sex`.
        countries: by ISO 3166-1 code, how Prolific's choices may call it.
    """

    looked_up: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    source: str
    criteria: dict[str, Criterion]
    countries: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for name in (*SCREENED, SEX):
            if name not in self.criteria:
                raise ValueError(f"has no [criteria.{name}]; copy the shipped file")
        return self

    def of(self, culture: Culture, *, balance_sex: bool) -> tuple[list[dict[str, Any]], list[str]]:
        """The filters of a culture's studies, and a sentence for each id that is missing.

        The residence is left out where annotators need not live in the country (multi3hate 3.3).
        """
        filters: list[dict[str, Any]] = []
        missing: list[str] = []
        names = [name for name in SCREENED if name != "residence" or culture.resident]
        for name in (*names, *((SEX,) if balance_sex else ())):
            criterion = self.criteria[name]
            choice = criterion.choices.get(criterion.key(culture))
            if not criterion.filter_id or choice is None:
                whose = "" if criterion.kind == FIXED else f" for {criterion.key(culture)}"
                missing.append(
                    f"Prolific's id of the filter {name.replace('_', ' ')}{whose} is not known: "
                    "it is given only to those who have a token. Look it up by `memeloc survey "
                    "filters NAME`, or write it into a copy of filters.toml."
                )
                continue
            wanted: dict[str, Any] = {
                "filter_id": criterion.filter_id,
                "selected_values": list(choice.ids),
            }
            if name == SEX:
                wanted["weightings"] = dict.fromkeys(choice.ids, 1)
            filters.append(wanted)
        return filters, missing


def load_filters(path: Path | None = None) -> Filters:
    """Read a TOML of filters; without one, the shipped one.

    Raises:
        InputError: it cannot be read, or has a value that cannot be.
    """
    file = path or SHIPPED
    return validate(Filters, read_toml(file), "the file of filters", file=file)


def lookup(
    known: Filters,
    offered: Sequence[FilterRecord],
    cultures: Sequence[Culture],
    *,
    source: str,
    day: str,
) -> tuple[Filters, list[str]]:
    """Find the ids that a survey needs in what GET /api/v1/filters/ answered.

    Args:
        known: what is known so far; choices of other cultures are kept.
        offered: the filters that Prolific has.
        cultures: those of the survey.
        source: the address that was asked.
        day: ISO 8601.

    Returns:
        What is known now, and a sentence for each thing that was not found.
    """
    problems: list[str] = []
    criteria: dict[str, Criterion] = {}
    for name, criterion in known.criteria.items():
        criteria[name] = criterion
        record = _filter(criterion, offered)
        if record is None:
            problems.append(
                f"No filter of Prolific is called {' or '.join(criterion.titles)}; look for it "
                f"in your account and write its id into [criteria.{name}]."
            )
            continue
        choices = dict(criterion.choices)
        for key, culture in {criterion.key(culture): culture for culture in cultures}.items():
            ids = _choice_ids(known, criterion, culture, record.labels)
            if not ids or (name == SEX and len(ids) != 2):
                choices.pop(key, None)
                listed = "; ".join(f"{i} = {of}" for i, of in list(record.labels.items())[:12])
                problems.append(
                    f"The filter {record.filter_id!r} has no choice that is surely {key}; it has "
                    f"{listed}. Write the right one into [criteria.{name}.choices]."
                )
                continue
            choices[key] = Choice(ids=ids, labels=tuple(record.labels[i] for i in ids))
        changes = {"filter_id": record.filter_id, "choices": choices}
        criteria[name] = criterion.model_copy(update=changes)
    changed = {"looked_up": day, "source": source, "criteria": criteria}
    return known.model_copy(update=changed), problems


def differing(
    known: Filters, offered: Iterable[FilterRecord], cultures: Sequence[Culture]
) -> list[str]:
    """A sentence for each id that means something else by now than it is written to mean.

    A choice whose number came to stand for another country would recruit the wrong people.
    """
    by_id = {record.filter_id: record for record in offered}
    problems: list[str] = []
    for name, criterion in known.criteria.items():
        keys = {criterion.key(each) for each in cultures if name != "residence" or each.resident}
        for key in sorted(keys & criterion.choices.keys() if criterion.filter_id else ()):
            record = by_id.get(criterion.filter_id)
            if record is None:
                problems.append(
                    f"Prolific has no filter {criterion.filter_id!r} any more; look again."
                )
                break
            choice = criterion.choices[key]
            for number, label in zip(choice.ids, choice.labels, strict=True):
                now = record.labels.get(number, "nothing")
                if _plain(now) != _plain(label):
                    problems.append(
                        f"Choice {number} of Prolific's filter {criterion.filter_id!r} is "
                        f"{now[:60]!r} and not {label!r}; look the filters up again."
                    )
    return problems


def write_filters(known: Filters, path: Path) -> None:
    """Write a TOML that `load_filters` reads; whole, by rename."""
    lines = [
        "# Ids of Prolific's filters, as GET /api/v1/filters/ gave them.",
        f"looked_up = {_toml(known.looked_up)}",
        f"source = {_toml(known.source)}",
    ]
    for name, criterion in sorted(known.criteria.items()):
        lines += ["", f"[criteria.{name}]"]
        lines += [
            f"{key} = {_toml(value)}"
            for key, value in criterion.model_dump(mode="json", exclude={"choices"}).items()
        ]
        if criterion.choices:
            lines.append(f"[criteria.{name}.choices]")
            lines += [
                f"{_toml(key)} = {{ ids = {_toml(choice.ids)}, labels = {_toml(choice.labels)} }}"
                for key, choice in sorted(criterion.choices.items())
            ]
    lines += ["", "[countries]"]
    lines += [f"{_toml(code)} = {_toml(names)}" for code, names in sorted(known.countries.items())]
    write_text(path, "\n".join(lines) + "\n")


def _filter(criterion: Criterion, offered: Sequence[FilterRecord]) -> FilterRecord | None:
    """The filter of that id, or of one of the titles, the first title first."""
    for record in offered:
        if record.filter_id == criterion.filter_id:
            return record
    for title in criterion.titles:
        same = [record for record in offered if _plain(record.title or "") == _plain(title)]
        if len(same) == 1:
            return same[0]
    return None


def _choice_ids(
    known: Filters, criterion: Criterion, culture: Culture, labels: Mapping[str, str]
) -> tuple[str, ...]:
    """Choices that are surely what is looked for; a fixed one may have more words around it."""
    if criterion.kind == "language":
        names: Sequence[str] = (culture.locale.recruitment or culture.locale.name.split(" (")[0],)
    elif criterion.kind == "country":
        names = known.countries.get(culture.code, ())
    else:
        names = criterion.labels
    plain = {_plain(name) for name in names}
    ids = tuple(i for i, label in labels.items() if _plain(label) in plain)
    if not ids and criterion.kind == FIXED:
        ids = tuple(i for i, label in labels.items() if any(n in _plain(label) for n in plain))
        return ids if len(ids) == 1 else ()
    return ids


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _toml(value: str | Sequence[str]) -> str:
    """A value as TOML has it, which for these is as JSON has it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
