"""The target label-studio. In: sheets, or an export as JSON or JSON-MIN. Out: projects; answers.

`project.json` is what the program's API makes a project of, `config.xml` its labelling interface,
`tasks.json` what is imported into it (a task an entry, in order), and `pictures/` what it has to
serve: it takes pictures out of its instructions that stand in them as data. Answers come out as ids
of labels (the `alias` of a choice), whatever language the annotator read. Label Studio names
annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from memeloc.errors import InputError
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, ShownQuestion, as_html
from memeloc.survey.targets.label_studio.reading import control, read, recognises
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.services import is_https
from memeloc.survey.targets.writing import write_json, write_text
from memeloc.survey.taxonomy import Kind
from memeloc.tables import drawable

_STYLE = (
    ".shown img { display: block; max-width: 100%; max-height: 70vh; height: auto; } "
    # The program's instructions and its button that sends are wider than a phone.
    ".lsf-modal-ls__content { width: min(680px, 100vw) !important; min-width: 0 !important; } "
    ".lsf-modal-ls__content img { max-width: 100%; } "
    ".lsf-bottombar { flex-wrap: wrap; height: auto; }"
)


class LabelStudio(SheetFiles):
    """Writes a project of Label Studio for each sheet, and reads what it exports.

    Args:
        pictures: where Label Studio finds the exported folder: a folder below its
            LOCAL_FILES_DOCUMENT_ROOT, or an https address; empty is a folder of the survey's name.

    Raises:
        InputError: it is neither a relative folder nor an https address.
    """

    name = "label-studio"
    summary = "a Label Studio project a sheet: labelling interface, tasks, pictures, instructions"
    kinds = frozenset[Kind]({"choice", "choices"})
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def __init__(self, pictures: str = "") -> None:
        folder = Path(pictures)
        if not is_https(pictures, or_local=True) and (
            folder.is_absolute() or ".." in folder.parts or ":" in pictures
        ):
            raise InputError(
                "pictures is a folder below LOCAL_FILES_DOCUMENT_ROOT or an https address, not "
                f"{pictures[:80]!r}"
            )
        self._pictures = pictures

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET/project.json`, `config.xml`, `tasks.json` and `pictures/`."""
        pack, sheet = shown.pack, shown.sheet
        own, config = folder / sheet.id, labelling_interface(shown)
        parts = shown.sections()

        def served(picture: Path, name: str) -> str:
            return self._address(shown, copy_picture(picture, own / "pictures", name))

        examples = [example.picture for part in parts for example in part.examples]
        places = {
            picture: served(picture, f"example-{number}")
            for number, picture in enumerate(dict.fromkeys(filter(None, examples)), 1)
        }
        write_text(own / "config.xml", config)
        project = {
            "title": f"{pack.name} {sheet.id}"[:50],
            "description": f"{pack.name}, {sheet.id}",
            "label_config": config,
            "expert_instruction": as_html(parts, sheet, places.__getitem__),
            "show_instruction": True,
            "show_skip_button": False,
            "enable_empty_annotation": False,
            "maximum_annotations": sheet.wanted,
            "sampling": "Sequential sampling",
        }
        write_json(own / "project.json", project)
        tasks = []
        for item in shown.items():
            address = served(item.picture, item.key) if item.picture else ""
            data = {"item": item.key, "sheet": item.sheet, "number": item.number}
            tasks.append({"data": {**data, "shown": _shown(item.text, address)}})
        write_json(own / "tasks.json", tasks)
        return own / "project.json"

    def _address(self, shown: SheetTexts, name: str) -> str:
        """Where the program or a web server serves a file of `SHEET/pictures/`."""
        path = f"{shown.sheet.id}/pictures/{name}"
        if is_https(self._pictures, or_local=True):
            return f"{self._pictures.rstrip('/')}/{quote(path)}"
        folder = "/".join(Path(self._pictures or shown.pack.name).parts)
        return f"/data/local-files/?d={quote(f'{folder}/{path}')}"


def _shown(text: str, address: str) -> str:
    """What stands above the question, as HTML: a picture with its caption, or a sentence.

    The caption stands on the picture already; screen readers are given it as the picture's text.
    """
    if not address:
        return f'<p class="to-read">{escape(text)}</p>'
    return f'<div class="shown"><img src="{escape(address)}" alt="{escape(text)}"></div>'


def labelling_interface(shown: SheetTexts) -> str:
    """The labelling interface of a sheet, as Label Studio's XML."""
    required = _attribute(shown.get("required"))
    lines = [
        f'<View style="direction: {shown.locale.direction}">',
        f"  <Style>{_STYLE}</Style>",
        '  <HyperText name="shown" value="$shown" inline="true" selectionEnabled="false"/>',
    ]
    for question in shown.questions():
        lines += _question(question, required)
    return "\n".join((*lines, "</View>\n"))


def _question(question: ShownQuestion, required: str) -> list[str]:
    """A question; one that is asked after some answers only stands in a view for each of them."""
    conditions = [
        f'visibleWhen="choice-selected" whenTagName="{control(earlier)}" '
        f"whenChoiceValue={_attribute(','.join(answers))}"
        for earlier, answers in question.when.items()
    ]
    kind = "multiple" if question.kind == "choices" else "single-radio"
    asked = f'required="true" requiredMessage={required}' if question.required else ""
    # A hidden question is not required only if the condition stands at the choices as well.
    own = " ".join(filter(None, (asked, *conditions[-1:])))
    return [
        *(f"  <View {condition}>" for condition in conditions),
        f"  <Header value={_attribute(question.text)}/>",
        f'  <Choices name="{control(question.id)}" toName="shown" choice="{kind}" {own}>',
        *_choices(question.answers),
        "  </Choices>",
        *("  </View>" for _ in conditions),
    ]


def _choices(names: Mapping[str, str]) -> list[str]:
    return [
        f"    <Choice value={_attribute(name)} alias={_attribute(own)}/>"
        for own, name in names.items()
    ]


def _attribute(text: str) -> str:
    """A text as an XML attribute's value; a $ in it names no field of the task."""
    return quoteattr(drawable(" ".join(text.replace("$", "＄").split())))
