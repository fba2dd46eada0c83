"""The Forms API and a little of Drive's on this machine, validating by the discovery documents.

It keeps forms as Google does: a batch is done whole or not at all, ids may be given and must be
new, texts may have no line breaks, options that lead nowhere do not stand beside those that do.
Calls are the methods of its API.
"""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from typing import Any

from googleapiclient.discovery_cache import get_static_doc
from jsonschema import Draft202012Validator

from tests.local_server import RefusedError, Reply, Request, Service, json_reply


@cache
def _validator(document: str, version: str, schema: str) -> Draft202012Validator:
    schemas = json.loads(get_static_doc(document, version), object_hook=_as_json_schema)["schemas"]
    # It is said to be output only, and by the same sentence to be set on create.
    if "Info" in schemas:
        schemas["Info"]["properties"]["documentTitle"] = {"type": "string"}
    for each in schemas.values():
        properties = each.get("properties", {})
        fields = {key: field for key, field in properties.items() if "readOnly" not in field}
        # Info.title is needed to make a form; Image.sourceUri to make an image.
        each["required"] = [
            key
            for key, field in fields.items()
            if field.get("description", "").startswith("Required.")
            and (each["id"], key) != ("Form", "items")
        ]
        each |= {"properties": fields, "additionalProperties": False}
    return Draft202012Validator({"$ref": f"#/$defs/{schema}", "$defs": schemas})


def _as_json_schema(value: dict[str, Any]) -> dict[str, Any]:
    """What discovery documents write in another way than JSON Schema does."""
    if isinstance(value.get("$ref"), str):
        value["$ref"] = f"#/$defs/{value['$ref']}"
    if value.get("format") == "int32":
        value |= {"minimum": -(2**31), "maximum": 2**31 - 1}
    return value


def problems(value: Any, schema: str, document: str = "forms", version: str = "v1") -> list[str]:
    """What is wrong with a body: unknown or output-only fields, types, enums, missing fields."""
    errors = _validator(document, version, schema).iter_errors(value)
    return [f"{problem.json_path}: {problem.message[:200]}" for problem in errors]


class FormsServer(Service):
    """The state of the services.

    Attributes:
        forms: by id, as forms.get gives them.
        names: by id, of their documents in Drive.
        permissions: by id.
        own_ids: whether ids that are asked for are ignored.
    """

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, Any]] = {}
        self.names: dict[str, str] = {}
        self.permissions: dict[str, list[Any]] = {}
        self.own_ids = False

    def answer(self, request: Request, path: str, query: dict[str, list[str]]) -> Any:
        verb, body = request.method, request.json()
        if path == "/v1/forms" and verb == "POST":
            return self.create(body, query)
        if path == "/drive/v3/files" and verb == "GET":
            return self.list_files(query["q"][0])
        if match := re.fullmatch(r"/drive/v3/files/([^/]+)/permissions", path):
            self._check(problems(body, "Permission", "drive", "v3"))
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

    def call(self, verb: str, path: str) -> str:
        if path.startswith("/drive"):
            return "permissions" if path.endswith("permissions") else "files"
        if ":" in path:
            return path.rsplit(":", 1)[1]
        return "create" if verb == "POST" else "get"

    def error(self, status: int, reason: Any) -> Reply:
        headers = {"Retry-After": "0"} if status == 429 else {}
        return json_reply({"error": {"code": status, "message": reason}}, status, headers)

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
