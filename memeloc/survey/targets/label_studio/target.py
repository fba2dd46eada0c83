"""The target label-studio. In: sheets, or an export as JSON or JSON-MIN. Out: projects; answers.

`project.json` is what the program's API makes a project of, `config.xml` its labelling interface,
and `tasks.json` what is imported into it: a task an entry, in order. Answers come out as ids of
labels (the `alias` of a choice), whatever language the annotator read. Label Studio names
annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from memeloc.errors import InputError
from memeloc.survey.targets.instructions import Item, SheetFiles, SheetTexts, as_html
from memeloc.survey.targets.label_studio.reading import FIRST, SECOND, read, recognises
from memeloc.survey.targets.pictures import BLANK, copy_picture, data_url
from memeloc.survey.targets.writing import write_json, write_text
from memeloc.tables import drawable


class LabelStudio(SheetFiles):
    """Writes a project of Label Studio for each sheet, and reads what it exports.

    Args:
        local_files: the folder of the pictures below Label Studio's LOCAL_FILES_DOCUMENT_ROOT, for
            pictures that the program serves itself; without it they stand in the tasks.

    Raises:
        InputError: the folder is not a relative one.
    """

    name = "label-studio"
    summary = "a Label Studio project a sheet: labelling interface, tasks and instructions"
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def __init__(self, local_files: str = "") -> None:
        parts = Path(local_files).parts
        if Path(local_files).is_absolute() or ".." in parts:
            raise InputError(
                f"local_files is a folder below LOCAL_FILES_DOCUMENT_ROOT, not {local_files[:80]!r}"
            )
        self._local = "/".join(parts)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET/project.json`, `config.xml` and `tasks.json`, and pictures when served."""
        pack, sheet = shown.pack, shown.sheet
        own, config = folder / sheet.id, labelling_interface(shown)
        write_text(own / "config.xml", config)
        project = {
            "title": f"{pack.name} {sheet.id}"[:50],
            "description": f"{pack.name}, {sheet.id}",
            "label_config": config,
            "expert_instruction": as_html(shown.sections(), sheet, data_url),
            "show_instruction": True,
            "show_skip_button": False,
            "enable_empty_annotation": False,
            "maximum_annotations": sheet.wanted,
            "sampling": "Sequential sampling",
        }
        write_json(own / "project.json", project)
        tasks = [{"data": item.task(self._picture(item, own))} for item in shown.items()]
        write_json(own / "tasks.json", tasks)
        return own / "project.json"

    def _picture(self, item: Item, own: Path) -> str:
        if item.picture is None:
            return BLANK
        if not self._local:
            return data_url(item.picture)
        name = copy_picture(item.picture, own / "pictures", item.key)
        return f"/data/local-files/?d={quote(f'{self._local}/{item.sheet}/pictures/{name}')}"


def labelling_interface(shown: SheetTexts) -> str:
    """The labelling interface of a sheet, as Label Studio's XML."""
    required = _attribute(shown.get("required"))
    lines = [
        f'<View style="direction: {shown.locale.direction}">',
        '  <Image name="picture" value="$picture" zoom="false" maxWidth="600px"/>',
        '  <Text name="text" value="$text"/>',
        f"  <Header value={_attribute(shown.question)}/>",
        f'  <Choices name="{FIRST}" toName="picture" choice="single-radio" required="true" '
        f"requiredMessage={required}>",
        *_choices(shown.labels),
        "  </Choices>",
    ]
    if second := shown.pack.taxonomy.second:
        when = f'visibleWhen="choice-selected" whenTagName="{FIRST}"'
        when += f" whenChoiceValue={_attribute(','.join(second.when))}"
        kind = "multiple" if second.several else "single-radio"
        lines += [
            f"  <View {when}>",
            f"    <Header value={_attribute(shown.second_question)}/>",
            f'    <Choices name="{SECOND}" toName="picture" choice="{kind}" required="true" '
            f"requiredMessage={required} {when}>",
            *_choices(shown.second_answers),
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
