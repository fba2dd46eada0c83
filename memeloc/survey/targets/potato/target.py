"""The target potato. In: a survey's sheets, or annotators' states. Out: project folders; answers.

`potato start SHEET/config.yaml` opens it: instructions, consent, the entries in order, and the
completion code. Participants come in by `?PROLIFIC_PID=`. The configuration is JSON, which is YAML.
The pages for who is done and who declined are the sheet's own: the program's are in English.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from memeloc.survey.targets.instructions import Item, SheetFiles, SheetTexts, as_html
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.potato.reading import CONSENT, ENDED, read, recognises, schema_of
from memeloc.survey.targets.writing import write_json, write_text
from memeloc.survey.taxonomy import LABEL, Kind
from memeloc.tables import drawable

_DECLINED = "declined"
_STYLE = """\
/* The number of an item is English; who logs out does not find back without the address. */
.instance-number-label, #instance-number, .logout-btn { display: none; }
.display-field img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
/* A sentence that says what to choose stands in the place of the question about a picture. */
body:has(.to-read) .annotation-form legend { display: none; }
/* What the study says of itself stands in paragraphs of its own. */
.annotation-form legend { white-space: pre-line; }
/* The last page of those who are done, or declined: there is nowhere to go from it. */
body:has(.last-page) .potato-nav { display: none; }
"""
_PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


class Potato(SheetFiles):
    """Writes a project of Potato for each sheet, and reads what it keeps of annotators."""

    name = "potato"
    summary = "a Potato project a sheet: configuration, data and pictures"
    kinds = frozenset[Kind]({"choice", "choices"})
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET/config.yaml`, `data/`, `surveys/` and `media/`."""
        own = folder / shown.sheet.id
        tasks = [
            {"item": item.key, "number": item.number, "shown": _shown(item, own)}
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
        codes = shown.pack.codes.get(shown.sheet.id)
        declined = [
            _text(shown, "consent.heading"),
            _text(shown, "consent.declined", codes.no_consent if codes else ""),
        ]
        ended = [_text(shown, "sent.heading"), _text(shown, "sent.thanks")]
        if codes is not None:
            ended.append(_text(shown, "sent.code", codes.done))
        write_json(own / "surveys" / f"{_DECLINED}.json", [_last_page(_DECLINED, declined)])
        write_json(own / "surveys" / f"{ENDED}.json", [_last_page(ENDED, ended)])
        write_text(own / "sheet.css", _STYLE)
        write_json(own / "config.yaml", _config(shown))
        return own / "config.yaml"


def _consent(shown: SheetTexts) -> dict[str, Any]:
    names = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
    return _question(CONSENT, shown.consent, names)


def _text(shown: SheetTexts, key: str, code: str = "") -> str:
    """A text as HTML; its code leads back to the service that sent the person here."""
    mark = "\0"
    before, found, after = shown.get(key, code=mark).partition(mark)
    link = f'<a href="{escape(_PROLIFIC + code)}">{escape(code)}</a>' if found and code else ""
    return escape(_plain(before)) + link + escape(_plain(after))


def _last_page(name: str, lines: list[str]) -> dict[str, Any]:
    """A page without a question, of lines of HTML, and without a way on."""
    return {
        "annotation_type": "pure_display",
        "name": name,
        "description": f'<span class="last-page">{lines[0]}</span>',
        "labels": lines[1:],
        "allow_html": True,
    }


def _shown(item: Item, own: Path) -> str:
    """What stands above the questions, as HTML: the picture, or the sentence to be read.

    The caption stands on the picture already; screen readers are given it as the picture's text.
    Escaped, it also closes no script tag: the program writes the items' data into one as they are.
    """
    if item.picture is None:
        return f'<p class="to-read">{escape(item.text)}</p>'
    address = escape(_media(item.picture, item.key, own))
    return f'<div><img src="{address}" alt="{escape(item.text)}"></div>'


def _config(shown: SheetTexts) -> dict[str, Any]:
    locale = shown.locale
    declines = [{"schema": CONSENT, "operator": "equals", "value": "no"}]
    return {
        "annotation_task_name": _plain(shown.get("title")),
        "task_dir": ".",
        "output_annotation_dir": "annotation_output",
        "export_annotation_format": "jsonl",
        "export_include_phase_data": True,
        "data_files": ["data/items.jsonl"],
        "item_properties": {"id_key": "item", "text_key": "shown"},
        "media_directory": "media",
        "base_css": "sheet.css",
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
            "order": ["instructions", CONSENT, _DECLINED, "annotation", ENDED],
            "instructions": {"type": "instructions", "file": "surveys/instructions.html"},
            CONSENT: {"type": "consent", "file": f"surveys/{CONSENT}.json"},
            _DECLINED: {
                "type": "consent",
                "file": f"surveys/{_DECLINED}.json",
                "show_when": declines,
                # Who goes on nevertheless comes to no item.
                "exit_when": {"show_when": declines},
            },
            ENDED: {"type": "poststudy", "file": f"surveys/{ENDED}.json"},
        },
        "instance_display": {
            "layout": {"direction": "vertical"},
            "fields": [{"key": "shown", "type": "html"}],
        },
        "annotation_schemes": _questions(shown),
    }


def _questions(shown: SheetTexts) -> list[dict[str, Any]]:
    asked = []
    for question in shown.questions():
        scheme = _question(schema_of(question.id), question.text, question.answers)
        scheme["label_requirement"] = {"required": question.required}
        if question.id == LABEL:
            scheme["sequential_key_binding"] = True
        if question.kind == "choices":
            scheme["annotation_type"] = "multiselect"
        if question.when:
            conditions = [
                {"schema": schema_of(earlier), "operator": "equals", "value": list(answers)}
                for earlier, answers in question.when.items()
            ]
            scheme["display_logic"] = {"show_when": conditions}
        asked.append(scheme)
    return asked


def _question(name: str, text: str, answers: Mapping[str, str]) -> dict[str, Any]:
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
