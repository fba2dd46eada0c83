"""A small release made by hand. In: a folder for its pictures. Out: a `Release`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from memeloc.files import file_sha256
from memeloc.publish.release import About, Release, ReleasedPicture, ReleaseTable

ABOUT = About(
    name="office-cats",
    title="Office cats",
    description="Cats at work, in English and German.",
    licence="CC-BY-4.0",
    authors=("Lee, Ann", "Tea Research Group"),
    date="2026-11-23",
    homepage="https://cats.example",
    intended_use="To learn how people see the same meme.",
    limitations="Two languages only.",
    content_warning="Some cats are asleep at work.",
    consent="All annotators agreed.",
    wages="12 EUR an hour.",
    terms="# Terms\n\nBe kind to cats.\n",
    maintenance="Write to cats@lab.example.",
)
SURVEY = {
    "taxonomy": "moods",
    "answers_wanted": 6,
    "memes_per_sheet": 3,
    "attention_checks": {"explicit": 1, "implicit": 3},
    "submissions": 14,
    "retained": 12,
    "excluded": {"attention": 2},
    "settling": {"rule": "most votes"},
}
SPLITS = {"nap": "train", "tea": "train", "rain": "test"}
_TEXTS = {"nap": "Sleep // again", "tea": "Tea // now", "rain": "Rain | tea // <b>"}


def draw(folder: Path, name: str, colour: int, **saved: Any) -> Path:
    """A picture file; `saved` are options of its format."""
    path = folder / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.effect_noise((96, 64), 60 + colour).convert("RGB")
    picture.putpixel((0, 0), (colour, colour, colour))
    picture.save(path, **saved)
    return path


def rows_of(folder: Path, meme: str, language: str, colour: int) -> ReleasedPicture:
    """A picture of the release."""
    path = draw(folder / language, meme, colour)
    row = {
        "template": f"{meme}-template",
        "sha256": file_sha256(path),
        "width": 96,
        "height": 64,
        "text": _TEXTS[meme],
        "alt": _TEXTS[meme].replace(" // ", " "),
        "parts": ["top", "bottom"],
        "lines": [["Sleep"], ["again"]],
        "line_boxes": [[1, 2, 30, 12], None],
        "words": ["Sleep", "again"],
        "word_boxes": [[1, 2, 30, 12], [1, 2, 30, 12, 30, 20, 1, 20]],
        "word_lines": [0, 1],
        "font_size": [12.5, 12.5],
        "template_source": "drawn for memeloc",
        "template_licence": "CC0-1.0",
    }
    return ReleasedPicture(meme, language, SPLITS[meme], f"{language}/{meme}.png", path, row)


def small_release(folder: Path, about: About = ABOUT, **changes: Any) -> Release:
    """Three memes in two languages, and the answers of twelve people."""
    pictures = [
        rows_of(folder, meme, language, 10 * number + len(language))
        for split in ("train", "test")
        for number, meme in enumerate(SPLITS)
        for language in ("en", "de")
        if SPLITS[meme] == split
    ]

    def each() -> Iterator[ReleasedPicture]:
        return iter(pictures)

    counts: dict[tuple[str, str], int] = {}
    for picture in pictures:
        key = picture.language, picture.split
        counts[key] = counts.get(key, 0) + 1
    values: dict[str, Any] = {
        "about": about,
        "languages": ("en", "de"),
        "pictures": each,
        "counts": counts,
        "tables": tables(),
        "provenance": {
            "memeloc": "1.0",
            "models": [{"name": "mt", "prompt": "a|b"}],
            "surveys": {"pilot": SURVEY},
        },
        "texts": {"guides/pilot.en.md": "How calm is the cat?\n"},
        "unread": {"de": 2},
    }
    return Release(**{**values, **changes})


def tables() -> dict[str, ReleaseTable]:
    """Memes, answers, labels and people."""
    people = [
        (f"{number:015x}{culture[0].lower() if culture == 'DE' else 'a'}", culture)
        for culture in ("US", "DE")
        for number in range(6)
    ]
    answers = [
        (meme, culture, person, ("calm", "wild")[number % 2])
        for meme in SPLITS
        for number, (person, culture) in enumerate(people)
    ]
    memes = [(meme, f"{meme}-template", split) for meme, split in SPLITS.items()]
    labels = [(meme, culture, "calm") for meme in SPLITS for culture in ("US", "DE")]
    return {
        "memes": table("memes", memes, meme_id="the meme", template="its picture", split="of it"),
        "answers": table(
            "answers",
            answers,
            meme_id="the meme",
            culture="whose culture",
            annotator="keyed hash of the person",
            label="what was chosen",
        ),
        "labels": table("labels", labels, meme_id="the meme", culture="of whom", label="of most"),
        "people": table(
            "people",
            [(person, culture, "30-39") for person, culture in people],
            annotator="keyed hash of the person",
            culture="of the person",
            age="in ten years",
        ),
    }


def table(name: str, rows: list[tuple[str, ...]], **columns: str) -> ReleaseTable:
    """A table by its rows, and what its columns are."""
    frame = pd.DataFrame(rows, columns=list(columns))
    return ReleaseTable(name, frame, f"{name} of the test", columns)
