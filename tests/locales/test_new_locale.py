"""A locale begun from CLDR: what is known is filled in, and the rest says what to write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.locales import Registry, default, new_locale

EXAMPLE = Path(__file__).parents[2] / "examples" / "new_locale.py"


@pytest.mark.parametrize(
    ("tag", "names", "script", "country", "letter"),
    [
        ("ha", "Hausa Hausa", "Latn", "NG", "ƙ"),
        ("yo", "Yoruba Èdè Yorùbá", "Latn", "NG", "ẹ"),
        ("zu", "Zulu IsiZulu", "Latn", "ZA", "h"),
        ("mn", "Mongolian Монгол", "Cyrl", "MN", "ө"),
        ("ps", "Pashto پښتو", "Arab", "AF", "ښ"),
        ("sr-Latn", "Serbian Srpski", "Latn", "RS", "đ"),
        ("fr-CM", "French Français", "Latn", "CM", "é"),
        ("pt-PT", "Portuguese Português", "Latn", "PT", "ã"),
        ("ka", "Georgian ქართული", "Geor", "GE", "ა"),
    ],
)
def test_what_cldr_knows_is_a_locale_that_loads(
    tmp_path: Path, tag: str, names: str, script: str, country: str, letter: str
) -> None:
    registry = Registry.load(new_locale(tag, tmp_path).parent)
    locale = registry.get(tag)
    assert (locale.tag, f"{locale.name} {locale.native_name}") == (tag, names)
    assert (locale.script, locale.country) == (script, country)
    assert locale.poster == next(each for each in default() if each.script == script).poster
    assert letter in registry.exemplars(tag)


@pytest.mark.parametrize(
    ("tag", "needed"), [("bo", "fonts.poster"), ("qaa-Latn", "name"), ("ff-Adlm", "fonts.poster")]
)
def test_what_is_not_known_is_a_line_to_complete(tmp_path: Path, tag: str, needed: str) -> None:
    path = new_locale(tag, tmp_path)
    assert f"# {needed.rpartition('.')[2]} = " in path.read_text("utf-8")
    with pytest.raises(InputError, match=f"needs the setting {needed}"):
        Registry.load(tmp_path)


@pytest.mark.parametrize(
    ("tag", "sentence"), [("../x", "is no BCP 47 tag"), ("qaa", "name its script: qaa-Latn")]
)
def test_a_tag_that_says_nothing_is_refused(tmp_path: Path, tag: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        new_locale(tag, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_example_draws_a_meme_in_the_new_language(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(EXAMPLE), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    picture = Path(run.stdout.strip())
    assert picture.parent == tmp_path / "out"
    with Image.open(picture) as image:
        image.load()
        assert image.format == "JPEG"
        colours = image.convert("L").histogram()
    assert sum(colours[:20]) > 1000  # the outline
    assert sum(colours[240:]) > 1000  # the letters
