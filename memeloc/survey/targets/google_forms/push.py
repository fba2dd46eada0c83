"""Forms made through the Forms API. In: a survey's sheets. Out: forms, and a file of them.

Credentials come from the environment only (Application Default Credentials), with the one scope
`drive.file`: what this program made itself. Every call is written down when it has been answered,
so a run that was stopped goes on, and a second one makes nothing. Whether a call arrived whose
answer was lost is asked, not guessed: of a form by its name in Drive, of items by forms.get.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError, ServiceError
from memeloc.files import replacing
from memeloc.request_pool import Backoff
from memeloc.survey.targets.google_forms.client import SERVICE, Service, undone
from memeloc.survey.targets.google_forms.plan import Form, Item, plan, question_id
from memeloc.survey.targets.google_forms.requests import (
    batches,
    create_body,
    prefilled,
    publish_body,
)
from memeloc.survey.targets.protocol import SurveyPack

if TYPE_CHECKING:
    from memeloc.survey.targets.google_forms.export import GoogleForms

STATE = "google-forms-made"
_CLOCKS_DIFFER = timedelta(minutes=10)
_FORM = "application/vnd.google-apps.form"


@dataclass(slots=True)
class PushSettings:
    """How forms are made.

    Attributes:
        state: the file that is told what was made; the same file, and nothing is made twice.
        dry_run: tell what would be sent, and send nothing.
        endpoint: of the services, for tests; empty for Google's own.
        credentials: instead of the environment's, for tests.
        backoff: how it waits when Google is busy.
        timeout: seconds that an answer may take; Google fetches pictures meanwhile.
        open_to_all: whether everybody with the address may answer, without signing in.
    """

    state: Path
    dry_run: bool = False
    endpoint: str = ""
    credentials: Any = None
    backoff: Backoff = field(default_factory=Backoff)
    timeout: float = 120.0
    open_to_all: bool = True


@dataclass(frozen=True, slots=True)
class PushedForm:
    """A form that was made, or in a dry run would be.

    Attributes:
        sheet: the sheet's id.
        form: the form's id; empty in a dry run.
        responder: where it is answered.
        prolific: the same for Prolific, with the participant's id filled in.
        calls: requests sent, or to be sent, in this run.
    """

    sheet: str
    form: str
    responder: str
    prolific: str
    calls: int


def push(pack: SurveyPack, exporter: GoogleForms, settings: PushSettings) -> tuple[PushedForm, ...]:
    """Make a form for each sheet, fill, publish and open it.

    Raises:
        InputError: there is no address for the pictures, or the state is of other texts.
        MissingError: the client or the credentials are missing, or are not accepted.
        ServiceError: Google refused, or could not be reached.
    """
    forms = [plan(pack, sheet) for sheet in pack.sheets]
    if not exporter.pictures_base and any(item.picture for form in forms for item in form.items):
        raise InputError(
            "Google fetches the pictures of a form from the web: put the exported folder pictures "
            "on an https server and give its address: --option pictures_base=https://..."
        )
    state = _State(settings.state, pack.name)
    for form in forms:
        state.check(form)
    if settings.dry_run:
        return tuple(_told(form, exporter, state) for form in forms)
    service = Service(settings)
    return tuple(_Making(form, exporter, state, service, settings).run() for form in forms)


def made_forms(state: Path) -> dict[str, dict[str, Any]]:
    """What a state file knows of each sheet's form: `form`, `responder`, `items` with their ids.

    Raises:
        InputError: it is no such file.
    """
    return _State(state, None).forms


def _told(form: Form, exporter: GoogleForms, state: _State) -> PushedForm:
    known = state.forms.get(form.sheet, {})
    calls = 3 + len(batches(form, exporter.address))
    responder = str(known.get("responder", ""))
    return PushedForm(
        form.sheet, str(known.get("form", "")), responder, "", 0 if known.get("open") else calls
    )


class _State:
    """The file that knows what was made; written whole after each call."""

    def __init__(self, path: Path, survey: str | None) -> None:
        self.path = path
        self.forms: dict[str, dict[str, Any]] = {}
        self.survey = survey
        if not path.exists():
            return
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(
                f"cannot be read as the state of a push: {error}", file=path
            ) from error
        if not isinstance(value, dict) or value.get("memeloc") != STATE:
            raise InputError("is not the state of a push; name another file", file=path)
        if survey is not None and value.get("survey") != survey:
            raise InputError(
                f"is of the survey {value.get('survey')!r}; name another file", file=path
            )
        forms = value.get("forms")
        self.forms = dict(forms) if isinstance(forms, dict) else {}

    def check(self, form: Form) -> None:
        """Whether what was made of a sheet was made of the same texts.

        Raises:
            InputError: it was not.
        """
        known = self.forms.get(form.sheet)
        if known and known.get("plan") != _digest(form):
            raise InputError(
                f"the form of {form.sheet} was made of other texts or pictures. Keep it, or bin it "
                "in Drive and push with another state file.",
                file=self.path,
            )

    def save(self) -> None:
        value = {"memeloc": STATE, "survey": self.survey, "forms": self.forms}
        with replacing(self.path) as partial:
            text = json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True)
            partial.write_text(text + "\n", encoding="utf-8")


def _digest(form: Form) -> str:
    """What a form says, without where its pictures stand on this machine."""
    said = [
        [item.key, item.kind, item.title, item.description, item.picture, item.required]
        + [[option.text, option.goes] for option in item.options]
        for item in form.items
    ]
    whole = json.dumps([form.title, form.document, form.description, said], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()


class _Making:
    """One form on its way from nothing to open."""

    def __init__(
        self,
        form: Form,
        exporter: GoogleForms,
        state: _State,
        service: Service,
        settings: PushSettings,
    ) -> None:
        self.form, self.state, self.service, self.settings = form, state, service, settings
        self.address = exporter.address
        self.known: dict[str, Any] = state.forms.setdefault(
            form.sheet, {"plan": _digest(form), "items": {}}
        )
        self.calls = 0

    def run(self) -> PushedForm:
        known = self.known
        if "form" not in known:
            self._create()
        if not known.get("filled"):
            self._fill()
        form_id = str(known["form"])
        forms, drive = self.service.forms, self.service.drive
        if not known.get("published"):
            self._call(lambda: forms.setPublishSettings(formId=form_id, body=publish_body()))
            self._note(published=True)
        if not known.get("open"):
            if self.settings.open_to_all:
                # Published forms are for those they are shared with; this is what the editor calls
                # "Anyone with the link". Asking twice gives the same permission.
                body = {"type": "anyone", "role": "reader", "view": "published"}
                self._call(lambda: drive.permissions().create(fileId=form_id, body=body))
            self._note(open=True)
        return PushedForm(
            self.form.sheet,
            form_id,
            str(known["responder"]),
            prefilled(
                str(known["responder"]), question=str(known["items"]["participant"]["questionId"])
            ),
            self.calls,
        )

    def _note(self, **values: Any) -> None:
        self.known.update(values)
        self.state.save()

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
        unsure = "asked" in self.known

        def send() -> dict[str, Any]:
            nonlocal unsure
            if unsure:
                found = self._find()
                if found:
                    return self._execute(self.service.forms.get(formId=found))
            self._note(asked=self.known.get("asked") or datetime.now(UTC).isoformat())
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
        since = datetime.fromisoformat(str(self.known["asked"])) - _CLOCKS_DIFFER
        name = self.form.document.replace("\\", "\\\\").replace("'", "\\'")
        query = (
            f"name = '{name}' and mimeType = '{_FORM}' and trashed = false "
            f"and createdTime >= '{since.strftime('%Y-%m-%dT%H:%M:%SZ')}'"
        )
        files = self._execute(self.service.drive.files().list(q=query, fields="files(id,name)"))
        found = [str(one["id"]) for one in files.get("files", [])]
        taken = {str(one.get("form")) for one in self.state.forms.values()}
        found = [one for one in found if one not in taken]
        if len(found) > 1:
            raise ServiceError(
                SERVICE,
                f"Drive has {len(found)} new forms {self.form.document!r}, and it is not known "
                "which is this survey's. Bin all but one, and push again.",
                retryable=False,
            )
        return found[0] if found else ""

    def _fill(self) -> None:
        """Send what the form lacks, batch by batch."""
        form_id = str(self.known["form"])
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
    """Which of a form's items are there: by id, else by kind and words, in order."""
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
