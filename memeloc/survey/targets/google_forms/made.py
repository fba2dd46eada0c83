"""Forms that the script made. In: forms.csv, which it writes. Out: what a `State` notes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memeloc.errors import InputError
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.targets.services import is_https
from memeloc.tables import read_table, text_of

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
