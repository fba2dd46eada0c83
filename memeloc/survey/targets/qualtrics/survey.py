"""A survey of Qualtrics. In: a sheet. Out: the value of its `.qsf`.

The flow reads PROLIFIC_PID from the address, warns and asks for consent, ends where that is
refused, shows the introduction and then an entry a page; on each of them people can stop, and what
they answered is sent. Ends go back to Prolific with the sheet's codes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memeloc.survey.model import PersonEntry
from memeloc.survey.targets.instructions import Item, Section, SheetTexts, Shown, as_html
from memeloc.survey.targets.qualtrics.questions import (
    FIXED,
    Asked,
    Payload,
    choice,
    condition,
    description,
    payload_of,
    shown_if,
)
from memeloc.survey.targets.qualtrics.reading import (
    CONSENT,
    EMBEDDED,
    EXAMPLE,
    STOP,
    WARNING,
    tag_of,
)
from memeloc.tables import drawable
from memeloc.taxonomy import LABEL

_BACK = "https://app.prolific.com/submissions/complete?cc="
_LANGUAGES = {"zh-Hans": "ZH-S", "zh-Hant": "ZH-T", "pt": "PT-BR", "es": "ES", "en": "EN"}
"""Qualtrics' codes where they are not the language's in capitals."""


def survey_file(shown: SheetTexts, address: Callable[[Path, str], str]) -> dict[str, Any]:
    """All of a sheet's file; `address` gives a picture's, by its file and a name for it.

    An address is one that can stand in an attribute of HTML as it is.
    """
    return _Survey(shown, address).whole()


class _Survey:
    """One sheet; questions and blocks are numbered as they are made."""

    def __init__(self, shown: SheetTexts, address: Callable[[Path, str], str]) -> None:
        self._shown = shown
        self._address = address
        self._id = f"SV_{self._name('survey')}"
        self._questions: list[Payload] = []
        self._blocks: list[Payload] = []
        self._steps = 1

    def whole(self) -> dict[str, Any]:
        """All of the file."""
        shown, codes = self._shown, self._shown.pack.codes.get(self._shown.sheet.id)
        flow = [self._embedded(), *self._beginning(codes.no_consent if codes else "")]
        items = list(shown.items())
        for item in items:
            flow += self._page(item, len(items))
        flow.append(self._end(codes.done if codes else ""))
        tag = shown.locale.tag
        language = _LANGUAGES.get(tag) or tag.split("-")[0].upper()
        return {
            "SurveyEntry": {
                **FIXED["entry"],
                "SurveyID": self._id,
                "SurveyName": f"{shown.pack.name} {shown.sheet.id}",
                "SurveyOwnerID": f"UR_{self._name('owner')}",
                "SurveyLanguage": language,
                "SurveyActiveResponseSet": f"RS_{self._name('responses')}",
                "CreatorID": f"UR_{self._name('owner')}",
            },
            "SurveyElements": [*self._elements(flow, language), *self._questions],
        }

    def _elements(self, flow: list[Payload], language: str) -> list[Payload]:
        unused = {"Type": "Trash", "Description": "Trash / Unused Questions"}
        trash = {**unused, "ID": f"BL_{self._name('trash')}", "BlockElements": []}
        options = {
            **FIXED["options"],
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
            self._element("SCO", "Scoring", None, FIXED["scoring"]),
            {**self._element("PROJ", "CORE", None, project), "TertiaryAttribute": "1.1.0"},
            self._element("STAT", "Survey Statistics", None, statistics),
            self._element("QC", "Survey Question Count", questions, None),
            self._element("RS", f"RS_{self._name('responses')}", "Default Response Set", None),
        ]

    # What comes first

    def _embedded(self) -> Payload:
        fields = [{**FIXED["field"], "Description": name, "Field": name} for name in EMBEDDED]
        return {"Type": "EmbeddedData", "FlowID": self._step(), "EmbeddedData": fields}

    def _beginning(self, refused: str) -> list[Payload]:
        """What is shown before somebody agrees, the consent, its refusal, the introduction."""
        shown = self._shown
        parts = shown.sections()
        headings = [part.heading for part in parts]
        place = headings.index(shown.get("consent.heading"))
        before = self._read(WARNING, parts[:place])
        consents = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
        asked = self._ask(CONSENT, "".join(map(_paragraph, shown.consents)), choice(consents))
        after = parts[place + 1 :]
        examples = [example for part in after for example in part.examples]
        texts = self._read("introduction", [replace(part, examples=()) for part in after])
        pictures = [self._example(number, each) for number, each in enumerate(examples, 1)]
        return [
            self._block("Consent", [before, asked], kind="Default"),
            self._branch("No consent", condition(asked, 2), refused),
            self._block("Introduction", [texts, *pictures]),
        ]

    def _read(self, tag: str, parts: Sequence[Section]) -> Asked:
        """A text that asks nothing, without pictures."""
        html = as_html(tuple(parts), self._shown.sheet, str)
        return self._add(tag, _written(html), description())

    def _example(self, number: int, example: Shown) -> Asked:
        """An example in a question of its own, so that none has the bytes of several pictures."""
        name = f"{EXAMPLE}-{number}"
        picture = ""
        if example.picture is not None:
            picture = _image(self._address(example.picture, name), example.caption)
        return self._ask(name, _paragraph(example.because), description(), picture=picture)

    # Entries

    def _page(self, item: Item, total: int) -> list[Payload]:
        """An entry's page, and what leads away from it for whoever stops."""
        if isinstance(item.entry, PersonEntry):
            return [self._block(f"Item {item.number}", self._item(item, None))]
        progress = self._shown.get("progress", number=item.number, total=total)
        button = {STOP: self._shown.get("stop.button")}
        stop = self._ask(
            f"{item.key}_{STOP}", _paragraph(progress), choice(button, several=True, required=False)
        )
        block = self._block(f"Item {item.number}", [stop, *self._item(item, stop)])
        return [block, self._branch("Stop and send", condition(stop, 1), "")]

    def _item(self, item: Item, stop: Asked | None) -> list[Asked]:
        """An entry's questions; whoever stops need not answer them, so they go away."""
        shown = self._shown
        numbers = {question.id: n for n, question in enumerate(shown.pack.taxonomy.questions, 1)}
        made: dict[str, Asked] = {}
        for question in shown.questions(item.entry):
            tag = item.key if question.id == LABEL else f"{item.key}{tag_of(numbers[question.id])}"
            html = _paragraph(question.text)
            if not made and item.picture is None:
                html = _paragraph(item.text) + html
            if question.draft:
                html += f"<blockquote>{escape(question.draft)}</blockquote>"
            payload = payload_of(question)
            groups = [[condition(stop, 1, selected=False)]] if stop else []
            groups += [
                [condition(made[name], made[name].place(answer)) for answer in answers]
                for name, answers in question.when.items()
            ]
            if groups:
                payload["DisplayLogic"] = shown_if(groups)
            picture = ""
            if not made and item.picture is not None:
                picture = _image(self._address(item.picture, item.key), item.text)
            asked = self._ask(tag, html, payload, picture=picture)
            made[question.id] = Asked(asked.number, tuple(question.answers))
        return list(made.values())

    # Parts of the file

    def _ask(self, tag: str, inner: str, payload: Payload, *, picture: str = "") -> Asked:
        """A question in the sheet's direction, below a picture if there is one."""
        locale = self._shown.locale
        start = f'<div dir="{locale.direction}" lang="{escape(locale.tag)}">'
        return self._add(tag, f"{start}{picture}{_written(inner)}</div>", payload)

    def _add(self, tag: str, html: str, payload: Payload) -> Asked:
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
        return Asked(number)

    def _block(self, title: str, questions: Sequence[Asked], *, kind: str = "Standard") -> Payload:
        name = f"BL_{self._name(title)}"
        elements = [{"Type": "Question", "QuestionID": asked.number} for asked in questions]
        block = {"Type": kind, "SubType": "", "Description": title, "ID": name}
        self._blocks.append({**block, "BlockElements": elements})
        step = "Block" if kind == "Default" else "Standard"
        return {"Type": step, "ID": name, "FlowID": self._step(), "Autofill": []}

    def _branch(self, title: str, met: Payload, code: str) -> Payload:
        """Where a condition is met the survey ends, with a code or without."""
        condition_ = {"0": met, "Type": "If"}
        return {
            "Type": "Branch",
            "FlowID": self._step(),
            "Description": title,
            "BranchLogic": {"0": condition_, "Type": "BooleanExpression"},
            "Flow": [self._end(code)],
        }

    def _end(self, code: str) -> Payload:
        """The end of the survey: back to Prolific where there is a code."""
        end: Payload = {"Type": "EndSurvey", "FlowID": self._step()}
        if not code:
            return end
        options = {
            "Advanced": "true",
            "SurveyTermination": "Redirect",
            "EOSRedirectURL": f"{_BACK}{quote(code, safe='')}",
        }
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
        whole = f"{self._shown.pack.name}\n{self._shown.sheet.id}\n{of}"
        return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:15]


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _image(address: str, text: str) -> str:
    style = "max-width:100%;width:600px"
    return f'<p><img src="{address}" alt="{_written(escape(text))}" style="{style}"></p>'


def _written(html: str) -> str:
    """HTML as Qualtrics takes it: a ${ would be taken for text that is piped in."""
    return drawable(html).replace("${", "$&#123;")
