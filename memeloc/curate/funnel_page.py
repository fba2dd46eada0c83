"""The funnel as one page that works from disk. In: a `Funnel`. Out: HTML without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from memeloc.curate.funnel import Funnel, Stage, TopicLine

_STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8882; --accent: #3b5bdb; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { text-align: start; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 600; background: var(--soft); }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; }
.track { background: var(--soft); border-radius: 2px; height: .5rem; min-width: 8rem;
  margin-top: .5rem; }
.bar { background: var(--accent); border-radius: 2px; height: 100%; }
ul { margin: 0; padding-inline-start: 1.1rem; }
p.note { opacity: .75; font-size: .9rem; }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def funnel_page(funnel: Funnel, names: Mapping[str, str], settings: Mapping[str, object]) -> str:
    """The page.

    Args:
        funnel: what to show; names that came from elsewhere are shown as text.
        names: of templates, by id.
        settings: what was chosen by.
    """
    first = max((stage.came for stage in funnel.stages), default=0)
    left = funnel.stages[-1].left if funnel.stages else 0
    rows = "".join(_stage(stage, first) for stage in funnel.stages)
    said = ", ".join(f"{escape(key)} {escape(_plain(value))}" for key, value in settings.items())
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name=viewport content="width=device-width, initial-scale=1">',
        f"<title>Selection</title><style>{_STYLE}</style></head><body>",
        f"<h1>{left:,} of {first:,} captions selected</h1>",
        "<div class=wide><table><thead><tr><th>Stage</th><th class=number>In</th>"
        "<th class=number>Out</th><th class=number>Left</th><th></th><th>Why they went</th>"
        f"<th class=number>Templates left</th></tr></thead><tbody>{rows}</tbody></table></div>",
    ]
    if funnel.topics:
        lines = "".join(_topic(line, names) for line in funnel.topics)
        parts.append(
            "<h2>Topics</h2><div class=wide><table><thead><tr><th>Category</th><th>Topic</th>"
            "<th class=number>Templates with enough captions</th><th>Outcome</th>"
            f"<th>Templates taken</th></tr></thead><tbody>{lines}</tbody></table></div>"
        )
    parts.append(f"<p class=note>Settings: {said}.</p></body>")
    return "\n".join(parts) + "</html>\n"


def _stage(stage: Stage, first: int) -> str:
    reasons = "".join(
        f"<li><bdi>{escape(reason)}</bdi>: {count:,}</li>"
        for reason, count in stage.reasons.items()
    )
    share = 100 * stage.left / first if first else 0.0
    return (
        f"<tr><td><bdi>{escape(stage.name)}</bdi></td><td class=number>{stage.came:,}</td>"
        f"<td class=number>{stage.went:,}</td><td class=number>{stage.left:,}</td>"
        f'<td><div class=track><div class=bar style="width:{share:.1f}%"></div></div></td>'
        f"<td>{f'<ul>{reasons}</ul>' if reasons else '—'}</td>"
        f"<td class=number>{stage.templates_left:,}</td></tr>"
    )


def _topic(line: TopicLine, names: Mapping[str, str]) -> str:
    taken = "".join(
        f"<li><bdi>{escape(names.get(one) or one)}</bdi>: {line.captions[one]:,}</li>"
        for one in line.taken
    )
    return (
        f"<tr><td><bdi>{escape(line.category)}</bdi></td><td><bdi>{escape(line.topic)}</bdi></td>"
        f"<td class=number>{line.enough:,}</td><td>{escape(line.outcome)}</td>"
        f"<td>{f'<ul>{taken}</ul>' if taken else '—'}</td></tr>"
    )


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
