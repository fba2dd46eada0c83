"""A survey of Qualtrics. In: sheets. Out: a `.qsf` a sheet, which a project is made of.

FOLDER/SHEET.qsf             a project is made of it by "Create from a file"
FOLDER/pictures/SHEET/       with `pictures_base`: to be put on a server under that address

The flow reads PROLIFIC_PID from the address, warns and asks for consent, ends where that is
refused, shows the introduction and then an entry a page; on each of them people can stop, and what
they answered is sent. Ends go back to Prolific with the sheet's codes. Qualtrics publishes no
schema; fields and their types are those of files that it exports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from memeloc.errors import InputError
from memeloc.pages import encode_json
from memeloc.survey.model import PersonEntry
from memeloc.survey.targets.files import EmbeddedPictures, copy_picture, data_url
from memeloc.survey.targets.instructions import (
    Item,
    Section,
    SheetFiles,
    SheetTexts,
    ShownQuestion,
    as_html,
)
from memeloc.survey.targets.qualtrics.reading import (
    CONSENT,
    EMBEDDED,
    EXAMPLE,
    STOP,
    WARNING,
    read,
    recognises,
    tag_of,
)
from memeloc.tables import drawable
from memeloc.taxonomy import LABEL, Kind

FIXED: dict[str, Any] = json.loads((Path(__file__).parent / "fixed.json").read_text("utf-8"))
"""What is the same in every survey; neither addresses nor places of people are kept."""
LARGEST, SIDE = 200_000, 600
"""Bytes up to which a picture stands in its question as it is, and pixels to which a larger one is
made smaller there: so wide are pictures shown."""
MOST_BUTTONS = 11
"""Points of a scale that fit side by side; a longer one is a slider."""
_BACK = "https://app.prolific.com/submissions/complete?cc="
_LANGUAGES = {"zh-Hans": "ZH-S", "zh-Hant": "ZH-T", "pt": "PT-BR", "es": "ES", "en": "EN"}
"""Qualtrics' codes where they are not the language's in capitals."""
_TEXT_ONLY = {"ChoiceOrder": [], "NextChoiceId": 4}
DESCRIPTION = {
    "QuestionType": "DB",
    "Selector": "TB",
    **_TEXT_ONLY,
    "Validation": {"Settings": {"Type": "None"}},
}
"""A text that asks nothing."""

Payload = dict[str, Any]


class Qsf(SheetFiles):
    """Writes a Qualtrics survey for each sheet, and reads what Qualtrics exports of it.

    Args:
        pictures_base: the https address under which the exported folder `pictures` will be; empty
            puts pictures into the questions, large ones made smaller.

    Raises:
        InputError: that is no https address.
    """

    name = "qsf"
    summary = "a Qualtrics survey (QSF) a sheet, to be made a project of"
    kinds = frozenset[Kind]({"choice", "choices", "scale", "text"})
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def __init__(self, pictures_base: str = "") -> None:
        if pictures_base and not pictures_base.startswith("https://"):
            raise InputError(
                "pictures_base is the https address of a folder, such as https://host/pictures, "
                f"not {pictures_base[:60]!r}"
            )
        self.pictures_base = pictures_base.rstrip("/")

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.qsf`, and its pictures where they go to a server."""
        path = folder / f"{shown.sheet.id}.qsf"
        sheet, embedded = shown.sheet.id, EmbeddedPictures()

        def address(picture: Path, name: str) -> str:
            """Where a question finds a picture, as it can stand in an attribute of HTML."""
            if self.pictures_base:
                copied = copy_picture(picture, folder / "pictures" / sheet, name)
                return escape(f"{self.pictures_base}/{sheet}/{copied}")
            return embedded.mark(data_url(picture, LARGEST, SIDE))

        embedded.write(path, encode_json(_File(shown, address).whole()) + "\n")
        return path


class _Asked(NamedTuple):
    """A question of the file by its number there, `QID3`, and the ids of its choices in order."""

    number: str
    choices: tuple[str, ...] = ()


