"""Google Forms. In: a survey's sheets. Out: requests, a script and pictures; or forms.

FOLDER/requests/SHEET.json   the Forms API's bodies, in the order they are sent
FOLDER/forms/SHEET.json      the same form as data of the script
FOLDER/apps-script/          a project that makes the forms for people without API access
FOLDER/pictures/SHEET--ENTRY.jpg
FOLDER/README.md             how to go on
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memeloc.errors import InputError
from memeloc.survey.targets.files import copy_picture, write_json, write_text
from memeloc.survey.targets.google_forms import api, reading
from memeloc.survey.targets.google_forms.api import Service, all_requests, picture_address
from memeloc.survey.targets.google_forms.forms import Form, plan
from memeloc.survey.targets.protocol import (
    RawRecord,
    SheetsToSend,
    State,
    Target,
    disagree,
    no_progress,
)
from memeloc.survey.targets.services import is_https
from memeloc.tables import read_table
from memeloc.taxonomy import Kind

_DATA = Path(__file__).parent / "data"
_COLUMNS = ("sheet", "form", "answer", "prolific")
"""Of the list of forms that the script writes."""
_HOSTS = frozenset({"docs.google.com", "forms.gle"})


class GoogleForms(Target):
    """Forms at Google: made through its API, or by a script in Apps Script.

    Args:
        pictures_base: the https address of the folder that the pictures will be in, or the address
            of each by file name; empty when they are not on the web.
        zone: of timestamps that name none, such as `Europe/Berlin`; those of a CSV from Forms
            name it.
        open_to_all: whether everybody with a form's address may answer, without signing in.
        remake: whether forms are made anew whose texts have changed since.
        endpoint: of Google's services, for tests.

    Raises:
        InputError: the address is not an https one, or there is no such zone.
    """

    name = "google-forms"
    summary = "Google Forms: requests to its API, an Apps Script project, and pictures"
    kinds = frozenset[Kind]({"choice", "choices", "scale", "text"})

    def __init__(
        self,
        pictures_base: str | Mapping[str, str] = "",
        zone: str = "UTC",
        open_to_all: bool = True,
        remake: bool = False,
        endpoint: str = "",
    ) -> None:
        self.pictures_base = pictures_base
        self.address = partial(picture_address, pictures_base)
        if isinstance(pictures_base, str):
            self.address("")  # refused now rather than at the first picture
        self.open_to_all, self.remake = open_to_all, remake
        self.connect = partial(Service, endpoint)
        try:
            self.zone = ZoneInfo(zone)
        except (ValueError, OSError, ZoneInfoNotFoundError) as error:
            raise InputError(f"zone is such as Europe/Berlin, not {zone[:60]!r}") from error

    def export(
        self, survey: SheetsToSend, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write everything; the README says how to go on."""
        written = [folder / "README.md", folder / "apps-script" / "Code.gs"]
        for path in (*written, folder / "apps-script" / "appsscript.json"):
            write_text(path, (_DATA / path.name).read_text(encoding="utf-8"))
        for sheet in survey.sheets:
            form = plan(survey, sheet)
            path = folder / "requests" / f"{sheet.id}.json"
            write_json(path, all_requests(form, self.address))
            write_json(folder / "forms" / f"{sheet.id}.json", _script_data(form))
            for item in form.items:
                if item.source is not None:
                    stem = Path(item.picture).stem
                    if copy_picture(item.source, folder / "pictures", stem) != item.picture:
                        message = "is not the JPEG, PNG or GIF that its name says"
                        raise InputError(message, file=item.source)
            written.append(path)
            on_sheet()
        return written

    def recognises(self, path: Path) -> bool:
        """Return whether a file holds responses, or is the script's list of forms."""
        return reading.recognises(path) or _is_list(path)

    def read(self, path: Path, survey: SheetsToSend) -> Iterator[RawRecord]:
        """Read the responses of a table, or of the API."""
        return reading.read(path, survey, self.zone)

    def read_made(self, path: Path, survey: SheetsToSend) -> Mapping[str, Mapping[str, Any]]:
        """Return by sheet id the form's id and addresses; nothing is left to make.

        Raises:
            InputError: a row is of no sheet of the survey, an address is not one of Google's forms,
                or another form was made for the sheet.
        """
        sheets, noted = {sheet.id for sheet in survey.sheets}, survey.made.get(self.name, {})
        made: dict[str, Mapping[str, Any]] = {}
        for row in read_table(path, _COLUMNS).rows if _is_list(path) else ():
            sheet, form, answer, prolific = (row[name].strip() for name in _COLUMNS)
            other = noted.get(sheet, {}).get("form", form)
            message = ""
            if sheet not in sheets:
                message = f"The survey has no sheet {sheet[:80]!r}."
            for address in (answer, prolific):
                if not is_https(address) or urlsplit(address).hostname not in _HOSTS:
                    message = message or f"{address[:80]!r} is not the address of a form at Google."
            if other != form:
                message = f"The sheet {sheet} has another form, {other[:80]!r}; keep one of them."
            if message:
                raise InputError(message, file=path, row=row.number)
            done = dict.fromkeys(("filled", "published", "open"), True)
            form_made = {"form": form, "responder": answer, "prolific": prolific, **done}
            made[sheet] = {"items": {}, **noted.get(sheet, {}), **form_made}
        return made

    def push(
        self,
        survey: SheetsToSend,
        state: State,
        *,
        dry_run: bool = False,
        publish: bool = False,
        agree: Callable[[str], bool] = disagree,
    ) -> Sequence[Mapping[str, Any]]:
        """Make the forms, see `api.push`; they are open at once, so none is published."""
        if publish:
            raise InputError("Forms are open at once; there is nothing to publish.")
        forms = [plan(survey, sheet) for sheet in survey.sheets]
        if not self.pictures_base and any(item.picture for form in forms for item in form.items):
            raise InputError(
                "Google fetches the pictures of a form from the web: put the exported folder "
                "pictures on an https server and give its address: "
                "--option pictures_base=https://..."
            )
        push = partial(api.push, remake=self.remake, open_to_all=self.open_to_all)
        rows = [push(form, self.address, state, None) for form in forms]  # refused before any call
        if not dry_run:
            service = self.connect()
            rows = [push(form, self.address, state, service) for form in forms]
        return rows


def _is_list(path: Path) -> bool:
    """Return whether a file is the list of forms that the script writes."""
    try:
        return path.suffix.lower() == ".csv" and bool(read_table(path, _COLUMNS).columns)
    except InputError:
        return False


def _script_data(form: Form) -> dict[str, Any]:
    """Return a form as the script reads it: data in Drive, so no text becomes part of the code."""
    items = [
        {
            **{name: value for name, value in item._asdict().items() if name != "source"},
            "options": [option._asdict() for option in item.options],
            "routed": item.routed,
        }
        for item in form.items
    ]
    return {"memeloc": "google-form", **form._asdict(), "items": items}
