"""Compare two rendered sets line by line. In: folders of `memeloc render`. Out: figures, a page.

    python -m bench.line_breaks BEFORE AFTER
    python -m bench.line_breaks BEFORE AFTER --page PAGE.html

Both sets are of one captions table with memeloc's own templates, rendered by two versions. Printed
are, a language, the sizes of the text, the smallest of those that their box limits, the area of the
text over English's, and all lines that changed. The page shows the pictures of these side by side,
for a person to judge them.
"""

from __future__ import annotations

import argparse
import html
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from memeloc.model import Template
from memeloc.render.sets.reading import open_set
from memeloc.templates import load_templates

SOURCE = "en"
STEPS = 12
"""Steps of the ladder of sizes to an octave."""


@dataclass(frozen=True, slots=True)
class Part:
    """One text box of one picture.

    Attributes:
        meme, language, box: which it is.
        path: of its picture, relative to the set.
        size: font size in pixels.
        largest: the largest size that its style allows, in pixels.
        poster: whether its style is poster.
        lines: its text.
        area: of its ink's box, in square pixels.
    """

    meme: str
    language: str
    box: str
    path: str
    size: float
    largest: float
    poster: bool
    lines: tuple[str, ...]
    area: int

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is known by in both sets."""
        return self.language, self.meme, self.box


Parts = dict[tuple[str, str, str], Part]


def read_parts(folder: Path) -> Parts:
    """The parts with text of a rendered set, by language, meme and box."""
    templates = load_templates()[0]
    return {
        part.key: part
        for row in open_set(folder).to_table().to_pylist()
        for part in _parts_of(row, templates.get(row["template"]))
    }


def _parts_of(row: dict[str, object], template: Template | None) -> Iterator[Part]:
    boxes = {box.name: box for box in template.boxes} if template else {}
    columns = [row[name] for name in ("parts", "font_size", "lines", "ink")]
    for name, size, lines, ink in zip(*columns, strict=True):
        if not size or not ink:
            continue
        box = boxes.get(name)
        yield Part(
            meme=str(row["meme_id"]),
            language=str(row["language"]),
            box=name,
            path=str(row["path"]),
            size=size,
            largest=box.style.max_size * float(str(row["height"])) if box else math.inf,
            poster=box is None or box.style.name == "poster",
            lines=tuple(lines),
            area=(ink[2] - ink[0]) * (ink[3] - ink[1]),
        )


def in_language(parts: Parts, language: str) -> list[Part]:
    """The parts of one language, in the set's order."""
    return [part for part in parts.values() if part.language == language]


