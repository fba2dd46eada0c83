"""What a proof adds up and names."""

from __future__ import annotations

import pytest

from memeloc.render.proof import PROBLEMS, PartProof, middle_of, overlap, prove


def part(**facts: object) -> PartProof:
    return PartProof("top", 20.0, **facts)  # type: ignore[arg-type]


def test_coverage_is_the_share_of_line_boxes() -> None:
    proof = prove(200, 100, [part()], [(0, 0, 100, 20), (100, 80, 200, 100)])
    assert proof.coverage == pytest.approx(0.2)
    assert proof.middle_coverage == 0
    assert proof.problems == ()


def test_the_middle_is_the_central_half() -> None:
    assert middle_of(200, 100) == (50, 25, 150, 75)
    proof = prove(200, 100, [part()], [(50, 25, 100, 75)])
    assert proof.middle_coverage == pytest.approx(0.5)


def test_what_lies_outside_the_picture_does_not_count() -> None:
    proof = prove(100, 100, [part()], [(-50, 0, 50, 100)])
    assert proof.coverage == pytest.approx(0.5)
    assert overlap((0, 0, 10, 10), (10, 0, 20, 10)) == 0
    assert overlap((0, 0, 10, 10), (20, 20, 30, 30)) == 0


def test_boxes_that_overlap_cover_no_more_than_all() -> None:
    proof = prove(10, 10, [part()], [(0, 0, 10, 10), (0, 0, 10, 10)])
    assert (proof.coverage, proof.middle_coverage) == (1.0, 1.0)


def test_problems_come_worst_first_and_once() -> None:
    faulty = part(contrast=1.0, missing=("x",), too_small=True)
    assert prove(10, 10, [faulty, faulty], []).problems == (
        "missing glyph", "too small", "low contrast",
    )  # fmt: skip
    everything = part(
        missing=("x",),
        replaced=1,
        clipped=True,
        truncated=1,
        overlaps=("bottom",),
        too_small=True,
        broken_word=True,
        contrast=1.0,
        lost=("💙",),
        absent=("Noto Nastaliq Urdu",),
        hyphenated=("a-b",),
    )
    assert prove(10, 10, [everything], []).problems == PROBLEMS


def test_contrast_of_three_is_enough() -> None:
    assert prove(10, 10, [part(contrast=3.0)], []).problems == ()
