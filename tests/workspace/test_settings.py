"""memeloc.toml: what is read, what `init` writes, and what is said of a mistake."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.workspace import Workspace
from memeloc.workspace.settings import Settings, first_file, read_settings


def _read(tmp_path: Path, words: str) -> Settings:
    file = tmp_path / "memeloc.toml"
    file.write_text(words, encoding="utf-8")
    return read_settings(file)


def test_what_init_writes_is_the_defaults(tmp_path: Path) -> None:
    words = first_file("en", ["de", "zh-Hans"])
    assert _read(tmp_path, words) == Settings(languages=["de", "zh-Hans"])
    assert _read(tmp_path, "") == Settings()
    assert Settings().correction.rounds == 2


def test_every_setting_stands_in_it_with_its_meaning() -> None:
    words = first_file("en", [])
    plain = " ".join(words.replace("\n# ", " ").split())

    def check(model: type, values: dict[str, object]) -> None:
        for name, field in model.model_fields.items():  # type: ignore[attr-defined]
            assert name in values
            if name not in ("database", "engine", "correction", "translate", "knowledge"):
                assert field.description.lower() in plain.lower()
            if name in ("database", "engine", "correction"):
                check(field.annotation, values[name])  # type: ignore[arg-type]

    check(Settings, tomllib.loads(words))


@pytest.mark.parametrize(
    ("words", "row", "sentence"),
    [
        (
            'source = "en"\nlangauges = ["de"]',
            2,
            "no setting 'langauges'; did you mean 'languages' (the languages to translate",
        ),
        ("colour = 1", 1, "memeloc.toml has no setting 'colour'; it has source, languages,"),
        (
            "[correction]\n# how many\nrounds = 0",
            3,
            "the setting correction.rounds of memeloc.toml: input should be greater than or equal "
            "to 1 (rounds of correction; each sees the result of the one before)",
        ),
        ("[correction]\nround = 2", 2, "did you mean 'rounds' (rounds of correction"),
        ('[correction]\npeople = "two"', 2, "input should be a valid integer (people who correct"),
        ("correction.rounds = true", 1, "input should be a valid integer"),
        ('languages = "de"', 1, "input should be a valid list (the languages to translate into"),
        ("languages = [1]", 1, "the setting languages.0 of memeloc.toml"),
        ("correction = 2", 1, "the setting correction of memeloc.toml"),
        ("source = 1", 1, "input should be a valid string (the language that the captions are"),
        ("translate = 1", 1, "(settings of the translators"),
        ("[translate]\nwit = 'google'", 2, "the setting translate.wit of memeloc.toml"),
        ("[translate]\nbudget = -5", 2, "(the most that one run may cost"),
        ("[translate]\ngoogle = 1", 2, "the setting translate.google of memeloc.toml"),
        ('source = "en', None, "is not TOML"),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(
    tmp_path: Path, words: str, row: int | None, sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        _read(tmp_path, words)
    assert sentence in str(caught.value)
    assert caught.value.row == row
    assert caught.value.file == str(tmp_path / "memeloc.toml")


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    file = tmp_path / "memeloc.toml"
    file.write_bytes("# größer".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_settings(file)


def test_translators_have_tables_of_their_own(tmp_path: Path) -> None:
    settings = _read(
        tmp_path,
        '[translate]\nwith = "google"\nbudget = 20.0\n'
        '[translate.google]\nproject = "p"\nretries = 3',
    )
    assert settings.translator("google") == {"project": "p", "retries": 3}
    assert settings.translator("openai") == {}
    assert settings.translate.budget == 20.0


def test_a_workspace_is_found_from_below_and_has_its_own_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    Workspace.create(tmp_path / "w", languages=["zh", "de", "zh-CN", "en"]).close()
    below = tmp_path / "w" / "some" / "where"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    with Workspace.find() as workspace:
        assert workspace.root == tmp_path / "w"
        assert [locale.tag for locale in workspace.languages] == ["zh-Hans", "de"]
        assert workspace.folders("templates") == (tmp_path / "w" / "templates",)
        assert workspace.folders("locales") == ()
        (tmp_path / "w" / "fonts" / "Mine.ttf").touch()
        (tmp_path / "w" / "fonts" / "licence.txt").touch()
        assert workspace.asked_fonts == (tmp_path / "w" / "fonts" / "Mine.ttf",)
    with pytest.raises(InputError, match="nor in any folder above"):
        Workspace.find(tmp_path)
    with pytest.raises(InputError, match="a workspace here already"):
        Workspace.create(tmp_path / "w")
    with pytest.raises(InputError, match="memeloc init"):
        Workspace.open(tmp_path)


def test_an_unknown_language_makes_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no locale 'xx'"):
        Workspace.create(tmp_path / "w", languages=["xx"])
    assert not (tmp_path / "w").exists()


def test_fonts_are_files_folders_and_names_for_a_language_or_style(tmp_path: Path) -> None:
    root = tmp_path / "w"
    Workspace.create(root).close()
    (root / "Hand.ttf").touch()
    settings = (root / "memeloc.toml").read_text("utf-8")
    asked = 'fonts = ["fonts", "Hand.ttf", "de:comic=Hand.ttf:wght=700", "ur=Noto Nastaliq Urdu"]'
    (root / "memeloc.toml").write_text(settings.replace('fonts = ["fonts"]', asked), "utf-8")
    with Workspace.open(root) as workspace:
        assert workspace.asked_fonts == (
            root / "Hand.ttf",
            f"de:comic={root / 'Hand.ttf'}:wght=700",
            "ur=Noto Nastaliq Urdu",
        )
