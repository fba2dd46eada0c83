"""Sheets as web pages. In: a survey's sheets. Out: one HTML file a sheet, with all that it needs.

A page works from disk or from any web server, on a phone and on a desk, in either direction. It
keeps the answers in the browser until they are sent, and sends them to an address, as JSON in a
POST, or saves them as a file; `read` takes both. A submission has an id of its own, so one
that is sent twice counts once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memeloc.errors import InputError
from memeloc.pages import fill_page, script_hash
from memeloc.survey.model import Check, Entry, Sheet, entry_id
from memeloc.survey.targets.html.reading import FORMAT, read
from memeloc.survey.targets.instructions import (
    entry_text,
    explained,
    label_names,
    memes_shown,
    minutes_shown,
    second_names,
)
from memeloc.survey.targets.json_files import starts_as_json
from memeloc.survey.targets.pictures import data_url
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.writing import write_text
from memeloc.survey.texts import SurveyTexts

_FOLDER = Path(__file__).parent / "sheet"
_WORDS = (
    "title", "intro", "progress", "next", "back", "send", "required", "warning.heading",
    "warning.text", "consent.heading", "consent.text", "consent.yes", "consent.no",
    "consent.declined", "participant.label", "participant.help", "definition.heading",
    "examples.heading", "examples.because", "rules.heading", "image.alt", "stop.text",
    "stop.button", "comments.label", "saved.offline", "saved.browser", "saved.file",
    "sent.heading", "sent.thanks", "sent.code",
)  # fmt: skip


class Html:
    """A page for each sheet.

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

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write `SHEET.html` for each sheet.

        Raises:
            InputError: a picture cannot be read, or a file cannot be written.
        """
        written = []
        for sheet in pack.sheets:
            path = folder / f"{sheet.id}.html"
            write_text(path, self._page(pack, sheet))
            written.append(path)
            on_sheet()
        return written

    def recognises(self, path: Path) -> bool:
        """Whether a file begins as the JSON that a page saves or sends."""
        return starts_as_json(path, FORMAT)

    def read(self, path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
        """See `html.reading`."""
        return read(path, pack)

    def _page(self, pack: SurveyPack, sheet: Sheet) -> str:
        texts = pack.texts[sheet.culture.locale.tag]
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
            locale=sheet.culture.locale,
            policy=policy,
            title=texts.get("title"),
            style=(_FOLDER / "sheet.css").read_text(encoding="utf-8"),
            data=self._data(pack, sheet, texts),
            script=script,
        )

    def _data(self, pack: SurveyPack, sheet: Sheet, texts: SurveyTexts) -> dict[str, Any]:
        """What the page's script shows."""
        taxonomy, name = pack.taxonomy, pack.taxonomy.name
        pictures: dict[str, str] = {}
        values = {
            "count": memes_shown(sheet),
            "minutes": minutes_shown(pack, sheet),
            "contact": pack.contact,
        }
        words = {
            key: texts.get(key, **values) if key in ("intro", "consent.text") else texts.get(key)
            for key in _WORDS
        }
        names = label_names(pack, sheet)
        asked, answers = second_names(pack, sheet)
        second = taxonomy.second and {
            "question": asked,
            "when": list(taxonomy.second.when),
            "several": taxonomy.second.several,
            "answers": [{"id": answer, "name": shown} for answer, shown in answers.items()],
        }
        codes = pack.codes.get(sheet.id)
        return {
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
            "entries": [
                {
                    "id": entry_id(entry),
                    "picture": _picture(entry.picture, pictures),
                    # An explicit check is read; what else there is, is looked at.
                    "caption": "" if _is_read(entry) else entry_text(pack, sheet, entry),
                    "say": entry_text(pack, sheet, entry) if _is_read(entry) else "",
                }
                for entry in sheet.entries
            ],
            "codes": {
                "done": codes.done if codes else "",
                "no_consent": codes.no_consent if codes else "",
            },
            "pictures": pictures,
        }


def _is_read(entry: Entry) -> bool:
    return isinstance(entry, Check) and entry.kind == "explicit"


def _picture(path: Path | None, pictures: dict[str, str]) -> str:
    """A picture's key among those of the page; empty when there is none."""
    if path is None:
        return ""
    address = data_url(path)
    key = hashlib.sha256(address.encode()).hexdigest()[:16]
    pictures[key] = address
    return key
