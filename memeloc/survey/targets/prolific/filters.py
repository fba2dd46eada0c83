"""Prolific's filters. In: a culture, and a TOML of ids. Out: who may take part, as its API has it.

Prolific gives the ids of filters and of their choices only to those who have a token. What its
documentation shows stands in filters.toml beside this file; `lookup` finds the rest in the API's
list and `write_filters` keeps it. An id that is missing is always named in a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, Field

from memeloc.settings import read_toml, validate
from memeloc.sheets import write_sheet
from memeloc.survey.model import Culture
from memeloc.survey.targets.files import write_text
from memeloc.survey.targets.prolific.api import FilterRecord

SHIPPED = Path(__file__).parent / "filters.toml"
SCREENED = (
    *("first_language", "nationality", "country_of_birth", "most_of_life", "residence"),
    "monocultural",
)
"""Criteria that are screened for (multi3hate 3.3), in the order of the study's filters."""
BICULTURAL = (
    *("first_language", "fluent_languages", "country_of_birth", "residence", "multicultural"),
)
"""The same of bicultural people (multi3hate 4.3)."""
SEX = "sex"
FIXED = "fixed"
"""The key of a choice that is the same for every culture."""


class Choice(BaseModel, extra="forbid", frozen=True):
    """Prolific's choices that stand for one of ours: ids such as `1`, and their labels there."""

    ids: Annotated[tuple[str, ...], Field(min_length=1)]
    labels: tuple[str, ...]


class Criterion(BaseModel, extra="forbid", frozen=True):
    """A property that is screened for.

    Attributes:
        filter_id: Prolific's name of the filter; empty when unknown.
        titles, labels: how the filter, and the choices of a fixed one, may be called there.
        kind: what its choices are by: the culture's language or country, or the same for all.
        choices: by language tag, country or `fixed`.
    """

    filter_id: str = ""
    titles: Annotated[tuple[str, ...], Field(min_length=1)]
    kind: Literal["language", "country", "fixed"]
    labels: tuple[str, ...] = ()
    choices: dict[str, Choice] = {}


