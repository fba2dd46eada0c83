"""Google Forms. In: a survey's sheets. Out: requests, a script and pictures; or open forms.

FOLDER/requests/SHEET.json   the Forms API's bodies, in the order they are sent
FOLDER/forms/SHEET.json      the same form as data of the script
FOLDER/apps-script/          a project that makes the forms for people without API access
FOLDER/pictures/SHEET--ENTRY.jpg
FOLDER/README.md             how to go on

Forms API v1 and Drive API v3, as their discovery documents describe them. Sections are created
first, for options name them by id; then everything else at its place. Every call is noted when it
has been answered, so a run that was stopped goes on, and a second one makes nothing. Whether a call
arrived whose answer was lost is asked, not guessed: of a form by its name in Drive, of items by
forms.get.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.request_pool import Backoff
from memeloc.survey.targets.files import copy_picture, has_table, write_json, write_text
from memeloc.survey.targets.google_forms import reading
from memeloc.survey.targets.google_forms.forms import SUBMIT, Form, Item, plan, question_id
from memeloc.survey.targets.protocol import (
    RawRecord,
    SheetsToSend,
    State,
    Target,
    disagree,
    no_progress,
)
from memeloc.survey.targets.services import JsonService, is_https
from memeloc.tables import read_table
from memeloc.taxonomy import Kind

Address = Callable[[str], str]
"""Gives the https address of a picture by its file name."""
Body = dict[str, Any]

SERVICE = "Google Forms"
NOWHERE = "https://pictures.invalid/"
"""Where pictures seem to be until somebody says where they are; RFC 6761 keeps it from existing."""
LONGEST_ADDRESS = 2048  # characters, that all browsers and servers take
ITEMS_AT_ONCE = 20
"""Items in one batchUpdate: Google fetches their pictures before it answers."""
PICTURE_WIDTH = 740
"""Pixels; the widest that the API takes."""
PUBLISH = {
    "publishSettings": {"publishState": {"isPublished": True, "isAcceptingResponses": True}},
    "updateMask": "publishState",
}
"""The body of forms.setPublishSettings."""
_OPEN_TO_ALL = {"type": "anyone", "role": "reader", "view": "published"}
"""The editor's "Anyone with the link"; asking twice gives the same permission."""
_SCOPE = "https://www.googleapis.com/auth/drive.file"
"""Only what this program made itself."""
_SIGN_IN = (
    "Google does not accept the credentials ({reason}). Sign in with: gcloud auth "
    "application-default login --client-id-file=CLIENT.json "
    f"--scopes={_SCOPE},https://www.googleapis.com/auth/cloud-platform"
)
_CLOCKS_DIFFER = timedelta(minutes=10)
_FORM = "application/vnd.google-apps.form"
_ITEMS = {"section": "pageBreakItem", "text": "textItem", "picture": "imageItem"}
"""Fields of the API for items that ask nothing; all others are a `questionItem`."""
_DATA = Path(__file__).parent / "data"
_COLUMNS = ("sheet", "form", "answer", "prolific")
"""Columns of the list of forms that the script writes."""
_HOSTS = frozenset({"docs.google.com", "forms.gle"})