class _File:
    """One sheet's file; questions and blocks are numbered as they are made."""

    def __init__(self, shown: SheetTexts, address: Callable[[Path, str], str]) -> None:
        self._shown, self._address = shown, address
        self._id = f"SV_{self._name('survey')}"
        self._questions: list[Payload] = []
        self._blocks: list[Payload] = []
        self._steps = 1

    def whole(self) -> dict[str, Any]:
        """Return all of the file."""
        shown, codes = self._shown, self._shown.survey.codes.get(self._shown.sheet.id)
        fields = [{**FIXED["field"], "Description": name, "Field": name} for name in EMBEDDED]
        flow = [{"Type": "EmbeddedData", "FlowID": self._step(), "EmbeddedData": fields}]
        flow += self._beginning(codes.no_consent if codes else "")
        items = list(shown.items())
        for item in items:
            flow += self._page(item, len(items))
        flow.append(self._end(codes.done if codes else ""))
        tag = shown.locale.tag
        language = _LANGUAGES.get(tag) or tag.split("-")[0].upper()
        unused = {"Type": "Trash", "Description": "Trash / Unused Questions"}
        trash = {**unused, "ID": f"BL_{self._name('trash')}", "BlockElements": []}
        options = {
            **FIXED["options"],
            "PreviousButton": shown.get("back"),
            "NextButton": shown.get("next"),
            "SurveyTitle": shown.get("title"),
            "SurveyLanguage": language,
            "AvailableLanguages": {language: []},
        }
        count = {"Count": self._steps}
        root = {"Flow": flow, "Properties": count, "FlowID": "FL_1", "Type": "Root"}
        project = {"ProjectCategory": "CORE", "SchemaVersion": "1.1.0"}
        statistics = {"MobileCompatible": True, "ID": "Survey Statistics"}
        questions, responses = str(len(self._questions)), f"RS_{self._name('responses')}"
        elements = [
            self._element("BL", "Survey Blocks", None, [*self._blocks, trash]),
            self._element("FL", "Survey Flow", None, root),
            self._element("SO", "Survey Options", None, options),
            self._element("SCO", "Scoring", None, FIXED["scoring"]),
            {**self._element("PROJ", "CORE", None, project), "TertiaryAttribute": "1.1.0"},
            self._element("STAT", "Survey Statistics", None, statistics),
            self._element("QC", "Survey Question Count", questions, None),
            self._element("RS", responses, "Default Response Set", None),
        ]
        return {
            "SurveyEntry": {
                **FIXED["entry"],
                "SurveyID": self._id,
                "SurveyName": f"{shown.survey.name} {shown.sheet.id}",
                "SurveyOwnerID": f"UR_{self._name('owner')}",
                "SurveyLanguage": language,
                "SurveyActiveResponseSet": responses,
                "CreatorID": f"UR_{self._name('owner')}",
            },
            "SurveyElements": [*elements, *self._questions],
        }

    def _beginning(self, refused: str) -> list[Payload]:
        """What is shown before somebody agrees, the consent, its refusal, the introduction."""
        shown = self._shown
        parts = shown.sections()
        place = [part.heading for part in parts].index(shown.get("consent.heading"))
        before = self._read(WARNING, parts[:place])
        consents = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
        asked = self._ask(CONSENT, "".join(map(_paragraph, shown.consents)), _choice(consents))
        after = parts[place + 1 :]
        introduction = [self._read("introduction", [part._replace(examples=()) for part in after])]
        examples = (example for part in after for example in part.examples)
        for number, example in enumerate(examples, 1):
            # In a question of its own, so that none has the bytes of several pictures.
            name, picture = f"{EXAMPLE}-{number}", ""
            if example.picture is not None:
                picture = _image(self._address(example.picture, name), example.caption)
            why = _paragraph(example.because)
            introduction.append(self._ask(name, why, DESCRIPTION, picture=picture))
        return [
            self._block("Consent", [before, asked], kind="Default"),
            self._branch("No consent", _condition(asked, 2), refused),
            self._block("Introduction", introduction),
        ]

    def _read(self, tag: str, parts: Sequence[Section]) -> _Asked:
        """A text that asks nothing, without pictures."""
        return self._add(tag, _written(as_html(tuple(parts), self._shown.sheet, str)), DESCRIPTION)

    def _page(self, item: Item, total: int) -> list[Payload]:
        """An entry's page, and what leads away from it for whoever stops."""
        if isinstance(item.entry, PersonEntry):
            return [self._block(f"Item {item.number}", self._item(item, None))]
        progress = self._shown.get("progress", number=item.number, total=total)
        button = _choice({STOP: self._shown.get("stop.button")}, several=True, required=False)
        stop = self._ask(f"{item.key}_{STOP}", _paragraph(progress), button)
        block = self._block(f"Item {item.number}", [stop, *self._item(item, stop)])
        return [block, self._branch("Stop and send", _condition(stop, 1), "")]

    def _item(self, item: Item, stop: _Asked | None) -> list[_Asked]:
        """An entry's questions; whoever stops need not answer them, so they go away."""
        questions = self._shown.survey.taxonomy.questions
        tags = {question.id: tag_of(n) for n, question in enumerate(questions, 1)}
        made: dict[str, _Asked] = {}
        for question in self._shown.questions(item.entry):
            tag = item.key if question.id == LABEL else f"{item.key}{tags[question.id]}"
            html, picture = _paragraph(question.text), ""
            if not made and item.picture is None:
                html = _paragraph(item.text) + html
            elif not made and item.picture is not None:
                picture = _image(self._address(item.picture, item.key), item.text)
            if question.draft:
                html += f"<blockquote>{escape(question.draft)}</blockquote>"
            payload = _payload(question)
            groups = [[_condition(stop, 1, selected=False)]] if stop else []
            for name, answers in question.when.items():
                earlier = made[name]
                places = (earlier.choices.index(answer) + 1 for answer in answers)
                groups.append([_condition(earlier, place) for place in places])
            if groups:
                payload["DisplayLogic"] = _shown_if(groups)
            asked = self._ask(tag, html, payload, picture=picture)
            made[question.id] = asked._replace(choices=tuple(question.answers))
        return list(made.values())

    # Parts of the file

    def _ask(self, tag: str, inner: str, payload: Payload, *, picture: str = "") -> _Asked:
        """A question in the sheet's direction, below a picture if there is one."""
        locale = self._shown.locale
        start = f'<div dir="{locale.direction}" lang="{escape(locale.tag)}">'
        return self._add(tag, f"{start}{picture}{_written(inner)}</div>", payload)

    def _add(self, tag: str, html: str, payload: Payload) -> _Asked:
        number = f"QID{len(self._questions) + 1}"
        whole = {
            **FIXED["question"],
            "QuestionText": html,
            "DataExportTag": tag,
            "QuestionID": number,
            "QuestionDescription": tag,
            **payload,
        }
        self._questions.append(self._element("SQ", number, tag, whole))
        return _Asked(number)

    def _block(self, title: str, questions: Sequence[_Asked], *, kind: str = "Standard") -> Payload:
        name = f"BL_{self._name(title)}"
        elements = [{"Type": "Question", "QuestionID": asked.number} for asked in questions]
        block = {"Type": kind, "SubType": "", "Description": title, "ID": name}
        self._blocks.append({**block, "BlockElements": elements})
        step = "Block" if kind == "Default" else "Standard"
        return {"Type": step, "ID": name, "FlowID": self._step(), "Autofill": []}

    def _branch(self, title: str, met: Payload, code: str) -> Payload:
        """Where a condition is met the survey ends, with a code or without."""
        return {
            "Type": "Branch",
            "FlowID": self._step(),
            "Description": title,
            "BranchLogic": {"0": {"0": met, "Type": "If"}, "Type": "BooleanExpression"},
            "Flow": [self._end(code)],
        }

    def _end(self, code: str) -> Payload:
        """The end of the survey: back to Prolific where there is a code."""
        end: Payload = {"Type": "EndSurvey", "FlowID": self._step()}
        if not code:
            return end
        address = f"{_BACK}{quote(code, safe='')}"
        options = {"Advanced": "true", "SurveyTermination": "Redirect", "EOSRedirectURL": address}
        return {**end, "EndingType": "Advanced", "Options": options}

    def _element(self, kind: str, first: str, second: str | None, payload: Any) -> Payload:
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
        whole = f"{self._shown.survey.name}\n{self._shown.sheet.id}\n{of}"
        return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:15]


