"""The target qsf (Qualtrics). In: sheets, or exported responses. Out: a `.qsf` a sheet; answers.

A project is made of it by "Create from a file". The flow reads PROLIFIC_PID from the address, asks
for consent, ends where it is refused, shows the introduction and then an entry a page. Both ends
go back to Prolific with the sheet's codes. Qualtrics publishes no schema of the format; fields and
their types are those of files that it exports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memeloc.survey.targets.instructions import Item, SheetFiles, SheetTexts, as_html
from memeloc.survey.targets.pictures import data_url
from memeloc.survey.targets.qualtrics.reading import CONSENT, EMBEDDED, read, recognises, tag_of
from memeloc.survey.targets.writing import write_text
from memeloc.survey.taxonomy import LABEL, Kind
from memeloc.tables import drawable

_BACK = "https://app.prolific.com/submissions/complete?cc="
_FIXED: dict[str, Any] = json.loads((Path(__file__).parent / "fixed.json").read_text("utf-8"))
"""What is the same in every survey; neither addresses nor places of people are kept."""
_LANGUAGES = {"zh-Hans": "ZH-S", "zh-Hant": "ZH-T", "pt": "PT-BR", "es": "ES", "en": "EN"}
"""Qualtrics' codes where they are not the language's in capitals."""


class Qsf(SheetFiles):
    """Writes a Qualtrics survey for each sheet, and reads what Qualtrics exports of it."""

    name = "qsf"
    summary = "a Qualtrics survey (QSF) a sheet, to be made a project of"
    kinds = frozenset[Kind]({"choice", "choices"})
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.qsf`."""
        path, whole = folder / f"{shown.sheet.id}.qsf", _Survey(shown).whole()
        write_text(path, json.dumps(whole, ensure_ascii=False, sort_keys=True) + "\n")
        return path


