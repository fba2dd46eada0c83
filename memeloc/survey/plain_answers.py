"""Answers that were collected without a sheet of ours. In: a table with a row an answer. Out: raw
submissions, what services would say of the people, and rows that cannot be placed.

Columns are found by the one map (`memeloc.tables.column_map`); of a row that is rejected only what
stands in them is kept: published tables have dozens of others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Participant, RejectedRow
from memeloc.survey.quality.screening import country_code
from memeloc.survey.targets.places import clean_id
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission
from memeloc.survey.texts import TaxonomyTexts, survey_texts
from memeloc.tables import folded
from memeloc.tables.column_map import ColumnMap, Role, read_rows, whole_number
from memeloc.tables.rows import Frame
from memeloc.taxonomy import LABEL, SOURCE, Taxonomy

ROLES = (
    Role("item", ("item", "item id", "meme", "meme id"), required=True),
    Role("annotator", ("annotator", "annotator id"), required=True),
    # As written: a row that is rejected is kept with what was typed.
    Role("label", ("label", "answer"), required=True),
    Role("culture", ("culture", "country"), values="culture"),
    Role("time"),
    Role("demographics", many=True, values="fact"),
    Role("question", many=True),
)
_LONGEST_ITEM = 200  # characters of an item's id; what is longer is a text
_CHECK_ID = re.compile(r"check-\d+")


def read_answers(
    table: str | Path | Frame, column_map: ColumnMap, country: str
) -> tuple[pd.DataFrame, list[RejectedRow]]:
    """Return the rows that say who of which culture answered what, and the others. Raise InputError
    if the table cannot be read, or has no such column.

    Args:
        country: the code of everybody's, where the table has no column of cultures.
    """
    mapped = read_rows(table, column_map, ROLES, encodings=("cp1252",))
    rejected = [
        RejectedRow("", row.number, row.reason, row.error, {"row": row.texts})
        for row in mapped.broken
    ]
    rows = mapped.frame
    rows["item"] = rows["item"].map(whole_number)
    rows["annotator"] = rows["annotator"].map(clean_id)
    written = rows["culture"] if "culture" in rows else pd.Series(country, rows.index, dtype=object)
    mapped_codes = set(column_map.cultures.values())
    codes = {
        text: text if text in mapped_codes else country_code(text) for text in written.unique()
    }
    rows["culture"] = written.map(codes).astype(object)
    is_answer = []
    for row, culture in zip(rows.to_dict("records"), written, strict=True):
        who, item, label = row["annotator"], row["item"], row["label"]
        unread = f"{label!r} is taken for no answer." if label else "It has no answer."
        unknown = f"{culture[:60]!r} is no country that is known; name it: --map cultures.TEXT=CODE"
        problems = (
            (not who, "no participant", "It does not say who answered."),
            (who in column_map.models, "a model", "The map says that a model answered."),
            (
                folded(item) in ("", *column_map.missing),
                "no item",
                "It does not say what was answered.",
            ),
            (
                len(item) > _LONGEST_ITEM or _CHECK_ID.fullmatch(item),
                "unusable item",
                f"{item[:40]!r} cannot be the id of an item.",
            ),
            (not column_map.label_of(label), "no answer", unread),
            (not row["culture"], "unknown culture" if culture else "no culture", unknown),
        )
        problem = next((each[1:] for each in problems if each[0]), None)
        is_answer.append(problem is None)
        if problem is not None:
            rejected.append(_rejected(row, *problem))
    return rows[pd.Series(is_answer, rows.index, dtype=bool)], rejected


def raw_records(
    answers: pd.DataFrame,
    sheets: Mapping[tuple[str, str], str],
    label_of: Callable[[str], str],
) -> Iterator[RawRecord]:
    """Yield what the answers say: a submission a person and culture, which counts as whole.

    Args:
        sheets: by culture and item the id of the sheet that asks about it; empty for several.
        label_of: by answer the id of a label, or a name that a sheet's language may have for one.
    """
    by_person: dict[tuple[str, str], list[RawAnswer]] = defaultdict(list)
    facts: dict[str, dict[str, str]] = defaultdict(dict)
    for row in answers.to_dict("records"):
        who, item, culture = row["annotator"], row["item"], row["culture"]
        sheet = sheets.get((culture, item))
        if sheet is None:
            yield _rejected(row, "unknown item", f"Nobody of {culture} is asked about {item!r}.")
        elif not sheet:
            message = f"Several sheets ask about {item!r}; which one this is, is unknown."
            yield _rejected(row, "several sheets", message)
        else:
            values = {name: (text,) for name, text in _cells(row, "question").items()}
            values = {LABEL: (label_of(row["label"]),), **values}
            time = row.get("time", "")
            raw = RawAnswer(item, values, sheet=sheet, submitted=time, row=row["row"])
            by_person[who, culture].append(raw)
            facts[who].update(_cells(row, "demographics"))
    for (who, _), answered in by_person.items():
        times = sorted(str(raw.submitted) for raw in answered if raw.submitted)
        yield RawSubmission(
            who,
            answered,
            status="complete",
            started=times[0] if len(times) > 1 else None,
            submitted=times[-1] if times else None,
            row=answered[0].row,
        )
    yield from (Participant(who, values) for who, values in facts.items() if values)


def _rejected(row: Mapping[Any, Any], reason: str, message: str) -> RejectedRow:
    content = {"participant": row["annotator"], "item": row["item"], "answer": row["label"]}
    content |= _cells(row, "question")
    return RejectedRow("", row["row"], reason, message, content, row["annotator"])


def _cells(row: Mapping[Any, Any], role: str) -> dict[str, str]:
    cells = ((name.partition(f"{role}: "), text) for name, text in row.items())
    return {name: text for (before, role, name), text in cells if role and not before and text}


def label_reader(
    column_map: ColumnMap, taxonomy: Taxonomy, columns: Iterable[str]
) -> Callable[[str], str]:
    """Return a function from an answer to a label: by the map, by id, or by name in English. Raise
    InputError if a label of the map, or a question of the columns, is not of the taxonomy."""
    english = TaxonomyTexts(survey_texts(default().get(SOURCE), taxonomy=taxonomy), taxonomy).labels
    by_name = {folded(text): label for label, text in english.items()}
    by_name |= {folded(label.id): label.id for label in taxonomy.labels}
    named = [by_name.get(folded(each), each) for each in column_map.labels.values() if each]
    roles = [str(column).partition("question: ") for column in columns]
    for option, words, entries in (
        ("label", named, taxonomy.labels),
        ("question", [word for _, found, word in roles if found], taxonomy.questions),
    ):
        allowed = [each.id for each in entries]
        for word in words:
            if word not in allowed:
                has = ", ".join(allowed) or "none"
                raise InputError(f"There is no {option} {word[:40]!r}: {taxonomy.name} has {has}")

    def label_of(answer: str) -> str:
        label = column_map.label_of(answer)
        return by_name.get(folded(label), label)

    return label_of
