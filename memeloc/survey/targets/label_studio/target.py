"""The target label-studio. In: sheets, or an export as JSON or JSON-MIN. Out: projects; answers.

`project.json` is what the program's API makes a project of, `config.xml` its labelling interface,
and `tasks.json` what is imported into it: a task an entry, in order. Answers come out as ids of
labels (the `alias` of a choice), whatever language the annotator read. Label Studio names
annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from memeloc.errors import InputError
from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.instructions import (
    as_html,
    entry_text,
    label_names,
    question,
    second_names,
    sections,
)
from memeloc.survey.targets.json_files import starts_as_json
from memeloc.survey.targets.label_studio.reading import FIRST, SECOND, read
from memeloc.survey.targets.pictures import BLANK, copy_picture, data_url
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.writing import write_json, write_text
from memeloc.tables import drawable


class LabelStudio:
    """Writes a project of Label Studio for each sheet, and reads what it exports.

    Args:
        local_files: the folder of the pictures below Label Studio's LOCAL_FILES_DOCUMENT_ROOT, for
            pictures that the program serves itself; without it they stand in the tasks.

    Raises:
        InputError: the folder is not a relative one.
    """

    name = "label-studio"
    summary = "a Label Studio project a sheet: labelling interface, tasks and instructions"

    def __init__(self, local_files: str = "") -> None:
        parts = Path(local_files).parts
        if Path(local_files).is_absolute() or ".." in parts:
            raise InputError(
                f"local_files is a folder below LOCAL_FILES_DOCUMENT_ROOT, not {local_files[:80]!r}"
            )
        self._local = "/".join(parts)

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write `SHEET/project.json`, `config.xml` and `tasks.json`, and pictures when served.

        Raises:
            InputError: a picture cannot be read, or a file cannot be written.
        """
        written = []
        for sheet in pack.sheets:
            own = folder / sheet.id
            config = labelling_interface(pack, sheet)
            write_text(own / "config.xml", config)
            project = {
                "title": f"{pack.name} {sheet.id}"[:50],
                "description": f"{pack.name}, {sheet.id}",
                "label_config": config,
                "expert_instruction": as_html(sections(pack, sheet), sheet, data_url),
                "show_instruction": True,
                "show_skip_button": False,
                "enable_empty_annotation": False,
                "maximum_annotations": sheet.wanted,
                "sampling": "Sequential sampling",
            }
            write_json(own / "project.json", project)
            write_json(own / "tasks.json", self._tasks(pack, sheet, own))
            written.append(own / "project.json")
            on_sheet()
        return written

    def _tasks(self, pack: SurveyPack, sheet: Sheet, own: Path) -> list[dict[str, Any]]:
        tasks = []
        for number, entry in enumerate(sheet.entries, 1):
            key = item_key(pack.name, sheet.id, entry_id(entry))
            picture = BLANK
            if entry.picture is not None and self._local:
                name = copy_picture(entry.picture, own / "pictures", key)
                path = f"{self._local}/{sheet.id}/pictures/{name}"
                picture = f"/data/local-files/?d={quote(path)}"
            elif entry.picture is not None:
                picture = data_url(entry.picture)
            data = {
                "item": key,
                "sheet": sheet.id,
                "number": number,
                "text": entry_text(pack, sheet, entry),
                "picture": picture,
            }
            tasks.append({"data": data})
        return tasks

    def recognises(self, path: Path) -> bool:
        """Whether a file is a list of such tasks, as JSON or JSON-MIN."""
        return starts_as_json(path, '"annotations"', '"completed_by"') or starts_as_json(
            path, '"annotation_id"', '"annotator"'
        )

    def read(self, path: Path, pack: SurveyPack) -> Iterable[RawRecord]:
        """See `label_studio.reading`."""
        return read(path)


def labelling_interface(pack: SurveyPack, sheet: Sheet) -> str:
    """The labelling interface of a sheet, as Label Studio's XML."""
    required = _attribute(pack.texts[sheet.culture.locale.tag].get("required"))
    lines = [
        f'<View style="direction: {sheet.culture.locale.direction}">',
        '  <Image name="picture" value="$picture" zoom="false" maxWidth="600px"/>',
        '  <Text name="text" value="$text"/>',
        f"  <Header value={_attribute(question(pack, sheet))}/>",
        f'  <Choices name="{FIRST}" toName="picture" choice="single-radio" required="true" '
        f"requiredMessage={required}>",
        *_choices(label_names(pack, sheet)),
        "  </Choices>",
    ]
    second, (heading, answers) = pack.taxonomy.second, second_names(pack, sheet)
    if second is not None:
        when = f'visibleWhen="choice-selected" whenTagName="{FIRST}"'
        when += f" whenChoiceValue={_attribute(','.join(second.when))}"
        kind = "multiple" if second.several else "single-radio"
        lines += [
            f"  <View {when}>",
            f"    <Header value={_attribute(heading)}/>",
            f'    <Choices name="{SECOND}" toName="picture" choice="{kind}" required="true" '
            f"requiredMessage={required} {when}>",
            *_choices(answers),
            "    </Choices>",
            "  </View>",
        ]
    return "\n".join((*lines, "</View>\n"))


def _choices(names: Mapping[str, str]) -> list[str]:
    return [
        f"    <Choice value={_attribute(name)} alias={_attribute(own)}/>"
        for own, name in names.items()
    ]


def _attribute(text: str) -> str:
    """A text as an XML attribute's value; a $ in it names no field of the task."""
    return quoteattr(drawable(" ".join(text.replace("$", "＄").split())))
