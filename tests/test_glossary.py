"""A team's glossary: what is read of its table, for which language, and where terms occur."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.glossary import Glossary, Term, read_glossary, terms_in
from memeloc.locales import default

TABLE = """Term,de,de forbidden,pt,pt-BR,zh,de note,note,who
pull request | PR,Pull-Request*,Anfrage | Ziehanfrage,pedido,pull request,拉取请求,der,no joke,maria
bug,Fehler|Bug,,,,,,,
,,Weib,,,,,never,
deadline,,,prazo,,,,,
,,,,,,,,jonas
"""


def _read(tmp_path: Path, text: str) -> Glossary:
    path = tmp_path / "glossary.csv"
    path.write_text(text, encoding="utf-8")
    return read_glossary(path, default())


def test_each_language_has_its_terms(tmp_path: Path) -> None:
    glossary = _read(tmp_path, TABLE)
    assert glossary.terms(default().get("de")) == (
        Term(
            ("pull request", "PR"),
            ("Pull-Request*",),
            ("Anfrage", "Ziehanfrage"),
            "der; no joke",
        ),
        Term(("bug",), ("Fehler", "Bug")),
        Term((), (), ("Weib",), "never"),
    )
    (chinese,) = glossary.terms(default().get("zh-Hans"))
    assert chinese.wanted == ("拉取请求",)
    assert glossary.terms(default().get("zh-Hant")) == glossary.terms(default().get("hi")) == ()
    assert glossary.sha256 == file_sha256(tmp_path / "glossary.csv")


@pytest.mark.parametrize(("country", "wanted"), [("BR", "pull request"), ("PT", "pedido")])
def test_a_culture_comes_before_its_language(tmp_path: Path, country: str, wanted: str) -> None:
    glossary = _read(tmp_path, TABLE)
    pull_request, deadline = glossary.terms(replace(default().get("pt"), country=country))
    assert pull_request.wanted == (wanted,)
    assert deadline.wanted == ("prazo",)


def test_terms_occur_in_any_part_and_form(tmp_path: Path) -> None:
    terms = _read(tmp_path, TABLE).terms(default().get("de"))
    english = default().get("en")
    for parts, names in (
        (("my", "third pr"), ["pull request", ""]),
        (("Pull", "request"), [""]),
        (("a Bug in a pull request",), ["pull request", "bug", ""]),
    ):
        occurring = terms_in(terms, parts, english)
        assert [next(iter(term.names), "") for term in occurring] == names


def test_a_term_as_people_read_it(tmp_path: Path) -> None:
    first, second, _ = _read(tmp_path, TABLE).terms(default().get("de"))
    assert str(first) == (
        "pull request | PR → Pull-Request; not Anfrage | Ziehanfrage (der; no joke)"
    )
    assert str(second) == "bug → Fehler | Bug"
    assert str(Term(("x",), (), ("y",))) == "x; not y"


@pytest.mark.parametrize(
    ("table", "row", "column", "sentence"),
    [
        ("term,de\nbug,x\nBUG,y\n", 3, "term", "stands in row 2 already"),
        ("term,de\n,Fehler\n", 2, "de", "write the term in its column"),
        ("term,de\nbug,Feh*ler\n", 2, "de", "end or the beginning"),
        ("term,de\n*,Fehler\n", 2, "term", "end or the beginning"),
        ("term,xx forbidden\nbug,x\n", None, "xx forbidden", "no locale 'xx'"),
        ("term,who\nbug,x\n", None, None, "no column of a language"),
        ("de,note\nFehler,x\n", None, "term", "no column 'term'"),
        ('term,de\n"bug,x\n', 2, None, "not closed|cut|middle"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, table: str, row: int | None, column: str | None, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        _read(tmp_path, table)
    assert (caught.value.row, caught.value.column) == (row, column)
    assert caught.value.file == str(tmp_path / "glossary.csv")
