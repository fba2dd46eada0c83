"""A form as requests to the Forms API. In: a `Form`. Out: the bodies of forms.create and the rest.

Google Forms API v1, as its discovery document describes it. Sections are created first, for
options name them by id; then everything else at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from memeloc.errors import InputError
from memeloc.survey.targets.google_forms.items import SUBMIT, Form, Item, question_id
from memeloc.survey.targets.services import is_https

NOWHERE = "https://pictures.invalid/"
"""Where pictures seem to be until somebody says where they are; RFC 6761 keeps it from existing."""
LONGEST_ADDRESS = 2048
ITEMS_AT_ONCE = 20
"""Items in one batchUpdate: Google fetches their pictures before it answers."""
PICTURE_WIDTH = 740
"""Pixels; the widest that the API takes."""
PUBLISH = {
    "publishSettings": {"publishState": {"isPublished": True, "isAcceptingResponses": True}},
    "updateMask": "publishState",
}
"""The body of forms.setPublishSettings."""

Address = Callable[[str], str]
"""Gives the https address of a picture by its file name."""


def picture_address(base: str | Mapping[str, str], name: str) -> str:
    """Where a picture is: behind `base`, or by its file name, such as in Drive; empty: nowhere yet.

    Raises:
        InputError: there is none of that name, or it is no https address.
    """
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


def all_requests(form: Form, address: Address) -> dict[str, Any]:
    """All that is sent to make a form, with the ids that its items will have."""
    return {
        "sheet": form.sheet,
        "create": {"unpublished": True, "body": create_body(form)},
        "batchUpdate": batches(form, address),
        "setPublishSettings": PUBLISH,
        "items": {
            key: {"itemId": own, "questionId": question_id(own)} for key, own in form.ids().items()
        },
    }


def create_body(form: Form) -> dict[str, Any]:
    """The body of forms.create, which takes titles only; the rest comes by batchUpdate."""
    return {"info": {"title": form.title, "documentTitle": form.document}}


def batches(
    form: Form, address: Address, present: Mapping[str, Mapping[str, str]] | None = None
) -> list[dict[str, Any]]:
    """The bodies of forms.batchUpdate that make what is missing of a form.

    `present` has the `itemId` of each item that the form has already, by its key.
    """
    present = present or {}
    ids = form.ids() | {key: item["itemId"] for key, item in present.items()}
    keys = [item.key for item in form.items]
    there = {place for place, key in enumerate(keys) if key in present}

    def created(place: int, item: Item) -> dict[str, Any]:
        location = {"index": sum(other < place for other in there)}
        there.add(place)
        return {"createItem": {"item": item_body(item, ids, address), "location": location}}

    missing = [(place, item) for place, item in enumerate(form.items) if item.key not in present]
    first = [] if present else _settings(form)
    first += [created(*placed) for placed in missing if placed[1].kind == "section"]
    others = [placed for placed in missing if placed[1].kind != "section"]
    steps = [first] + [
        [created(*placed) for placed in others[start : start + ITEMS_AT_ONCE]]
        for start in range(0, len(others), ITEMS_AT_ONCE)
    ]
    return [{"requests": requests} for requests in steps if requests]


def _settings(form: Form) -> list[dict[str, Any]]:
    """Title, description, and that no e-mail address is collected (hence no sign-in asked)."""
    info = {"title": form.title, "description": form.description}
    settings = {"emailCollectionType": "DO_NOT_COLLECT"}
    return [
        {"updateFormInfo": {"info": info, "updateMask": "title,description"}},
        {"updateSettings": {"settings": settings, "updateMask": "emailCollectionType"}},
    ]


def item_body(item: Item, ids: Mapping[str, str], address: Address) -> dict[str, Any]:
    """An item as the API has it; `ids` are those of all items by key."""
    own = ids[item.key]
    body: dict[str, Any] = {"itemId": own}
    body |= {key: text for key in ("title", "description") if (text := getattr(item, key))}
    image: dict[str, Any] = {}
    if item.picture:
        properties = {"alignment": "CENTER", "width": PICTURE_WIDTH}
        image = {"image": {"sourceUri": address(item.picture), "properties": properties}}
        if item.alt:
            image["image"]["altText"] = item.alt
    if item.kind == "section":
        body["pageBreakItem"] = {}
    elif item.kind == "text":
        body["textItem"] = {}
    elif item.kind == "picture":
        body["imageItem"] = image
    else:
        question = {"questionId": question_id(own), "required": item.required, **_asked(item, ids)}
        body["questionItem"] = {"question": question, **image}
    return body


def _asked(item: Item, ids: Mapping[str, str]) -> dict[str, Any]:
    if item.kind in ("line", "paragraph"):
        return {"textQuestion": {"paragraph": item.kind == "paragraph"}}
    if item.kind == "scale":
        return {"scaleQuestion": {"low": int(item.options[0].id), "high": int(item.options[-1].id)}}
    options = []
    for option in item.options:
        choice = {"value": option.text}
        if option.goes == SUBMIT:
            choice["goToAction"] = "SUBMIT_FORM"
        elif option.goes:
            choice["goToSectionId"] = ids[option.goes]
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
