"""A form as requests to the Forms API. In: a `Form`. Out: the bodies of forms.create and the rest.

Google Forms API v1, as the discovery document in google-api-python-client describes it. Sections
are created first, for options name them by id; then everything else at its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from memeloc.errors import InputError
from memeloc.survey.targets.google_forms.plan import QUESTIONS, SUBMIT, Form, Item, question_id

NOWHERE = "https://pictures.invalid/"
"""Where pictures seem to be until somebody says where they are; RFC 6761 keeps it from existing."""
LONGEST_ADDRESS = 2048
ITEMS_AT_ONCE = 20
"""Items in one batchUpdate: Google fetches their pictures before it answers."""
PICTURE_WIDTH = 740
"""Pixels; the widest that the API takes."""

Address = Callable[[str], str]
"""Gives the https address of a picture by its file name."""


def addresses(base: str | Mapping[str, str]) -> Address:
    """Where pictures are.

    Args:
        base: an https address that file names are put behind; or the address of each by file
            name, such as a file's in Drive; empty for nowhere yet.

    Raises:
        InputError: it is no https address. The address of a missing name raises it too.
    """
    if isinstance(base, str):
        start = base or NOWHERE
        _check_address(start, start)
        if not start.endswith(("/", "=")):
            start += "/"
        return lambda name: _check_address(start + quote(name), name)

    def by_name(name: str) -> str:
        if name not in base:
            raise InputError(f"There is no address for the picture {name!r}.")
        return _check_address(base[name], name)

    return by_name


def _check_address(address: str, name: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or re.search(r"\s", address):
        raise InputError(
            f"Google fetches pictures from an https address; {address[:80]!r} ({name}) is not one."
        )
    if len(address) > LONGEST_ADDRESS:
        raise InputError(f"The address of {name} is longer than {LONGEST_ADDRESS} characters.")
    return address


def all_requests(form: Form, address: Address) -> dict[str, Any]:
    """All that is sent to make a form, with the ids that its items will have."""
    ids = form.ids()
    return {
        "sheet": form.sheet,
        "create": {"unpublished": True, "body": create_body(form)},
        "batchUpdate": batches(form, address, ids=ids),
        "setPublishSettings": publish_body(),
        "items": {
            item.key: {"itemId": ids[item.key], "questionId": question_id(ids[item.key])}
            for item in form.items
        },
    }


def create_body(form: Form) -> dict[str, Any]:
    """The body of forms.create, which takes titles only; the rest comes by batchUpdate."""
    return {"info": {"title": form.title, "documentTitle": form.document}}


def publish_body() -> dict[str, Any]:
    """The body of forms.setPublishSettings."""
    state = {"isPublished": True, "isAcceptingResponses": True}
    return {"publishSettings": {"publishState": state}, "updateMask": "publishState"}


def settings_requests(form: Form) -> list[dict[str, Any]]:
    """Title, description, and that no e-mail address is collected (hence no sign-in asked)."""
    info = {"title": form.title, "description": form.description}
    return [
        {"updateFormInfo": {"info": info, "updateMask": "title,description"}},
        {
            "updateSettings": {
                "settings": {"emailCollectionType": "DO_NOT_COLLECT"},
                "updateMask": "emailCollectionType",
            }
        },
    ]


def batches(
    form: Form,
    address: Address,
    *,
    present: Collection[str] = (),
    ids: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """The bodies of forms.batchUpdate that make what is missing of a form.

    Args:
        form: the plan.
        address: of pictures.
        present: keys of the items that the form has already, in the plan's order.
        ids: item ids by key; those of the form itself when not given.
    """
    named = dict(ids or form.ids())
    place = {item.key: index for index, item in enumerate(form.items)}
    there = {place[key] for key in present}
    missing = [item for item in form.items if item.key not in set(present)]
    sections = [item for item in missing if item.kind == "section"]
    others = [item for item in missing if item.kind != "section"]
    first: list[dict[str, Any]] = [] if present else settings_requests(form)
    steps = [first + [_created(item, place, there, named, address) for item in sections]]
    for start in range(0, len(others), ITEMS_AT_ONCE):
        some = others[start : start + ITEMS_AT_ONCE]
        steps.append([_created(item, place, there, named, address) for item in some])
    return [{"requests": requests} for requests in steps if requests]


def _created(
    item: Item, place: Mapping[str, int], there: set[int], ids: Mapping[str, str], address: Address
) -> dict[str, Any]:
    """A createItem request, before all present items that come later in the plan."""
    own = place[item.key]
    index = sum(one < own for one in there)
    there.add(own)
    return {"createItem": {"item": item_body(item, ids, address), "location": {"index": index}}}


def item_body(item: Item, ids: Mapping[str, str], address: Address) -> dict[str, Any]:
    """An item as the API has it."""
    own = ids[item.key]
    body: dict[str, Any] = {"itemId": own}
    if item.title:
        body["title"] = item.title
    if item.description:
        body["description"] = item.description
    image: dict[str, Any] = {}
    if item.picture:
        image = {
            "sourceUri": address(item.picture),
            "properties": {"alignment": "CENTER", "width": PICTURE_WIDTH},
        }
        if item.alt:
            image["altText"] = item.alt
    if item.kind == "section":
        body["pageBreakItem"] = {}
    elif item.kind == "text":
        body["textItem"] = {}
    elif item.kind == "picture":
        body["imageItem"] = {"image": image}
    elif item.kind in QUESTIONS:
        question = {"questionId": question_id(own), "required": item.required, **_asked(item, ids)}
        body["questionItem"] = {"question": question, **({"image": image} if image else {})}
    return body


def _asked(item: Item, ids: Mapping[str, str]) -> dict[str, Any]:
    if item.kind in ("line", "paragraph"):
        return {"textQuestion": {"paragraph": item.kind == "paragraph"}}
    options = []
    for option in item.options:
        choice: dict[str, Any] = {"value": option.text}
        if item.routed and option.goes == SUBMIT:
            choice["goToAction"] = "SUBMIT_FORM"
        elif item.routed and option.goes:
            choice["goToSectionId"] = ids[option.goes]
        elif item.routed:
            # Options that lead somewhere and options that do not may not stand together.
            choice["goToAction"] = "NEXT_SECTION"
        options.append(choice)
    kind = "RADIO" if item.kind == "choice" else "CHECKBOX"
    return {"choiceQuestion": {"type": kind, "options": options}}


def prefilled(responder: str, question: str) -> str:
    """The form's address for Prolific, which puts the participant's id where the braces are.

    A question's number in such an address is its id in decimal.

    >>> prefilled("https://x.invalid/viewform", "1a2b3c4f")
    'https://x.invalid/viewform?usp=pp_url&entry.439041103={{%PROLIFIC_PID%}}'
    """
    return f"{responder}?usp=pp_url&entry.{int(question, 16)}={{{{%PROLIFIC_PID%}}}}"
