"""The questions of a run. In: a run, its dataset, texts of prompts. Out: `Asked`, one by one.

All questions about an item come together, so that its picture is scaled and encoded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.runs.dataset import RunData, RunItem, in_languages
from memeloc.evaluate.runs.prompts import Choices, Prompts, PromptTexts, fill
from memeloc.evaluate.runs.run import NATIVE, Reasoning, Run, RunModel
from memeloc.language_models import Message, Picture, picture_of


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about an item.

    Attributes:
        prompt: the columns that tell it from others about the item: condition, input,
            prompt_language, country, wording, order.
        choices: the options as shown; `labels` are what the run calls them, in the same order.
        reminder: what an invalid answer is replied with.
        message: what is sent at first.
        form: of answers in JSON; None where words are read.
    """

    item: RunItem
    prompt: Mapping[str, Any]
    choices: Choices
    labels: tuple[str, ...]
    reminder: str
    message: Message
    form: type[BaseModel] | None

    @property
    def text(self) -> str:
        """Return what the model is asked, without the picture."""
        return self.message.text + self.message.after


def questions(run: Run, data: RunData, prompts: Prompts, model: RunModel) -> Iterator[Asked]:
    """Yield all questions to a model, each once, by item.

    Raises:
        InputError: prompts lack a language, a wording or a country.
    """
    for item in data.items:
        asked: set[tuple[Any, ...]] = set()
        for condition in run.conditions:
            if not in_languages(item.language, condition.languages):
                continue
            inputs = [each for each in condition.inputs if each in model.inputs and has(item, each)]
            for input, language in product(inputs, condition.prompt_languages):
                tag = item.language if language == NATIVE else language
                texts = prompts.of(tag)
                country = ""
                if condition.country:
                    country = run.countries.get(item.language) or run.countries.get(
                        item.language.partition("-")[0], ""
                    )
                    if not country:
                        raise InputError(
                            f"The run names no country for memes in {item.language[:20]!r}; add it "
                            "to countries."
                        )
                wordings = run.wordings or range(1, len(texts.wordings) + 1)
                for wording, order in product(wordings, run.orders):
                    key = (input, tag, country, wording, order)
                    if key not in asked:
                        asked.add(key)
                        names = ("input", "prompt_language", "country", "wording", "order")
                        prompt = dict(zip(names, key, strict=True))
                        prompt["condition"] = condition.name
                        yield _asked(run, item, prompt, texts, model)


def skipped(run: Run, data: RunData, model: RunModel) -> list[str]:
    """Return which items lack what an input needs, a sentence for each input."""
    wanted = {each for condition in run.conditions for each in condition.inputs}
    lacking = Counter(
        (input, {"text": "text", "none": "question"}.get(input, "picture"))
        for item in data.items
        for input in wanted
        if input in model.inputs and not has(item, input)
    )
    return [
        f"{counted(count, 'item')} without {lacks} left out of the input {input}."
        for (input, lacks), count in sorted(lacking.items())
    ]


def has(item: RunItem, input: str) -> bool:
    """Return whether an item has what an input needs."""
    if input == "none":
        return bool(item.question)
    return bool(item.text) if input == "text" else item.picture is not None


def _asked(
    run: Run, item: RunItem, prompt: Mapping[str, Any], texts: PromptTexts, model: RunModel
) -> Asked:
    """Return a question: definition, wording, picture, caption, options, in the prompt's order."""
    input, order, country = prompt["input"], prompt["order"], prompt["country"]
    choices = texts.choices(order, run.labels, item.options, item.question)
    markers = ", ".join(marker for marker, _ in choices.options)
    values = {"question": item.question, "text": item.text, "markers": markers}
    wordings = texts.country_wordings if country else texts.wordings
    if not 0 < prompt["wording"] <= len(wordings):
        kind = "wordings with a country" if country else "wordings"
        raise InputError(
            f"The prompts in {prompt['prompt_language']} have {len(wordings)} {kind}; the run asks "
            f"for wording {prompt['wording']}."
        )
    if country and country not in texts.countries:
        raise InputError(
            f"The prompts in {prompt['prompt_language']} do not name the country "
            f"{country[:20]!r}; add it to their section countries."
        )
    name = {"country": texts.countries[country]} if country else {}
    reasoning = model.reasoning or run.reasoning
    reasons = {"before": texts.before, "after": texts.after, "none": texts.without}
    wording = fill(wordings[prompt["wording"] - 1], values | name)
    form = None
    if run.parser == "json":
        form = _form(tuple(marker for marker, _ in choices.options), reasoning)
    if form is None or reasoning == "none":
        wording += reasons[reasoning]
    before = texts.definition if run.definition else ""
    after = fill(texts.caption, values) if input in ("text", "both") and item.text else ""
    after += choices.text
    if texts.picture_first:
        after += wording
    else:
        before += wording
    if input in ("text", "none") or item.picture is None:
        message = Message("user", before + after)
    else:
        picture = _picture(item.picture, run.picture_side, run.picture_shape)
        message = Message("user", before + texts.picture, (picture,), after)
    labels = tuple(item.options or run.labels)[:: -1 if order else 1]
    return Asked(item, prompt, choices, labels, fill(texts.reminder, values), message, form)


@cache
def _form(markers: tuple[str, ...], reasoning: Reasoning) -> type[BaseModel]:
    """Return the form of an answer: an option's marker, and reasons before or after it."""
    answer = (Literal[markers], Field(description="the option that is right"))
    reasons = (str, Field(description="why, in one or two sentences"))
    fields: dict[str, Any] = {"answer": answer}
    if reasoning == "before":
        fields = {"explanation": reasons, **fields}
    elif reasoning == "after":
        fields = {**fields, "explanation": reasons}
    return create_model("choice", **fields)


@lru_cache(maxsize=8)
def _picture(path: Path, side: int, shape: Any) -> Picture:
    """Return a picture as it is sent; all questions about an item come together."""
    return picture_of(path, side, shape=shape)
