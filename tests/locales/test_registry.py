"""Which locales there are, and how one's own come in."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.locales import Registry, default
from memeloc.locales import registry as registry_module
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
