"""The Apps Script project that makes forms. In: a `Form`. Out: data, and the script that reads it.

For people without API access. The data are JSON files beside the pictures in Drive, so no text of
a survey ever becomes part of the code.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from memeloc.survey.targets.google_forms.plan import Form

_FOLDER = files("memeloc.survey.targets.google_forms") / "data"

CODE = (_FOLDER / "Code.gs").read_text(encoding="utf-8")
README = (_FOLDER / "README.md").read_text(encoding="utf-8")
MANIFEST: dict[str, Any] = {
    "exceptionLogging": "STACKDRIVER",
    "oauthScopes": [
        "https://www.googleapis.com/auth/drive",
        "https://www.googleapis.com/auth/forms",
    ],
    "runtimeVersion": "V8",
    "timeZone": "Etc/UTC",
}
FORMAT = "google-form"
"""What a file of data says of itself."""


def script_data(form: Form) -> dict[str, Any]:
    """A form as the script reads it."""
    return {
        "memeloc": FORMAT,
        "sheet": form.sheet,
        "survey": form.survey,
        "title": form.title,
        "document": form.document,
        "description": form.description,
        "thanks": form.thanks,
        "items": [
            {
                "key": item.key,
                "kind": item.kind,
                "title": item.title,
                "description": item.description,
                "required": item.required,
                "routed": item.routed,
                "picture": item.picture,
                "alt": item.alt,
                "options": [{"text": option.text, "goes": option.goes} for option in item.options],
            }
            for item in form.items
        ],
    }
