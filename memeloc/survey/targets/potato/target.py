"""The target potato. In: a survey's sheets, or annotators' states. Out: project folders; answers.

`potato start SHEET/config.yaml` opens it: instructions, consent, the entries in order, and the
completion code. Participants come in by `?PROLIFIC_PID=`. The configuration is JSON, which is YAML.
The pages for who is done and who declined are the sheet's own: the program's are in English.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from memeloc.survey.targets.instructions import Item, SheetFiles, SheetTexts, as_html
from memeloc.survey.targets.pictures import copy_picture
from memeloc.survey.targets.potato.reading import CONSENT, ENDED, read, recognises
from memeloc.survey.targets.potato.schemes import REQUIRED, Schemes, choices, plain
from memeloc.survey.targets.protocol import ALL_KINDS
from memeloc.survey.targets.writing import write_json, write_text

_DECLINED = "declined"
_STYLE = """\
/* The number of an item is English; who logs out does not find back without the address. */
.instance-number-label, #instance-number, .logout-btn { display: none !important; }
.display-field img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
/* Which questions an item asks is nothing to be answered. */
form[data-schema-name="asked"] { display: none; }
body:has(.to-read) .display-field:has(.text-content) { display: none; }
/* A sentence that says what to choose stands in the place of the question about a picture. */
body:has(.to-read) .annotation-form legend { display: none; }
/* What the study says of itself stands in paragraphs of its own. */
.annotation-form legend { white-space: pre-line; }
/* The last page of those who are done, or declined: there is nowhere to go from it. */
body:has(.last-page) .potato-nav { display: none; }
"""
_TAG = re.compile(r"<(?=[/!?a-z])", re.IGNORECASE)
_PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


class Potato(SheetFiles):
    """Writes a project of Potato for each sheet, and reads what it keeps of annotators."""

    name = "potato"
    summary = "a Potato project a sheet: configuration, data and pictures"
    kinds = ALL_KINDS
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET/config.yaml`, `data/`, `surveys/` and `media/`."""
        own, schemes = folder / shown.sheet.id, Schemes(shown)
        tasks = [_task(item, schemes, own) for item in schemes.items]
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
        if schemes.person:
            write_json(own / _of_person(schemes.person), schemes.of_person())
        write_text(own / "sheet.css", _STYLE)
        write_json(own / "config.yaml", _config(shown, schemes))
        return own / "config.yaml"


def _consent(shown: SheetTexts) -> dict[str, Any]:
    names = {answer: shown.get(f"consent.{answer}") for answer in ("yes", "no")}
    return choices(CONSENT, shown.consent, names) | REQUIRED


def _text(shown: SheetTexts, key: str, code: str = "") -> str:
    """A text as HTML; its code leads back to the service that sent the person here."""
    mark = "\0"
    before, found, after = shown.get(key, code=mark).partition(mark)
    link = f'<a href="{escape(_PROLIFIC + code)}">{escape(code)}</a>' if found and code else ""
    return escape(plain(before)) + link + escape(plain(after))


def _last_page(name: str, lines: list[str]) -> dict[str, Any]:
    """A page without a question, of lines of HTML, and without a way on."""
    return {
        "annotation_type": "pure_display",
        "name": name,
        "description": f'<span class="last-page">{lines[0]}</span>',
        "labels": lines[1:],
        "allow_html": True,
    }


def _task(item: Item, schemes: Schemes, own: Path) -> dict[str, Any]:
    """An item as the program reads it."""
    task: dict[str, Any] = {"item": item.key, "number": item.number, "shown": _shown(item, own)}
    if schemes.has_spans:
        # Letter for letter as long as the caption, and no tag that could end the program's script.
        task["caption"] = "" if item.picture is None else _TAG.sub("‹", item.text)
    if prefilled := schemes.prefilled(item):
        task["prefilled"] = prefilled
    return task


def _of_person(item: Item) -> str:
    """The file of the page about the person; it and the page are named as the item."""
    return f"surveys/{item.key}.json"


def _shown(item: Item, own: Path) -> str:
    """What stands above the questions, as HTML: the picture, or the sentence to be read.

    The caption stands on the picture already; screen readers are given it as the picture's text.
    Escaped, it also closes no script tag: the program writes the items' data into one as they are.
    """
    if item.picture is None:
        return f'<p class="to-read">{escape(item.text)}</p>'
    address = escape(_media(item.picture, item.key, own))
    return f'<div><img src="{address}" alt="{escape(item.text)}"></div>'


def _phases(person: Item | None) -> dict[str, Any]:
    """The pages, in order."""
    declines = [{"schema": CONSENT, "operator": "equals", "value": "no"}]
    phases: dict[str, Any] = {
        "instructions": {"type": "instructions", "file": "surveys/instructions.html"},
        CONSENT: {"type": "consent", "file": f"surveys/{CONSENT}.json"},
        _DECLINED: {
            "type": "consent",
            "file": f"surveys/{_DECLINED}.json",
            "show_when": declines,
            # Who goes on nevertheless comes to no item.
            "exit_when": {"show_when": declines},
        },
        "annotation": {"type": "annotation"},
    }
    if person:
        phases[person.key] = {"type": "poststudy", "file": _of_person(person)}
    phases[ENDED] = {"type": "poststudy", "file": f"surveys/{ENDED}.json"}
    return {"order": list(phases), **phases}


def _config(shown: SheetTexts, schemes: Schemes) -> dict[str, Any]:
    locale = shown.locale
    fields: list[dict[str, Any]] = [{"key": "shown", "type": "html"}]
    if schemes.has_spans:
        fields.append({"key": "caption", "type": "text", "span_target": True})
    return {
        "annotation_task_name": plain(shown.get("title")),
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
        "max_annotations_per_user": len(schemes.items),
        "ui_language": {
            "_base": locale.tag.split("-")[0],
            "html_lang": locale.tag,
            "html_dir": locale.direction,
            "next_button": shown.get("next"),
            "previous_button": shown.get("back"),
            "submit_button": shown.get("next"),
        },
        "phases": _phases(schemes.person),
        "pre_annotation": {"enabled": True, "field": "prefilled"},
        "instance_display": {
            "layout": {"direction": "vertical"},
            "fields": fields,
        },
        "annotation_schemes": schemes.of_items(),
    }


def _media(picture: Path, name: str, own: Path) -> str:
    """Copy a picture to where the program serves it; returns its address there."""
    return f"/media/{copy_picture(picture, own / 'media', name)}"
