"""Sheets as web pages. In: a survey's sheets. Out: one HTML file a sheet, with all that it needs.

A page works from disk or from any web server, on a phone and on a desk, in either direction. It
keeps the answers in the browser until they are sent, and sends them to an address, as JSON in a
POST, or saves them as a file; `html_back` reads both. A submission has an id of its own, so one
that is sent twice counts once.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memeloc.errors import InputError
from memeloc.survey.instructions import explained, memes_shown, minutes_told
from memeloc.survey.model import Check, Entry, Sheet, entry_id
from memeloc.survey.targets.pictures import data_url
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.writing import write_text
from memeloc.survey.texts import SurveyTexts

FORMAT = "survey-answers"
"""What a file of answers says of itself."""

_FOLDER = files("memeloc.survey.targets.html") / "sheet"
_WORDS = (
    "title", "intro", "progress", "next", "back", "send", "required", "warning.heading",
    "warning.text", "consent.heading", "consent.text", "consent.yes", "consent.no",
    "consent.declined", "participant.label", "participant.help", "definition.heading",
    "examples.heading", "examples.because", "rules.heading", "image.alt", "stop.text",
    "stop.button", "comments.label", "saved.offline", "saved.browser", "saved.file",
    "sent.heading", "sent.thanks", "sent.code",
)  # fmt: skip


class HtmlSheets:
    """Writes a page for each sheet.

    Args:
        send_to: the https address that answers are sent to; empty saves them as a file only.

    Raises:
        InputError: it is no such address.
    """

    name = "html"
    summary = "one web page a sheet, that works from disk or any web server"

    def __init__(self, send_to: str = "") -> None:
        parts = urlsplit(send_to)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if send_to and (parts.scheme != "https" and not (parts.scheme == "http" and local)):
            raise InputError(f"answers are sent to an https address, not to {send_to[:80]!r}")
        if send_to and not parts.hostname:
            raise InputError(f"{send_to[:80]!r} names no host to send answers to")
        self.send_to = send_to

    def export(self, pack: SurveyPack, folder: Path) -> Sequence[Path]:
        """Write `SHEET.html` for each sheet.

        Raises:
            InputError: a picture cannot be read, or a file cannot be written.
        """
        written = []
        for sheet in pack.sheets:
            path = folder / f"{sheet.id}.html"
            write_text(path, self.page(pack, sheet))
            written.append(path)
        return written

    def page(self, pack: SurveyPack, sheet: Sheet) -> str:
        """The page of a sheet."""
        texts = pack.texts[sheet.culture.locale.tag]
        script = (_FOLDER / "sheet.js").read_text(encoding="utf-8")
        style = (_FOLDER / "sheet.css").read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = (
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
            f"form-action 'none'; script-src 'sha256-{digest}'"
        )
        if self.send_to:
            parts = urlsplit(self.send_to)
            policy += f"; connect-src {parts.scheme}://{parts.netloc}"
        locale = sheet.culture.locale
        return (
            f'<!doctype html>\n<html lang="{escape(locale.tag)}" dir="{locale.direction}">\n'
            "<head><meta charset=utf-8>\n"
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
            '<meta name=viewport content="width=device-width, initial-scale=1">\n'
            "<meta name=robots content=noindex>\n<meta name=referrer content=no-referrer>\n"
            f"<title>{escape(texts.get('title'))}</title>\n<style>{style}</style></head>\n"
            "<body><main tabindex=-1></main><nav></nav>\n"
            f"<script type=application/json id=sheet>{self._data(pack, sheet, texts)}</script>\n"
            f"<script>{script}</script></body></html>\n"
        )

    def _data(self, pack: SurveyPack, sheet: Sheet, texts: SurveyTexts) -> str:
        taxonomy, name = pack.taxonomy, pack.taxonomy.name
        pictures: dict[str, str] = {}
        values = {
            "count": memes_shown(sheet),
            "minutes": minutes_told(pack, sheet),
            "contact": pack.contact,
        }
        words = {
            key: texts.get(key, **values) if key in ("intro", "consent.text") else texts.get(key)
            for key in _WORDS
        }
        names = {
            label.id: texts.get(f"taxonomy.{name}.label.{label.id}.name")
            for label in taxonomy.labels
        }
        second = None
        if taxonomy.second is not None:
            before = f"taxonomy.{name}.second.{taxonomy.second.id}"
            second = {
                "question": texts.get(f"{before}.question"),
                "when": list(taxonomy.second.when),
                "several": taxonomy.second.several,
                "answers": [
                    {"id": one, "name": texts.get(f"{before}.answer.{one}")}
                    for one in taxonomy.second.answers
                ],
            }
        codes = pack.codes.get(sheet.id)
        data = {
            "survey": pack.name,
            "sheet": sheet.id,
            "send_to": self.send_to,
            "words": words,
            "digits": texts.digits,
            "question": texts.get(f"taxonomy.{name}.question"),
            "definition": texts.get(f"taxonomy.{name}.definition"),
            "labels": [
                {
                    "id": label.id,
                    "name": names[label.id],
                    "definition": explained(texts, taxonomy, label),
                }
                for label in taxonomy.labels
            ],
            "second": second,
            "rules": [texts.get(f"taxonomy.{name}.rule.{rule}") for rule in taxonomy.rules],
            "examples": [
                {
                    "label": names[example.label],
                    "why": texts.get(f"taxonomy.{name}.example.{example.id}.why"),
                    "caption": texts.get(f"taxonomy.{name}.example.{example.id}.caption"),
                    "picture": _picture(
                        pack.examples.get((sheet.culture.code, example.id)), pictures
                    ),
                }
                for example in taxonomy.examples
            ],
            "entries": [_entry(entry, names, texts, name, pictures) for entry in sheet.entries],
            "codes": {
                "done": codes.done if codes else "",
                "no_consent": codes.no_consent if codes else "",
            },
            "pictures": pictures,
        }
        plain = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        # Nothing in it can end the script, nor be taken for a line's end by an old parser.
        for letter in "<>&\u2028\u2029":
            plain = plain.replace(letter, f"\\u{ord(letter):04x}")
        return plain.encode("utf-8", "backslashreplace").decode()


def _entry(
    entry: Entry, names: dict[str, str], texts: SurveyTexts, taxonomy: str, pictures: dict[str, str]
) -> dict[str, Any]:
    found: dict[str, Any] = {"id": entry_id(entry), "picture": _picture(entry.picture, pictures)}
    if not isinstance(entry, Check):
        return {**found, "caption": entry.caption, "say": ""}
    if entry.kind == "explicit":
        say = texts.get("check.explicit", label=names[entry.expected])
        return {**found, "caption": "", "say": say}
    caption = texts.get(f"taxonomy.{taxonomy}.example.{entry.example}.caption")
    return {**found, "caption": caption, "say": ""}


def _picture(path: Path | None, pictures: dict[str, str]) -> str:
    """A picture's key among those of the page; empty when there is none."""
    if path is None:
        return ""
    address = data_url(path)
    key = hashlib.sha256(address.encode()).hexdigest()[:16]
    pictures[key] = address
    return key
