"""Sheets as web pages. In: a survey's sheets. Out: one HTML file a sheet, with all that it needs.

A page works from disk or from any web server, on a phone and on a desktop, in either direction. It
keeps the answers in the browser until they are sent, and sends them to an address, as JSON in a
POST, or saves them as a file; `read` takes both. A submission has an id of its own, so one
that is sent twice counts once.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memeloc.errors import InputError
from memeloc.pages import fill_page, script_hash
from memeloc.survey.model import entry_id
from memeloc.survey.targets.html.reading import read, recognises
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, is_read
from memeloc.survey.targets.pictures import data_url
from memeloc.survey.targets.services import is_https
from memeloc.survey.targets.writing import write_text

_FOLDER = Path(__file__).parent / "sheet"
_MESSAGES = (
    "title", "progress", "next", "back", "send", "required", "warning.heading", "warning.text",
    "consent.heading", "consent.yes", "consent.no", "consent.declined", "participant.label",
    "participant.help", "definition.heading", "examples.heading", "examples.because",
    "rules.heading", "image.alt", "stop.text", "stop.button", "comments.label", "saved.offline",
    "saved.browser", "saved.file", "sent.heading", "sent.thanks", "sent.code",
)  # fmt: skip
"""Texts that the page's script shows as they are."""


class Html(SheetFiles):
    """A page for each sheet.

    Args:
        send_to: the https address that answers are sent to; empty saves them as a file only.

    Raises:
        InputError: it is no such address.
    """

    name = "html"
    summary = "one web page a sheet, that works from disk or any web server"
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def __init__(self, send_to: str = "") -> None:
        if send_to and not is_https(send_to, or_local=True):
            raise InputError(f"answers are sent to an https address, not to {send_to[:80]!r}")
        self.send_to = send_to

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.html`."""
        path = folder / f"{shown.sheet.id}.html"
        write_text(path, self._page(shown))
        return path

    def _page(self, shown: SheetTexts) -> str:
        script = (_FOLDER / "sheet.js").read_text(encoding="utf-8")
        policy = (
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
            f"form-action 'none'; script-src {script_hash(script)}"
        )
        if self.send_to:
            parts = urlsplit(self.send_to)
            policy += f"; connect-src {parts.scheme}://{parts.netloc}"
        return fill_page(
            _FOLDER / "sheet.html",
            locale=shown.locale,
            policy=policy,
            title=shown.get("title"),
            style=(_FOLDER / "sheet.css").read_text(encoding="utf-8"),
            data=_data(shown, self.send_to),
            script=script,
        )


def _data(shown: SheetTexts, send_to: str) -> dict[str, Any]:
    """What the page's script shows."""
    pack, sheet, taxonomy = shown.pack, shown.sheet, shown.pack.taxonomy
    pictures: dict[str, str] = {}
    messages = {key: shown.get(key) for key in _MESSAGES}
    codes = pack.codes.get(sheet.id)
    return {
        "survey": pack.name,
        "sheet": sheet.id,
        "send_to": send_to,
        "words": {**messages, "intro": shown.introduction(), "consent.text": shown.consent},
        "digits": pack.texts[shown.locale.tag].digits,
        "question": shown.question,
        "definition": shown.definition,
        "labels": [
            {"id": label, "name": name, "definition": shown.definitions[label]}
            for label, name in shown.labels.items()
        ],
        "second": taxonomy.second
        and {
            "question": shown.second_question,
            "when": list(taxonomy.second.when),
            "several": taxonomy.second.several,
            "answers": [
                {"id": answer, "name": name} for answer, name in shown.second_answers.items()
            ],
        },
        "rules": list(shown.rules),
        "examples": [
            {
                "label": shown.labels[example.label],
                "why": shown.reasons[example.id],
                "caption": shown.captions[example.id],
                "picture": _picture(pack.examples.get((sheet.culture.code, example.id)), pictures),
            }
            for example in taxonomy.examples
        ],
        "entries": [
            {
                "id": entry_id(entry),
                "picture": _picture(entry.picture, pictures),
                # An explicit check is read; what else there is, is looked at.
                "caption": "" if is_read(entry) else shown.text(entry),
                "say": shown.text(entry) if is_read(entry) else "",
            }
            for entry in sheet.entries
        ],
        "codes": {
            "done": codes.done if codes else "",
            "no_consent": codes.no_consent if codes else "",
        },
        "pictures": pictures,
    }


def _picture(path: Path | None, pictures: dict[str, str]) -> str:
    """A picture's key among those of the page; empty when there is none."""
    if path is None:
        return ""
    address = data_url(path)
    key = hashlib.sha256(address.encode()).hexdigest()[:16]
    pictures[key] = address
    return key
