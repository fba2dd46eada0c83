"""Google Forms, the way out. In: a survey's sheets. Out: requests, a script and pictures; or forms.

FOLDER/requests/SHEET.json   the Forms API's bodies, in the order they are sent
FOLDER/forms/SHEET.json      the same form as data of the script
FOLDER/apps-script/          a project that makes the forms for people without API access
FOLDER/pictures/SHEET--ENTRY.jpg
FOLDER/README.md             how to go on
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.survey.targets.google_forms.plan import Form, plan, question_id
from memeloc.survey.targets.google_forms.requests import (
    addresses,
    batches,
    create_body,
    publish_body,
)
from memeloc.survey.targets.google_forms.script import CODE, MANIFEST, README, script_data
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.writing import write_json, write_text

if TYPE_CHECKING:
    from memeloc.survey.targets.google_forms.push import PushedForm, PushSettings

_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
LARGEST_PICTURE = 50 * 1024 * 1024
"""Bytes of a picture that Google takes."""


class GoogleForms:
    """Writes Google Forms' requests, script and pictures for each sheet.

    Args:
        pictures_base: the https address of the folder that the pictures will be in, or the address
            of each by file name; empty when they are not on the web.

    Raises:
        InputError: it is no https address.
    """

    name = "google-forms"
    summary = "Google Forms: requests to its API, an Apps Script project, and pictures"

    def __init__(
        self,
        pictures_base: str | Mapping[str, str] = "",
        made: Path | str | None = None,
        zone: tzinfo | str = UTC,
    ) -> None:
        self.made, self.zone = made, zone
        self.pictures_base = pictures_base
        self.address = addresses(pictures_base)

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write everything; the README says how to go on.

        Raises:
            InputError: a sheet cannot be said as a form, or a file cannot be read or written.
        """
        written = [folder / "README.md", folder / "apps-script" / "Code.gs"]
        for sheet in pack.sheets:
            form = plan(pack, sheet)
            path = folder / "requests" / f"{sheet.id}.json"
            write_json(path, self.requests(form))
            write_json(folder / "forms" / f"{sheet.id}.json", script_data(form))
            for item in form.items:
                if item.source is not None:
                    _copy(item.source, folder / "pictures" / item.picture)
            written.append(path)
            on_sheet()
        write_text(folder / "apps-script" / "Code.gs", CODE)
        write_json(folder / "apps-script" / "appsscript.json", MANIFEST)
        write_text(folder / "README.md", README)
        return written

    def recognises(self, path: Path) -> bool:
        """Whether a file is of this target."""
        from memeloc.survey.targets.google_forms.back import GoogleFormsBack

        return GoogleFormsBack().recognises(path)

    def read(self, path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
        """The records of a file."""
        from memeloc.survey.targets.google_forms.back import GoogleFormsBack

        found = GoogleFormsBack(self.made, self.zone).read(path, pack)
        yield from found.submissions
        yield from found.participants
        yield from found.rejected

    def requests(self, form: Form) -> dict[str, Any]:
        """All that is sent to make a form, with the ids that its items will have."""
        ids = form.ids()
        return {
            "sheet": form.sheet,
            "create": {"unpublished": True, "body": create_body(form)},
            "batchUpdate": batches(form, self.address, ids=ids),
            "setPublishSettings": publish_body(),
            "items": {
                item.key: {"itemId": ids[item.key], "questionId": question_id(ids[item.key])}
                for item in form.items
            },
        }

    def push(self, pack: SurveyPack, settings: PushSettings) -> tuple[PushedForm, ...]:
        """Make the forms; see `google_forms_push.push`."""
        from memeloc.survey.targets.google_forms.push import push

        return push(pack, self, settings)


def _copy(source: Path, target: Path) -> None:
    """Copy a picture, as it is.

    Raises:
        InputError: it is not there, or none that Google takes.
    """
    try:
        with source.open("rb") as stream:
            head = stream.read(8)
        size = source.stat().st_size
    except OSError as error:
        raise InputError(f"the picture cannot be read: {error.strerror}", file=source) from error
    if not head.startswith(_PICTURES):
        raise InputError("is no JPEG, PNG or GIF, which is what Google Forms shows", file=source)
    if size > LARGEST_PICTURE:
        raise InputError("has more than 50 MB, which Google Forms does not take", file=source)
    with replacing(target) as partial:
        shutil.copyfile(source, partial)
