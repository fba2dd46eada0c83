"""Google Forms. In: a survey's sheets. Out: requests, a script and pictures; or forms.

FOLDER/requests/SHEET.json   the Forms API's bodies, in the order they are sent
FOLDER/forms/SHEET.json      the same form as data of the script
FOLDER/apps-script/          a project that makes the forms for people without API access
FOLDER/pictures/SHEET--ENTRY.jpg
FOLDER/README.md             how to go on
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memeloc.errors import InputError
from memeloc.survey.targets.files import copy_picture, starts_as_json, write_json, write_text
from memeloc.survey.targets.google_forms import responses
from memeloc.survey.targets.google_forms.client import Service
from memeloc.survey.targets.google_forms.items import Form, Item, Option
from memeloc.survey.targets.google_forms.plan import plan
from memeloc.survey.targets.google_forms.push import FormPush
from memeloc.survey.targets.google_forms.reading import read, recognises
from memeloc.survey.targets.google_forms.requests import all_requests, picture_address
from memeloc.survey.targets.protocol import RawRecord, State, SurveyPack, no_progress
from memeloc.survey.targets.services import is_https
from memeloc.tables import read_table, text_of
from memeloc.taxonomy import Kind

_DATA = Path(__file__).parent / "data"


class GoogleForms:
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
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write everything; the README says how to go on."""
        written = [folder / "README.md", folder / "apps-script" / "Code.gs"]
        for path in (*written, folder / "apps-script" / "appsscript.json"):
            write_text(path, (_DATA / path.name).read_text(encoding="utf-8"))
        for sheet in pack.sheets:
            form = plan(pack, sheet)
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
        """Whether a file holds responses, or is the script's list of forms."""
        return recognises(path) or is_list(path)

    def read_made(self, path: Path, pack: SurveyPack) -> Mapping[str, Mapping[str, Any]]:
        """What the script made; see `ReadMade`."""
        return read_list(path, pack) if is_list(path) else {}

    def read(self, path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
        """The responses of a table, or of the API."""
        if starts_as_json(path):
            return responses.read(path, pack)
        return read(path, pack, self.zone)

    def push(
        self,
        pack: SurveyPack,
        state: State,
        *,
        dry_run: bool = False,
        publish: bool = False,
        agree: Callable[[str], bool] = lambda _: False,
    ) -> Sequence[Mapping[str, Any]]:
        """Make the forms, see `FormPush`; they are open at once, so none is published."""
        if publish:
            raise InputError("Forms are open at once; there is nothing to publish.")
        forms = [plan(pack, sheet) for sheet in pack.sheets]
        if not self.pictures_base and any(item.picture for form in forms for item in form.items):
            raise InputError(
                "Google fetches the pictures of a form from the web: put the exported folder "
                "pictures on an https server and give its address: "
                "--option pictures_base=https://..."
            )
        pushed = [FormPush(form, self.address, state, remake=self.remake) for form in forms]
        if not dry_run:
            service = self.connect()
            for form in pushed:
                form.make(service, open_to_all=self.open_to_all)
        return [form.row() for form in pushed]


def _script_data(form: Form) -> dict[str, Any]:
    """A form as the script reads it: a file in Drive, so no text becomes part of the code."""
    data = _values(form)
    data["items"] = [
        {
            **_values(item, "source"),
            "options": list(map(_values, item.options)),
            "routed": item.routed,
        }
        for item in form.items
    ]
    return {"memeloc": "google-form", **data}


def _values(record: Form | Item | Option, without: str = "") -> dict[str, Any]:
    """The fields of a record by name; `asdict` would copy each value, which takes longer."""
    return {name: getattr(record, name) for name in record.__slots__ if name != without}


_COLUMNS = ("sheet", "form", "answer", "prolific")
_LONGEST = 1000
"""Bytes of the headings, at the most."""
_HOSTS = frozenset({"docs.google.com", "forms.gle"})


def is_list(path: Path) -> bool:
    """Whether a file is the list of forms that the script writes."""
    try:
        with path.open("rb") as stream:
            first = stream.readline(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return False
    return set(_COLUMNS) <= set(re.findall(r"\w+", first))


def read_list(path: Path, pack: SurveyPack) -> dict[str, Mapping[str, Any]]:
    """By sheet id the form's id and addresses, as `FormPush` notes them; nothing is left to make.

    Raises:
        InputError: a row is of no sheet of the survey, an address is not one of Google's forms, or
            another form was made for the sheet.
    """
    sheets = {sheet.id for sheet in pack.sheets}
    noted = pack.made.get("google-forms", {})
    made: dict[str, Mapping[str, Any]] = {}
    table = read_table(path, _COLUMNS)
    places = [table.columns.index(name) for name in _COLUMNS]
    for row in table.rows:
        sheet, form, answer, prolific = (text_of(row.cells[place]).strip() for place in places)
        if sheet not in sheets:
            raise InputError(f"The survey has no sheet {sheet[:80]!r}.", file=path, row=row.number)
        for address in (answer, prolific):
            if not is_https(address) or urlsplit(address).hostname not in _HOSTS:
                message = f"{address[:80]!r} is not the address of a form at Google."
                raise InputError(message, file=path, row=row.number)
        other = noted.get(sheet, {}).get("form", form)
        if other != form:
            message = f"The sheet {sheet} has another form, {other[:80]!r}; keep one of them."
            raise InputError(message, file=path, row=row.number)
        done = dict.fromkeys(("filled", "published", "open"), True)
        made[sheet] = {
            "items": {},
            **noted.get(sheet, {}),
            **{"form": form, "responder": answer, "prolific": prolific},
            **done,
        }
    return made
