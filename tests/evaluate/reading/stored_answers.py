"""Answers as programs store them. In: how they are stored. Out: tables of known truth."""

from __future__ import annotations

import csv
from pathlib import Path

from memeloc.evaluate.runs.prompts import Prompts, read_prompts

LABELS = ("Hate", "Non-hate")
GOLD = {"US": [1, 0, 1, 0], "DE": [1, 1, 0, 0]}
"""By culture the labels of items 7 to 10."""
ITEMS = ("007", "008", "009", "010")

FORMS = {
    "raw": "{answer}",
    "first part": "{before}\nAssistant:{answer}",
    "chat": "system\nYou are a helpful assistant.\nuser\n{before}{options}\nassistant\n{answer}",
    "glued": "user \n{before}{options}assistant\n{answer}",
    "tokens": "<|im_start|>user\n{before}{options}<|im_end|>\n"
    "<|im_start|>assistant\n{answer}<|im_end|>",
    "echo": "{before}{options}\n{answer}",
}


def prompts() -> Prompts:
    return read_prompts("multi3hate", Path(), LABELS)


def write_answers(
    path: Path, *, language: str = "en", form: str = "raw", first: int = 0, as_text: bool = False
) -> None:
    """Answers of a model that agrees with the US, but refuses item 10 at prompt 0.

    Letters at the first wording, names at the second, yes and no at the third.
    """
    texts = prompts().of(language)
    yes, no = {"en": ("Yes", "No"), "hi": ("हाँ", "नहीं"), "de": ("Ja", "Nein")}[language]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["ID", "prompt", "response"])
        for item, hate in zip(ITEMS, GOLD["US"], strict=True):
            for number in range(6):
                wording, order = divmod(number, 2)
                choices = texts.choices(order, LABELS)
                place = (0 if hate else 1) ^ order
                marker, name = choices.options[place]
                answer = (f"{marker}.", name, yes if hate else no)[wording]
                if item == "010" and number == 0:
                    answer = "I'm sorry, I can't help with that."
                before = texts.definition + texts.wordings[wording] + texts.picture
                stored = FORMS[form].format(before=before, options=choices.text, answer=answer)
                prompt = before + choices.text if as_text else number + first
                writer.writerow([item, prompt, stored])


def write_gold(path: Path) -> None:
    rows = ["Meme ID,Template Name,US,DE"]
    for place in range(len(ITEMS)):
        rows.append(f"{7 + place},Office {place},{GOLD['US'][place]},{GOLD['DE'][place]}")
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")
