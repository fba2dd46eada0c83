"""Qualtrics. In: sheets; exports of their responses as CSV. Out: a `.qsf` a sheet; raw submissions.

FOLDER/SHEET.qsf             a project is made of it by "Create from a file"
FOLDER/pictures/SHEET/       with `pictures_base`: to be put on a server under that address

The flow reads PROLIFIC_PID from the address, warns and asks for consent, ends where that is
refused, shows the introduction and then an entry a page; on each of them people can stop, and what
they answered is sent. Ends go back to Prolific with the sheet's codes. Qualtrics publishes no
schema; fields and their types are those of files that it exports.

Responses come with three rows of headings, of which the first has the questions' export tags, the
third marks of Qualtrics' own. Both ways to export are read, as choice text and as numeric values,
and what a spreadsheet saved again. Previews, tests and what Qualtrics takes for spam or a program
are no participants.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import lru_cache, partial
from html import escape
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from zoneinfo import ZoneInfo

from memeloc.errors import InputError
from memeloc.pages import fill_page
from memeloc.survey.model import PersonEntry, RejectedRow
from memeloc.survey.targets import files, protocol
from memeloc.survey.targets.instructions import (
    Section,
    SheetFiles,
    SheetTexts,
    ShownQuestion,
    as_html,
)
from memeloc.survey.targets.places import CONSENT, is_ticked
from memeloc.tables import Row, Table, drawable, folded, read_tables
from memeloc.tables.column_map import whole_number
from memeloc.tables.rows import Header
from memeloc.taxonomy import LABEL, Kind

LARGEST, SIDE = 200_000, 600
"""Bytes up to which a picture stands in its question as it is, and pixels to which a larger one is
made smaller there: so wide are pictures shown."""
MOST_BUTTONS = 11
"""Points of a scale that fit side by side; a longer one is a slider."""
PARTICIPANT = "PROLIFIC_PID"
EMBEDDED = (PARTICIPANT, "STUDY_ID", "SESSION_ID")
_LANGUAGES = {"zh-Hans": "ZH-S", "zh-Hant": "ZH-T", "pt": "PT-BR", "es": "ES", "en": "EN"}
"""Qualtrics' codes where they are not the language's in capitals."""

_MADE = (
    ("spam", 8, "Qualtrics takes it for spam, so nobody took part."),
    ("preview", 1, "It is a preview of the team's own, so nobody took part."),
    ("test", 2, "Qualtrics made it to test the survey, so nobody took part."),
)
"""A word in the column `Status`, the bit of its number that says the same, and what that means."""
_LEAST_SCORE = 0.5
"""Of `Q_RecaptchaScore`, from 0 to 1: Qualtrics' guide takes less for a program's response."""
_UNANSWERED = "-99"
"""What numeric exports may have for a question that was seen and not answered."""
_FINISHED = {"true": True, "1": True, "false": False, "0": False}
"""What a response has in the column `Finished`; the row of questions has that word itself."""
_PERSONAL = frozenset(
    {
        "IPAddress", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
        "ExternalReference", "LocationLatitude", "LocationLongitude",
    }
)  # fmt: skip
"""What Qualtrics adds of people and nobody asked for; it is never kept."""
_METADATA = _PERSONAL | {
    "StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage", "introduction", "warning",
    CONSENT, *EMBEDDED,
}  # fmt: skip
_SAMPLE = 50
"""Rows by which an encoding is judged."""

Payload = dict[str, Any]


def tag_of(number: int) -> str:
    """Return what follows an entry's tag in that of its other question of a number, from 1."""
    return f"_q{number}"


