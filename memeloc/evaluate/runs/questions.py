"""The questions of a run. In: a run, its dataset, texts of prompts. Out: `Asked`, one by one.

All questions about an item come together, so that its picture is scaled and encoded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.runs.dataset import RunData, RunItem, in_languages
from memeloc.evaluate.runs.prompts import Choices, Prompts, PromptTexts, fill
from memeloc.evaluate.runs.run import NATIVE, Condition, Input, Reasoning, Run, RunModel
from memeloc.files import file_sha256
from memeloc.language_models import Message, Question, picture_of


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of a condition: what an answer's row says of it besides item and model."""

    condition: str
    input: Input
    prompt_language: str
    country: str
    wording: int
    order: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about an item.

    Attributes:
        choices: the options as shown; `labels` are what the run calls them, in the same order.
        reminder: what an invalid answer is replied with.
        messages: what is sent at first.
    """

    item: RunItem
    prompt: Prompt
    choices: Choices
    labels: tuple[str, ...]
    reminder: str
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        """Return what the model is asked, without the picture."""
        return self.messages[0].text + self.messages[0].after

    @property
    def question(self) -> Question[str]:
        """As the client takes it."""
        return Question[str](self.messages, None)

    def again(self, messages: tuple[Message, ...], answer: str) -> tuple[Message, ...]:
        """The conversation so far with an invalid answer and the reminder."""
        # Chat templates want turns that alternate and are not empty.
        return (
            *messages,
            Message("assistant", answer.strip() or "(no answer)"),
            Message("user", self.reminder),
        )


def questions(run: Run, data: RunData, prompts: Prompts, model: RunModel) -> Iterator[Asked]:
    """All questions to a model, each once, by item.

    Raises:
        InputError: prompts lack a language, a wording or a country.
    """
    reasoning = model.reasoning or run.reasoning
    for item in data.items:
        asked: set[Prompt] = set()
        for condition in run.conditions:
            for prompt in _prompts(run, condition, item, prompts, model):
                key = replace(prompt, condition="")
                if key not in asked:
                    asked.add(key)
                    yield _asked(run, item, prompt, prompts.of(prompt.prompt_language), reasoning)


def skipped(run: Run, data: RunData, model: RunModel) -> list[str]:
    """Return which items lack what an input needs, a sentence for each input."""
    wanted = {each for condition in run.conditions for each in condition.inputs}
    lacking = Counter(
        (input, {"text": "text", "none": "question"}.get(input, "picture"))
        for item in data.items
        for input in wanted
        if input in model.inputs and not _has(item, input)
    )
    return [
        f"{counted(count, 'item')} without {lacks} left out of the input {input}."
        for (input, lacks), count in sorted(lacking.items())
    ]


def _prompts(
    run: Run, condition: Condition, item: RunItem, prompts: Prompts, model: RunModel
) -> Iterator[Prompt]:
    if not in_languages(item.language, condition.languages):
        return
    for input in condition.inputs:
        if input not in model.inputs or not _has(item, input):
            continue
        for language in condition.prompt_languages:
            tag = item.language if language == NATIVE else language
            country = _country(run, item) if condition.country else ""
            for wording in run.wordings or range(1, len(prompts.of(tag).wordings) + 1):
                for order in run.orders:
                    yield Prompt(condition.name, input, tag, country, wording, order)


def _has(item: RunItem, input: Input) -> bool:
    if input == "none":
        return bool(item.question)
    return bool(item.text) if input == "text" else item.picture is not None


def _country(run: Run, item: RunItem) -> str:
    for tag in (item.language, item.language.partition("-")[0]):
        if tag in run.countries:
            return run.countries[tag]
    raise InputError(
        f"The run names no country for memes in {item.language[:20]!r}; add it to countries."
    )


def _asked(
    run: Run, item: RunItem, prompt: Prompt, texts: PromptTexts, reasoning: Reasoning
) -> Asked:
    choices = texts.choices(prompt.order, run.labels, item.options, item.question)
    markers = ", ".join(marker for marker, _ in choices.options)
    values = {"question": item.question, "text": item.text, "markers": markers}
    wording = fill(_wording(prompt, texts), values | _country_name(prompt, texts))
    reasons = {"before": texts.before, "after": texts.after, "none": texts.without}[reasoning]
    shows_text = prompt.input in ("text", "both") and item.text
    before = texts.definition if run.definition else ""
    after = (fill(texts.caption, values) if shows_text else "") + choices.text
    if texts.picture_first:
        after += wording + reasons
    else:
        before += wording + reasons
    if prompt.input in ("text", "none") or item.picture is None:
        message = Message("user", before + after)
    else:
        sha256 = _sha256(item.picture)
        picture = picture_of(item.picture, run.picture_side, shape=run.picture_shape, sha256=sha256)
        message = Message("user", before + texts.picture, (picture,), after)
    labels = list(item.options or run.labels)[:: -1 if prompt.order else 1]
    reminder = fill(texts.reminder, values)
    return Asked(item, prompt, choices, tuple(labels), reminder, (message,))


def _wording(prompt: Prompt, texts: PromptTexts) -> str:
    known = texts.country_wordings if prompt.country else texts.wordings
    if not 0 < prompt.wording <= len(known):
        what = "wordings with a country" if prompt.country else "wordings"
        raise InputError(
            f"The prompts in {prompt.prompt_language} have {len(known)} {what}; the run asks for "
            f"wording {prompt.wording}."
        )
    return known[prompt.wording - 1]


def _country_name(prompt: Prompt, texts: PromptTexts) -> dict[str, str]:
    if not prompt.country:
        return {}
    if prompt.country not in texts.countries:
        raise InputError(
            f"The prompts in {prompt.prompt_language} do not name the country "
            f"{prompt.country[:20]!r}; add it to their section countries."
        )
    return {"country": texts.countries[prompt.country]}


@lru_cache(maxsize=8)
def _sha256(path: Path) -> str:
    """Return SHA-256 of a picture's file; all questions about an item come together."""
    return file_sha256(path)
