"""Checks against a glossary: a wanted term that is missing, a forbidden one that is used."""

from __future__ import annotations

from memeloc.correct.checks import Checked, check_terms
from memeloc.glossary import Term
from memeloc.locales import default
from tests.each import each

TERMS = (
    Term(("pull request",), ("Pull-Request*", "PR"), ("Anfrage",)),
    Term(("AI",), ("künstliche Intelligenz",), ("Intelligenz",)),
    Term((), (), ("Weib",)),
)


@each(
    ("source", "text", "expected"),
    [
        (("my pull request", "AI"), ("künstliche Intelligenz", "zwei Pull-Requests"), []),
        (("my pull request",), ("mein PR",), []),
        (("my pull request",), ("meine Bitte",),
         [(-1, "'pull request' is to be 'Pull-Request | PR'")]),
        (
            ("my pull request",),
            ("mein PR", "eine Anfrage"),
            [(1, "'Anfrage' is forbidden; it is to be 'Pull-Request | PR'")],
        ),
        (("something else",), ("eine Anfrage",), []),
        (("AI",), ("künstliche Intelligenz, Intelligenz",),
         [(0, "'Intelligenz' is forbidden; it is to be 'künstliche Intelligenz'")]),
        (("anything",), ("das Weib",), [(0, "'Weib' is forbidden")]),
        (("my pull request",), ("", " "), []),
    ],
)  # fmt: skip
def test_terms_are_looked_for(
    source: tuple[str, ...], text: tuple[str, ...], expected: list[tuple[int, str]]
) -> None:
    locales = default()
    caption = Checked("m1", locales.get("de"), source, text)
    warnings = list(check_terms(caption, TERMS, locales.get("en")))
    assert [(warning.part, warning.message) for warning in warnings] == expected
    assert {warning.check for warning in warnings} <= {"glossary"}
