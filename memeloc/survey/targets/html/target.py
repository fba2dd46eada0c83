"""Sheets as web pages. In: a survey's sheets; answers as JSON. Out: a page a sheet; submissions.

A page works from disk or from any web server, on a phone and on a desktop, in either direction. It
keeps a participant's answers in the browser until they have arrived where they are sent, as JSON in
a POST, or are saved as a file; `read` takes both: a file with one submission, a list of them, or
one a line, as servers collect what is sent to them. A submission has an id of its own, so one that
is sent twice counts once. No completion code is shown before.

`memeloc survey serve` shows the same page, see `sheet_page`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.pages import browser_store, fill_page, script_hash
from memeloc.survey.model import Entry, PersonEntry, RejectedRow, read_moment
from memeloc.survey.targets import files
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, ShownQuestion, is_read
from memeloc.survey.targets.protocol import (
    ALL_KINDS,
    RawAnswer,
    RawRecord,
    RawSubmission,
    SheetsToSend,
)
from memeloc.survey.targets.services import is_https
from memeloc.taxonomy import LABEL, Taxonomy

_FOLDER = Path(__file__).parent / "sheet"
STYLE = _FOLDER / "sheet.css"
"""How pages look."""

COPYING = _FOLDER / "copying.js"
"""The script by which a button copies a code."""

PROLIFIC_RETURN = "https://app.prolific.com/submissions/complete?cc={code}"
"""Where Prolific takes people back, with the completion code."""

_SCRIPTS = (
    "page.js", "records.js", "passage.js", "questions.js", "pictures.js", "sending.js", "server.js",
    "screens.js", "start.js", "copying.js",
)  # fmt: skip
_SHOWN = frozenset(
    {
        "title", "progress", "next", "back", "send", "required", "warning", "consent",
        "participant", "definition", "examples", "rules", "image", "stop", "comments", "saved",
        "sent", "page",
    }
)  # fmt: skip
"""Texts and groups of texts that the page's script shows as they are."""
_WITH_CONSENT = 3
"""The version from which on pages send when and to what their person agreed."""


_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Answer(BaseModel):
    """One answer; pages of version 1 named the entry, and had one question beside the label."""

    item: str = Field(validation_alias=AliasChoices("item", "entry"))
    label: str = ""
    others: Mapping[str, list[str]] = Field({}, alias="further")
    shown: int | None = Field(None, ge=0)
    took: int | None = Field(None, ge=0)
    second: list[str] | str | None = None


class _Consent(BaseModel):
    at: datetime
    version: str = Field(pattern="^[0-9a-f]{16}$")
    language: str = Field(max_length=100)


class Presented(BaseModel):
    """The notes of a page when its person agrees, see `Submission`."""

    consent: _Consent
    order: dict[str, list[str]] = Field({}, max_length=100)


class _Submission(BaseModel):
    memeloc: Literal["survey-answers"]
    version: int = 1
    survey: str
    sheet: str
    submission: str = Field(min_length=1)
    status: Literal["complete", "returned", "no consent"]
    participant: _Text = ""
    answers: list[_Answer]
    comments: _Text = ""
    presented: Presented | None = None
    started: str | None = None
    submitted: str | None = None
    code: _Text = ""


