"""Which locales there are, their tags and letters, and how one's own come in."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.locales import Registry, default
from memeloc.locales import registry as registry_module
from memeloc.locales.registry import exemplars
from memeloc.locales.tags import canonical
from tests.each import each

DATA = Path(registry_module.__file__).parent / "data"


PROMISED = """
    en de es fr it pt nl pl cs ro tr vi id sw hu sv ru uk bg kk el ar fa ur he hi mr ne bn ta
    te kn ml gu pa si th lo km my am ka hy zh-Hans zh-Hant ja ko
""".split()  # noqa: SIM905


def write_gaelic(folder: Path, **changes: str) -> Path:
    text = (DATA / "en.toml").read_text(encoding="utf-8")
    text = text.replace('tag = "en"', 'tag = "gd"').replace('"English"', '"Gàidhlig"')
    for old, new in changes.items():
        text = text.replace(f"{old} = ", f"{new} = ")
    path = folder / "gd.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_promised_locale_is_built_in() -> None:
    assert set(PROMISED) <= {locale.tag for locale in default()}
    assert len(default()) >= 45
    assert len({locale.script for locale in default()}) >= 22


def test_locales_import_nothing_heavy() -> None:
    code = (
        "import sys, memeloc.locales as l; list(l.default())\n"
        "heavy = {'icu', 'budoux', 'PIL', 'numpy', 'uharfbuzz', 'typer', 'rich'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_later_folder_wins_by_tag(tmp_path: Path) -> None:
    for name, country in (("first", "IE"), ("second", "CA")):
        folder = tmp_path / name
        folder.mkdir()
        path = write_gaelic(folder)
        path.write_text(path.read_text("utf-8").replace('"US"', f'"{country}"'), "utf-8")
    assert Registry.load(tmp_path / "first", tmp_path / "second").get("gd").country == "CA"


def test_folders_are_texts_paths_lists_of_them_or_a_registry(tmp_path: Path) -> None:
    write_gaelic(tmp_path)
    registry = Registry.load(str(tmp_path))
    assert registry.get("gd") == Registry.load([tmp_path]).get("gd")
    assert Registry.load(registry) is registry
    assert "gd" in Registry.load(registry, [])


@each(
    ("changes", "sentence"),
    [
        ({"tag": "not a tag"}, "tag of a locale is not as it must be"),
        ({"direction": "rtl"}, 'script Latn is written "ltr"'),
        ({"script": "Geor"}, "script Geor has no capitals"),
        ({"smallest_size": float("nan")}, "smallest_size of a locale: input should be"),
        ({"poster": ()}, "poster of a locale: tuple should have at least 1 item"),
        ({"phrase_model": "klingon"}, "phrase_model of a locale: input should be '', 'ja'"),
        ({"line_break": "de; rm"}, "line_break of a locale is not as it must be"),
    ],
)
def test_a_locale_made_in_python_is_checked(changes: dict[str, object], sentence: str) -> None:
    registry = Registry.load()
    with pytest.raises(InputError) as caught:
        registry.add(replace(registry.get("en"), **changes))  # type: ignore[arg-type]
    assert sentence in str(caught.value)


@each(
    ("tag", "some", "none"),
    [
        ("cs", "ch ů ř", "ß"),
        ("de", "ä ß", "ñ"),
        ("tr", "ı ğ", "q"),
        ("zh-Hans", "们 这", "們 這"),
        ("zh-Hant", "們 這", "们 这"),
        ("zh-TW", "們", "们"),
        ("nb", "æ ø å", "ß"),
        ("pa", "ਪ ੰ", "پ"),
        ("pa-PK", "پ", "ਪ"),
        ("sr", "ђ", "đ"),
        ("sr-Latn", "đ", "ђ"),
        ("ko", "가 힣", "あ"),
    ],
)
def test_letters_are_those_of_the_language_in_its_script(tag: str, some: str, none: str) -> None:
    assert set(some.split()) <= set(exemplars(tag))
    assert not set(none.split()) & set(exemplars(tag))


@each(
    ("asked", "found"),
    [
        ("de", "de"),
        ("DE-at", "de"),
        ("de_AT", "de"),
        ("de-AT-1996", "de"),
        ("de-Latn-DE-x-private", "de"),
        ("de-DE-u-co-phonebk", "de"),
        ("de_DE.UTF-8", "de"),
        (" de ", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh_SG", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-hk", "zh-Hant"),
        ("zh-MO", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"),
        ("zh-Hans-TW", "zh-Hans"),
        ("cmn", "zh-Hans"),
        ("zho_Hant", "zh-Hant"),
        ("iw", "he"),
        ("in", "id"),
        ("tl", "fil"),
        ("no", "nb"),
        ("prs", "fa"),
        ("npi_Deva", "ne"),
        ("pt-PT", "pt"),
        ("en-GB", "en"),
        ("es-419", "es"),
        ("sr-Cyrl-BA", "sr"),
        ("ko-Hang", "ko"),
        ("ja-Hira", "ja"),
        ("ur-Aran", "ur"),
        ("pa-IN", "pa"),
    ],
)
def test_a_tag_finds_its_locale(asked: str, found: str) -> None:
    assert default().get(asked).tag == found
    assert asked in default()


@each(
    "asked",
    [
        "sr-Latn",
        "sr-ME",
        "sh",
        "pa-PK",
        "az-IR",
        "en-Shaw",
        "de-Cyrl",
        "zh-Latn",
        "kk-CN",
        "hi-Latn",
    ],
)
def test_a_tag_never_finds_a_locale_of_another_script(asked: str) -> None:
    assert asked not in default()
    with pytest.raises(InputError, match="there is no locale"):
        default().get(asked)


@each(
    ("asked", "suggested"),
    [
        ("germn", "de (German, Latn)"),
        ("deutsch", "de (German, Latn)"),
        ("German", "de (German, Latn)"),
        ("Português", "pt (Portuguese, Latn)"),
        ("japanese", "ja (Japanese, Jpan)"),
        ("日本", "ja (Japanese, Jpan)"),
        ("chinese", "zh-Hans (Chinese (Simplified), Hans)"),
        ("sr-Latn", "sr (Serbian, Cyrl)"),
        ("हिन्दि", "hi (Hindi, Deva)"),
    ],
)
def test_an_unknown_tag_is_an_error_that_names_near_ones(asked: str, suggested: str) -> None:
    with pytest.raises(InputError) as caught:
        default().get(asked)
    assert repr(asked) in str(caught.value)
    assert suggested in str(caught.value)


@each("asked", ["", "xyzzy-nowhere", "123", "//", "\ud800", "a" * 10_000])
def test_nonsense_is_an_error_that_says_where_to_look(asked: str) -> None:
    with pytest.raises(InputError, match="memeloc locales show"):
        default().get(asked)


@given(st.text(max_size=30))
def test_any_text_either_finds_a_locale_or_is_an_input_error(text: str) -> None:
    try:
        found = default().get(text)
    except InputError:
        assert text not in default()
    else:
        assert text in default()
        assert canonical(text).lower().startswith(found.tag.split("-")[0])