class Qsf(SheetFiles):
    """Target that writes a Qualtrics survey for each sheet, and reads what Qualtrics exports of it.
    Raise InputError if that is no https address.

    Args:
        pictures_base: the https address under which the exported folder `pictures` will be; empty
            puts pictures into the questions, large ones made smaller.
    """

    name = "qsf"
    summary = "a Qualtrics survey (QSF) a sheet, to be made a project of"
    kinds = frozenset[Kind]({"choice", "choices", "scale", "text"})

    def __init__(self, pictures_base: str = "") -> None:
        if pictures_base and not pictures_base.startswith("https://"):
            raise InputError(
                "pictures_base is the https address of a folder, such as https://host/pictures, "
                f"not {pictures_base[:60]!r}"
            )
        self.pictures_base = pictures_base.rstrip("/")

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.qsf`, and its pictures where they go to a server."""
        path = folder / f"{shown.sheet.id}.qsf"
        sheet, embedded = shown.sheet.id, files.EmbeddedPictures()

        def address(picture: Path, name: str) -> str:
            """Return where a question finds a picture, as it can stand in an attribute of HTML."""
            if self.pictures_base:
                copied = files.copy_picture(picture, folder / "pictures" / sheet, name)
                return escape(f"{self.pictures_base}/{sheet}/{copied}")
            return embedded.mark(files.data_url(picture, LARGEST, SIDE))

        def name(of: str) -> str:
            """Return fifteen letters and digits, as Qualtrics' ids have them; always the same."""
            whole = f"{shown.survey.name}\n{sheet}\n{of}"
            return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:15]

        codes, tag = shown.survey.codes.get(sheet), shown.locale.tag
        text = fill_page(
            Path(__file__).parent / "survey.qsf.jinja",
            title=f"{shown.survey.name} {sheet}",
            locale=shown.locale,
            language=_LANGUAGES.get(tag) or tag.split("-")[0].upper(),
            get=shown.get,
            name=name,
            pages=_pages(shown, address),
            embedded=EMBEDDED,
            done=codes.done if codes else "",
            quote=partial(quote, safe=""),
            written=_written,
        )
        embedded.write(path, text)
        return path

    def recognises(self, path: Path) -> bool:
        """Return whether some table of a file has Qualtrics' three rows of headings."""
        return files.has_table(path, _has_marks, is_header=_is_header)

    def read(self, path: Path, survey: protocol.SheetsToSend) -> Iterator[protocol.RawRecord]:
        """Return the responses of a file, also under headings that stand there again. Raise
        InputError if it cannot be read, or has not the three rows of headings."""

        def readable(table: Table) -> int:
            rows = islice(table.rows, _SAMPLE)
            return sum(folded(text) in survey.words for row in rows for text in row.texts.values())

        opened = read_tables(
            path, is_header=_is_header, encodings=protocol.encodings_of(survey), score=readable
        )
        tables = list(filter(_has_marks, opened))
        if not tables:
            raise InputError(
                "has not Qualtrics' three rows of headings; export as CSV, and do not remove rows",
                file=path,
            )
        for table in tables:
            zone: tzinfo = UTC
            rows: list[Row] = []
            for row in table.rows:
                marks = _marks(row)
                if not marks:
                    rows.append(row)
                    continue
                # The row before has what people read of the questions, unless rows were sorted.
                if rows and folded(whole_number(rows[-1]["Finished"])) not in _FINISHED:
                    rows.pop()
                yield from _responses(rows, zone, survey)
                zone, rows = _zone(marks), []
            yield from _responses(rows, zone, survey)


# What goes out


def _pages(shown: SheetTexts, address: Callable[[Path, str], str]) -> list[dict[str, Any]]:
    """Return the pages as survey.qsf has them, each with its questions, and where it `ends` the
    survey, with the question and the number of the choice that end it, a title and a code.

    Questions have numbers, and in `when` groups of which one has to be true each: the number of an
    earlier question and of its choice, which is not to be chosen if that is negative.
    """
    numbers = count(1)

    def ask(tag: str, *paragraphs: str, kind: str = "description", **more: Any) -> dict[str, Any]:
        question = {"number": f"QID{next(numbers)}", "tag": tag, "paragraphs": paragraphs}
        plain = {"html": "", "picture": "", "alt": "", "draft": "", "when": [], "required": True}
        return {**question, "kind": kind, **plain, **more}

    def read(tag: str, parts: Sequence[Section]) -> dict[str, Any]:
        plain = tuple(part._replace(examples=()) for part in parts)
        return ask(tag, html=as_html(plain, shown.sheet, str))

    codes, parts = shown.survey.codes.get(shown.sheet.id), shown.sections()
    place = [part.heading for part in parts].index(shown.get("consent.heading"))
    warning = read("warning", parts[:place])
    answers = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
    consent = ask(CONSENT, *shown.consents, kind="choice", choices=answers)
    ends = {"title": "No consent", "question": consent, "choice": 2}
    ends["code"] = codes.no_consent if codes else ""
    pages: list[dict[str, Any]] = [
        {"title": "Consent", "questions": [warning, consent], "ends": ends}
    ]
    introduction = [read("introduction", parts[place + 1 :])]
    for number, example in enumerate((each for part in parts for each in part.examples), 1):
        # In a question of its own, so that none has the bytes of several pictures.
        tag = f"example-{number}"
        picture = address(example.picture, tag) if example.picture else ""
        introduction.append(ask(tag, example.because, picture=picture, alt=example.caption))
    pages.append({"title": "Introduction", "questions": introduction, "ends": None})
    tags = {each.id: tag_of(n) for n, each in enumerate(shown.survey.taxonomy.questions, 1)}
    items = list(shown.items())
    for item in items:
        page: dict[str, Any] = {"title": f"Item {item.number}", "questions": [], "ends": None}
        pages.append(page)
        when = []
        if not isinstance(item.entry, PersonEntry):
            progress = shown.get("progress", number=item.number, total=len(items))
            button = {"choices": {"stop": shown.get("stop.button")}, "required": False}
            stop = ask(f"{item.key}_stop", progress, kind="choices", **button)
            page["questions"] = [stop]
            page["ends"] = {"title": "Stop and send", "question": stop, "choice": 1, "code": ""}
            when = [[(stop["number"], -1)]]  # who stops need not answer, so questions go away
        picture = address(item.picture, item.key) if item.picture else ""
        above = () if picture else (item.text,)
        earlier: dict[tuple[str, str], tuple[str, int]] = {}
        for question in shown.questions(item.entry):
            groups = [
                [earlier[other, answer] for answer in answers]
                for other, answers in question.when.items()
            ]
            asked = ask(
                f"{item.key}{tags.get(question.id, '')}",
                *above,
                question.text,
                picture=picture,
                alt=item.text,
                draft=question.draft,
                **_answered_by(question),
                required=question.required,
                when=[*when, *groups],
            )
            page["questions"].append(asked)
            for place, answer in enumerate(question.answers, 1):
                earlier[question.id, answer] = asked["number"], place
            picture, above = "", ()
    return pages


def _answered_by(question: ShownQuestion) -> dict[str, Any]:
    """Return the kind of a question in the template; of a scale its points, or its two ends."""
    if question.scale is None:
        return {"kind": question.kind, "choices": question.answers}
    least, most = question.scale
    points = {str(point): str(point) for point in range(least, most + 1)}
    if len(points) <= MOST_BUTTONS:
        return {"kind": "scale", "choices": points}
    return {"kind": "slider", "scale": question.scale}


def _written(html: str) -> str:
    """Return HTML as Qualtrics takes it: a ${ would be taken for text that is piped in."""
    return drawable(html).replace("${", "$&#123;")


# What comes back


def _is_header(texts: Sequence[str]) -> bool:
    return "ResponseId" in texts and CONSENT in texts


def _has_marks(table: Table) -> bool:
    return any(_marks(row) for row in islice(table.rows, 2))


def _marks(row: Row) -> list[str]:
    """Return the marks of a heading's third row; none in any other row."""
    if not any(isinstance(cell, str) and "ImportId" in cell for cell in row.cells):
        return []
    texts = [text.replace(" ", "") for text in row.texts.values()]
    marks = [text for text in texts if text.startswith('{"ImportId":')]
    # One alone may be what somebody typed.
    return marks if len(marks) * 2 > len(texts) else []


def _zone(marks: Sequence[str]) -> tzinfo:
    """Return the time zone of times, as a heading's marks say; else UTC."""
    for name in re.findall(r'"timeZone":"([^"]+)"', "".join(marks)):
        try:
            return ZoneInfo(name)
        except (ValueError, OSError):
            continue
    return UTC


class _Column(NamedTuple):
    """A column of answers: its item's key and question, the choice that it alone stands for, and
    answers by their numbers, as numeric exports have them."""

    item: str
    question: str
    numbers: Mapping[str, str] = {}
    choice: str = ""


@lru_cache(maxsize=64)
def _columns(header: Header, survey: protocol.SheetsToSend) -> dict[str, _Column]:
    """Return the columns of answers by name: KEY for the label, KEY_q1, and KEY_q1_2 for one of its
    choices; a slider, too, has the number of its bar behind it."""
    keys = {name.partition("_")[0] for name in header.names}
    labels = {str(n): label.id for n, label in enumerate(survey.taxonomy.labels, 1)}
    columns: dict[str, _Column] = {}
    for key in filter(survey.places.item, keys):
        columns[key] = _Column(key, LABEL, labels)
        for number, question in enumerate(survey.taxonomy.questions, 1):
            tag = f"{key}{tag_of(number)}"
            named = {str(n): id for n, id in enumerate(question.answers, 1)}
            columns[tag] = columns[f"{tag}_1"] = _Column(key, question.id, named)
            for n, id in named.items():
                columns[f"{tag}_{n}"] = _Column(key, question.id, choice=id)
    return columns


def _responses(
    rows: Sequence[Row], zone: tzinfo, survey: protocol.SheetsToSend
) -> Iterator[protocol.RawRecord]:
    def is_known(column: str) -> bool:
        key = column.partition("_")[0]
        return column in _METADATA or key == "Q" or survey.places.item(key) is not None

    begun = [row["StartDate"] for row in rows]
    ended = [row["EndDate"] or row["RecordedDate"] for row in rows]
    times = files.read_column([*begun, *ended], zone)
    for row, *written, started, submitted in zip(
        rows, begun, ended, times[: len(rows)], times[len(rows) :], strict=True
    ):
        content = {name: text for name, text in row.texts.items() if name not in _PERSONAL}
        if problem := _problem(row):
            yield RejectedRow("", row.number, *problem, content)
            continue
        read = zip(written, (started, submitted), strict=True)
        if unread := [text for text, time in read if text and time is None]:
            message = (
                "The times of this file may be read in two ways (which number is the day?) or in "
                "none, so the answers come without them: take the file as Qualtrics exported it."
            )
            yield RejectedRow("", row.number, "unknown time", message, {"times": unread})
        yield from files.unknown_columns(row, is_known)
        columns = _columns(row.header, survey)
        values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for name, (item, question, numbers, choice) in columns.items():
            text = content.get(name, "")
            if choice and is_ticked(text):
                values[item][question].append(choice)
            elif text and not choice and whole_number(text) != _UNANSWERED:
                parts = [whole_number(part) for part in text.split(",")]
                are_numbers = all(part.isdecimal() for part in parts)
                chosen = [numbers.get(part, part) for part in parts] if are_numbers else [text]
                values[item][question] += chosen
        # Answers say which sheet they are of; who declined has none.
        places = filter(None, map(survey.places.item, {column.item for column in columns.values()}))
        sheets = set() if values else {place.sheet.id for place in places}
        consent = row[CONSENT]
        yield protocol.RawSubmission(
            row[PARTICIPANT],
            [protocol.RawAnswer(item, answers, row=row.number) for item, answers in values.items()],
            sheet=sheets.pop() if len(sheets) == 1 else "",
            id=row["ResponseId"],
            finished=_FINISHED.get(folded(whole_number(row["Finished"])), False),
            consent={"1": True, "2": False}.get(whole_number(consent), consent),
            started=started,
            submitted=submitted,
            row=row.number,
            content=content,
        )


def _problem(row: Row) -> tuple[str, str] | None:
    """Return why a row is no participant's response: a short reason, and a sentence."""
    if row.reason:
        return row.reason, row.error
    status, number = row["Status"].casefold(), whole_number(row["Status"])
    for word, bit, message in _MADE:
        if word in status or (number.isdecimal() and int(number) & bit):
            return word, message
    try:
        score = float(row["Q_RecaptchaScore"].replace(",", ".") or 1)
    except ValueError:
        score = 1.0
    if score < _LEAST_SCORE:
        return "bot", f"Qualtrics gives it less than {_LEAST_SCORE} of 1 for being a person's."
    if not row["ResponseId"]:
        return "no id", "It has no ResponseId, so it could count twice."
    return None