class Html(SheetFiles):
    """A page for each sheet. Raise InputError if it is no such address.

    Args:
        send_to: the https address that answers are sent to; empty saves them as a file only.
        codes: whether pages show completion codes; false for people whom no service recruits.
        return_to: the service's address that people go back to from the last page, with `{code}`.
    """

    name = "html"
    summary = "one web page a sheet, that works from disk or any web server"
    kinds = ALL_KINDS

    def __init__(
        self, send_to: str = "", codes: bool = True, return_to: str = PROLIFIC_RETURN
    ) -> None:
        if send_to and not is_https(send_to, or_local=True):
            raise InputError(f"answers are sent to an https address, not to {send_to[:80]!r}")
        self.send_to, self.codes, self.return_to = send_to, codes, return_to

    def missing(self, survey: SheetsToSend) -> list[str]:
        """Return why people whom Prolific sends could not end a sheet."""
        if self.codes or not any("study/" in key for key in survey.made.get("prolific", {})):
            return []
        return [
            "These pages show no completion codes, and the studies at Prolific ask people for one: "
            f"memeloc survey export {survey.name} --to html without codes=false."
        ]

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.html`. Raise InputError if its answers would go nowhere."""
        survey, sheet = shown.survey, shown.sheet
        if not survey.contact:
            raise InputError(
                "The pages name whom answers that cannot be sent are given to: --contact ADDRESS"
            )
        if not self.send_to and self.codes and sheet.id in survey.codes:
            raise InputError(
                "Whoever fills in a page would get the completion code, and the answers would stay "
                "in the browser. Say where they are sent, --set send_to=https://...; or run "
                "`memeloc survey serve`; or, for people whom no service pays by a code, leave the "
                f"code out, --set codes=false: they send a saved file to {survey.contact}."
            )
        path = folder / f"{sheet.id}.html"
        pictures = files.EmbeddedPictures()
        page = sheet_page(
            shown,
            send_to=self.send_to,
            codes=self.codes,
            return_to=self.return_to,
            address=lambda picture: pictures.mark(files.data_url(picture)),
        )
        pictures.write(path, page)
        return path

    def recognises(self, path: Path) -> bool:
        """Return whether a file begins as the JSON that a page saves or sends."""
        return files.starts_as_json(path, "survey-answers")

    def read(self, path: Path, survey: SheetsToSend) -> Iterator[RawRecord]:
        """Return the submissions of a file; raise InputError if it cannot be read at all. Of a
        person's submissions to a sheet that were collected in a file, one that stands after another
        is later, whatever the clock of its device says."""
        latest: dict[tuple[str, str], datetime] = {}
        times: dict[str, datetime | None] = {}
        for row, value in files.read_records(path):
            sent = files.validated(_Submission, value, row, "not a submission")
            if isinstance(sent, RejectedRow):
                yield sent
                continue
            if sent.survey != survey.name:
                message = f"It is of the survey {sent.survey[:80]!r}."
                yield RejectedRow("", row, "other survey", message, files.content_of(value))
                continue
            if sent.version >= _WITH_CONSENT and sent.presented is None and sent.answers:
                message = "It does not say that its person agreed to take part; nothing is taken."
                yield RejectedRow("", row, "no consent", message, {"sheet": sent.sheet})
                continue
            whose = sent.sheet, sent.participant
            moment = read_moment(sent.submitted)
            if moment and sent.submission not in times:
                moment = latest[whose] = max(moment, latest.get(whose, moment))
            moment = times.setdefault(sent.submission, moment)
            yield RawSubmission(
                sent.participant,
                [_raw_answer(answer, survey.taxonomy) for answer in sent.answers],
                sheet=sent.sheet,
                id=sent.submission,
                status=sent.status,
                started=sent.started,
                submitted=moment or sent.submitted,
                code=sent.code,
                comments=sent.comments,
                presented=sent.presented.model_dump(mode="json") if sent.presented else {},
                row=row,
                content=files.content_of(value),
            )


def _raw_answer(answer: _Answer, taxonomy: Taxonomy) -> RawAnswer:
    values = {LABEL: [answer.label] if answer.label else [], **answer.others}
    if answer.second:
        ids = [question.id for question in taxonomy.questions]
        second = [answer.second] if isinstance(answer.second, str) else answer.second
        values[ids[0] if len(ids) == 1 else "second"] = second
    return RawAnswer(answer.item, values, shown=answer.shown, took=answer.took)


def sheet_page(
    shown: SheetTexts,
    *,
    send_to: str = "",
    codes: bool = True,
    return_to: str = PROLIFIC_RETURN,
    serve: Mapping[str, Any] | None = None,
    address: Callable[[Path], str] = files.data_url,
) -> str:
    """Return the page of a sheet.

    Args:
        send_to: the address that answers are sent to; empty saves them as a file.
        codes: whether it shows the sheet's completion codes.
        return_to: where people go back to from the last page, see `Html`.
        serve: for a page that a server of ours shows, which keeps the codes to itself: `consent`,
            `answer` and `finish` are the addresses that the page posts JSON to, with `csrf` as
            X-CSRF-Token; `training` is how many items at the beginning have feedback, `stored` has
            the answers from before by item and `presented` what was posted to `consent`. It may
            have `place`, a name under which the browser keeps what is not yet stored and which has
            to differ for another person, `number`, the highest that was stored, and `code`, by
            which the person goes on in another browser.
        address: what an `img` shows a picture by; data within the page by default.

    What the page posts to `consent`: `presented`, see `Submission`. To `answer`: item
    (`item_key`), label, further (by question id), number, which grows, `shown` and `took` (see
    `Answer`); a reply may hold `feedback` (correct, text: shown before the next item) or `ended`
    (text, code, return_to: the sheet is over). To `finish`: status, comments; the reply holds text,
    code and return_to. Any status but 2xx without `ended` is tried again; after 409 all of it is
    sent again.
    """
    scripts = ((_FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    whole = "\n".join((browser_store(), *scripts))
    script = f'"use strict";\n(() => {{\n{whole}}})();'
    policy = (
        "default-src 'none'; img-src data: blob: 'self'; style-src 'unsafe-inline'; "
        f"base-uri 'none'; form-action 'none'; script-src {script_hash(script)}"
    )
    if serve is not None:
        policy += "; connect-src 'self'"
    elif send_to:
        # Receivers may send on to another host, as Google's do: browsers hold that to the policy.
        policy += f"; connect-src {urlsplit(send_to).scheme}:"
    survey, sheet = shown.survey, shown.sheet
    texts = survey.texts[shown.locale.tag]
    names = texts.keys()
    pictures: dict[Path, str] = {}

    def picture(path: Path | None) -> str:
        """Return the key by which the script finds a picture; empty for none."""
        return pictures.setdefault(path, str(len(pictures) + 1)) if path else ""

    def question(entry: Entry, asked: ShownQuestion) -> dict[str, Any]:
        """Return a question as the script has it; an explicit check says what to choose."""
        answers = [{"id": answer, "name": name} for answer, name in asked.answers.items()]
        text = shown.text(entry) if is_read(entry) else asked.text
        return asked._asdict() | {"text": text, "answers": answers}

    hidden = not codes or serve is not None
    ends = None if hidden else survey.codes.get(sheet.id)
    data = {
        "survey": survey.name,
        "sheet": sheet.id,
        "send_to": send_to,
        "return_to": return_to,
        "serve": serve,
        "order": survey.order,
        "consent": {"version": consent_version(shown), "language": shown.locale.tag},
        "words": {
            **{key: texts.get(key) for key in names if key.partition(".")[0] in _SHOWN},
            "intro": shown.introduction(),
            "consent.text": shown.consent,
            "page.send": shown.get("page.send", contact=survey.contact),
        },
        "digits": texts.digits,
        "definition": shown.definition,
        "labels": [
            {"name": name, "definition": shown.definitions[label]}
            for label, name in shown.labels.items()
        ],
        "rules": list(shown.rules),
        "examples": [
            {
                "label": shown.labels[example.label],
                "why": shown.reasons[example.id],
                "caption": shown.captions[example.id],
                "picture": picture(survey.examples.get((sheet.culture.code, example.id))),
            }
            for example in survey.taxonomy.examples
        ],
        "entries": [
            {
                "item": item.key,
                "picture": picture(item.picture),
                "heading": item.text if isinstance(item.entry, PersonEntry) else "",
                # An explicit check is read; what else there is, is looked at.
                "caption": item.text if item.picture else "",
                "questions": [question(item.entry, each) for each in shown.questions(item.entry)],
            }
            for item in shown.items()
        ],
        "codes": {name: getattr(ends, name, "") for name in ("done", "no_consent")},
    }
    if serve is not None:
        # Bytes: browsers show a picture that was cut off on its way as if it was whole.
        data["sizes"] = {key: path.stat().st_size for path, key in pictures.items()}
    content = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    addresses = {key: address(path) for path, key in pictures.items()}
    return fill_page(
        _FOLDER / "sheet.html",
        locale=shown.locale,
        policy=policy,
        title=shown.get("title"),
        style=STYLE.read_text(encoding="utf-8"),
        # Encoded against a glance; no secret.
        data={"sheet": base64.b64encode(content).decode(), "pictures": addresses},
        script=script,
    )


def consent_version(shown: SheetTexts) -> str:
    """Return 16 hex digits that change with any word of what people agree to."""
    return hashlib.sha256(shown.consent.encode()).hexdigest()[:16]
