"""The target qsf (Qualtrics). In: sheets, or exported responses. Out: a `.qsf` a sheet; answers.

A project is made of it by "Create from a file". The flow reads PROLIFIC_PID from the address, asks
for consent, ends where it is refused, shows the introduction and then an entry a page. Both ends
go back to Prolific with the sheet's codes. Qualtrics publishes no schema of the format; fields and
their types are those of files that it exports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memeloc.survey.model import Entry, Sheet, entry_id
from memeloc.survey.targets.instructions import (
    as_html,
    consent,
    entry_text,
    label_names,
    question,
    second_names,
    sections,
)
from memeloc.survey.targets.pictures import data_url
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.qualtrics.reading import CONSENT, EMBEDDED, SECOND, is_export, read
from memeloc.survey.targets.writing import write_text
from memeloc.tables import drawable

_BACK = "https://app.prolific.com/submissions/complete?cc="
_FIXED: dict[str, Any] = json.loads((Path(__file__).parent / "fixed.json").read_text("utf-8"))
"""What is the same in every survey; neither addresses nor places of people are kept."""
_LANGUAGES = {"zh-Hans": "ZH-S", "zh-Hant": "ZH-T", "pt": "PT-BR", "es": "ES", "en": "EN"}
"""Qualtrics' codes where they are not the language's in capitals."""


class Qsf:
    """Writes a Qualtrics survey for each sheet, and reads what Qualtrics exports of it."""

    name = "qsf"
    summary = "a Qualtrics survey (QSF) a sheet, to be made a project of"

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write `SHEET.qsf` for each sheet.

        Raises:
            InputError: a picture cannot be read, or a file cannot be written.
        """
        written = []
        for sheet in pack.sheets:
            text = json.dumps(_Survey(pack, sheet).whole(), ensure_ascii=False, sort_keys=True)
            path = folder / f"{sheet.id}.qsf"
            write_text(path, text + "\n")
            written.append(path)
            on_sheet()
        return written

    def recognises(self, path: Path) -> bool:
        """Whether a file has Qualtrics' three rows of headings."""
        return is_export(path)

    def read(self, path: Path, pack: SurveyPack) -> Iterable[RawRecord]:
        """See `qualtrics.reading`."""
        return read(path, pack)