class Filters(BaseModel, extra="forbid", frozen=True):
    """All that is known of Prolific's filters: what a TOML of them holds.

    `looked_up` is the day; `criteria` are by name, those of `SCREENED`, `BICULTURAL` and `sex`;
    `countries` has by ISO 3166-1 code how Prolific's choices may call it.
    """

    looked_up: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    source: str
    criteria: dict[str, Criterion]
    countries: dict[str, tuple[str, ...]] = {}

    def of(
        self, culture: Culture, *, balance_sex: bool
    ) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
        """Return the filters of a culture's studies, and the keys whose ids are missing."""
        filters: list[dict[str, Any]] = []
        missing: dict[str, list[str]] = {}
        for name, keys in self.wanted([culture], balance_sex=balance_sex).items():
            criterion = self.criteria[name]
            choices = criterion.choices if criterion.filter_id else {}
            if unknown := [key for key in keys if key not in choices]:
                missing[name] = unknown
            if ids := [id for key in keys if key in choices for id in choices[key].ids]:
                filters.append({"filter_id": criterion.filter_id, "selected_values": ids})
                if name == SEX:
                    filters[-1]["weightings"] = dict.fromkeys(ids, 1)
        return filters, missing

    def wanted(
        self, cultures: Iterable[Culture], *, balance_sex: bool = True
    ) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return by criterion and key the choices that cultures need, as Prolific may call them.

        The residence is left out where annotators need not live in the country (multi3hate 3.3).
        """
        wanted: dict[str, dict[str, tuple[str, ...]]] = {}
        for culture in cultures:
            names: tuple[str, ...] = BICULTURAL
            if culture.second is None:
                names = tuple(each for each in SCREENED if culture.resident or each != "residence")
            for name in (*names, *((SEX,) if balance_sex else ())):
                criterion, keys = self.criteria[name], wanted.setdefault(name, {})
                if criterion.kind == "language":
                    for locale in (culture.locale, culture.second):
                        if locale is not None:
                            keys[locale.tag] = (locale.recruitment or locale.name.split(" (")[0],)
                elif criterion.kind == "country":
                    code = culture.residence if name == "residence" else culture.country
                    keys[code] = self.countries.get(code, ())
                else:
                    keys[FIXED] = criterion.labels
        return wanted


def load_filters(path: Path | None = None) -> Filters:
    """Read a TOML of filters, or else the shipped one; raises as `read_toml` and `validate`.

    Criteria that a file lacks are the shipped ones.
    """
    file = path or SHIPPED
    values = dict(read_toml(file))
    if isinstance(values.get("criteria"), dict):
        values["criteria"] = {**read_toml(SHIPPED)["criteria"], **values["criteria"]}
    return validate(Filters, values, "the file of filters", file=file)


def lookup(
    filters: Filters, offered: Sequence[FilterRecord], cultures: Sequence[Culture]
) -> tuple[Filters, list[str]]:
    """Find the ids that a survey needs in `offered`, what GET /api/v1/filters/ answered.

    `filters` is what is known so far; choices of other cultures are kept. Returns what is known
    now, and a sentence for each thing that was not found.
    """
    problems: list[str] = []
    criteria = dict(filters.criteria)
    for name, wanted in filters.wanted(cultures).items():
        criterion = criteria[name]
        same = [each for each in offered if each.filter_id == criterion.filter_id]
        for title in criterion.titles:  # the first title first, if it is of one filter only
            titled = [each for each in offered if _plain(each.title or "") == _plain(title)]
            same += titled if len(titled) == 1 else []
        if not same:
            problems.append(
                f"No filter of Prolific is called {' or '.join(criterion.titles)}; look for it "
                f"in your account and write its id into [criteria.{name}]."
            )
            continue
        record, choices = same[0], dict(criterion.choices)
        labels = record.choices
        for key, names in wanted.items():
            ids = _choices(labels, names, within=criterion.kind == FIXED)
            if ids and (name != SEX or len(ids) == 2):
                choices[key] = Choice(ids=ids, labels=tuple(labels[id] for id in ids))
                continue
            choices.pop(key, None)
            listed = "; ".join(f"{id} = {label}" for id, label in list(labels.items())[:12])
            problems.append(
                f"The filter {record.filter_id!r} has no choice that is surely {key}; it has "
                f"{listed}. Write the right one into [criteria.{name}.choices]."
            )
        update = {"filter_id": record.filter_id, "choices": choices}
        criteria[name] = criterion.model_copy(update=update)
    return filters.model_copy(update={"criteria": criteria}), problems


def differing(
    filters: Filters, offered: Iterable[FilterRecord], cultures: Sequence[Culture]
) -> list[str]:
    """Return a sentence for each id that means something else by now than it is written to mean.

    A choice whose number came to stand for another country would recruit the wrong people.
    """
    labels_now = {record.filter_id: record.choices for record in offered}
    problems: list[str] = []
    for name, keys in filters.wanted(cultures).items():
        id, choices = filters.criteria[name].filter_id, filters.criteria[name].choices
        chosen = [choices[key] for key in keys if id and key in choices]
        if chosen and id not in labels_now:
            problems.append(f"Prolific has no filter {id!r} any more; look again.")
            continue
        for choice, label in sorted(
            {pair for each in chosen for pair in zip(each.ids, each.labels, strict=False)}
        ):
            now = labels_now[id].get(choice, "nothing")
            if _plain(now) != _plain(label):
                problems.append(
                    f"Choice {choice} of Prolific's filter {id!r} is {now[:60]!r} and not "
                    f"{label!r}; look the filters up again."
                )
    return problems


def write_filters(filters: Filters, path: Path) -> Path:
    """Write a TOML that `load_filters` reads; return where it is, see `memeloc.sheets`."""
    listed = re.compile(r"\[\n((?: {4}.*\n)+)\]")  # a list a line is easier to correct
    written = listed.sub(
        lambda match: f"[{' '.join(map(str.strip, match[1].splitlines()))[:-1]}]",
        tomli_w.dumps(filters.model_dump(mode="json")),
    )
    text = f"# Ids of Prolific's filters, as GET /api/v1/filters/ gave them.\n{written}"
    return write_sheet(path, lambda draft: write_text(draft, text))[0]


def _choices(labels: Mapping[str, str], names: Iterable[str], *, within: bool) -> tuple[str, ...]:
    """Return the ids of choices called so; `within`, the only one with a name in its label."""
    plain = {_plain(name) for name in names}
    ids = tuple(id for id, label in labels.items() if _plain(label) in plain)
    if within and not ids:
        ids = tuple(
            id for id, label in labels.items() if any(name in _plain(label) for name in plain)
        )
        return ids if len(ids) == 1 else ()
    return ids


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
