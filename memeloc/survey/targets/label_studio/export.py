"""Sheets for Label Studio. In: a survey's sheets. Out: a folder a sheet that makes a project.

`project.json` is what the program's API makes a project of, `config.xml` its labelling interface,
and `tasks.json` what is imported into it: a task an entry, in order. Answers come out as ids of
labels (the `alias` of a choice), whatever language the annotator read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from memeloc.errors import InputError
from memeloc.spreadsheets import drawable
from memeloc.survey.instructions import (
    as_html,
    label_names,
    question,
    said,
    second_names,
    sections,
)
from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.pictures import BLANK, copy_picture, data_url
from memeloc.survey.targets.placing import item_key
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.writing import write_json, write_text

FIRST, SECOND = "answer", "second_answer"
"""The names of the two controls that annotators answer by."""


class LabelStudio:
    """Writes a project of Label Studio for each sheet.

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
        if local_files and (Path(local_files).is_absolute() or ".." in parts):
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

    def recognises(self, path: Path) -> bool:
        """Whether a file is of this target."""
        from memeloc.survey.targets.label_studio.back import LabelStudioBack

        return LabelStudioBack().recognises(path)

    def read(self, path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
        """The records of a file."""
        from memeloc.survey.targets.label_studio.back import LabelStudioBack

        found = LabelStudioBack().read(path, pack)
        yield from found.submissions
        yield from found.participants
        yield from found.rejected

    def _tasks(self, pack: SurveyPack, sheet: Sheet, own: Path) -> list[dict[str, Any]]:
        tasks = []
        for number, entry in enumerate(sheet.entries, 1):
            key = item_key(pack.name, sheet.id, entry_id(entry))
            picture = BLANK
            if entry.picture is not None:
                picture = self._address(entry.picture, sheet, key, own)
            data = {
                "item": key,
                "sheet": sheet.id,
                "number": number,
                "text": said(pack, sheet, entry),
                "picture": picture,
            }
            tasks.append({"data": data})
        return tasks

    def _address(self, picture: Path, sheet: Sheet, key: str, own: Path) -> str:
        if not self._local:
            return data_url(picture)
        name = copy_picture(picture, own / "pictures", key)
        return f"/data/local-files/?d={quote(f'{self._local}/{sheet.id}/pictures/{name}')}"


def labelling_interface(pack: SurveyPack, sheet: Sheet) -> str:
    """The labelling interface of a sheet, as Label Studio's XML."""
    texts, locale = pack.texts[sheet.culture.locale.tag], sheet.culture.locale
    required = _attribute(texts.get("required"))
    lines = [
        f'<View style="direction: {locale.direction}">',
        '  <Image name="picture" value="$picture" zoom="false" maxWidth="600px"/>',
        '  <Text name="text" value="$text"/>',
        f"  <Header value={_attribute(question(pack, sheet))}/>",
        f'  <Choices name="{FIRST}" toName="picture" choice="single-radio" required="true" '
        f"requiredMessage={required}>",
    ]
    for one, name in label_names(pack, sheet).items():
        lines.append(f"    <Choice value={_attribute(name)} alias={_attribute(one)}/>")
    lines.append("  </Choices>")
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
            *(
                f"      <Choice value={_attribute(name)} alias={_attribute(one)}/>"
                for one, name in answers.items()
            ),
            "    </Choices>",
            "  </View>",
        ]
    return "\n".join((*lines, "</View>\n"))


def _attribute(text: str) -> str:
    """A text as an XML attribute's value; a $ in it names no field of the task."""
    return quoteattr(drawable(" ".join(text.replace("$", "＄").split())))
