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
from memeloc.survey.targets.places import CONSENT
from memeloc.survey.targets.qualtrics.reading import (
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

PARTS: dict[str, Any] = json.loads((Path(__file__).parent / "parts.json").read_text("utf-8"))
"""Parts of a file, `$name` where a value goes; neither addresses nor places of people are kept."""
LARGEST, SIDE = 200_000, 600
"""Bytes up to which a picture stands in its question as it is, and pixels to which a larger one is
made smaller there: so wide are pictures shown."""
MOST_BUTTONS = 11
"""Points of a scale that fit side by side; a longer one is a slider."""
_BACK = "https://app.prolific.com/submissions/complete?cc="
_LANGUAGES = {"zh-Hans": "ZH-S", "zh-Hant": "ZH-T", "pt": "PT-BR", "es": "ES", "en": "EN"}
"""Qualtrics' codes where they are not the language's in capitals."""

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

    def whole(self) -> Payload:
        """Return all of the file."""
        shown, codes = self._shown, self._shown.survey.codes.get(self._shown.sheet.id)
        fields = [_made("field", name=name) for name in EMBEDDED]
        flow = [{"Type": "EmbeddedData", "FlowID": self._step(), "EmbeddedData": fields}]
        flow += self._beginning(codes.no_consent if codes else "")
        items = list(shown.items())
        for item in items:
            flow += self._page(item, len(items))
        flow.append(self._end(codes.done if codes else ""))
        tag = shown.locale.tag
        language = _LANGUAGES.get(tag) or tag.split("-")[0].upper()
        whole: Payload = _made(
            "file",
            id=self._id,
            name=f"{shown.survey.name} {shown.sheet.id}",
            owner=f"UR_{self._name('owner')}",
            responses=f"RS_{self._name('responses')}",
            language=language,
            languages={language: []},
            back=shown.get("back"),
            next=shown.get("next"),
            title=shown.get("title"),
            blocks=[*self._blocks, _made("trash", id=f"BL_{self._name('trash')}")],
            flow=flow,
            steps=self._steps,
            questions=str(len(self._questions)),
        )
        whole["SurveyElements"] += self._questions
        return whole

    def _beginning(self, refused: str) -> list[Payload]:
        """What is shown before somebody agrees, the consent, its refusal, the introduction."""
        shown = self._shown
        parts = shown.sections()
        place = [part.heading for part in parts].index(shown.get("consent.heading"))
        before = self._read(WARNING, parts[:place])
        consents = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
        agree = "".join(map(_paragraph, shown.consents))
        asked = self._ask(CONSENT, agree, "choice", _choices(consents))
        after = parts[place + 1 :]
        introduction = [self._read("introduction", [part._replace(examples=()) for part in after])]
        examples = (example for part in after for example in part.examples)
        for number, example in enumerate(examples, 1):
            # In a question of its own, so that none has the bytes of several pictures.
            name, picture = f"{EXAMPLE}-{number}", ""
            if example.picture is not None:
                picture = _image(self._address(example.picture, name), example.caption)
            why = _paragraph(example.because)
            introduction.append(self._ask(name, why, "description", picture=picture))
        return [
            self._block("Consent", [before, asked], kind="Default"),
            self._branch("No consent", _condition(asked, 2), refused),
            self._block("Introduction", introduction),
        ]

    def _read(self, tag: str, parts: Sequence[Section]) -> _Asked:
        """A text that asks nothing, without pictures."""
        html = _written(as_html(tuple(parts), self._shown.sheet, str))
        return self._add(tag, html, "description", {})

    def _page(self, item: Item, total: int) -> list[Payload]:
        """An entry's page, and what leads away from it for whoever stops."""
        title = f"Item {item.number}"
        if isinstance(item.entry, PersonEntry):
            return [self._block(title, self._item(item, None))]
        progress = _paragraph(self._shown.get("progress", number=item.number, total=total))
        button = {STOP: self._shown.get("stop.button")}
        choices = _choices(button, several=True, required=False)
        stop = self._ask(f"{item.key}_{STOP}", progress, "choice", choices)
        block = self._block(title, [stop, *self._item(item, stop)])
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
            groups = [[_condition(stop, 1, selected=False)]] if stop else []
            for name, answers in question.when.items():
                earlier = made[name]
                places = (earlier.choices.index(answer) + 1 for answer in answers)
                groups.append([_condition(earlier, place) for place in places])
            asked = self._ask(tag, html, *_answered_by(question), picture=picture)
            if groups:
                self._questions[-1]["Payload"]["DisplayLogic"] = _shown_if(groups)
            made[question.id] = asked._replace(choices=tuple(question.answers))
        return list(made.values())

    # Parts of the file

    def _ask(
        self, tag: str, inner: str, kind: str, values: Payload | None = None, *, picture: str = ""
    ) -> _Asked:
        """A question in the sheet's direction, below a picture if there is one."""
        locale = self._shown.locale
        start = f'<div dir="{locale.direction}" lang="{escape(locale.tag)}">'
        return self._add(tag, f"{start}{picture}{_written(inner)}</div>", kind, values or {})

    def _add(self, tag: str, html: str, kind: str, values: Payload) -> _Asked:
        number = f"QID{len(self._questions) + 1}"
        own = {"id": self._id, "html": html, "tag": tag, "number": number}
        self._questions.append(_filled(PARTS["questions"][kind], {**own, **values}))
        return _Asked(number)

    def _block(self, title: str, questions: Sequence[_Asked], *, kind: str = "Standard") -> Payload:
        name = f"BL_{self._name(title)}"
        elements = [{"Type": "Question", "QuestionID": asked.number} for asked in questions]
        self._blocks.append(_made("block", kind=kind, title=title, id=name, questions=elements))
        step = "Block" if kind == "Default" else "Standard"
        return _made("shown block", step=step, id=name, flow=self._step())

    def _branch(self, title: str, met: Payload, code: str) -> Payload:
        """Where a condition is met the survey ends, with a code or without."""
        flow = self._step()
        return _made("branch", flow=flow, title=title, condition=met, end=self._end(code))

    def _end(self, code: str) -> Payload:
        """The end of the survey: back to Prolific where there is a code."""
        end = _made("end", flow=self._step())
        address = f"{_BACK}{quote(code, safe='')}"
        return {**end, **_made("redirect", address=address)} if code else end

    def _step(self) -> str:
        self._steps += 1
        return f"FL_{self._steps}"

    def _name(self, of: str) -> str:
        """Fifteen letters and digits, as Qualtrics' ids have them; always the same ones."""
        whole = f"{self._shown.survey.name}\n{self._shown.sheet.id}\n{of}"
        return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:15]


