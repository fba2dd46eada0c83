"""Forms made through the Forms API. In: a survey's sheets, and a `State`. Out: forms.

Every call is remembered when it has been answered, so a run that was stopped goes on, and a second
one makes nothing. Whether a call arrived whose answer was lost is asked, not guessed: of a form by
its name in Drive, of items by forms.get.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memeloc.errors import InputError, ServiceError
from memeloc.survey.targets.google_forms.client import SERVICE, Connection, Service, undone
from memeloc.survey.targets.google_forms.plan import Form, Item, question_id
from memeloc.survey.targets.google_forms.requests import (
    Address,
    batches,
    create_body,
    prefilled,
    publish_body,
)
from memeloc.survey.targets.protocol import State

_CLOCKS_DIFFER = timedelta(minutes=10)
_FORM = "application/vnd.google-apps.form"


def push(
    forms: Sequence[Form],
    address: Address,
    state: State,
    connection: Connection,
    *,
    dry_run: bool = False,
    open_to_all: bool = True,
    remake: bool = False,
) -> list[dict[str, Any]]:
    """Make each form, fill, publish and open it.

    Args:
        forms: what is made.
        address: of pictures.
        state: by sheet id, what was made of it.
        connection: how Google is reached.
        dry_run: report what would be sent, and send nothing.
        open_to_all: whether everybody with the address may answer, without signing in.
        remake: whether a form is made anew where its texts or pictures are others by now.

    Returns:
        By sheet: `form`, its id, empty in a dry run; `responder`, where it is answered;
        `prolific`, the same with Prolific's participant id filled in; `calls`, the requests sent,
        or to be sent, in this run.

    Raises:
        InputError: a form was made of other texts.
        MissingError: the client or the credentials are missing, or are not accepted.
        ServiceError: Google refused, or could not be reached.
    """
    made = [_Form(form, address, state, remake=remake) for form in forms]
    if not dry_run:
        service = Service(connection)
        for form in made:
            form.make(service, open_to_all=open_to_all)
    return [form.row() for form in made]


def _digest(form: Form) -> str:
    """What a form says, without where its pictures stand on this machine."""
    items = [
        [item.key, item.kind, item.title, item.description, item.picture, item.required]
        + [[option.text, option.goes] for option in item.options]
        for item in form.items
    ]
    whole = json.dumps([form.title, form.document, form.description, items], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()


class _Form:
    """One form on its way from nothing to open.

    Raises:
        InputError: it was made of other texts.
    """

    service: Service

    def __init__(self, form: Form, address: Address, state: State, *, remake: bool) -> None:
        self.form, self.address, self.state = form, address, state
        self.made: dict[str, Any] = dict(state.get(form.sheet) or {})
        self.calls = 0
        digest = _digest(form)
        if self.made.get("plan", digest) != digest:
            if not remake:
                raise InputError(
                    f"The form of {form.sheet} was made of other texts or pictures. Keep it; or "
                    "bin it in Drive and have it made anew: --option remake=true"
                )
            self.made = {"replaced": [*self.made.get("replaced", []), self.made.get("form", "")]}
        self.made = {"items": {}} | self.made | {"plan": digest}

    def make(self, service: Service, *, open_to_all: bool) -> None:
        """Do what is not done yet."""
        self.service, made = service, self.made
        if "form" not in made:
            self._create()
        if not made.get("filled"):
            self._fill()
        form_id = str(made["form"])
        forms, drive = service.forms, service.drive
        if not made.get("published"):
            self._call(lambda: forms.setPublishSettings(formId=form_id, body=publish_body()))
            self._note(published=True)
        if not made.get("open"):
            if open_to_all:
                # Published forms are for those they are shared with; this is what the editor calls
                # "Anyone with the link". Asking twice gives the same permission.
                body = {"type": "anyone", "role": "reader", "view": "published"}
                self._call(lambda: drive.permissions().create(fileId=form_id, body=body))
            participant = str(made["items"]["participant"]["questionId"])
            self._note(open=True, prolific=prefilled(str(made["responder"]), participant))

    def row(self) -> dict[str, Any]:
        """What is reported of it."""
        row: dict[str, Any] = {"sheet": self.form.sheet}
        row |= {key: str(self.made.get(key, "")) for key in ("form", "responder", "prolific")}
        to_send = 0 if self.made.get("open") else 3 + len(batches(self.form, self.address))
        return row | {"calls": self.calls or to_send}

    def _note(self, **values: Any) -> None:
        self.made.update(values)
        self.state.put(self.form.sheet, dict(self.made))

    def _execute(self, request: Any) -> dict[str, Any]:
        self.calls += 1
        answer: dict[str, Any] = request.execute(num_retries=0)
        return answer

    def _call(self, make: Callable[[], Any]) -> dict[str, Any]:
        """A request that may be sent again without harm."""
        answer: dict[str, Any] = self.service.ask(lambda: self._execute(make()))
        return answer

    def _create(self) -> None:
        """Make the form, unpublished; or find the one whose making was never answered."""
        # Set before the request leaves, so that a run that dies now is asked about by the next.
        unsure = "asked" in self.made

        def send() -> dict[str, Any]:
            nonlocal unsure
            if unsure:
                found = self._find()
                if found:
                    return self._execute(self.service.forms.get(formId=found))
            self._note(asked=self.made.get("asked") or datetime.now(UTC).isoformat())
            unsure = True
            try:
                request = self.service.forms.create(unpublished=True, body=create_body(self.form))
                return self._execute(request)
            except Exception as error:
                unsure = not undone(error)
                raise

        answer = self.service.ask(send)
        responder = answer.get("responderUri") or (
            f"https://docs.google.com/forms/d/{answer['formId']}/viewform"
        )
        self._note(form=answer["formId"], responder=responder)

    def _find(self) -> str:
        """The id of a form that was made under this name since it was asked for, or empty.

        Raises:
            ServiceError: there are several.
        """
        since = datetime.fromisoformat(str(self.made["asked"])) - _CLOCKS_DIFFER
        name = self.form.document.replace("\\", "\\\\").replace("'", "\\'")
        query = (
            f"name = '{name}' and mimeType = '{_FORM}' and trashed = false "
            f"and createdTime >= '{since.strftime('%Y-%m-%dT%H:%M:%SZ')}'"
        )
        files = self._execute(self.service.drive.files().list(q=query, fields="files(id,name)"))
        replaced = self.made.get("replaced", [])
        found = [own for file in files.get("files", []) if (own := file["id"]) not in replaced]
        if len(found) > 1:
            raise ServiceError(
                SERVICE,
                f"Drive has {len(found)} new forms {self.form.document!r}, and it is not known "
                "which is this survey's. Bin all but one, and push again.",
                retryable=False,
            )
        return str(found[0]) if found else ""

    def _fill(self) -> None:
        """Send what the form lacks, batch by batch."""
        form_id = str(self.made["form"])
        unsure = True
        present: dict[str, dict[str, str]] = {}

        def send() -> bool:
            """One batch; whether there are more."""
            nonlocal unsure, present
            if unsure:
                answer = self._execute(self.service.forms.get(formId=form_id))
                present = _matched(self.form, answer)
                self._note(items=present)
                unsure = False
            ids = self.form.ids() | {key: value["itemId"] for key, value in present.items()}
            left = batches(self.form, self.address, present=present, ids=ids)
            if not left:
                return False
            unsure = True
            try:
                answer = self._execute(self.service.forms.batchUpdate(formId=form_id, body=left[0]))
            except Exception as error:
                unsure = not undone(error)
                raise
            present |= _replied(self.form, left[0], answer, ids)
            unsure = False
            self._note(items=present)
            return len(left) > 1

        while self.service.ask(send):
            pass
        self._note(filled=True)


def _replied(
    form: Form, body: Mapping[str, Any], answer: Mapping[str, Any], ids: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """The ids of what a batch made, as Google says; they are those asked for, or its own."""
    keys = {value: key for key, value in ids.items()}
    found: dict[str, dict[str, str]] = {}
    replies = answer.get("replies") or []
    for number, request in enumerate(body["requests"]):
        if "createItem" not in request:
            continue
        asked = request["createItem"]["item"]["itemId"]
        reply = replies[number].get("createItem", {}) if number < len(replies) else {}
        questions = reply.get("questionId") or [question_id(asked)]
        found[keys[asked]] = {
            "itemId": str(reply.get("itemId") or asked),
            "questionId": str(questions[0]),
        }
    return found


def _matched(form: Form, answer: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Which of a form's items are there: by id, else by kind and texts, in order."""
    there = [item for item in answer.get("items") or [] if isinstance(item, dict)]
    ids = form.ids()
    by_id = {str(item.get("itemId")): item for item in there}
    found: dict[str, dict[str, str]] = {}
    used: set[str] = set()
    for item in form.items:
        one = by_id.get(ids[item.key])
        if one is None:
            one = next(
                (
                    other
                    for other in there
                    if str(other.get("itemId")) not in used
                    and str(other.get("itemId")) not in ids.values()
                    and _alike(item, other)
                ),
                None,
            )
        if one is None:
            continue
        own = str(one.get("itemId"))
        used.add(own)
        question = one.get("questionItem", {}).get("question", {})
        found[item.key] = {
            "itemId": own,
            "questionId": str(question.get("questionId") or question_id(ids[item.key])),
        }
    return found


def _alike(item: Item, other: Mapping[str, Any]) -> bool:
    kinds = {"section": "pageBreakItem", "text": "textItem", "picture": "imageItem"}
    return (
        kinds.get(item.kind, "questionItem") in other
        and other.get("title", "") == item.title
        and other.get("description", "") == item.description
    )
