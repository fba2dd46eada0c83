import json

import pytest

from memeloc.analyze.report import report_of
from memeloc.reports.writing import write_report
from memeloc.tables import read_table


@pytest.fixture(scope="module")
def files(analysis, tmp_path_factory):
    return write_report(report_of(analysis), tmp_path_factory.mktemp("report"))


def test_a_report_is_a_page_tables_plots_and_text(files):
    names = sorted(
        str(path.relative_to(files.page.parent))
        for path in files.page.parent.rglob("*")
        if path.is_file()
    )
    plots = ("agreement", "alpha", "by-culture", "drift", "groups")
    assert names == [
        "analysis.json",
        "methods.tex",
        "methods.txt",
        *(f"plots/{name}.{suffix}" for name in plots for suffix in ("png", "svg")),
        "report.html",
        "tables/shares.csv",
        "tables/shares.tex",
    ]


def test_the_same_analysis_gives_the_same_bytes(analysis, files, tmp_path):
    again = write_report(report_of(analysis), tmp_path)
    for path in files.page.parent.rglob("*"):
        if path.is_file():
            same = again.page.parent / path.relative_to(files.page.parent)
            assert same.read_bytes() == path.read_bytes(), path.name


def test_the_csv_has_every_cell_and_none_for_undefined(files):
    rows = [row.cells for row in read_table(files.tables[0]).rows]
    assert [row[1] for row in rows] == ["0.25", "", "1e-07"]
    assert [row[2] for row in rows] == ["24", "24", "12000"]


def test_json_has_sections_with_their_rows_and_figures(files):
    data = json.loads(files.data.read_text("utf-8"))
    everything, nothing = data["sections"]
    assert everything["figures"] == {"alpha": 0.5, "undefined": None}
    assert everything["tables"][0]["rows"][1]["share"] is None
    first = everything["plots"][0]["values"][0]
    assert first == {"index": "DE", "hate": 0, "हिन्दी": 1 / 36, "ไทย": 2 / 36}
    assert nothing["gaps"] == ["Nothing could not be computed: one annotator only"]
    assert "jobs" not in data["settings"]


def test_the_methods_paragraph_has_the_figures(files):
    text, latex = (path.read_text("utf-8") for path in files.methods)
    assert (
        "73 answers that 13 annotators of 3 cultures (DE, IN, \u2068مصر\u2069) gave to 6 items"
        in text
    )
    assert "1 answer was an abstention (I don't know)" in text
    assert "(n = 6 items, 100 % of them)" in text
    assert r"100 \% of them" in latex
