"""What every target keeps to: the contract of `memeloc.survey.targets.protocol`."""

from __future__ import annotations

import base64
import html
import json
import re
import zipfile
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.render import Renderer
from memeloc.survey.design.build import Design, build, to_sheets
from memeloc.survey.model import Culture, Sheet, codes
from memeloc.survey.targets.protocol import SheetsToSend, Target
from memeloc.survey.targets.resolver import import_file, make_target, recognise, target_names
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy
from memeloc.templates import load_templates

RECRUITS = {"prolific"}
"""Targets that recruit people, and show no memes."""
ACCOUNTS = {"label-studio"}
"""Targets whose annotators have accounts: they read the consent text, and need not click it."""
OPTIONS = {"html": {"send_to": "https://survey.example/answers"}}

MEMES = (
    ("m1", "robot-chef", "two eggs // one segfault"),
    ("m2", "cloud-monday", "=1+1 // <script>alert('x')</script> & \"so on\""),
    ("0042", "busy-market", "{{ 7 * 7 }} // ${x} | a;b, c\td"),
    ("meme-4", "summit-snail", "ไปต่อ // ช้า ๆ \u200f(كلام)\u200f"),
    ("m5", "robot-chef", "first line\nsecond line // \U0001f40c"),
)
"""Ids, templates and captions, harmless and awkward."""


@pytest.fixture(params=target_names())
def target(request: pytest.FixtureRequest) -> Target:
    return make_target(request.param, OPTIONS.get(request.param))


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SheetsToSend:
    """Five memes in Arabic, Hindi and German, built as any survey is."""
    folder = tmp_path_factory.mktemp("pictures")
    locales, templates, renderer = default(), load_templates()[0], Renderer(max_side=240)
    cultures = tuple(
        Culture(code, locales.get(tag)) for code, tag in (("EG", "ar"), ("IN", "hi"), ("DE", "de"))
    )
    design = Design("contract", "multi3hate", cultures, size=5, answers=3, seed=1)
    taxonomy = load_taxonomy("multi3hate")
    texts = {culture.locale.tag: survey_texts(culture.locale) for culture in cultures}
    captions = {meme: caption for meme, _, caption in MEMES}
    own = {meme: template for meme, template, _ in MEMES}

    def rendered(name: str, template: str, caption: str, culture: Culture) -> Path:
        path = folder / culture.code / f"{name}.jpg"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            picture = renderer.render(templates[template], f"{caption}", culture.locale).image
            picture.save(path, quality=70)
        return path

    def example(name: str, culture: Culture) -> Path:
        (one,) = (example for example in taxonomy.examples if example.id == name)
        caption = texts[culture.locale.tag].get(f"taxonomy.multi3hate.example.{name}.caption")
        return rendered(f"example-{name}", one.template, caption, culture)

    sheets = to_sheets(
        build({meme: template for meme, template, _ in MEMES}, design, taxonomy),
        design,
        lambda meme, culture: (rendered(meme, own[meme], captions[meme], culture), captions[meme]),
        example,
        templates=own,
    )
    return SheetsToSend(
        design.name,
        sheets,
        taxonomy,
        texts,
        {sheet.id: codes(design.name, sheet.id, bytes(range(32))) for sheet in sheets},
        {
            (culture.code, one.id): example(one.id, culture)
            for culture in cultures
            for one in taxonomy.examples
        },
        "lab@university.example",
        6,
    )


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


_ENCODED = re.compile(rb'"sheet": ?"([A-Za-z0-9+/=]+)"')
"""What a page of html encodes against a glance."""


def contents(folder: Path) -> list[bytes]:
    """Every file's bytes, and those of the members of zip files."""
    result = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            result += [content, *map(base64.b64decode, _ENCODED.findall(content))]
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as members:
                    result += [members.read(name) for name in members.namelist()]
    return result


def says(written: list[bytes], text: str) -> bool:
    """Whether some file has a text: plain, or as JSON or markup write it."""
    forms = {text, *(json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (True, False))}
    forms |= {html.escape(form) for form in forms} | {
        html.escape(form, quote=False) for form in forms
    }
    # What is JSON within JSON, or HTML within it, is escaped twice.
    forms |= {
        json.dumps(form, ensure_ascii=ascii)[1:-1] for form in forms for ascii in (True, False)
    }
    return any(form.encode() in content for form in forms for content in written)


def test_it_says_what_it_is(target: Target, request: pytest.FixtureRequest) -> None:
    assert target.name == request.node.callspec.params["target"]
    assert target.summary
    assert "\n" not in target.summary
    assert len(target.summary) <= 120


