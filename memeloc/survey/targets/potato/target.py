"""The target potato. In: a survey's sheets, or annotators' states. Out: project folders; answers.

`potato start SHEET/config.yaml` opens it: instructions, consent, the entries in order, and the
completion code. Participants come in by `?PROLIFIC_PID=`. The configuration is JSON, which is YAML.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from memeloc.survey.model import Sheet, entry_id
from memeloc.survey.targets.instructions import (
    as_html,
    consent,
    entry_text,
    label_names,
    question,
    second_names,
    sections,
)
from memeloc.survey.targets.json_files import starts_as_json
from memeloc.survey.targets.pictures import BLANK, copy_picture
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.potato.reading import ANSWERS, CONSENT, FIRST, SECOND, STATE, read
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.writing import write_json, write_text
from memeloc.tables import drawable


class Potato:
    """Writes a project of Potato for each sheet, and reads what it keeps of annotators."""

    name = "potato"
    summary = "a Potato project a sheet: configuration, data and pictures"

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write `SHEET/config.yaml`, `data/`, `surveys/` and `media/`.

        Raises:
            InputError: a picture cannot be read, or a file cannot be written.
        """
        written = []
        for sheet in pack.sheets:
            own = folder / sheet.id
            items = [_json(item) for item in self._items(pack, sheet, own)]
            write_text(own / "data" / "items.jsonl", "".join(f"{item}\n" for item in items))
            parts = sections(pack, sheet, with_consent=False)
            examples = [one.picture for part in parts for one in part.examples if one.picture]
            places = {
                picture: _media(picture, f"example-{number}", own)
                for number, picture in enumerate(dict.fromkeys(examples), 1)
            }
            # The program takes the page for a template of Jinja's.
            page = as_html(parts, sheet, places.__getitem__).replace("{", "&#123;")
            write_text(own / "surveys" / "instructions.html", page + "\n")
            write_text(own / "surveys" / "consent.json", _json([self._consent(pack, sheet)]) + "\n")
            write_json(own / "config.yaml", self._config(pack, sheet))
            written.append(own / "config.yaml")
            on_sheet()
        return written

    def recognises(self, path: Path) -> bool:
        """Whether it is a person's state, or a folder of them."""
        if path.is_dir():
            return any(path.rglob(STATE))
        return starts_as_json(path, f'"{ANSWERS}"')

    def read(self, path: Path, pack: SurveyPack) -> Iterable[RawRecord]:
        """See `potato.reading`."""
        return read(path, pack)

    def _items(self, pack: SurveyPack, sheet: Sheet, own: Path) -> list[dict[str, Any]]:
        items = []
        for number, entry in enumerate(sheet.entries, 1):
            key = item_key(pack.name, sheet.id, entry_id(entry))
            picture = BLANK if entry.picture is None else _media(entry.picture, key, own)
            text = entry_text(pack, sheet, entry)
            items.append(
                {"item": key, "sheet": sheet.id, "number": number, "text": text, "picture": picture}
            )
        return items

    def _consent(self, pack: SurveyPack, sheet: Sheet) -> dict[str, Any]:
        texts = pack.texts[sheet.culture.locale.tag]
        return {
            "name": CONSENT,
            "description": _plain(consent(pack, sheet)),
            "annotation_type": "radio",
            "labels": [
                {"name": one, "displayed_label": _plain(texts.get(f"consent.{one}"))}
                for one in ("yes", "no")
            ],
            "label_requirement": {"required": True},
        }

    def _config(self, pack: SurveyPack, sheet: Sheet) -> dict[str, Any]:
        texts, codes = pack.texts[sheet.culture.locale.tag], pack.codes.get(sheet.id)
        locale, count = sheet.culture.locale, len(sheet.entries)
        declined = _plain(texts.get("consent.declined", code=codes.no_consent if codes else ""))
        found: dict[str, Any] = {
            "annotation_task_name": _plain(texts.get("title")),
            "task_dir": ".",
            "output_annotation_dir": "annotation_output",
            "export_annotation_format": "jsonl",
            "export_include_phase_data": True,
            "data_files": ["data/items.jsonl"],
            "item_properties": {"id_key": "item", "text_key": "text"},
            "media_directory": "media",
            "require_password": False,
            "user_config": {"allow_all_users": True, "users": []},
            "login": {"type": "url_direct", "url_argument": "PROLIFIC_PID"},
            "hide_navbar": True,
            "jumping_to_id_disabled": True,
            # The recruitment service counts the places; here nobody is sent away.
            "assignment_strategy": "fixed_order",
            "num_annotators_per_item": 0,
            "max_annotations_per_user": count,
            "ui_language": {
                "_base": locale.tag.split("-")[0],
                "html_lang": locale.tag,
                "html_dir": locale.direction,
                "next_button": texts.get("next"),
                "previous_button": texts.get("back"),
                "submit_button": texts.get("next"),
            },
            "phases": {
                "order": ["instructions", CONSENT, "annotation"],
                "instructions": {"type": "instructions", "file": "surveys/instructions.html"},
                CONSENT: {
                    "type": "consent",
                    "file": "surveys/consent.json",
                    "exit_when": {
                        "show_when": [{"schema": CONSENT, "operator": "equals", "value": "no"}],
                        "message": declined,
                    },
                },
            },
            "instance_display": {
                "layout": {"direction": "vertical"},
                "fields": [
                    {
                        "key": "picture",
                        "type": "image",
                        "display_options": {"max_width": 600, "zoomable": False},
                    },
                    {"key": "text", "type": "text"},
                ],
            },
            "annotation_schemes": self._questions(pack, sheet),
        }
        if codes is not None:
            found["completion_code"] = codes.done
            # Who declines leaves through the door of those who are screened out; without a code of
            # its own the program would show the one for those who are done.
            completion = {
                "code": codes.done,
                "failed_code": codes.failed_checks,
                "screened_out_code": codes.no_consent,
            }
            found["crowdsourcing"] = {
                "provider": "prolific",
                "prolific": {"completion": completion},
            }
        return found

    def _questions(self, pack: SurveyPack, sheet: Sheet) -> list[dict[str, Any]]:
        asked: list[dict[str, Any]] = [
            {
                "annotation_type": "radio",
                "name": FIRST,
                "description": _plain(question(pack, sheet)),
                "labels": _labels(label_names(pack, sheet)),
                "label_requirement": {"required": True},
                "sequential_key_binding": True,
            }
        ]
        second, (heading, answers) = pack.taxonomy.second, second_names(pack, sheet)
        if second is not None:
            condition = {"schema": FIRST, "operator": "equals", "value": list(second.when)}
            asked.append(
                {
                    "annotation_type": "multiselect" if second.several else "radio",
                    "name": SECOND,
                    "description": _plain(heading),
                    "labels": _labels(answers),
                    "label_requirement": {"required": True},
                    "display_logic": {"show_when": [condition]},
                }
            )
        return asked


def _labels(names: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": one, "displayed_label": _plain(name)} for one, name in names.items()]


def _plain(text: str) -> str:
    """A text that stands in a template of Jinja's and is no part of it."""
    for mark in "{%#":
        text = text.replace("{" + mark, "{\u200b" + mark)
    return drawable(text)


def _media(picture: Path, name: str, own: Path) -> str:
    """Copy a picture to where the program serves it; returns its address there."""
    return f"/media/{copy_picture(picture, own / 'media', name)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
