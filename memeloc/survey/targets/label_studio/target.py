"""The target label-studio. In: sheets, or an export as JSON or JSON-MIN. Out: projects; answers.

`project.json` is what the program's API makes a project of, `config.xml` its labelling interface,
`tasks.json` what is imported into it (a task an entry, in order), and `pictures/` what it has to
serve: it takes pictures out of its instructions that stand in them as data. Answers come out as ids
of labels (the `alias` of a choice), whatever language the annotator read. Label Studio names
annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import quote

from memeloc.errors import InputError
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, as_html
from memeloc.survey.targets.label_studio.interface import MODEL, Interface
from memeloc.survey.targets.label_studio.reading import read, recognises
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.protocol import ALL_KINDS
from memeloc.survey.targets.services import is_https
from memeloc.survey.targets.writing import write_json, write_text


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
    kinds = ALL_KINDS
    shows_prelabels = True
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
        own, interface = folder / sheet.id, Interface(shown)
        config = interface.xml()
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
            "show_collab_predictions": True,
            "model_version": MODEL,
            "maximum_annotations": sheet.wanted,
            "sampling": "Sequential sampling",
        }
        write_json(own / "project.json", project)
        tasks = []
        for item in shown.items():
            address = served(item.picture, item.key) if item.picture else ""
            data = {"item": item.key, "sheet": item.sheet, "number": item.number}
            data |= {"shown": _shown(item.text, address), **interface.data(item)}
            tasks.append({"data": data, "predictions": interface.predictions(item)})
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