def test_the_same_survey_gives_the_same_bytes_anywhere_and_again(
    target: Target, survey: SheetsToSend, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "another place" / "deeper"
    for folder in (one, other, one):
        returned = target.export(survey, folder)
        assert returned
        for path in returned:
            assert path.is_relative_to(folder)
            assert path.exists()
    assert files(one)
    assert files(one) == files(other)
    assert not [name for name in files(one) if name.endswith((".tmp", ".part", ".partial"))]
    hidden = [name for name in files(one) if "/." in f"/{name}"]
    # clasp, Google's tool for Apps Script, looks for files of these names; the last says which
    # sheets nobody has filled in.
    allowed = (".clasp.json", ".claspignore", ".memeloc/written.json")
    assert [name for name in hidden if not name.endswith(allowed)] == []


def test_nothing_of_this_machine_goes_out(
    target: Target, survey: SheetsToSend, tmp_path: Path
) -> None:
    target.export(survey, tmp_path / "out")
    pictures = {str(picture.parent.parent) for picture in survey.examples.values()}
    for place in (str(tmp_path), str(Path.home() / "x")[:-1], *pictures):
        for content in contents(tmp_path / "out"):
            assert place.encode() not in content


def test_every_sheet_goes_out_in_its_language(
    target: Target, survey: SheetsToSend, tmp_path: Path
) -> None:
    target.export(survey, tmp_path / "out")
    written, names = contents(tmp_path / "out"), " ".join(files(tmp_path / "out"))
    for sheet in survey.sheets:
        assert sheet.id in names or says(written, sheet.id)
        texts = survey.texts[sheet.culture.locale.tag]
        if target.name in RECRUITS:
            continue
        before = "taxonomy.multi3hate"
        for label in survey.taxonomy.labels:
            assert says(written, texts.get(f"{before}.label.{label.id}.name"))
        keys = [f"{before}.question", "warning.text", "consent.text"]
        if target.name not in ACCOUNTS:
            keys += ["consent.yes", "consent.no"]
        for key in keys:
            assert says(written, texts.get(key, contact=survey.contact)), key


def test_every_picture_goes_out(target: Target, survey: SheetsToSend, tmp_path: Path) -> None:
    if target.name in RECRUITS:
        pytest.skip("it shows no memes")
    target.export(survey, tmp_path / "out")
    written = contents(tmp_path / "out")
    pictures = {
        entry.picture for sheet in survey.sheets for entry in sheet.entries if entry.picture
    }
    assert len(pictures) >= 3 * (len(MEMES) + 3)
    for picture in pictures | set(survey.examples.values()):
        content = picture.read_bytes()
        encoded = base64.b64encode(content)
        assert any(content == one or encoded in one for one in written), picture


def test_annotators_cannot_find_the_codes_of_other_endings(
    target: Target, survey: SheetsToSend, tmp_path: Path
) -> None:
    """Only the recruitment service is told what ends as failed or screened out."""
    target.export(survey, tmp_path / "out")
    written = contents(tmp_path / "out")
    for sheet in survey.sheets:
        own = survey.codes[sheet.id]
        if target.name in RECRUITS:
            assert all(says(written, code) for code in astuple(own)), own
        else:
            assert not says(written, own.failed_checks)
            assert not says(written, own.screened_out)


def without_pictures(survey: SheetsToSend, picture: Path) -> SheetsToSend:
    def changed(sheet: Sheet) -> Sheet:
        entries = tuple(
            replace(entry, picture=picture) if entry.picture else entry for entry in sheet.entries
        )
        return replace(sheet, entries=entries)

    return replace(
        survey,
        sheets=tuple(map(changed, survey.sheets)),
        examples=dict.fromkeys(survey.examples, picture),
    )


@pytest.mark.parametrize("what", ["missing", "a folder", "no picture"])
def test_an_invalid_picture_is_refused_in_a_sentence(
    target: Target, survey: SheetsToSend, tmp_path: Path, what: str
) -> None:
    if target.name in RECRUITS:
        pytest.skip("it shows no memes")
    picture = tmp_path / "picture.jpg"
    if what == "a folder":
        picture.mkdir()
    elif what == "no picture":
        picture.write_text("a shopping list")
    with pytest.raises(InputError, match="picture"):
        target.export(without_pictures(survey, picture), tmp_path / "out")


STRANGE: dict[str, bytes] = {
    "empty": b"",
    "zeros": bytes(5000),
    "text": b"Dear all,\n\nplease find attached.\n",
    "table": b"name,price\r\napples,3\r\n",
    "object": b'{"a": [1, {"b": null}]}',
    "list": b"[[], 1, null, {}]",
    "lines": b'{"a": 1}\n{"a": 2}\n',
    "broken json": b'{"answers": [',
    "deep": b"[" * 20_000 + b"]" * 20_000,
    "number": b"9" * 6000,
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(200),
    "zip": b"PK\x03\x04" + bytes(300),
    "utf-16": "item,participant,answer\r\n".encode("utf-16"),
    "latin-1": "Wie heißt du?;Größe\r\nZoë;3\r\n".encode("latin-1"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_an_unknown_file_is_not_recognised_and_not_read(
    target: Target, survey: SheetsToSend, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(STRANGE[name])
    # Headings alone are a table of answers, in whichever encoding.
    assert name == "utf-16" or not target.recognises(path)
    assert took_nothing(target, survey, path)


def took_nothing(target: Target, survey: SheetsToSend, path: Path) -> bool:
    """Whether a file gives no submission, by an InputError or without one."""
    try:
        return not import_file(target, path, survey).submissions
    except InputError:
        return True


def test_a_missing_file_is_reported(target: Target, survey: SheetsToSend, tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        assert not target.recognises(path)
        assert took_nothing(target, survey, path)
    with pytest.raises(InputError):
        import_file(target, tmp_path / "missing", survey)


def test_a_file_of_no_kind_is_reported(tmp_path: Path) -> None:
    for content in STRANGE.values():
        path = tmp_path / "file"
        path.write_bytes(content)
        if not content.startswith("item".encode("utf-16")):
            with pytest.raises(InputError, match="of no kind that comes back"):
                recognise(path)
    with pytest.raises(InputError):
        recognise(tmp_path / "missing")


WORDS = st.sampled_from(
    [
        "memeloc", "survey-answers", "survey", "contract", "sheet", "r1-b01-DE", "participant",
        "answers", "entry", "label", "m1", "hate", "further", "status", "complete", "submission",
        "data", "item", "annotations", "result", "value", "choices", "from_name", "id", "user_id",
        "instance_id", "responses", "responseId", "createTime", "textAnswers", "answer",
        "label_annotations", "completed_by", "submitted", "2026-01-05T09:00:00Z", "=1+1", "",
    ]
)  # fmt: skip
VALUES = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=20,
)
HOSTILE = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@given(value=VALUES)
@HOSTILE
def test_any_json_is_read_or_refused(
    target: Target, survey: SheetsToSend, tmp_path: Path, value: object
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    refused_or_placed(target, survey, path)


@given(rows=st.lists(st.lists(WORDS | st.text(max_size=6), max_size=6), max_size=5))
@HOSTILE
def test_any_table_is_read_or_refused(
    target: Target, survey: SheetsToSend, tmp_path: Path, rows: list[list[str]]
) -> None:
    path = tmp_path / "file.csv"
    head = ["item", "participant", "answer", "sheet"]
    text = "\r\n".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [head, *rows]
    )
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    refused_or_placed(target, survey, path)


def refused_or_placed(target: Target, survey: SheetsToSend, path: Path) -> None:
    """Whatever comes, it is an InputError or submissions of this survey; twice the same."""
    target.recognises(path)
    try:
        result = import_file(target, path, survey)
    except InputError:
        return
    stored = {sheet.id for sheet in survey.sheets}
    labels = {label.id for label in survey.taxonomy.labels} | {""}
    for submission in result.submissions:
        assert submission.sheet in stored
        assert submission.id
        assert submission.source == target.name
        assert {answer.label for answer in submission.answers} <= labels
        entries = [answer.entry for answer in submission.answers]
        assert len(set(entries)) == len(entries)
    for left in result.rejected:
        assert left.reason
        assert left.message
        assert left.file == path.name
    assert import_file(target, path, survey) == result


def test_no_two_kinds_of_file_are_taken_for_each_other(
    target: Target, survey: SheetsToSend, tmp_path: Path
) -> None:
    """Of what a target writes, nothing is taken for another one's answers."""
    target.export(survey, tmp_path / "out")
    readers = [make_target(name) for name in target_names()]
    for path in sorted((tmp_path / "out").rglob("*")):
        if path.is_file():
            others = [reader.name for reader in readers if reader.recognises(path)]
            assert set(others) <= {target.name}, path


def test_sheets_that_nobody_filled_in_hold_no_answers(
    target: Target, survey: SheetsToSend, tmp_path: Path
) -> None:
    target.export(survey, tmp_path / "out")
    for path in sorted((tmp_path / "out").rglob("*")):
        if path.is_file() and path.suffix != ".jpg":
            assert took_nothing(target, survey, path), path
