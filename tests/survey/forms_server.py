"""The Forms API and a little of Drive's on this machine, validating by the discovery documents.

It keeps forms as Google does: a batch is done whole or not at all, ids may be given and must be
new, texts may have no line breaks, options that lead nowhere do not stand beside those that do.
Faults are queued: a status, `cut` (done, and the answer lost) or `drop` (lost before it was done).
"""

from __future__ import annotations

import copy
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

from googleapiclient.discovery_cache import get_static_doc

from tests.local_server import Reply, Request, json_reply, serve


@cache
def document(name: str, version: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(get_static_doc(name, version))
    return result


WRITABLE_ON_CREATE = {"Info.documentTitle"}
"""Said to be output only, and by the same sentence to be set on create."""


def problems(value: Any, schema: str, *, doc: str = "forms", where: str = "") -> list[str]:
    """What is wrong with a body: unknown or output-only fields, types, enums, missing fields."""
    version = "v1" if doc == "forms" else "v3"
    return list(_problems(value, {"$ref": schema}, document(doc, version)["schemas"], where))


_TYPES = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}


def _problems(value: Any, schema: Any, schemas: Any, where: str) -> Iterator[str]:
    name = schema.get("$ref")
    if name:
        schema = schemas[name]
    kind = schema.get("type", "object")
    if kind == "array":
        if not isinstance(value, list):
            yield f"{where}: no list"
            return
        for number, each in enumerate(value):
            yield from _problems(each, schema["items"], schemas, f"{where}[{number}]")
    elif kind == "object":
        if not isinstance(value, dict):
            yield f"{where}: no object"
            return
        fields = schema.get("properties", {})
        for key, item in value.items():
            if key not in fields:
                yield f"{where}.{key}: unknown field of {name}"
                continue
            if fields[key].get("readOnly") and f"{name}.{key}" not in WRITABLE_ON_CREATE:
                yield f"{where}.{key}: output only"
            yield from _problems(item, fields[key], schemas, f"{where}.{key}")
        for key, item in fields.items():
            written = item.get("description", "")
            # Info.title is needed to make a form; Image.sourceUri to make an image.
            if (
                written.startswith("Required.")
                and key not in value
                and f"{name}.{key}" != "Form.items"
            ):
                yield f"{where}.{key}: required in {name}"
    elif not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
        yield f"{where}: {value!r} is no {kind}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    elif schema.get("format") == "int32" and not -(2**31) <= value < 2**31:
        yield f"{where}: {value!r} is no int32"


class RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message
        super().__init__(message)


