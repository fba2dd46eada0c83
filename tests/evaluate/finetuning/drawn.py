"""Examples that can be learned. In: a folder and a count. Out: drawn pictures, words, labels."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from memeloc.evaluate.training import Example

LABELS = ("cat", "tea", "cat at night", "tea at night")


def draw_examples(folder: Path, count: int) -> list[Example]:
    """Examples of four labels: the text tells cats from tea, the picture day from night."""
    folder.mkdir(parents=True, exist_ok=True)
    examples = []
    for number in range(count):
        is_tea, is_night = number % 2, number // 2 % 2
        path = folder / f"{number:03}.png"
        shade = 20 + number % 5 if is_night else 220 + number % 5
        Image.new("RGB", (48, 40), (shade, shade, 90)).save(path)
        examples.append(
            Example(
                item=f"{number:03}",
                label=LABELS[is_tea + 2 * is_night],
                text=("tea steams" if is_tea else "cat sleeps") + " on the desk" * (number % 3),
                picture=path,
                language="en",
                group=f"template {number % 7}",
                other={"US": ("Hate", "Non-hate")[is_tea], "DE": ("Hate", "Non-hate")[is_night]},
            )
        )
    return examples