def _made(part: str, **values: Any) -> Payload:
    made: Payload = _filled(PARTS[part], values)
    return made


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    """A part with its values; what is filled in is not looked at again."""
    if isinstance(part, dict):
        return {name: _filled(value, values) for name, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, values) for value in part]
    return values[part[1:]] if isinstance(part, str) and part.startswith("$") else part


def _answered_by(question: ShownQuestion) -> tuple[str, Payload]:
    """The part that a question is made of, and its values."""
    if question.kind == "text":
        return "text", {"forced": "ON" if question.required else "OFF"}
    if question.kind != "scale":
        several = question.kind == "choices"
        return "choice", _choices(question.answers, several=several, required=question.required)
    least, most = question.scale or (1, MOST_BUTTONS)
    points = {str(point): str(point) for point in range(least, most + 1)}
    values = _choices(points, required=question.required)
    if len(points) <= MOST_BUTTONS:
        # Exports as numeric values have the points themselves.
        own = {str(n): point for n, point in enumerate(points, 1)}
        return "choice", {**values, "selector": "SAHR", "values": own}
    return "slider", {**values, "least": least, "most": most, "range": f"{least} – {most}"}


def _choices(
    choices: Mapping[str, str], *, several: bool = False, required: bool = True
) -> Payload:
    """The values of a question with choices, names by id; exported by their ids."""
    named = {str(number): choice for number, choice in enumerate(choices, 1)}
    return {
        "selector": "MAVR" if several else "SAVR",
        "choices": {number: {"Display": escape(choices[own])} for number, own in named.items()},
        "order": list(named),
        "named": named,
        "values": {number: number for number in named},
        "following": len(named) + 1,
        "forced": "ON" if required else "OFF",
    }


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
    operator = "Selected" if selected else "NotSelected"
    locator = f"q://{asked.number}/SelectableChoice/{place}"
    says = f"If {asked.number} {place} is {operator}"
    own = {"operator": operator, "number": asked.number, "locator": locator}
    return _made("condition", **own, description=says)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _image(address: str, text: str) -> str:
    style = "max-width:100%;width:600px"
    return f'<p><img src="{address}" alt="{_written(escape(text))}" style="{style}"></p>'


def _written(html: str) -> str:
    """HTML as Qualtrics takes it: a ${ would be taken for text that is piped in."""
    return drawable(html).replace("${", "$&#123;")
