"""The sets that languages are measured on: whole, and not what the classifier was made on."""

from __future__ import annotations

import pytest

from bench import languages
from bench.scenes import ROOT
from memeloc.curate.filters.identification import CLASSES
from memeloc.locales import default
from tests.each import each

pytest.importorskip("py3langid", reason="needs pip install 'memeloc[filters]'")
pytest.importorskip("fasttext", reason="needs pip install 'memeloc[filters]'")

SETS = ("arabizi", "romanised", "mixed", "unmixed")


@each("name", SETS)
def test_a_set_has_two_hundred_different_captions(name):
    rows = languages.captions(name)
    assert len({text for _, text in rows}) == len(rows) == 200
    assert all(label in ("", *CLASSES) or label in default() for label, _ in rows)


@each("name", SETS)
def test_no_caption_is_one_that_constants_were_set_on(name):
    tuned = set()
    for file in ("tuning", "tuning-ar"):
        text = (ROOT / "tools" / "romanised" / f"{file}.txt").read_text(encoding="utf-8")
        tuned |= {line.rpartition("\t")[2] for line in text.splitlines()}
    assert not tuned & {text for _, text in languages.captions(name)}


def test_romanised_and_mixed_captions_hold_their_bounds():
    figures = [*languages._romanised(), *languages._mixed()]
    assert [figure.name for figure in figures if figure.holds is False] == []