# Payloads of questions


def _payload(question: ShownQuestion) -> Payload:
    """What a question is but for its text: a choice, a scale, or a box for text."""
    required = question.required
    validation = _validation(required=required)
    if question.kind == "text":
        return {
            "QuestionType": "TE",
            "Selector": "ML",
            **_TEXT_ONLY,
            "SearchSource": {"AllowFreeResponse": "false"},
            "Validation": validation,
        }
    if question.kind != "scale":
        return _choice(question.answers, several=question.kind == "choices", required=required)
    least, most = question.scale or (1, MOST_BUTTONS)
    if most - least < MOST_BUTTONS:
        points = {str(point): str(point) for point in range(least, most + 1)}
        # Exports as numeric values have the points themselves.
        values = {str(n): point for n, point in enumerate(points, 1)}
        return {**_choice(points, required=required), "Selector": "SAHR", "RecodeValues": values}
    return {
        "QuestionType": "Slider",
        "Selector": "HSLIDER",
        "Configuration": {
            **FIXED["question"]["Configuration"],
            "CSSliderMin": least,
            "CSSliderMax": most,
            "GridLines": 10,
            "SnapToGrid": False,
            "NumDecimals": "0",
            "ShowValue": True,
            "CustomStart": False,
            "NotApplicable": False,
            "MobileFirst": True,
        },
        "Choices": {"1": {"Display": f"{least} – {most}"}},
        "ChoiceOrder": ["1"],
        "Labels": [],
        "NextChoiceId": 2,
        "Validation": validation,
    }


