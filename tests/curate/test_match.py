"""Which template is named, and when none is."""

from __future__ import annotations

from memeloc.curate.duplicates.match import match_pictures, match_verdicts

LOW = (1 << 20) - 1


def test_a_near_template_is_named_when_the_next_is_not_near() -> None:
    templates = {"plain": 0, "other": LOW, "far": 2**64 - 1}
    pictures = {"near": 0b111, "between": (1 << 10) - 1, "far-off": 2**40 - 1}
    near, between, far_off = match_pictures(pictures, templates)
    assert (near.template, near.distance, near.found) == ("plain", 3, True)
    assert (near.next_template, near.next_distance) == ("other", 17)
    assert (between.distance, between.next_distance, between.found) == (10, 10, False)
    assert (far_off.template, far_off.distance, far_off.found) == ("other", 20, False)
    assert not match_pictures(pictures, templates, distance=2)[0].found
    evidence = match_verdicts([near, between], list(templates), 12)
    assert [verdict.evidence["template"] for verdict in evidence] == ["plain", ""]
    assert {verdict.verdict for verdict in evidence} == {"keep"}


def test_copies_of_a_template_are_no_rivals() -> None:
    (match,) = match_pictures({"a": 1}, {"built-in": 0, "collected": 0b11, "other": LOW})
    assert (match.template, match.next_template, match.found) == ("built-in", "other", True)
    (alone,) = match_pictures({"a": 1}, {"built-in": 0})
    assert (alone.found, alone.next_template, alone.next_distance) == (True, "", 64)
    (none,) = match_pictures({"a": 1}, {})
    assert (none.template, none.found) == ("", False)
    assert match_pictures({}, {"built-in": 0}) == []
