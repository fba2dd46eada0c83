"""Datasets on disk as they are read: files in, items and refusals out, a case each.

dataset_cases.json has the cases. `@png` and `@jpg` are pictures, `@base64 ...` other bytes.
MEMELOC_WRITE_EXPECTED=1 writes what is found and refused anew; read the difference.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from tests.collect.datasets_on_disk import OTHER, PICTURE, collected, put

CASES = Path(__file__).with_name("dataset_cases.json")
PICTURES = {"@png": PICTURE, "@jpg": OTHER}


def read(case: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return what a source finds in the files of a case, and what it refuses."""
    for name, text in case["files"].items():
        packed = text.removeprefix("@base64 ") if text.startswith("@base64 ") else None
        put(root / name, PICTURES.get(text, text) if packed is None else base64.b64decode(packed))
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in case["options"].items()
    }
    if str(options.get("layout", "")).endswith(".toml"):
        options["layout"] = str(root / options["layout"])
    try:
        found, refusals = collected(case["source"], root / case["path"], **options)
    except InputError as error:
        return {"error": error.message.replace(str(root), ".")}
    names = {content: name for name, content in PICTURES.items()}
    rows = []
    for item in found:
        row = {"kind": type(item).__name__.removeprefix("Found").lower()}
        row |= {"key": item.origin.key, "url": item.origin.url, "terms": item.origin.terms}
        for name in ("name", "template", "parts", "language", "labels", "created", "details"):
            row[name] = getattr(item, name, "")
        row["year"] = str(getattr(item, "year", "") or "")
        row["picture"] = names.get(getattr(item, "picture", b"") or b"", "")
        rows.append({name: value for name, value in row.items() if value})
    refused = [[each.url, each.reason, each.sentence.replace(str(root), ".")] for each in refusals]
    return json.loads(json.dumps({"found": rows, "refused": refused}))  # type: ignore[no-any-return]


def test_a_dataset_is_read_as_written_down(tmp_path: Path, subtests: Any) -> None:
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    for number, case in enumerate(cases):
        with subtests.test(case["name"]):
            result = read(case, tmp_path / str(number))
            if os.environ.get("MEMELOC_WRITE_EXPECTED"):
                case["expected"] = result
            assert result == case["expected"]
    if os.environ.get("MEMELOC_WRITE_EXPECTED"):
        CASES.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", "utf-8")
