"""Fonts: the very files that are named, the user's first, at the weight that is asked for."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from memeloc.errors import InputError
from memeloc.fonts import Face, FontLibrary, load_families
from memeloc.locales import Registry, default
from memeloc.locales.tags import DATA
from memeloc.model import FaceName
from memeloc.resources import folder
from tests.each import each

FONTS = FontLibrary()
CONJUNCTS = {
    "or": "ଅଙ୍କୁର ସ୍ତ୍ରୀ",
    "kn": "ಕ್ಷೇತ್ರ ಜ್ಞಾನ",
    "te": "స్త్రీ లక్ష్మి",
    "my": "သူငယ်ချင်း",
    "bn": "অঙ্কুর স্ত্রী লক্ষ্মী",
}
VARIABLE = FONTS.families["noto-sans"].path


@pytest.fixture(scope="module")
def weights() -> ModuleType:
    """tools/match_weights.py, which is no package."""
    path = Path(__file__).parents[2] / "tools/match_weights.py"
    spec = importlib.util.spec_from_file_location("match_weights", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(tmp_path: Path, **changes: object) -> Path:
    """A fonts.toml with one family, some of its keys changed; None leaves a key out."""
    family = FONTS.families["anton"]
    keys: dict[str, object] = {
        "package": family.package,
        "module": "fontpkg_anton",
        "file": "files/Anton-Regular.ttf",
        "licence": "OFL-1.1",
        "sha256": family.sha256,
    } | changes
    lines = [f"{key} = {value!r}" for key, value in keys.items() if value is not None]
    path = tmp_path / "fonts.toml"
    path.write_text("[family.anton]\n" + "\n".join(lines), encoding="utf-8")
    return path


PACKAGED = sorted(name for name, family in FONTS.families.items() if not family.optional)


@each("face", ["poster", "plain"])
@each("name", PACKAGED)
def test_no_sign_of_a_number_runs_into_the_digit(name: str, face: FaceName) -> None:
    drawn = Face(FONTS.families[name], face)
    for char in "+-\N{MINUS SIGN}×÷=±<>%‰°€£¥$₹₺₽₪₫0123456789–—#@&":
        if drawn.covers(char):
            glyph = drawn.font.get_nominal_glyph(ord(char))
            ink = drawn.font.get_glyph_extents(glyph)
            right = drawn.font.get_glyph_h_advance(glyph) - ink.x_bearing - ink.width
            assert min(ink.x_bearing, right) > -0.1 * drawn.upem, char


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": None}, "needs the setting sha256"),
        ({"package": ""}, "needs the setting package"),
        ({"colour": "red"}, "no setting 'colour'"),
        ({"poster": {"wght": "heavy"}}, "setting poster.wght"),
    ],
)
def test_a_wrong_fonts_toml_is_reported(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    if "poster" in changes:
        path = written(tmp_path)
        path.write_text(path.read_text("utf-8") + '\nposter = { wght = "heavy" }\n', "utf-8")
    else:
        path = written(tmp_path, **changes)
    with pytest.raises(InputError, match=message) as caught:
        load_families(path)
    assert caught.value.file == str(path)


def width(face: Face, text: str = "minimum") -> float:
    return sum(
        face.font.get_glyph_h_advance(face.font.get_nominal_glyph(ord(char))) for char in text
    )


def test_a_users_variable_font_is_heavy_in_posters_by_default() -> None:
    library = FontLibrary([VARIABLE])
    english = default().get("en")
    assert library.stack(english, "poster").primary.source.poster == {"wght": 800}
    assert width(library.stack(english, "poster").primary) > width(
        library.stack(english, "plain").primary
    )


def test_what_is_no_font_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "fake.ttf"
    fake.write_bytes(b"no font at all")
    for entry in (fake, tmp_path / "none.ttf", f"{fake}:wght=900"):
        with pytest.raises(InputError):
            FontLibrary([entry])
    with pytest.raises(InputError, match="no font family"):
        FONTS.face("no-such-font", "poster")


EMOJI = "colour-emoji" if FONTS.families["colour-emoji"].found else "noto-emoji"


@each(
    ("cluster", "family"),
    [
        ("A", "anton"),
        ("1", "anton"),
        ("#", "anton"),
        ("1\ufe0f\u20e3", EMOJI),
        ("❤\ufe0f", EMOJI),
        ("😀", EMOJI),
        ("👩‍🚀", EMOJI),
        ("🇩🇪", EMOJI),
        ("☕", EMOJI),
        ("☕\ufe0e", "noto-emoji"),
        ("Ж", "noto-sans"),
        ("ب", "noto-sans-arabic"),
        ("த", "noto-sans-tamil"),
    ],
)
def test_the_face_of_a_cluster(cluster: str, family: str) -> None:
    face = FONTS.stack(default().get("en"), "poster").font_for(cluster)
    assert face is not None
    assert face.family == family


def test_a_missing_font_of_a_locale_is_reported_before_rendering() -> None:
    german = replace(default().get("de"), plain=("Away.ttf", "noto-sans"))
    FontLibrary().check(default(), [german], ["poster"])
    with pytest.raises(InputError, match=r"The plain fonts of de: .*'Away\.ttf'"):
        FontLibrary().check(default(), [german], ["poster", "plain"])


def test_a_misspelt_font_is_named_with_its_file_and_what_is_near(tmp_path: Path) -> None:
    text = (DATA / "de.toml").read_text(encoding="utf-8").replace('"noto-sans",', '"noto-sanz",')
    path = tmp_path / "german.toml"
    path.write_text(text, encoding="utf-8")
    registry = Registry.load(tmp_path)
    with pytest.raises(InputError, match=r"'noto-sanz'.*did you mean 'noto-sans'") as caught:
        FontLibrary().check(registry, [registry.get("de")], ["poster"])
    assert caught.value.file == str(path)
    with pytest.raises(InputError, match=r"'kalamm'.*did you mean 'kalam'"):
        FontLibrary(["de:comic=kalamm"])


@each("tag", ["or", "kn", "te", "my", "bn", "hi", "gu", "si", "km", "ml", "pa", "lo"])
def test_thickened_posters_keep_the_counters_of_words(weights: ModuleType, tag: str) -> None:
    family = FONTS.families[weights.first(FONTS, default().get(tag))]
    thick, usual = (
        Face(replace(family, embolden=more), "poster") for more in (family.embolden, 0.0)
    )
    for word in (*CONJUNCTS.get(tag, "").split(), *weights.words(default().get(tag))[:10]):
        assert weights.keeps_counters(thick, usual, word, tag), word


def test_fonts_toml_has_a_family_for_every_locales_stacks() -> None:
    families = load_families(folder("fonts") / "fonts.toml")
    for locale in default():
        assert set(locale.poster + locale.plain + locale.comic) <= set(families)