class GoogleForms(Target):
    """Forms at Google: made through its API, or by a script in Apps Script. Raise InputError if the
    address is not an https one, or there is no such zone.

    Args:
        pictures_base: the https address of the folder that the pictures will be in, or the address
            of each by file name; empty when they are not on the web.
        zone: of timestamps that name none, such as `Europe/Berlin`; those of a CSV from Forms
            name it.
        open_to_all: whether everybody with a form's address may answer, without signing in.
        remake: whether forms are made anew whose texts have changed since.
        endpoint: of Google's services, for tests.
    """

    name = "google-forms"
    summary = "Google Forms: requests to its API, an Apps Script project, and pictures"
    kinds = frozenset[Kind]({"choice", "choices", "scale", "text"})

    def __init__(
        self,
        pictures_base: str | Mapping[str, str] = "",
        zone: str = "UTC",
        open_to_all: bool = True,
        remake: bool = False,
        endpoint: str = "",
    ) -> None:
        self.pictures_base = pictures_base
        self.address = partial(picture_address, pictures_base)
        if isinstance(pictures_base, str):
            self.address("")  # refused now rather than at the first picture
        self.open_to_all, self.remake = open_to_all, remake
        self.connect = partial(Service, endpoint)
        try:
            self.zone = ZoneInfo(zone)
        except (ValueError, OSError, ZoneInfoNotFoundError) as error:
            raise InputError(f"zone is such as Europe/Berlin, not {zone[:60]!r}") from error

    def export(
        self, survey: SheetsToSend, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write everything; the README says how to go on."""
        written = [folder / "README.md", folder / "apps-script" / "Code.gs"]
        for path in (*written, folder / "apps-script" / "appsscript.json"):
            write_text(path, (_DATA / path.name).read_text(encoding="utf-8"))
        for sheet in survey.sheets:
            form = plan(survey, sheet)
            path = folder / "requests" / f"{sheet.id}.json"
            write_json(path, all_requests(form, self.address))
            # Data in Drive is what the script reads, so no text becomes part of its code.
            items = [
                {
                    **{name: value for name, value in item._asdict().items() if name != "source"},
                    "options": [option._asdict() for option in item.options],
                    "routed": item.routed,
                }
                for item in form.items
            ]
            data = {"memeloc": "google-form", **form._asdict(), "items": items}
            write_json(folder / "forms" / f"{sheet.id}.json", data)
            for item in form.items:
                if item.source is not None:
                    stem = Path(item.picture).stem
                    if copy_picture(item.source, folder / "pictures", stem) != item.picture:
                        message = "is not the JPEG, PNG or GIF that its name says"
                        raise InputError(message, file=item.source)
            written.append(path)
            on_sheet()
        return written

    def recognises(self, path: Path) -> bool:
        """Return whether a file holds responses, or is the script's list of forms."""
        return reading.recognises(path) or _is_list(path)

    def read(self, path: Path, survey: SheetsToSend) -> Iterator[RawRecord]:
        return reading.read(path, survey, self.zone)

    def read_made(self, path: Path, survey: SheetsToSend) -> Mapping[str, Mapping[str, Any]]:
        """Return by sheet id the form's id and addresses; nothing is left to make. Raises
        InputError if a row is of no sheet of the survey, an address is not one of Google's forms,
        or another form was made for the sheet."""
        sheets, noted = {sheet.id for sheet in survey.sheets}, survey.made.get(self.name, {})
        made: dict[str, Mapping[str, Any]] = {}
        for row in read_table(path, _COLUMNS).rows if _is_list(path) else ():
            sheet, form, answer, prolific = (row[name].strip() for name in _COLUMNS)
            other = noted.get(sheet, {}).get("form", form)
            message = ""
            if sheet not in sheets:
                message = f"The survey has no sheet {sheet[:80]!r}."
            for address in (answer, prolific):
                if not is_https(address) or urlsplit(address).hostname not in _HOSTS:
                    message = message or f"{address[:80]!r} is not the address of a form at Google."
            if other != form:
                message = f"The sheet {sheet} has another form, {other[:80]!r}; keep one of them."
            if message:
                raise InputError(message, file=path, row=row.number)
            form_made = {"form": form, "responder": answer, "prolific": prolific, "open": True}
            made[sheet] = {"items": {}, **noted.get(sheet, {}), **form_made}
        return made

    def push(
        self,
        survey: SheetsToSend,
        state: State,
        *,
        dry_run: bool = False,
        publish: bool = False,
        agree: Callable[[str], bool] = disagree,
    ) -> Sequence[Mapping[str, Any]]:
        """Make the forms, each once; they are open at once, so none is published."""
        if publish:
            raise InputError("Forms are open at once; there is nothing to publish.")
        forms = [plan(survey, sheet) for sheet in survey.sheets]
        if not self.pictures_base and any(item.picture for form in forms for item in form.items):
            raise InputError(
                "Google fetches the pictures of a form from the web: put the exported folder "
                "pictures on an https server and give its address: "
                "--set pictures_base=https://..."
            )
        noted = [self._noted(form, state) for form in forms]
        rows = []
        with nullcontext() if dry_run else self.connect() as service:
            for form, made in zip(forms, noted, strict=True):
                calls = self._make(form, made, state, service) if service else 0
                # Made, published and opened; and looked at before each batch and after the last.
                left = 0 if made.get("open") else 4 + 2 * len(batches(form, self.address))
                row = {key: str(made.get(key, "")) for key in ("form", "responder", "prolific")}
                rows.append({"sheet": form.sheet, **row, "calls": calls or left})
        return rows

    def _noted(self, form: Form, state: State) -> Body:
        """Return what was made of a form; raise InputError if that was of other texts."""
        made: Body = dict(state.get(form.sheet) or {})
        digest = _digest(form)
        if made.get("plan", digest) != digest:
            if not self.remake:
                raise InputError(
                    f"The form of {form.sheet} was made of other texts or pictures. Keep it; or "
                    "bin it in Drive and have it made anew: --set remake=true"
                )
            made = {"replaced": [*made.get("replaced", []), made.get("form", "")]}
        return {"items": {}} | made | {"plan": digest}

    def _make(self, form: Form, made: Body, state: State, service: Service) -> int:
        """Make, fill, publish and open a form, as far as that is not done; return the calls."""
        calls = 0

        def note(**values: Any) -> None:
            made.update(values)
            state.put(form.sheet, dict(made))

        def send(method: str, url: str, body: Any = None, **query: str) -> Body:
            nonlocal calls
            calls += 1
            return dict(service.send(method, url, body, **query))

        def find_or_create() -> Body:
            if "asked" in made:
                query = _since(form, datetime.fromisoformat(made["asked"]))
                files = send("GET", service.files, q=query, fields="files(id)").get("files", [])
                ids = {str(file["id"]) for file in files} - {*made.get("replaced", [])}
                if len(ids) > 1:
                    message = (
                        f"Drive has {len(ids)} new forms {form.document!r}, and it is not known "
                        "which is this survey's. Bin all but one, and push again."
                    )
                    raise ServiceError(SERVICE, message, retryable=False)
                if ids:
                    return send("GET", f"{service.forms}/{ids.pop()}")
            else:  # noted before the request leaves: a run that dies now is asked about by the next
                note(asked=datetime.now(UTC).isoformat())
            return send("POST", service.forms, create_body(form), unpublished="true")

        def fill() -> bool:
            """Send the first batch of what the form lacks; return whether it lacked anything."""
            note(items=_present(form, send("GET", url).get("items", [])))
            lacking = batches(form, self.address, made["items"])
            if lacking:
                send("POST", f"{url}:batchUpdate", lacking[0])
            return bool(lacking)

        if "form" not in made:
            answer = service.ask(find_or_create)
            responder = f"https://docs.google.com/forms/d/{answer['formId']}/viewform"
            note(form=answer["formId"], responder=answer.get("responderUri") or responder)
        if not made.get("open"):
            url = f"{service.forms}/{made['form']}"
            while service.ask(fill):
                pass
            # Both may be asked again without harm, should this run die between them.
            service.ask(lambda: send("POST", f"{url}:setPublishSettings", PUBLISH))
            if self.open_to_all:
                permissions = f"{service.files}/{made['form']}/permissions"
                service.ask(lambda: send("POST", permissions, _OPEN_TO_ALL))
            participant = str(made["items"]["participant"]["questionId"])
            note(open=True, prolific=prefilled(str(made["responder"]), participant))
        return calls


def _is_list(path: Path) -> bool:
    """Return whether a file is the list of forms that the script writes."""
    return path.suffix.lower() == ".csv" and has_table(path, required=_COLUMNS)


class Service(JsonService):
    """A session with Google; `forms` and `files` are the addresses of its two collections.

    Endpoint and credentials are others in tests; else Google's own, and the environment's
    (Application Default Credentials). An answer may take `timeout` seconds: Google fetches pictures
    meanwhile. Raises MissingError if Google's client or the credentials are missing.
    """

    def __init__(
        self,
        endpoint: str = "",
        credentials: Any = None,
        backoff: Backoff | None = None,
        timeout: float = 120.0,
    ) -> None:
        try:
            import google.auth
            import httpx
            from google.auth.transport import requests
        except ImportError as error:
            raise MissingError(
                "Making forms needs Google's client: pip install 'memeloc[google-forms]'"
            ) from error
        try:
            if credentials is None:
                credentials, _ = google.auth.default(scopes=[_SCOPE])
        except google.auth.exceptions.DefaultCredentialsError as error:
            raise MissingError(_SIGN_IN.format(reason="there are none")) from error
        transport: Any = requests  # which has no types

        def sign(request: httpx.Request) -> httpx.Request:
            try:
                credentials.before_request(
                    transport.Request(), request.method, str(request.url), request.headers
                )
            except google.auth.exceptions.GoogleAuthError as error:
                raise MissingError(_SIGN_IN.format(reason=error)) from error
            return request

        client = httpx.Client(auth=sign, timeout=timeout)
        super().__init__(SERVICE, client, {401: _SIGN_IN}, backoff)
        self.forms = f"{endpoint or 'https://forms.googleapis.com'}/v1/forms"
        self.files = f"{endpoint or 'https://www.googleapis.com'}/drive/v3/files"


def _since(form: Form, asked: datetime) -> str:
    """Return Drive's query for forms of this name that were made since one was asked for."""
    since = (asked - _CLOCKS_DIFFER).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = form.document.replace("\\", "\\\\").replace("'", "\\'")
    return (
        f"name = '{name}' and mimeType = '{_FORM}' and trashed = false and createdTime >= '{since}'"
    )


def _digest(form: Form) -> str:
    """Return what tells a form from another, without where its pictures stand on this machine."""
    items = [
        [item.key, item.kind, item.title, item.description, item.picture, item.required]
        + [[option.text, option.goes] for option in item.options]
        for item in form.items
    ]
    whole = json.dumps([form.title, form.document, form.description, items], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()


def _present(form: Form, items: Sequence[Body]) -> dict[str, dict[str, str]]:
    """Return the ids of a form's items that are there, by key: found by id, else by kind and texts.
    Google may give ids of its own instead of those that it was asked for."""
    left = {str(item["itemId"]): item for item in items}
    found = {key: id for key, id in form.ids().items() if id in left}
    for item in form.items:
        for id, candidate in left.items():
            if (
                item.key not in found
                and id not in found.values()
                and _ITEMS.get(item.kind, "questionItem") in candidate
                and candidate.get("title", "") == item.title
                and candidate.get("description", "") == item.description
            ):
                found[item.key] = id
    present = {}
    for key, id in found.items():
        question = left[id].get("questionItem", {}).get("question", {})
        asked = str(question.get("questionId") or question_id(id))
        present[key] = {"itemId": id, "questionId": asked}
    return present


def picture_address(base: str | Mapping[str, str], name: str) -> str:
    """Return where a picture is: behind `base`, or by its file name, such as in Drive. Raises
    InputError if there is none of that name, or it is no https address."""
    if isinstance(base, str):
        start = base or NOWHERE
        address = f"{start}{'' if start.endswith(('/', '=')) else '/'}{quote(name)}"
    else:
        address = base.get(name, "")
    if not is_https(address) or len(address) > LONGEST_ADDRESS:
        raise InputError(
            f"Google fetches pictures from an https address of at most {LONGEST_ADDRESS} "
            f"characters; {address[:80]!r}, that of {name!r}, is not one."
        )
    return address


def all_requests(form: Form, address: Address) -> Body:
    """Return all that is sent to make a form, with the ids that its items will have."""
    return {
        "sheet": form.sheet,
        "create": {"unpublished": True, "body": create_body(form)},
        "batchUpdate": batches(form, address),
        "setPublishSettings": PUBLISH,
        "items": {
            key: {"itemId": id, "questionId": question_id(id)} for key, id in form.ids().items()
        },
    }


def create_body(form: Form) -> Body:
    """Return the body of forms.create, which takes titles only; the rest comes by batchUpdate."""
    return {"info": {"title": form.title, "documentTitle": form.document}}


def batches(
    form: Form, address: Address, present: Mapping[str, Mapping[str, str]] | None = None
) -> list[Body]:
    """Return the bodies of forms.batchUpdate that make what is missing of a form. `present` has the
    `itemId` of each item that the form has already, by its key."""
    present = present or {}
    ids = form.ids() | {key: item["itemId"] for key, item in present.items()}
    made = {place for place, item in enumerate(form.items) if item.key in present}
    missing = [place for place in range(len(form.items)) if place not in made]
    others = [place for place in missing if form.items[place].kind != "section"]
    groups = [[place for place in missing if place not in others]]
    groups += [
        others[start : start + ITEMS_AT_ONCE] for start in range(0, len(others), ITEMS_AT_ONCE)
    ]
    # No e-mail address is collected, hence no sign-in asked.
    info = {"title": form.title, "description": form.description}
    settings = {"emailCollectionType": "DO_NOT_COLLECT"}
    first: list[Body] = [
        {"updateFormInfo": {"info": info, "updateMask": "title,description"}},
        {"updateSettings": {"settings": settings, "updateMask": "emailCollectionType"}},
    ]
    bodies: list[Body] = []
    for group in groups:
        requests = [] if bodies or present else first
        for place in group:
            location = {"index": sum(other < place for other in made)}
            made.add(place)
            item = item_body(form.items[place], ids, address)
            requests.append({"createItem": {"item": item, "location": location}})
        if requests:
            bodies.append({"requests": requests})
    return bodies


def item_body(item: Item, ids: Mapping[str, str], address: Address) -> Body:
    """Return an item as the API has it; `ids` are those of all items by key."""
    id = ids[item.key]
    body: Body = {"itemId": id}
    body |= {key: text for key in ("title", "description") if (text := getattr(item, key))}
    image: Body = {}
    if item.picture:
        properties = {"alignment": "CENTER", "width": PICTURE_WIDTH}
        image = {"image": {"sourceUri": address(item.picture), "properties": properties}}
        if item.alt:
            image["image"]["altText"] = item.alt
    if item.kind in _ITEMS:
        return body | {_ITEMS[item.kind]: image}
    question: Body = {"questionId": question_id(id), "required": item.required}
    if item.kind in ("line", "paragraph"):
        question["textQuestion"] = {"paragraph": item.kind == "paragraph"}
    elif item.kind == "scale":
        low, high = int(item.options[0].id), int(item.options[-1].id)
        question["scaleQuestion"] = {"low": low, "high": high}
    else:
        options = []
        for option in item.options:
            choice = {"value": option.text}
            if option.goes == SUBMIT:
                choice["goToAction"] = "SUBMIT_FORM"
            elif option.goes:
                choice["goToSectionId"] = ids[option.goes]
            options.append(choice)
        kind = "RADIO" if item.kind == "choice" else "CHECKBOX"
        question["choiceQuestion"] = {"type": kind, "options": options}
    return body | {"questionItem": {"question": question, **image}}


def prefilled(responder: str, question: str) -> str:
    """Return the form's address for Prolific, which puts the participant's id into the braces.

    A question's number in such an address is its id in decimal.

    >>> prefilled("https://x.invalid/viewform", "1a2b3c4f")
    'https://x.invalid/viewform?usp=pp_url&entry.439041103={{%PROLIFIC_PID%}}'
    """
    return f"{responder}?usp=pp_url&entry.{int(question, 16)}={{{{%PROLIFIC_PID%}}}}"
