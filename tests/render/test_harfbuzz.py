"""Held by HarfBuzz's own program: hb-shape must give the glyphs that memeloc shapes.

Every locale's sentences, run by run: itemization is ours, so its scripts, directions and languages
are passed on; glyphs, clusters, advances and offsets must come back the same.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace

import pytest

from memeloc.fonts import FaceName, FontLibrary
from memeloc.locales import default
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.shape import ShapedRun, shape
from tests.each import each
from tests.render.sentences import SENTENCES

ROUNDING = 1
"""Units by which offsets may differ: HarfBuzz has not always rounded variable anchors alike."""


@pytest.fixture(scope="module")
def library() -> FontLibrary:
    """memeloc's fonts without emboldening, which hb-shape 6 cannot do."""
    fonts = FontLibrary()
    for name, family in fonts.families.items():
        fonts.families[name] = replace(family, embolden=0.0)
    return fonts


def hexadecimal(text: str) -> str:
    return ",".join(f"{ord(char):x}" for char in text)


def theirs(text: str, run: ShapedRun, language: str, face: FaceName) -> list[dict[str, int]]:
    """What hb-shape says: glyph, cluster in the paragraph, offsets and advance in font units."""
    program = shutil.which("hb-shape")
    if program is None:
        pytest.fail("hb-shape is missing: install the Debian package libharfbuzz-bin.")
    family = run.face.source
    settings = family.poster if face == "poster" else family.plain
    arguments = [
        str(family.path),
        f"--face-index={family.index}",
        f"--direction={'rtl' if run.level % 2 else 'ltr'}",
        f"--script={run.script}",
        f"--language={language}",
        f"--unicodes={hexadecimal(text[run.start : run.end])}",
        "--output-format=json",
        "--no-glyph-names",
    ]
    if settings:
        arguments.append("--variations=" + ",".join(f"{k}={v:g}" for k, v in settings.items()))
    if run.face.features(language):
        arguments.append("--features=-locl")
    if run.start:
        arguments.append(f"--unicodes-before={hexadecimal(text[: run.start])}")
    if run.end < len(text):
        arguments.append(f"--unicodes-after={hexadecimal(text[run.end :])}")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    glyphs: list[dict[str, int]] = json.loads(done.stdout)
    return glyphs


@each("face", ["plain", "poster"])
@each("tag", sorted(SENTENCES))
def test_hb_shape_agrees(library: FontLibrary, tag: str, face: FaceName) -> None:
    locale = default().get(tag)
    itemizer = Itemizer(library.stack(locale, face))
    for text in SENTENCES[tag]:
        level, runs, missing = itemizer.runs(text, locale.direction)
        assert not missing
        assert "".join(text[run.start : run.end] for run in runs) == text
        for run in shape(text, level, runs, tag).runs:
            expected = theirs(text, run, tag, face)
            units = run.face.upem
            ids = [glyph[0] for glyph in run.glyphs]
            assert ids == [glyph["g"] for glyph in expected]
            assert 0 not in ids
            assert [glyph[1] - run.start for glyph in run.glyphs] == [
                glyph["cl"] for glyph in expected
            ]
            for (_, _, x, y, advance), other in zip(run.glyphs, expected, strict=True):
                assert advance * units == pytest.approx(other["ax"], abs=1e-6)
                assert x * units == pytest.approx(other["dx"], abs=ROUNDING + 1e-6)
                assert y * units == pytest.approx(other["dy"], abs=ROUNDING + 1e-6)


def test_every_locale_has_its_sentences() -> None:
    assert set(SENTENCES) == {locale.tag for locale in default()}
    assert all(len(sentences) == 2 and all(sentences) for sentences in SENTENCES.values())
