"""The target potato. In: a survey's sheets, or annotators' states. Out: project folders; answers.

`potato start SHEET/config.yaml` opens it: instructions, consent, the entries in order, and the
completion code. Participants come in by `?PROLIFIC_PID=`. The configuration is JSON, which is YAML.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memeloc.survey.targets.instructions import SheetFiles, SheetTexts, as_html
from memeloc.survey.targets.pictures import BLANK, copy_picture
from memeloc.survey.targets.potato.reading import CONSENT, FIRST, SECOND, read, recognises
from memeloc.survey.targets.writing import write_json, write_text
from memeloc.tables import drawable


class Potato(SheetFiles):
    """Writes a project of Potato for each sheet, and reads what it keeps of annotators."""

    name = "potato"
    summary = "a Potato project a sheet: configuration, data and pictures"
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET/config.yaml`, `data/`, `surveys/` and `media/`."""
        own = folder / shown.sheet.id
        tasks = [
            item.task(BLANK if item.picture is None else _media(item.picture, item.key, own))
            for item in shown.items()
        ]
        lines = "".join(json.dumps(task, ensure_ascii=False) + "\n" for task in tasks)
        write_text(own / "data" / "items.jsonl", lines)
        parts = shown.sections(with_consent=False)
        examples = [example.picture for part in parts for example in part.examples]
        places = {
            picture: _media(picture, f"example-{number}", own)
            for number, picture in enumerate(dict.fromkeys(filter(None, examples)), 1)
        }
        # The program takes the page for a template of Jinja's.
        page = as_html(parts, shown.sheet, places.__getitem__).replace("{", "&#123;")
        write_text(own / "surveys" / "instructions.html", page + "\n")
        write_json(own / "surveys" / "consent.json", [_consent(shown)])
        write_json(own / "config.yaml", _config(shown))
        return own / "config.yaml"


def _consent(shown: SheetTexts) -> dict[str, Any]:
    names = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
    return _question(CONSENT, shown.consent, names)


def _config(shown: SheetTexts) -> dict[str, Any]:
    codes, locale = shown.pack.codes.get(shown.sheet.id), shown.locale
    declined = _plain(shown.get("consent.declined", code=codes.no_consent if codes else ""))
    config: dict[str, Any] = {
        "annotation_task_name": _plain(shown.get("title")),
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
        "max_annotations_per_user": len(shown.sheet.entries),
        "ui_language": {
            "_base": locale.tag.split("-")[0],
            "html_lang": locale.tag,
            "html_dir": locale.direction,
            "next_button": shown.get("next"),
            "previous_button": shown.get("back"),
            "submit_button": shown.get("next"),
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
        "annotation_schemes": _questions(shown),
    }
    if codes is not None:
        config["completion_code"] = codes.done
        # Who declines leaves through the door of those who are screened out; without a code of
        # its own the program would show the one for those who are done.
        completion = {
            "code": codes.done,
            "failed_code": codes.failed_checks,
            "screened_out_code": codes.no_consent,
        }
        config["crowdsourcing"] = {
            "provider": "prolific",
            "prolific": {"completion": completion},
        }
    return config


def _questions(shown: SheetTexts) -> list[dict[str, Any]]:
    asked = [_question(FIRST, shown.question, shown.labels)]
    asked[0]["sequential_key_binding"] = True
    if second := shown.pack.taxonomy.second:
        condition = {"schema": FIRST, "operator": "equals", "value": list(second.when)}
        further = _question(SECOND, shown.second_question, shown.second_answers)
        if second.several:
            further["annotation_type"] = "multiselect"
        asked.append({**further, "display_logic": {"show_when": [condition]}})
    return asked


def _question(name: str, text: str, answers: dict[str, str]) -> dict[str, Any]:
    return {
        "annotation_type": "radio",
        "name": name,
        "description": _plain(text),
        "labels": [
            {"name": answer, "displayed_label": _plain(shown)} for answer, shown in answers.items()
        ],
        "label_requirement": {"required": True},
    }


def _plain(text: str) -> str:
    """A text that stands in a template of Jinja's and is no part of it."""
    for mark in "{%#":
        text = text.replace("{" + mark, "{\u200b" + mark)
    return drawable(text)


def _media(picture: Path, name: str, own: Path) -> str:
    """Copy a picture to where the program serves it; returns its address there."""
    return f"/media/{copy_picture(picture, own / 'media', name)}"
