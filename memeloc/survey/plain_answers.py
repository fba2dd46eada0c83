"""Answers that were collected without a sheet of ours. In: a table with a row an answer. Out: raw
submissions, what services would say of the people, and rows that cannot be placed.

Columns are named by the caller, and all others are left alone: published tables have dozens.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memeloc.survey.model import Participant, RejectedRow
from memeloc.survey.quality.screening import country_code
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission
from memeloc.tables import Row, Table, folded, read_table, read_tables

BETWEEN = "|"
"""What stands between several answers to a further question."""
_LONGEST_ITEM = 200
_CHECK_ID = re.compile(r"check-\d+")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold what, by their headings.

    Attributes:
        culture: a column, or a country's code where all answers are from there.
        time: when the answer was given, ISO 8601; empty without.
        facts: columns by fact, such as `nationality`, as screening knows them.
        further: columns by the id of a further question; several answers with `|` between.
    """

    participant: str
    item: str
    answer: str
    culture: str = ""
    time: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """A row that says who of which culture answered what; the answer is as written there."""

    row: int
    participant: str
    item: str
    answer: str
    culture: str
    time: str
    facts: tuple[tuple[str, str], ...] = ()
    further: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PlainAnswers:
    """The answers of a table, and the rows that are none."""

    answers: tuple[PlainAnswer, ...]
    rejected: tuple[RejectedRow, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """What is asked about, in the order in which it comes."""
        return tuple(dict.fromkeys(answer.item for answer in self.answers))

    @property
    def cultures(self) -> tuple[str, ...]:
        """The codes of the cultures, in the order in which they come."""
        return tuple(dict.fromkeys(answer.culture for answer in self.answers))


def read_answers(path: Path, columns: Columns, countries: Mapping[str, str]) -> PlainAnswers:
    """The answers of a table.

    Args:
        countries: codes by what the column of cultures has, beside codes and countries' names.

    Raises:
        InputError: the file cannot be read, or has no such column.
    """
    codes = {folded(text): code for text, code in countries.items()}
    table = _table(path, columns)
    answers: list[PlainAnswer] = []
    rejected: list[RejectedRow] = []
    for row in table.rows:
        read = _answer(row, columns, codes)
        if isinstance(read, PlainAnswer):
            answers.append(read)
        else:
            rejected.append(read)
    return PlainAnswers(tuple(answers), tuple(rejected))


def raw_records(
    answers: Iterable[PlainAnswer],
    sheets: Mapping[tuple[str, str], str],
    label_of: Callable[[PlainAnswer], str],
) -> Iterator[RawRecord]:
    """What the answers say: a submission a person and culture, which counts as whole.

    Args:
        sheets: by culture and item the id of the sheet that asks about it; empty for several.
        label_of: the id of a label, or the answer as it is.
    """
    by_person: dict[tuple[str, str], list[RawAnswer]] = defaultdict(list)
    facts: dict[str, dict[str, str]] = defaultdict(dict)
    for answer in answers:
        sheet = sheets.get((answer.culture, answer.item))
        if not sheet:
            yield _without_sheet(answer, several=sheet is not None)
            continue
        label = label_of(answer)
        raw = RawAnswer(
            answer.item,
            (label,) if label else (),
            {name: text.split(BETWEEN) for name, text in answer.further},
            sheet=sheet,
            submitted=answer.time,
            row=answer.row,
        )
        by_person[answer.participant, answer.culture].append(raw)
        if answer.facts:
            facts[answer.participant].update(answer.facts)
    for (who, _), given in by_person.items():
        times = sorted(str(raw.submitted) for raw in given if raw.submitted)
        yield RawSubmission(
            who,
            given,
            status="complete",
            started=times[0] if len(times) > 1 else None,
            submitted=times[-1] if times else None,
            row=given[0].row,
        )
    for who, known in facts.items():
        yield Participant(who, known)


def _without_sheet(answer: PlainAnswer, *, several: bool) -> RejectedRow:
    """An answer that no sheet asks for, or several do."""
    reason, message = "unknown item", f"Nobody of {answer.culture} is asked about {answer.item!r}."
    if several:
        reason = "several sheets"
        message = f"Several sheets ask about {answer.item!r}; which one this is, is unknown."
    content = {"participant": answer.participant, "item": answer.item, "answer": answer.answer}
    content |= dict(answer.further)
    return RejectedRow("", answer.row, reason, message, content, answer.participant)


def _table(path: Path, columns: Columns) -> Table:
    """The table of a file that has the columns; others of it may be there twice."""
    named = [columns.participant, columns.item, columns.answer, columns.time]
    named += [*columns.facts.values(), *columns.further.values()]
    named += ["" if _is_code(columns.culture) else columns.culture]
    required = [name for name in named if name]
    tables = read_tables(path, required, encodings=("cp1252",))
    return next(tables, None) or read_table(path, required)


def _is_code(text: str) -> bool:
    return re.fullmatch("[A-Z]{2}", text) is not None


def _answer(row: Row, columns: Columns, codes: Mapping[str, str]) -> PlainAnswer | RejectedRow:
    """What a row says; only named columns of it are kept where it is rejected."""
    who, item, answer = row[columns.participant], row[columns.item], row[columns.answer]

    def rejected(reason: str, message: str) -> RejectedRow:
        content = {"participant": who, "item": item, "answer": answer}
        return RejectedRow("", row.number, reason, message, content, who)

    if row.reason:
        return rejected(row.reason, row.error)
    if not who:
        return rejected("no participant", "It does not say who answered.")
    if not item:
        return rejected("no item", "It does not say what was answered.")
    if len(item) > _LONGEST_ITEM or _CHECK_ID.fullmatch(item):
        return rejected("unusable item", f"{item[:40]!r} cannot be the id of an item.")
    if not answer:
        return rejected("no answer", "It has no answer.")
    code = columns.culture
    if not _is_code(code):
        text = row[columns.culture]
        code = codes.get(folded(text)) or country_code(text)
        if not code:
            message = f"{text[:60]!r} is no country that is known; name it: --country TEXT=CODE"
            return rejected("unknown culture" if text else "no culture", message)
    time = row[columns.time] if columns.time else ""
    facts, further = _named(row, columns.facts), _named(row, columns.further)
    return PlainAnswer(row.number, who, item, answer, code, time, facts, further)


def _named(row: Row, columns: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, column in columns.items() if (text := row[column]))
