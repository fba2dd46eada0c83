from dataclasses import replace

import pytest

from memeloc.errors import InputError
from memeloc.reports import write_report
from memeloc.tables import read_table


def cells(path):
    return [row.cells for row in read_table(path).rows]


def test_a_report_is_a_page_figures_tables_plots_and_text(files):
    folder = files.page.parent
    plots = ("alpha", "entropies", "over-time-1", "pairs-matrix", "pairs", "votes")
    tables = ("between-2", "between", "dividing-2", "dividing-3", "dividing", "of-a-plugin")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        "figures.csv",
        "figures.parquet",
        "methods.tex",
        "methods.txt",
        *(f"plots/{name}.{suffix}" for name in plots for suffix in ("png", "svg")),
        "report.html",
        *(f"tables/{name}.{suffix}" for name in (*tables, "within") for suffix in ("csv", "tex")),
    ]


def test_the_same_report_gives_the_same_bytes(report, files, tmp_path):
    write_report(report, tmp_path)
    for path in files.page.parent.rglob("*.*"):
        assert (tmp_path / path.relative_to(files.page.parent)).read_bytes() == path.read_bytes()


def test_every_figure_is_a_row_by_its_codes(report, files):
    rows = cells(files.figures[0])
    assert len(rows) == len(report.figures)
    assert rows[0] == [
        *("between", "DE–US", "", "agreement", "0.7", "0.6", "0.8", "12", "Wilson 1927")
    ]
    assert rows[3][3:5] == ["p", ""]  # not defined


def test_rows_with_the_same_figures_are_a_table_with_names(files):
    folder = files.page.parent / "tables"
    assert cells(folder / "between.csv")[1] == ["Germany–مصر", "0.6", "0.5", "0.7", "", "11"]
    assert cells(folder / "between-2.csv") == [["0.65", "0.6", "0.7", "3"]]
    latex = (folder / "between.tex").read_text("utf-8")
    assert r"Germany–مصر & 0.600 [0.500, 0.700] & \textemdash{} & 11 \\" in latex


def test_the_methods_paragraph_has_the_figures(files):
    text, latex = (path.read_text("utf-8") for path in files.methods)
    assert text.split("\n\n")[1] == (
        "On average cultures agree on 65.0 % [60.0, 70.0] of items. "
        "Most agree Germany–<b>States</b> (p = 0.030, 3 pairs)."
    )
    assert "Alpha is 0.500 [0.400, 0.700] in Germany." in text
    assert r"65.0 \% [60.0, 70.0] of items" in latex


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("along =", "alnog =", "has no setting"),
        ("kind = \"bars\"", "kind = \"pie\"", "analyses.dividing.plot.0.kind"),
        ("row('DE')", "row('DE'", 'The text "Alpha is .* of within'),
        ("each = \"group\"", "each = \"culture\"", "'culture' is not group, item, figure"),
    ],
)  # fmt: skip
def test_texts_that_cannot_be_filled_are_an_error(report, tmp_path, before, after, sentence):
    text = report.texts.read_text("utf-8")
    assert before in text
    path = tmp_path / "texts.toml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        write_report(replace(report, texts=path), tmp_path / "report")
