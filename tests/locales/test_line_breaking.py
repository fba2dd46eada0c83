"""What a line-breaking habit does to real text."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales.breaking import HABITS, breaking, dictionary, possible
from memeloc.locales.registry import read_locale
from tests.each import each


def test_phrase_models_are_those_that_budoux_has() -> None:
    import budoux

    models = {path.stem for path in (Path(budoux.__file__).parent / "models").glob("*.json")}
    named = {locale.tag: locale.phrase_model for locale in default() if locale.phrase_model}
    assert named == {"ja": "ja", "th": "th", "zh-Hans": "zh-hans", "zh-Hant": "zh-hant"}
    assert set(named.values()) <= models


@each("script", ["Latn", "Arab", "Thai", "Jpan", "Hans", "Hant", "Kore", "Xxxx"])
def test_every_possible_habit_of_a_script_has_a_meaning(script: str) -> None:
    assert possible(script)
    for habit in possible(script):
        assert habit in HABITS
        icu, model = breaking(habit, "xx-Test", script)
        assert icu.startswith("xx_Test")
        assert bool(model) == (habit == "phrases" or script == "Thai")


def test_a_file_may_name_its_own_icu_identifier(tmp_path: Path) -> None:
    data = Path(__file__).parents[2] / "memeloc" / "locales" / "data" / "ja.toml"
    text = data.read_text("utf-8").replace("[codes]", 'icu = "ja@lb=loose"\n\n[codes]')
    (tmp_path / "ja.toml").write_text(text, "utf-8")
    locale = read_locale(tmp_path / "ja.toml")
    assert (locale.line_break, locale.phrase_model) == ("ja@lb=loose", "ja")


GPL_ONLY = {"cs_CZ", "gl", "nb_NO", "nn_NO", "pt_PT", "ro_RO", "ca", "lv_LV"}
"""pyphen's dictionaries whose READMEs or headers name the GPL, without a choice or in part. That of
Ukrainian does, too, but TeX's hyph-utf8 has the same author's patterns under MIT's licence."""


def test_hyphenation_is_by_dictionaries_that_suit_apache() -> None:
    named = {locale.hyphenation for locale in default() if locale.hyphenation}
    assert len(named) == 18
    assert not named & GPL_ONLY
    for name in named:
        assert dictionary(name).is_file()


def test_a_dictionary_that_pyphen_lacks_is_named_with_its_like() -> None:
    with pytest.raises(InputError, match="'de_XX'; it has de_AT and de_CH and de_DE"):
        dictionary("de_XX")
