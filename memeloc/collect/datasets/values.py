"""Values of a row. In: cells as a table holds them. Out: dates, years, languages and labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

from memeloc.collect.sources.dataset_files import NotTakenError
from memeloc.items import Year
from memeloc.locales import default
from memeloc.locales.tags import canonical
from memeloc.tables import text_of

_TWITTER = "%a %b %d %H:%M:%S %z %Y"
_SECONDS = re.compile(r"([0-9]{9,10})(\.[0-9]+|[0-9]{3})?")  # from 1970, or milliseconds
_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


def created_of(value: Any) -> str:
    """A date as ISO 8601; seconds and milliseconds from 1970 are in UTC. Empty when it is none.

    >>> created_of("2021-03-04 05:06:07"), created_of("1614834367"), created_of("soon")
    ('2021-03-04T05:06:07', '2021-03-04T05:06:07+00:00', '')
    """
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    text = text_of(value).strip()
    if re.fullmatch(r"(19|20)[0-9]{2}", text):
        return text
    if seconds := _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()
    for read in (date.fromisoformat, datetime.fromisoformat, _as_twitter, parsedate_to_datetime):
        try:
            return read(text).isoformat()
        except (ValueError, TypeError, OverflowError):
            continue
    return ""


def _as_twitter(text: str) -> datetime:
    return datetime.strptime(text, _TWITTER)


def year_of(value: Any, column: str) -> Year | None:
    """A year of the common era as the dataset states it.

    >>> year_of(2014.0, "year")
    Year(year=2014, by='dataset', evidence='year: 2014')
    """
    text = text_of(value).strip()
    match = re.match(r"(19|20)\d\d", text)
    return Year(int(match[0]), "dataset", f"{column}: {text[:100]}") if match else None


def language_of(value: Any) -> str:
    """The tag of a language that is written as a tag or by its English name; else empty.

    >>> language_of("RUSSIAN"), language_of("pt-BR"), language_of("unclear")
    ('ru', 'pt-BR', '')
    """
    text = text_of(value).strip()
    return canonical(text) if _TAG.fullmatch(text) else _by_english_name().get(text.casefold(), "")


@cache
def _by_english_name() -> dict[str, str]:
    return {locale.name.casefold(): locale.tag for locale in reversed(list(default()))}


def labels_of(
    cells: Mapping[str, Any], columns: Mapping[str, str], questions: Sequence[str]
) -> dict[str, str]:
    """The labels of a row by question, as they are written; questions without one are left out.

    Args:
        columns: the column of each question.
        questions: of a column whose cells are lists, what each entry answers; else a list is one
            label, with commas.

    Raises:
        NotTakenError: a list has more entries than there are questions, or other than names.
    """
    labels: dict[str, str] = {}
    for question, column in columns.items():
        value = cells.get(column)
        if questions and len(columns) == 1:
            labels |= _by_questions(value, questions)
            continue
        labels[question] = text_of(value).strip()
    return {question: label for question, label in labels.items() if label}


def _by_questions(value: Any, questions: Sequence[str]) -> dict[str, str]:
    values = value if isinstance(value, list) else [] if value in (None, "") else [value]
    names = [text_of(label).strip() for label in values]
    nested = any(isinstance(label, dict | list) for label in values)
    if nested or len(names) > len(questions) or not all(names):
        sentence = f"its labels are {value!r:.80}, not {' and '.join(questions)}"
        raise NotTakenError("not readable", sentence)
    return dict(zip(questions, names, strict=False))
