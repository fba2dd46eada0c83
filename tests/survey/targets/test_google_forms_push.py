"""Forms are made by the real client, against a server that validates by the discovery document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("googleapiclient")

from google.auth.credentials import AnonymousCredentials

from memeloc.errors import ServiceError
from memeloc.request_pool import Backoff
from memeloc.survey.model import entry_id
from memeloc.survey.targets.google_forms.forms import plan
from memeloc.survey.targets.google_forms.target import GoogleForms, Service
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import import_file
from tests.survey.forms_server import FormsServer
from tests.survey.packs import MemoryState
from tests.survey.packs import pack as small_pack

BASE = "https://pictures.example.org/florp"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    """Two sheets, so that a stop may lie between them."""
    small = small_pack(tmp_path_factory.mktemp("pictures"))
    sheet = small.sheets[0]
    other = replace(sheet, id="r1-b02-US", batch="r1-b02", entries=sheet.entries[::-1])
    return replace(small, sheets=(sheet, other))


@pytest.fixture
def forms() -> Iterator[FormsServer]:
    with FormsServer().serving() as forms:
        yield forms


@pytest.fixture
def state() -> MemoryState:
    return MemoryState()


def target(forms: FormsServer) -> GoogleForms:
    made = GoogleForms(BASE)
    backoff = Backoff(attempts=4, first=0.001, longest=0.002, seed=1)
    made.connect = partial(Service, forms.address, AnonymousCredentials(), backoff, timeout=10)
    return made


def check_whole(forms: FormsServer, pack: SheetsToSend) -> None:
    """The forms at the server are those of the plans, once each, open to all."""
    assert len(forms.forms) == len(pack.sheets)
    by_name = {forms.names[key]: form for key, form in forms.forms.items()}
    for sheet in pack.sheets:
        wanted = plan(pack, sheet)
        form = by_name[wanted.document]
        assert [item.get("title", "") for item in form["items"]] == [
            item.title for item in wanted.items
        ]
        assert form["info"]["description"] == wanted.description
        assert form["settings"] == {"emailCollectionType": "DO_NOT_COLLECT"}
        state = form["publishSettings"]["publishState"]
        assert state == {"isPublished": True, "isAcceptingResponses": True}
        permission = {"type": "anyone", "role": "reader", "view": "published"}
        assert forms.permissions[form["formId"]] == [permission]


def test_a_form_is_unpublished_until_it_is_whole(
    pack: SheetsToSend, forms: FormsServer, state: MemoryState
) -> None:
    forms.faults["setPublishSettings"] = [400]
    with pytest.raises(ServiceError, match="400"):
        target(forms).push(pack, state)
    assert forms.forms["form-1"]["publishSettings"]["publishState"]["isPublished"] is False
    target(forms).push(pack, state)
    check_whole(forms, pack)


@pytest.mark.parametrize("fault", [429, 503, "cut", "drop"])
@pytest.mark.parametrize(
    "method", ["create", "batchUpdate", "get", "setPublishSettings", "permissions"]
)
def test_what_passes_is_tried_again_and_nothing_is_there_twice(
    pack: SheetsToSend, forms: FormsServer, state: MemoryState, method: str, fault: int | str
) -> None:
    forms.faults[method] = [fault, fault]
    target(forms).push(pack, state)
    check_whole(forms, pack)


class KilledError(BaseException):
    """Nothing catches it, as nothing catches a kill."""


@pytest.mark.parametrize("answered", [True, False])
def test_a_run_may_be_killed_at_any_call(
    pack: SheetsToSend,
    forms: FormsServer,
    state: MemoryState,
    monkeypatch: pytest.MonkeyPatch,
    answered: bool,
) -> None:
    """Each run dies at its next call, before or after that was answered and before it was noted."""
    send = Service.send
    left = [0]

    def dying(self: Any, *args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        if left[0] < 0 and not answered:
            raise KilledError
        answer = send(self, *args, **kwargs)
        if left[0] < 0:
            raise KilledError
        return answer

    monkeypatch.setattr(Service, "send", dying)
    for allowed in range(60):
        left[0] = allowed
        try:
            target(forms).push(pack, state)
        except KilledError:
            continue
        break
    assert allowed > 2
    check_whole(forms, pack)


def test_ids_of_googles_own_are_recorded_and_read_back(
    pack: SheetsToSend, forms: FormsServer, state: MemoryState, tmp_path: Path
) -> None:
    forms.own_ids = True
    forms.faults["batchUpdate"] = ["cut", "cut"]
    target(forms).push(pack, state)
    check_whole(forms, pack)
    sheet = pack.sheets[0]
    items = state[sheet.id]["items"]

    def answer(key: str, text: str) -> dict[str, Any]:
        own = items[key]["questionId"]
        return {own: {"questionId": own, "textAnswers": {"answers": [{"value": text}]}}}

    answers = answer("participant", "5e8481234567890123456789")
    for entry in sheet.entries:
        answers |= answer(f"entry:{entry_id(entry)}", "Hate speech")
    response = {"responseId": "R1", "createTime": "2026-11-21T09:00:00Z", "answers": answers}
    path = tmp_path / "responses.json"
    path.write_text(json.dumps({"responses": [response]}))
    imported = import_file(GoogleForms(), path, replace(pack, made={"google-forms": state}))
    assert [submission.sheet for submission in imported.submissions] == [sheet.id]
    assert {submission.label for submission in imported.submissions[0].answers} == {"hate"}
    assert not imported.rejected