def smallest_tenth(parts: Iterable[Part]) -> float:
    """The mean size of the smallest tenth of the parts below their largest size, in pixels."""
    sizes = sorted(part.size for part in parts if part.size < part.largest / 2 ** (1 / STEPS))
    return mean(sizes[: max(1, len(sizes) // 10)]) if sizes else 0.0


def areas_over_source(parts: Parts, language: str) -> list[float]:
    """The area of each meme's text over that of the same meme in English."""
    areas: dict[tuple[str, str], int] = {}
    for part in parts.values():
        areas[part.language, part.meme] = areas.get((part.language, part.meme), 0) + part.area
    return [
        area / areas[SOURCE, meme]
        for (tag, meme), area in areas.items()
        if tag == language and (SOURCE, meme) in areas
    ]


def tenth(values: Sequence[float]) -> float:
    """The 10th percentile."""
    return sorted(values)[len(values) // 10]


def changed(before: Parts, after: Parts) -> list[tuple[Part, Part]]:
    """The parts whose lines are others, before and after."""
    return [
        (before[key], part)
        for key, part in after.items()
        if key in before and before[key].lines != part.lines
    ]


def print_figures(before: Parts, after: Parts) -> None:
    """Print a row of figures a language, each before and after."""
    print(
        "language   poster median px    smallest tenth px    area over en    its 10th %   changed"
    )
    for language in sorted({part.language for part in after.values()}):
        old, new = in_language(before, language), in_language(after, language)
        if not old:
            continue
        cells = [
            _pair([median(_poster_sizes(parts)) for parts in (old, new)], 1),
            _pair([smallest_tenth(parts) for parts in (old, new)], 1),
        ]
        ratios = [areas_over_source(parts, language) for parts in (before, after)]
        if all(ratios):
            cells += [_pair([median(each) for each in ratios], 2)]
            cells += [_pair([tenth(each) for each in ratios], 2)]
        count = sum(part.language == language for _, part in changed(before, after))
        print(f"{language:10} " + "   ".join(cells) + f"   {count} of {len(new)}")
    sizes = [smallest_tenth(parts.values()) for parts in (before, after)]
    print(f"all: smallest tenth {_pair(sizes, 1)} px, {sizes[1] / sizes[0]:.3f} of before")


def _poster_sizes(parts: Iterable[Part]) -> list[float]:
    return [part.size for part in parts if part.poster]


def _pair(values: Sequence[float], places: int) -> str:
    return " -> ".join(f"{value:6.{places}f}" for value in values)


def steps_between(before: Part, after: Part) -> int:
    """By how many steps of the ladder a part grew."""
    return round(STEPS * math.log2(after.size / before.size))


def print_changes(before: Parts, after: Parts) -> None:
    """Print all lines that changed, by language."""
    language = ""
    for old, new in sorted(changed(before, after), key=lambda pair: pair[1].language):
        if new.language != language:
            language = new.language
            print(f"\n{language}")
        print(f"  {new.meme} {new.box} {new.size:.0f} px, {steps_between(old, new):+} steps")
        print(f"    {' / '.join(old.lines)}\n    {' / '.join(new.lines)}")


_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; max-width: 1100px }
figure { display: grid; grid-template-columns: 1fr 1fr; gap: 1em; margin: 0 0 2.5em }
figcaption { grid-column: 1 / 3; font-weight: 600 }
img { width: 100% } p { margin: .3em 0; white-space: pre-line }
"""


def write_page(page: Path, folders: tuple[Path, Path], before: Parts, after: Parts) -> int:
    """Write a page of all pairs whose lines changed, by language; returns how many pictures."""
    pairs: dict[str, dict[str, list[tuple[Part, Part]]]] = {}
    for old, new in changed(before, after):
        pairs.setdefault(new.language, {}).setdefault(new.meme, []).append((old, new))
    body = [f'<a href="#{tag}">{tag}</a> {len(memes)}' for tag, memes in sorted(pairs.items())]
    for tag, memes in sorted(pairs.items()):
        body.append(f'<h2 id="{tag}">{tag}</h2>')
        for meme, parts in memes.items():
            body.append(_figure(meme, parts, folders, page.resolve().parent))
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><title>Lines before and after</title>'
        f"<style>{_STYLE}</style><h1>Lines before and after</h1>" + "\n".join(body),
        encoding="utf-8",
    )
    return sum(map(len, pairs.values()))


def _figure(
    meme: str, parts: Sequence[tuple[Part, Part]], folders: tuple[Path, Path], beside: Path
) -> str:
    """One meme's two pictures, and the lines of its parts that changed."""
    columns = []
    for side, folder in enumerate(folders):
        source = os.path.relpath(folder.resolve() / parts[0][side].path, beside)
        texts = "".join(
            f'<p lang="{pair[side].language}" dir="auto">'
            + html.escape("\n".join(pair[side].lines))
            + f"</p><p>{pair[side].box}, {pair[side].size:.0f} px</p>"
            for pair in parts
        )
        picture = html.escape(Path(source).as_posix())
        columns.append(f'<div><img loading="lazy" src="{picture}" alt="">{texts}</div>')
    return f"<figure><figcaption>{html.escape(meme)}</figcaption>{''.join(columns)}</figure>"


def main() -> None:
    """Compare two sets."""
    parser = argparse.ArgumentParser(
        prog="bench.line_breaks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("before", type=Path, help="folder of a rendered set")
    parser.add_argument("after", type=Path, help="folder of the same, by another version")
    parser.add_argument("--page", type=Path, help="write the pairs of pictures here")
    chosen = parser.parse_args()
    before, after = read_parts(chosen.before), read_parts(chosen.after)
    print_figures(before, after)
    if chosen.page:
        count = write_page(chosen.page, (chosen.before, chosen.after), before, after)
        print(f"{count} pictures with other lines: {chosen.page}")
    else:
        print_changes(before, after)


if __name__ == "__main__":
    main()
