"""The Python API: a workspace made, filled, translated, corrected and rendered from a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from memeloc import Workspace
from memeloc.errors import InputError
from memeloc.store.captions.versions import add_memes

TABLE = """meme_id,template,en
m1,robot-chef,Monday // again
m2,robot-chef,Finally // Friday
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Two memes in English, German and Hindi."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("captions.csv").write_text(TABLE, encoding="utf-8")
    with Workspace.create("my-set", languages=["de", "hi"]) as made:
        assert made.import_captions("captions.csv").memes == 2
        yield made.translate(["de", "hi"], translator="pseudo")


def test_captions_wait_for_their_templates(workspace: Workspace) -> None:
    table = Path("more.csv")
    table.write_text(TABLE + "m3,later,a // b // c\nm4,robot-cheff,d\n", encoding="utf-8")
    sentence = (
        r"2 memes wait for 2 templates: later \(1\), robot-cheff \(1; did you mean robot-chef\?"
    )
    with pytest.warns(UserWarning, match=sentence):
        workspace.import_captions(table)
    workspace.translate(["de"], translator="pseudo")
    assert workspace.table().set_index("meme_id").loc["m3", "de"].count(" // ") == 2
    summary = workspace.render("out", ["en"])
    assert (summary.rendered, summary.input_kinds) == (2, {"unknown template": 2})
    assert str(summary.input_problems[0]).startswith("Meme m3, template: There is no template")
    with pytest.raises(InputError, match="2 problems") as caught:
        workspace.rendering.render("out", languages=["en"], strict=True)
    assert "\nMeme m3, template: There is no template" in str(caught.value)
    assert ".parquet" not in str(caught.value)
    Image.new("RGB", (320, 240), "teal").save("my-set/templates/later.png")
    with Workspace.open("my-set") as again:
        assert again.captions.import_table(table).waiting == {"robot-cheff": 1}
        assert again.render("out", ["en"]).input_kinds == {
            "unknown template": 1, "too many parts": 1,
        }  # fmt: skip


def test_a_template_that_cannot_be_a_name_is_left_out(workspace: Workspace) -> None:
    Path("more.csv").write_text(TABLE + "m3,../x,one\n", encoding="utf-8")
    result = workspace.captions.import_table("more.csv")
    assert (result.problems, result.waiting) == ({"unknown template": 1}, {})
    assert "row 4, column template: A template '../x' must be" in result.left_out[0]


def test_ids_that_differ_in_case_only_are_named(workspace: Workspace) -> None:
    Path("more.csv").write_text(
        TABLE + "M2,robot-chef,a\nnew,robot-chef,b\nNEW,robot-chef,c\n", encoding="utf-8"
    )
    result = workspace.captions.import_table("more.csv")
    assert result.problems == {"similar id": 2}
    in_store, in_file = result.left_out
    assert "row 4, column meme_id: The id 'M2' differs from 'm2' of row 3 in case" in in_store
    assert "row 6, column meme_id: The id 'NEW' differs from 'new' of row 5" in in_file
    assert result.memes == 1
    Path("again.csv").write_text("meme_id,template,en\nM1,robot-chef,a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"row 2, column meme_id: The id 'M1' differs from 'm1'"):
        workspace.captions.import_table("again.csv")


def test_a_workspace_with_similar_ids_still_works(workspace: Workspace) -> None:
    with workspace.store.database.write() as connection:
        add_memes(connection, {"M1": {"template": "robot-chef", "source_language": "en"}})
    Path("both.csv").write_text(
        "meme_id,template,en\nM1,robot-chef,a\nm1,robot-chef,b\n", encoding="utf-8"
    )
    result = workspace.captions.import_table("both.csv")
    assert (result.problems, result.added, result.changed) == ({}, {"en": 1}, {"en": 1})
    with pytest.raises(InputError, match="differs from 'm1'"):  # no files everywhere
        workspace.render("out", ["en"])
    workspace.captions.drop(["M1"], "the same as m1", person="anna")
    assert workspace.render("out", ["en"]).rendered == 2


def test_render_and_proof(workspace: Workspace) -> None:
    seen: list[tuple[int, int | None]] = []
    summary = workspace.rendering.render(
        "out", languages=["en", "de"], on_progress=lambda *p: seen.append(p)
    )
    assert (summary.rendered, summary.languages) == (4, ("en", "de"))
    assert sum(more for more, _ in seen) == 4
    assert (Path("out") / "de" / "robot-chef" / "m1.jpg").is_file()
    assert workspace.render("out", ["en", "de"]).unchanged == 4
    assert workspace.rendering.proof("out").pictures == 4


def test_what_is_left_untranslated_is_a_warning(workspace: Workspace) -> None:
    with pytest.warns(UserWarning, match="2 captions were not translated: meme m1 is not in the"):
        workspace.translate(["es"], translator="memory")


TRANSLATED = TABLE.replace("en\n", "en,de\n").replace("again", "again,Montag // wieder")


def test_a_machines_translations_come_with_the_table(workspace: Workspace) -> None:
    Path("new.csv").write_text(TRANSLATED.replace("m1", "n1").replace("m2", "n2"), encoding="utf-8")
    workspace.import_captions("new.csv", state="machine", by="google")
    states = {each.meme_id: each.state for each in workspace.captions.states(["de"])}
    assert states["n1"] == "machine"
    job = workspace.translating.prepare(["de"], translator="pseudo")
    assert job.plan["captions"] == 1  # n2 alone: what the table has is not asked for again
    history = workspace.table("history").query("meme_id == 'n1' and language == 'de'")
    assert history[["stage", "translator"]].values.tolist() == [["translated", "google"]]


def test_a_machines_translation_leaves_a_persons_text(workspace: Workspace) -> None:
    table = Path("new.csv")
    table.write_text(TRANSLATED.replace("m1", "n1").replace("m2", "n2"), encoding="utf-8")
    workspace.import_captions(table, by="anna")
    assert workspace.table("history").query("meme_id == 'n1'")["person"].tolist() == ["anna", ""]
    for text in ("wieder", "schon wieder"):
        table.write_text(table.read_text("utf-8").replace("wieder", text), encoding="utf-8")
        with pytest.warns(UserWarning, match=r"1 machine translation was not taken.*\(de 1\)"):
            record = workspace.import_captions(table, state="machine")
        assert (record.not_taken, record.changed) == ({"de": 1}, {})
    assert workspace.table().set_index("meme_id").loc["n1", "de"] == "Montag // wieder"


def test_templates_named_once_are_the_workspaces(workspace: Workspace) -> None:
    for folder, colour in (("mine", "teal"), ("other", "red")):
        Path(folder).mkdir()
        for name in ("later.png", "unused.png"):
            Image.new("RGB", (320, 240), colour).save(Path(folder) / name)
    Path("new.csv").write_text("meme_id,template,en\nn1,later,a // b\n", encoding="utf-8")
    for _ in range(2):
        assert workspace.import_captions("new.csv", templates=[Path("mine")]).waiting == {}
        assert [path.name for path in Path("my-set/templates").iterdir()] == ["later.png"]
    with pytest.raises(InputError, match="The workspace has another template 'later'"):
        workspace.import_captions("new.csv", templates=[Path("other")])
    assert Path("my-set/templates/later.png").read_bytes() == Path("mine/later.png").read_bytes()
