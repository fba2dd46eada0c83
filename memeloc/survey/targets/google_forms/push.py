"""Forms made through the Forms API. In: a survey's sheets, and a `State`. Out: forms.

Every call is remembered when it has been answered, so a run that was stopped goes on, and a second
one makes nothing. Whether a call arrived whose answer was lost is asked, not guessed: of a form by
its name in Drive, of items by forms.get.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memeloc.errors import InputError, ServiceError
from memeloc.survey.targets.google_forms.client import SERVICE, Service
from memeloc.survey.targets.google_forms.items import Form, Item, question_id
from memeloc.survey.targets.google_forms.requests import (
    PUBLISH,
    Address,
    batches,
    create_body,
    prefilled,
)
from memeloc.survey.targets.protocol import State

_CLOCKS_DIFFER = timedelta(minutes=10)
_FORM = "application/vnd.google-apps.form"
_KINDS = {"section": "pageBreakItem", "text": "textItem", "picture": "imageItem"}
_OPEN_TO_ALL = {"type": "anyone", "role": "reader", "view": "published"}
"""What the editor calls "Anyone with the link"; asking twice gives the same permission."""


def _digest(form: Form) -> str:
    """What a form says, without where its pictures stand on this machine."""
    items = [
        [item.key, item.kind, item.title, item.description, item.picture, item.required]
        + [[option.text, option.goes] for option in item.options]
        for item in form.items
    ]
    whole = json.dumps([form.title, form.document, form.description, items], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()


class FormPush:
    """One form on its way from nothing to open; `state` has by sheet id what was made of it.

    With `remake` it is made anew where its texts or pictures are others by now.

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
        """Make, fill, publish and open it, as far as that is not done yet; raises as `Service.ask`.

        `open_to_all` lets everybody with the address answer, without signing in.
        """
        self.service, made = service, self.made
        if "form" not in made:
            answer = service.ask(self._find_or_create)
            responder = f"https://docs.google.com/forms/d/{answer['formId']}/viewform"
            self._note(form=answer["formId"], responder=answer.get("responderUri") or responder)
        form_url = f"{service.forms}/{made['form']}"
        if not made.get("filled"):
            while service.ask(lambda: self._fill(form_url)):
                pass
            self._note(filled=True)
        if not made.get("published"):
            service.ask(lambda: self._send("POST", f"{form_url}:setPublishSettings", PUBLISH))
            self._note(published=True)
        if not made.get("open"):
            if open_to_all:
                url = f"{service.files}/{made['form']}/permissions"
                service.ask(lambda: self._send("POST", url, _OPEN_TO_ALL))
            participant = str(made["items"]["participant"]["questionId"])
            self._note(open=True, prolific=prefilled(str(made["responder"]), participant))

    def row(self) -> dict[str, Any]:
        """What is reported of it.

        `form` is its id, empty if it was not made; `responder` where it is answered; `prolific` the
        same with Prolific's participant id filled in; `calls` the requests sent, or to be sent.
        """
        row = {key: str(self.made.get(key, "")) for key in ("form", "responder", "prolific")}
        # Made, published and opened; and looked at before each batch and after the last.
        to_send = 0 if self.made.get("open") else 4 + 2 * len(batches(self.form, self.address))
        return {"sheet": self.form.sheet, **row, "calls": self.calls or to_send}

    def _note(self, **values: Any) -> None:
        self.made.update(values)
        self.state.put(self.form.sheet, dict(self.made))

    def _send(self, method: str, url: str, body: Any = None, **query: str) -> dict[str, Any]:
        self.calls += 1
        return self.service.send(method, url, body, **query)

    def _find_or_create(self) -> dict[str, Any]:
        forms = self.service.forms
        if "asked" in self.made:
            if form := self._made_before():
                return self._send("GET", f"{forms}/{form}")
        else:  # noted before the request leaves: a run that dies now is asked about by the next
            self._note(asked=datetime.now(UTC).isoformat())
        return self._send("POST", forms, create_body(self.form), unpublished="true")

    def _made_before(self) -> str:
        """The id of a form that was made under this name since it was asked for, or empty."""
        since = datetime.fromisoformat(str(self.made["asked"])) - _CLOCKS_DIFFER
        name = self.form.document.replace("\\", "\\\\").replace("'", "\\'")
        query = (
            f"name = '{name}' and mimeType = '{_FORM}' and trashed = false "
            f"and createdTime >= '{since.strftime('%Y-%m-%dT%H:%M:%SZ')}'"
        )
        files = self._send("GET", self.service.files, q=query, fields="files(id,name)")
        ids = {str(file["id"]) for file in files.get("files", [])}
        ids -= {*self.made.get("replaced", [])}
        if len(ids) > 1:
            raise ServiceError(
                SERVICE,
                f"Drive has {len(ids)} new forms {self.form.document!r}, and it is not known "
                "which is this survey's. Bin all but one, and push again.",
                retryable=False,
            )
        return ids.pop() if ids else ""

    def _fill(self, form_url: str) -> bool:
        """Send the first batch of what the form lacks; False when it lacks nothing."""
        present = _present(self.form, self._send("GET", form_url).get("items", []))
        self._note(items=present)
        lacking = batches(self.form, self.address, present)
        if lacking:
            self._send("POST", f"{form_url}:batchUpdate", lacking[0])
        return bool(lacking)


def _present(form: Form, items: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Ids of a form's items that are there, by key: found by id, else by kind and texts in order.

    Google may give ids of its own instead of those that it was asked for.
    """
    left = {str(item["itemId"]): item for item in items}
    present: dict[str, dict[str, str]] = {}
    for key, own in form.ids().items():
        if own in left:
            present[key] = _ids(own, left.pop(own))
    for planned in form.items:
        if planned.key not in present:
            own = next((own for own, item in left.items() if _equal(planned, item)), "")
            if own:
                present[planned.key] = _ids(own, left.pop(own))
    return present


def _ids(own: str, item: Mapping[str, Any]) -> dict[str, str]:
    question = item.get("questionItem", {}).get("question", {})
    return {"itemId": own, "questionId": str(question.get("questionId") or question_id(own))}


def _equal(planned: Item, item: Mapping[str, Any]) -> bool:
    return (
        _KINDS.get(planned.kind, "questionItem") in item
        and item.get("title", "") == planned.title
        and item.get("description", "") == planned.description
    )
