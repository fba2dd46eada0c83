"""A report as one page that works from disk. In: a `Report`. Out: HTML without scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from memeloc.correct.report import Report, Row

_STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --accent: #3b5bdb; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { text-align: start; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 600; background: var(--soft); }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; }
.bar { display: inline-block; height: .6em; background: var(--accent); border-radius: 2px; }
del { text-decoration-color: #c92a2a; } ins { text-decoration-color: #2b8a3e; }
p.note { opacity: .75; font-size: .9rem; }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_page(report: Report, names: Mapping[str, str], directions: Mapping[str, str]) -> str:
    """The page.

    Args:
        report: what to show; texts of people are shown as text, whatever is in them.
        names: of languages, by tag.
        directions: `ltr` or `rtl`, by tag.
    """

    def cell(row: Row) -> Callable[[str], str]:
        direction = directions.get(row.language, "ltr")
        attributes = f'lang="{escape(row.language)}" dir="{escape(direction)}"'
        return lambda text: f"<bdi {attributes}>{escape(text)}</bdi>"

    head = "".join(
        f"<th{' class=number' if number else ''}>{title}</th>"
        for title, number in (
            ("Language", False),
            ("Round", True),
            ("Person", False),
            ("Answered", True),
            ("Correct as it was", True),
            ("Corrected", True),
            ("Given up", False),
            ("HTER %", True),
            ("chrF", True),
        )
    )
    body = "".join(_line(row, names) for row in report.rows)
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name=viewport content="width=device-width, initial-scale=1">',
        f"<title>Correction report</title><style>{_STYLE}</style>",
        "<h1>What correction changed</h1>",
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        "<p class=note>HTER: edits that turn the text shown into the person’s, over the person’s "
        "words (Snover et al. 2006). chrF: likeness by character n-grams, 100 is equal "
        "(Popović 2015). Both by sacreBLEU.</p>",
    ]
    if report.agreements:
        parts.append(_agreements(report, names))
    for row in report.rows:
        if not row.commonest and not row.wordplay:
            continue
        show = cell(row)
        title = f"{names.get(row.language, row.language)}, round {row.round}, {row.person or '—'}"
        parts.append(f"<h2>{escape(title)}</h2>")
        if row.commonest:
            edits = "".join(
                f"<tr><td><del>{show(edit.before)}</del></td><td><ins>{show(edit.after)}</ins></td>"
                f"<td class=number>{times}</td></tr>"
                for edit, times in row.commonest
            )
            parts.append(
                "<table><thead><tr><th>Before</th><th>After</th><th class=number>Times</th></tr>"
                f"</thead><tbody>{edits}</tbody></table>"
            )
        if row.wordplay:
            memes = ", ".join(escape(meme) for meme in row.wordplay)
            parts.append(f"<p>Said to be wordplay: {memes}</p>")
    return "\n".join(parts) + "</html>\n"


def _line(row: Row, names: Mapping[str, str]) -> str:
    given_up = ", ".join(f"{escape(status)} {count}" for status, count in row.given_up.items())
    width = min(row.hter, 100) * 0.5
    cells = [
        f"<td>{escape(names.get(row.language, row.language))}</td>",
        f"<td class=number>{row.round}</td>",
        f"<td><bdi>{escape(row.person or '—')}</bdi></td>",
        f"<td class=number>{row.seen:,}</td>",
        f"<td class=number>{row.untouched:,}</td>",
        f"<td class=number>{row.corrected:,}</td>",
        f"<td>{given_up or '—'}</td>",
        f'<td class=number><span class=bar style="width:{width:.0f}px"></span> {row.hter:.1f}</td>',
        f"<td class=number>{row.chrf:.1f}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _agreements(report: Report, names: Mapping[str, str]) -> str:
    rows = "".join(
        f"<tr><td>{escape(names.get(language, language))}</td><td class=number>{round_}</td>"
        f"<td><bdi>{escape(found.one or '—')}</bdi>, <bdi>{escape(found.other or '—')}</bdi></td>"
        f"<td class=number>{found.both:,}</td><td class=number>{found.equal:,}</td>"
        f"<td class=number>{found.chrf:.1f}</td></tr>"
        for language, round_, found in report.agreements
    )
    return (
        "<h2>Two people, the same captions</h2><table><thead><tr><th>Language</th>"
        "<th class=number>Round</th><th>People</th><th class=number>Both answered</th>"
        "<th class=number>Equal</th><th class=number>chrF</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