class _Survey:
    """One sheet; questions and blocks are numbered as they are made."""

    def __init__(self, shown: SheetTexts) -> None:
        self._shown = shown
        self._id = f"SV_{self._name('survey')}"
        self._questions: list[dict[str, Any]] = []
        self._blocks: list[dict[str, Any]] = []
        self._steps = 1

    def whole(self) -> dict[str, Any]:
        """All of the file."""
        shown, codes = self._shown, self._shown.pack.codes.get(self._shown.sheet.id)
        fields = [{**_FIXED["field"], "Description": name, "Field": name} for name in EMBEDDED]
        flow: list[dict[str, Any]] = [
            {"Type": "EmbeddedData", "FlowID": self._step(), "EmbeddedData": fields}
        ]
        consents = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
        asked = self._choice(CONSENT, self._html(escape(shown.consent)), consents)
        flow.append(self._block("Consent", [asked], kind="Default"))
        flow.append(self._declined(asked, codes.no_consent if codes else ""))
        parts = shown.sections(with_consent=False)
        introduction = self._question(
            "introduction",
            as_html(parts, shown.sheet, data_url),
            "DB",
            {"Selector": "TB", "ChoiceOrder": [], "NextChoiceId": 4},
            {"Type": "None"},
        )
        flow.append(self._block("Introduction", [introduction]))
        for item in shown.items():
            flow.append(self._block(f"Item {item.number}", self._item(item)))
        flow.append(self._end(codes.done if codes else ""))
        tag = shown.locale.tag
        language = _LANGUAGES.get(tag) or tag.split("-")[0].upper()
        return {
            "SurveyEntry": {
                **_FIXED["entry"],
                "SurveyID": self._id,
                "SurveyName": f"{shown.pack.name} {shown.sheet.id}",
                "SurveyOwnerID": f"UR_{self._name('owner')}",
                "SurveyLanguage": language,
                "SurveyActiveResponseSet": f"RS_{self._name('responses')}",
                "CreatorID": f"UR_{self._name('owner')}",
            },
            "SurveyElements": [*self._elements(flow, language), *self._questions],
        }

    def _elements(self, flow: list[dict[str, Any]], language: str) -> list[dict[str, Any]]:
        unused = {"Type": "Trash", "Description": "Trash / Unused Questions"}
        trash = {**unused, "ID": f"BL_{self._name('trash')}", "BlockElements": []}
        options = {
            **_FIXED["options"],
            "PreviousButton": self._shown.get("back"),
            "NextButton": self._shown.get("next"),
            "SurveyTitle": self._shown.get("title"),
            "SurveyLanguage": language,
            "AvailableLanguages": {language: []},
        }
        count = {"Count": self._steps}
        root = {"Flow": flow, "Properties": count, "FlowID": "FL_1", "Type": "Root"}
        project = {"ProjectCategory": "CORE", "SchemaVersion": "1.1.0"}
        statistics = {"MobileCompatible": True, "ID": "Survey Statistics"}
        questions = str(len(self._questions))
        return [
            self._element("BL", "Survey Blocks", None, [*self._blocks, trash]),
            self._element("FL", "Survey Flow", None, root),
            self._element("SO", "Survey Options", None, options),
            self._element("SCO", "Scoring", None, _FIXED["scoring"]),
            {**self._element("PROJ", "CORE", None, project), "TertiaryAttribute": "1.1.0"},
            self._element("STAT", "Survey Statistics", None, statistics),
            self._element("QC", "Survey Question Count", questions, None),
            self._element("RS", f"RS_{self._name('responses')}", "Default Response Set", None),
        ]

    def _item(self, item: Item) -> list[str]:
        shown, text = self._shown, escape(item.text)
        about = f"<p>{text}</p>"
        if item.picture is not None:
            address, style = data_url(item.picture), "max-width:100%;width:600px"
            about = f'<p><img src="{address}" alt="{text}" style="{style}"></p>'
        numbers = {question.id: n for n, question in enumerate(shown.pack.taxonomy.questions, 1)}
        made: dict[str, tuple[str, list[str]]] = {}
        for question in shown.questions(item.entry):
            is_first = not made
            tag = item.key if question.id == LABEL else f"{item.key}{tag_of(numbers[question.id])}"
            text = self._html(f"{about if is_first else ''}<p>{escape(question.text)}</p>")
            several = question.kind == "choices"
            own = self._choice(
                tag, text, question.answers, several=several, required=question.required
            )
            if question.when:
                self._questions[-1]["Payload"]["DisplayLogic"] = _shown_when(question.when, made)
            made[question.id] = (own, list(question.answers))
        return [own for own, _ in made.values()]

    def _choice(
        self,
        tag: str,
        text: str,
        choices: Mapping[str, str],
        *,
        several: bool = False,
        required: bool = True,
    ) -> str:
        """A question with choices; exported by their ids."""
        named = {str(number): choice for number, choice in enumerate(choices, 1)}
        more = {
            "Selector": "MAVR" if several else "SAVR",
            "SubSelector": "TX",
            "Choices": {
                number: {"Display": escape(choices[choice])} for number, choice in named.items()
            },
            "ChoiceOrder": list(named),
            "VariableNaming": named,
            "RecodeValues": {number: number for number in named},
            "NextChoiceId": len(named) + 1,
        }
        forced = {"ForceResponse": "ON", "ForceResponseType": "ON", "Type": "None"}
        return self._question(tag, text, "MC", more, forced if required else {"Type": "None"})

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
        elements = [{"Type": "Question", "QuestionID": question} for question in questions]
        block = {"Type": kind, "SubType": "", "Description": title, "ID": name}
        self._blocks.append({**block, "BlockElements": elements})
        step = "Block" if kind == "Default" else "Standard"
        return {"Type": step, "ID": name, "FlowID": self._step(), "Autofill": []}

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
        end: dict[str, Any] = {"Type": "EndSurvey", "FlowID": self._step()}
        if not code:
            return end
        options = {
            "Advanced": "true",
            "SurveyTermination": "Redirect",
            "EOSRedirectURL": f"{_BACK}{quote(code, safe='')}",
        }
        return {**end, "EndingType": "Advanced", "Options": options}

    def _html(self, inner: str) -> str:
        locale = self._shown.locale
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
        whole = f"{self._shown.pack.name}\n{self._shown.sheet.id}\n{of}"
        return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:15]


def _shown_when(
    when: Mapping[str, tuple[str, ...]], made: Mapping[str, tuple[str, list[str]]]
) -> dict[str, Any]:
    """The logic that shows a question: an answer of each of these questions, which were made."""
    logic: dict[str, Any] = {"Type": "BooleanExpression", "inPage": True}
    for group, (earlier, answers) in enumerate(when.items()):
        asked, order = made[earlier]
        conditions: dict[str, Any] = {"Type": "AndIf" if group else "If"}
        for number, answer in enumerate(answers):
            place = order.index(answer) + 1
            conditions[str(number)] = _selected(asked, place, "Or" if number else "")
        logic[str(group)] = conditions
    return logic


def _selected(asked: str, place: int, conjunction: str = "") -> dict[str, Any]:
    locator = f"q://{asked}/SelectableChoice/{place}"
    condition = {
        **_FIXED["logic"],
        "QuestionID": asked,
        "ChoiceLocator": locator,
        "QuestionIDFromLocator": asked,
        "LeftOperand": locator,
        "Description": f"If {asked} {place} is selected",
    }
    # Spelled as Qualtrics spells it.
    return {**condition, "Conjuction": conjunction} if conjunction else condition