class FormsServer:
    """The state of the services.

    Attributes:
        forms: by id, as forms.get gives them.
        names: by id, of their documents in Drive.
        permissions: by id.
        calls: methods that were called.
        faults: by method, what happens at the next calls.
        own_ids: whether ids that are asked for are ignored.
        token: the one that is accepted; empty accepts all.
    """

    def __init__(self) -> None:
        self.forms: dict[str, dict[str, Any]] = {}
        self.names: dict[str, str] = {}
        self.permissions: dict[str, list[Any]] = {}
        self.calls: list[str] = []
        self.faults: dict[str, list[int | str]] = {}
        self.own_ids = False
        self.lock = threading.Lock()
        self.bodies: list[tuple[str, Any]] = []

    def answer(self, verb: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        if path == "/v1/forms" and verb == "POST":
            return self.create(body, query)
        if path == "/drive/v3/files" and verb == "GET":
            return self.list_files(query["q"][0])
        if match := re.fullmatch(r"/drive/v3/files/([^/]+)/permissions", path):
            bad = problems(body, "Permission", doc="drive")
            self._check(bad)
            if body not in self.permissions.setdefault(match[1], []):
                self.permissions[match[1]].append(body)
            return {**body, "id": "anyone", "kind": "drive#permission"}
        if match := re.fullmatch(r"/v1/forms/([^/:]+)", path):
            return self._form(match[1])
        if match := re.fullmatch(r"/v1/forms/([^/:]+):batchUpdate", path):
            return self.batch_update(match[1], body)
        if match := re.fullmatch(r"/v1/forms/([^/:]+):setPublishSettings", path):
            self._check(problems(body, "SetPublishSettingsRequest"))
            self._form(match[1])["publishSettings"] = body["publishSettings"]
            return {"formId": match[1], "publishSettings": body["publishSettings"]}
        raise RefusedError(404, f"no method {verb} {path}")

    @staticmethod
    def method(verb: str, path: str) -> str:
        if path.startswith("/drive"):
            return "permissions" if path.endswith("permissions") else "files"
        if ":" in path:
            return path.rsplit(":", 1)[1]
        return "create" if verb == "POST" else "get"

    @staticmethod
    def _check(bad: list[str]) -> None:
        if bad:
            raise RefusedError(400, "; ".join(bad[:5]))

    def _form(self, form: str) -> dict[str, Any]:
        if form not in self.forms:
            raise RefusedError(404, "Requested entity was not found.")
        return self.forms[form]

    def create(self, body: Any, query: dict[str, list[str]]) -> Any:
        self._check(problems(body, "Form"))
        if set(body) != {"info"} or set(body["info"]) - {"title", "documentTitle"}:
            raise RefusedError(400, "Only info.title can be set when creating a form.")
        self._words(body["info"]["title"])
        form = f"form-{len(self.forms) + 1}"
        published = query.get("unpublished", ["false"]) != ["true"]
        self.forms[form] = {
            "formId": form,
            "info": body["info"],
            "items": [],
            "responderUri": f"https://docs.google.com/forms/d/e/{form}/viewform",
            "publishSettings": {"publishState": {"isPublished": published}},
        }
        self.names[form] = body["info"].get("documentTitle", body["info"]["title"])
        return self.forms[form]

    def list_files(self, query: str) -> Any:
        match = re.match(r"name = '((?:[^'\\]|\\.)*)' and mimeType = '([^']+)'", query)
        if not match or "createdTime >= '" not in query:
            raise RefusedError(400, "Invalid Value")
        name = re.sub(r"\\(.)", r"\1", match[1])
        return {
            "files": [{"id": key, "name": name} for key, item in self.names.items() if item == name]
        }

    def batch_update(self, form_id: str, body: Any) -> Any:
        self._check(problems(body, "BatchUpdateFormRequest"))
        form = copy.deepcopy(self._form(form_id))
        replies = [self._request(form, request) for request in body["requests"]]
        self.forms[form_id] = form
        return {"replies": replies, "writeControl": {"requiredRevisionId": "1"}}

    def _request(self, form: dict[str, Any], request: Any) -> Any:
        if len(request) != 1:
            raise RefusedError(400, "oneof field 'kind' is already set")
        (kind, value), *_ = request.items()
        if kind == "updateFormInfo":
            for key in value["updateMask"].split(","):
                form["info"][key] = value["info"][key]
            self._words(form["info"]["title"])
            return {}
        if kind == "updateSettings":
            form.setdefault("settings", {}).update(value["settings"])
            return {}
        if kind != "createItem":
            raise RefusedError(400, f"{kind} is not spoken here")
        item, index = copy.deepcopy(value["item"]), value["location"]["index"]
        if not 0 <= index <= len(form["items"]):
            raise RefusedError(400, f"index {index} is out of bounds")
        self._item(form, item)
        form["items"].insert(index, item)
        question = item.get("questionItem", {}).get("question", {}).get("questionId")
        reply = {"itemId": item["itemId"], **({"questionId": [question]} if question else {})}
        return {"createItem": reply}

    def _item(self, form: dict[str, Any], item: dict[str, Any]) -> None:
        kinds = [each for each in item if each.endswith("Item")]
        if len(kinds) != 1:
            raise RefusedError(400, "an item is of one kind")
        self._words(item.get("title", ""))
        taken = {item["itemId"] for item in form["items"]}
        question = item.get("questionItem", {}).get("question", {})
        if self.own_ids:
            number = 0x70000000 + 0x10000 * int(form["formId"].split("-")[1]) + 2 * len(taken)
            item["itemId"] = f"{number:08x}"
            if question:
                question["questionId"] = f"{number + 1:08x}"
        if item["itemId"] in taken or not re.fullmatch(r"[0-9a-f]{8}", item["itemId"]):
            raise RefusedError(400, f"the item id {item['itemId']} is in use or invalid")
        image = item.get("imageItem", item.get("questionItem", {})).get("image")
        if image is not None and not image.get("sourceUri", "").startswith("https://"):
            raise RefusedError(400, "There was a problem retrieving the image.")
        options = question.get("choiceQuestion", {}).get("options", [])
        texts = [option["value"] for option in options]
        if len(set(texts)) < len(texts) or not all(texts):
            raise RefusedError(400, "options are empty or there twice")
        sections = {item["itemId"] for item in form["items"] if "pageBreakItem" in item}
        routed = ["goToAction" in option or "goToSectionId" in option for option in options]
        if any(routed) and not all(routed):
            raise RefusedError(400, "options with and without navigation may not stand together")
        for option in options:
            self._words(option["value"])
            if "goToSectionId" in option and option["goToSectionId"] not in sections:
                raise RefusedError(400, f"there is no section {option['goToSectionId']}")

    @staticmethod
    def _words(text: str) -> None:
        if "\n" in text or "\r" in text:
            raise RefusedError(400, "Displayed text cannot contain newlines")


def _reply(forms: FormsServer, request: Request) -> Reply:
    parts = urlsplit(request.path)
    body = request.json()
    method = forms.method(request.method, parts.path)
    with forms.lock:
        forms.calls.append(method)
        forms.bodies.append((method, body))
        fault = forms.faults.get(method, []).pop(0) if forms.faults.get(method) else None
        if fault == "drop":
            return Reply(drop=True)
        if isinstance(fault, int):
            headers = {"Retry-After": "0"} if fault == 429 else {}
            return json_reply({"error": {"code": fault, "message": "try later"}}, fault, headers)
        try:
            value = forms.answer(request.method, parts.path, parse_qs(parts.query), body)
            status = 200
        except RefusedError as error:
            value = {"error": {"code": error.status, "message": error.message}}
            status = error.status
        return Reply(drop=True) if fault == "cut" else json_reply(value, status)


@contextmanager
def serving() -> Iterator[tuple[FormsServer, str]]:
    """The server's state, and its address."""
    state = FormsServer()
    with serve(lambda request: _reply(state, request)) as address:
        yield state, address