class _Survey:
    """One sheet; questions and blocks are numbered as they are made."""

    def __init__(self, pack: SurveyPack, sheet: Sheet) -> None:
        self._pack = pack
        self._sheet = sheet
        self._texts = pack.texts[sheet.culture.locale.tag]
        self._id = f"SV_{self._name('survey')}"
        self._questions: list[dict[str, Any]] = []
        self._blocks: list[dict[str, Any]] = []
        self._steps = 1

    def whole(self) -> dict[str, Any]:
        """All of the file."""
        pack, sheet, codes = self._pack, self._sheet, self._pack.codes.get(self._sheet.id)
        flow: list[dict[str, Any]] = [
            {"Type": "EmbeddedData", "FlowID": self._step(), "EmbeddedData": list(_embedded())}
        ]
        asked = self._choice(
            CONSENT,
            self._html(escape(consent(pack, sheet))),
            {one: self._texts.get(f"consent.{one}") for one in ("yes", "no")},
        )
        flow.append(self._block("Consent", [asked], kind="Default"))
        flow.append(self._declined(asked, codes.no_consent if codes else ""))
        shown = as_html(sections(pack, sheet, with_consent=False), sheet, data_url)
        flow.append(self._block("Introduction", [self._shown("introduction", shown)]))
        for number, entry in enumerate(sheet.entries, 1):
            flow.append(self._block(f"Item {number}", self._entry(entry)))
        flow.append(self._end(codes.done if codes else ""))
        language = _language(sheet)
        return {
            "SurveyEntry": {
                **_FIXED["entry"],
                "SurveyID": self._id,
                "SurveyName": f"{pack.name} {sheet.id}",
                "SurveyOwnerID": f"UR_{self._name('owner')}",
                "SurveyLanguage": language,
                "SurveyActiveResponseSet": f"RS_{self._name('responses')}",
                "CreatorID": f"UR_{self._name('owner')}",
            },
            "SurveyElements": [*self._elements(flow, language), *self._questions],
        }

    def _elements(self, flow: list[dict[str, Any]], language: str) -> list[dict[str, Any]]:
        responses = f"RS_{self._name('responses')}"
        unused = {"Type": "Trash", "Description": "Trash / Unused Questions"}
        trash = {**unused, "ID": f"BL_{self._name('trash')}", "BlockElements": []}
        options = {
            **_FIXED["options"],
            "PreviousButton": self._texts.get("back"),
            "NextButton": self._texts.get("next"),
            "SurveyTitle": self._texts.get("title"),
            "SurveyLanguage": language,
            "AvailableLanguages": {language: []},
        }
        root = {
            "Flow": flow,
            "Properties": {"Count": self._steps},
            "FlowID": "FL_1",
            "Type": "Root",
        }
        project = {"ProjectCategory": "CORE", "SchemaVersion": "1.1.0"}
        statistics = {"MobileCompatible": True, "ID": "Survey Statistics"}
        return [
            self._element("BL", "Survey Blocks", None, [*self._blocks, trash]),
            self._element("FL", "Survey Flow", None, root),
            self._element("SO", "Survey Options", None, options),
            self._element("SCO", "Scoring", None, _FIXED["scoring"]),
            {**self._element("PROJ", "CORE", None, project), "TertiaryAttribute": "1.1.0"},
            self._element("STAT", "Survey Statistics", None, statistics),
            self._element("QC", "Survey Question Count", str(len(self._questions)), None),
            self._element("RS", responses, "Default Response Set", None),
        ]

    def _entry(self, entry: Entry) -> list[str]:
        pack, sheet = self._pack, self._sheet
        tag, text = item_key(pack.name, sheet.id, entry_id(entry)), entry_text(pack, sheet, entry)
        parts = []
        if entry.picture is not None:
            address, style = data_url(entry.picture), "max-width:100%;width:600px"
            parts.append(f'<p><img src="{address}" alt="{escape(text)}" style="{style}"></p>')
        else:
            parts.append(f"<p>{escape(text)}</p>")
        parts.append(f"<p>{escape(question(pack, sheet))}</p>")
        first = self._choice(tag, self._html("".join(parts)), label_names(pack, sheet))
        second, (heading, answers) = pack.taxonomy.second, second_names(pack, sheet)
        if second is None:
            return [first]
        order = [one.id for one in pack.taxonomy.labels]
        places = [order.index(one) + 1 for one in second.when]
        shown = self._html(f"<p>{escape(heading)}</p>")
        asked = self._choice(f"{tag}{SECOND}", shown, answers, several=second.several)
        logic: dict[str, Any] = {"Type": "If"}
        for number, place in enumerate(places):
            logic[str(number)] = _selected(first, place, "Or" if number else "")
        payload = self._questions[-1]["Payload"]
        payload["DisplayLogic"] = {"0": logic, "Type": "BooleanExpression", "inPage": True}
        return [first, asked]

    def _choice(
        self, tag: str, text: str, choices: dict[str, str], *, several: bool = False
    ) -> str:
        """A question with choices, one of which has to be chosen; exported by their ids."""
        order = [str(number) for number in range(1, len(choices) + 1)]
        named = list(zip(order, choices.items(), strict=True))
        more = {
            "Selector": "MAVR" if several else "SAVR",
            "SubSelector": "TX",
            "Choices": {number: {"Display": escape(name)} for number, (_, name) in named},
            "ChoiceOrder": order,
            "VariableNaming": {number: one for number, (one, _) in named},
            "RecodeValues": {number: number for number in order},
            "NextChoiceId": len(order) + 1,
        }
        forced = {"ForceResponse": "ON", "ForceResponseType": "ON", "Type": "None"}
        return self._question(tag, text, "MC", more, forced)

    def _shown(self, tag: str, text: str) -> str:
        more = {"Selector": "TB", "ChoiceOrder": [], "NextChoiceId": 4}
        return self._question(tag, text, "DB", more, {"Type": "None"})

    def _question(
        self, tag: str, text: str, kind: str, more: dict[str, Any], settings: dict[str, str]
    ) -> str:
        number = f"QID{len(self._questions) + 1}"
        payload = {
            **_FIXED["question"],
            # A ${ would be taken for text that is piped in.
            "QuestionText": drawable(text).replace("${", "$&#123;"),
            "DataExportTag": tag,
            "QuestionID": number,
            "QuestionType": kind,
            "QuestionDescription": tag,
            "Validation": {"Settings": settings},
            **more,
        }
        self._questions.append(self._element("SQ", number, tag, payload))
        return number

    def _block(self, title: str, questions: list[str], *, kind: str = "Standard") -> dict[str, Any]:
        name = f"BL_{self._name(title)}"
        elements = [{"Type": "Question", "QuestionID": one} for one in questions]
        made = {"Type": kind, "SubType": "", "Description": title, "ID": name}
        self._blocks.append({**made, "BlockElements": elements})
        return {
            "Type": "Block" if kind == "Default" else "Standard",
            "ID": name,
            "FlowID": self._step(),
            "Autofill": [],
        }

    def _declined(self, asked: str, code: str) -> dict[str, Any]:
        condition = {"0": _selected(asked, 2), "Type": "If"}
        return {
            "Type": "Branch",
            "FlowID": self._step(),
            "Description": "No consent",
            "BranchLogic": {"0": condition, "Type": "BooleanExpression"},
            "Flow": [self._end(code)],
        }

    def _end(self, code: str) -> dict[str, Any]:
        """The end of the survey: back to Prolific where there is a code."""
        found: dict[str, Any] = {"Type": "EndSurvey", "FlowID": self._step()}
        if not code:
            return found
        options = {
            "Advanced": "true",
            "SurveyTermination": "Redirect",
            "EOSRedirectURL": f"{_BACK}{quote(code, safe='')}",
        }
        return {**found, "EndingType": "Advanced", "Options": options}

    def _html(self, inner: str) -> str:
        locale = self._sheet.culture.locale
        return f'<div dir="{locale.direction}" lang="{escape(locale.tag)}">{inner}</div>'

    def _element(self, kind: str, first: str, second: str | None, payload: Any) -> dict[str, Any]:
        return {
            "SurveyID": self._id,
            "Element": kind,
            "PrimaryAttribute": first,
            "SecondaryAttribute": second,
            "TertiaryAttribute": None,
            "Payload": payload,
        }

    def _step(self) -> str:
        self._steps += 1
        return f"FL_{self._steps}"

    def _name(self, of: str) -> str:
        """Fifteen letters and digits, as Qualtrics' ids have them; always the same ones."""
        whole = f"{self._pack.name}\n{self._sheet.id}\n{of}".encode("utf-8", "backslashreplace")
        return hashlib.sha256(whole).hexdigest()[:15]


def _selected(asked: str, place: int, conjunction: str = "") -> dict[str, Any]:
    locator = f"q://{asked}/SelectableChoice/{place}"
    found = {
        **_FIXED["logic"],
        "QuestionID": asked,
        "ChoiceLocator": locator,
        "QuestionIDFromLocator": asked,
        "LeftOperand": locator,
        "Description": f"If {asked} {place} is selected",
    }
    # Spelled as Qualtrics spells it.
    return {**found, "Conjuction": conjunction} if conjunction else found


def _embedded() -> list[dict[str, Any]]:
    return [{**_FIXED["field"], "Description": name, "Field": name} for name in EMBEDDED]


def _language(sheet: Sheet) -> str:
    tag = sheet.culture.locale.tag
    return _LANGUAGES.get(tag) or tag.split("-")[0].upper()