def _choice(choices: Mapping[str, str], *, several: bool = False, required: bool = True) -> Payload:
    """A question with choices, names by id; exported by their ids."""
    named = {str(number): choice for number, choice in enumerate(choices, 1)}
    return {
        "QuestionType": "MC",
        "Selector": "MAVR" if several else "SAVR",
        "SubSelector": "TX",
        "Choices": {number: {"Display": escape(choices[own])} for number, own in named.items()},
        "ChoiceOrder": list(named),
        "VariableNaming": named,
        "RecodeValues": {number: number for number in named},
        "NextChoiceId": len(named) + 1,
        "Validation": _validation(required=required),
    }


def _validation(*, required: bool) -> Payload:
    forced = "ON" if required else "OFF"
    return {"Settings": {"ForceResponse": forced, "ForceResponseType": forced, "Type": "None"}}


def _shown_if(groups: Iterable[Iterable[Payload]]) -> Payload:
    """The logic that shows a question in its page where of each group a condition is met."""
    logic: Payload = {}
    for number, group in enumerate(groups):
        conditions: Payload = {"Type": "If"}
        for place, condition in enumerate(group):
            # Spelled as Qualtrics spells it; groups are joined by their first condition.
            join = "Or" if place else "And" if number else ""
            conditions[str(place)] = {**condition, "Conjuction": join} if join else condition
        logic[str(number)] = conditions
    return {**logic, "Type": "BooleanExpression", "inPage": True}


def _condition(asked: _Asked, place: int, *, selected: bool = True) -> Payload:
    """Whether a choice of a question is chosen, by its number from 1; or whether it is not."""
    locator = f"q://{asked.number}/SelectableChoice/{place}"
    operator = "Selected" if selected else "NotSelected"
    return {
        **FIXED["logic"],
        "Operator": operator,
        "QuestionID": asked.number,
        "ChoiceLocator": locator,
        "QuestionIDFromLocator": asked.number,
        "LeftOperand": locator,
        "Description": f"If {asked.number} {place} is {operator}",
    }


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _image(address: str, text: str) -> str:
    style = "max-width:100%;width:600px"
    return f'<p><img src="{address}" alt="{_written(escape(text))}" style="{style}"></p>'


def _written(html: str) -> str:
    """HTML as Qualtrics takes it: a ${ would be taken for text that is piped in."""
    return drawable(html).replace("${", "$&#123;")
