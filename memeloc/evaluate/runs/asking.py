"""Asking the questions of a run. In: questions, a client. Out: rows of answers, read.

An invalid answer is asked again with a reminder, as often as the run says; what is kept then is the
last answer. Passes: all questions, then those whose answer was invalid, and so on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from memeloc.errors import MemelocError
from memeloc.evaluate.choices import Choice, read_choice
from memeloc.evaluate.runs.questions import Asked, Prompt
from memeloc.evaluate.runs.run import Run, RunModel
from memeloc.language_models import Answer, LanguageModel, Message, Question, option_logprobs

OnProgress = Callable[[int, int], None]
"""Is given how many more questions are done, and how many there are in all."""

PROVENANCE = {
    "condition": "the part of the run that asked",
    "prompt": "the text that was asked first, without the picture",
    "served_model": "the model as its server names it",
    "prompt_sha256": "of the messages of the last request with their pictures, in hex",
    "temperature": "that the last request held; empty where the server refuses it",
    "top_p": "likewise, where the run has one",
    "seed": "likewise",
    "tokens_in": "tokens of all requests of this answer, as the server counts them",
    "tokens_out": "tokens of all answers",
    "cost": "in the currency of the prices; 0 of an answer that was kept from an earlier run",
    "cut": "whether the answer ended at the limit of tokens",
    "cached": "whether the last answer was kept from an earlier run",
    "answered_at": "when the answer was given, ISO 8601 in UTC",
    "option_logprobs": "by label the natural logarithm of its probability, as JSON, where known",
    "first_answer": "the answer before the question was asked again; empty if it was not",
}
"""Columns of the answers' file besides those of `ModelAnswers`."""


@dataclass(slots=True)
class _Case:
    """A question under way: where it stands, the conversation so far, and what was paid."""

    number: int
    asked: Asked
    messages: tuple[Message, ...]
    asks: int = 1
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    first_answer: str = ""


@dataclass(slots=True)
class Answers:
    """What came of asking: rows with the columns of `ModelAnswers` and of `PROVENANCE`.

    Attributes:
        rows: by the question's number; `settings`, of their answers.
        failures: questions that got no answer at all, a sentence each; not among the rows.
        stopped: the error that ended asking before all were asked.
    """

    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    settings: list[Mapping[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    stopped: MemelocError | None = None
    reasked: int = 0


def ask_all(
    run: Run,
    asked: Iterable[Asked],
    model: LanguageModel,
    described: RunModel,
    *,
    total: int = 0,
    on_progress: OnProgress | None = None,
) -> Answers:
    """Ask all questions and read the answers."""
    answers = Answers()
    numbers = count()
    cases: Iterable[_Case] = (_Case(next(numbers), each, each.messages) for each in asked)
    for ask in range(run.reasks + 1):
        invalid: list[_Case] = []
        try:
            for case, answer, choice in _one_pass(run, cases, model, answers):
                if choice.invalid and ask < run.reasks:
                    invalid.append(_again(case, answer))
                else:
                    answers.rows[case.number] = _row(run, case, answer, choice, described)
                    answers.settings.append(answer.settings)
                    if on_progress is not None:
                        on_progress(1, total)
        except MemelocError as error:
            answers.stopped = error
            break
        if not invalid:
            break
        answers.reasked += len(invalid)
        cases = sorted(invalid, key=lambda case: case.number)
    return answers


def _one_pass(
    run: Run, cases: Iterable[_Case], model: LanguageModel, answers: Answers
) -> Iterator[tuple[_Case, Answer[str], Choice]]:
    """Ask each once; give those that were answered with what was chosen."""
    # A further ask is a round of its own: no answer that was kept of an earlier one is its answer.
    sent = (Question[str](case.messages, None, case, round=case.asks - 1) for case in cases)
    with closing(model.ask_all(sent)) as results:  # type: ignore[type-var]
        for question, answer in results:
            case: _Case = question.mark
            if isinstance(answer, MemelocError):
                item = case.asked.item
                answers.failures.append(f"{item.id} in {item.language}: {answer}")
                continue
            case.tokens_in += answer.tokens_in
            case.tokens_out += answer.tokens_out
            case.cost += answer.cost
            yield case, answer, read_answer(run, case.asked, answer)


def read_answer(run: Run, asked: Asked, answer: Answer[str]) -> Choice:
    """The label that an answer chooses, by the run's parser."""
    if answer.refusal:
        return Choice("", True, True, "refused by the server")
    options, text = asked.choices.options, answer.value
    likely = _option_logprobs(asked, answer) if run.parser == "logprobs" else {}
    if likely:
        return Choice(max(likely, key=likely.__getitem__), False, False, "logprobs")
    if run.parser == "exact":
        wanted = text.strip().casefold()
        matches = [n for m, n in options if wanted in (m.casefold(), n.casefold())]
        choice = Choice(matches[0] if matches else "", not matches, False, "exact")
    else:
        choice = read_choice(
            text, options, language=asked.prompt.prompt_language, prompt=asked.text
        )
    if not choice.name:
        return choice
    place = [name for _, name in options].index(choice.name)
    return Choice(asked.labels[place], False, False, choice.rule, choice.explanation)


def _option_logprobs(asked: Asked, answer: Answer[str]) -> dict[str, float]:
    """By label the logprob of its marker; empty where the server gives none."""
    markers = [marker for marker, _ in asked.choices.options]
    likely = option_logprobs(answer.logprobs, markers)
    return {
        label: likely[marker]
        for marker, label in zip(markers, asked.labels, strict=True)
        if marker in likely
    }


def _again(case: _Case, answer: Answer[str]) -> _Case:
    case.messages = case.asked.again(case.messages, answer.value)
    case.first_answer = case.first_answer or answer.value
    case.asks += 1
    return case


def _row(
    run: Run,
    case: _Case,
    answer: Answer[str],
    choice: Choice,
    described: RunModel,
) -> dict[str, Any]:
    asked, prompt = case.asked, case.asked.prompt
    likely, sent = _option_logprobs(asked, answer), answer.settings["sent"]
    return {
        "model": described.title,
        "item": asked.item.id,
        "language": asked.item.language,
        **_prompt_columns(prompt),
        "answer": answer.value or answer.refusal,
        "choice": choice.name,
        "position": asked.labels.index(choice.name) + 1 if choice.name else 0,
        "invalid": choice.invalid,
        "refused": choice.refused,
        "rule": choice.rule,
        "asks": case.asks,
        "explanation": choice.explanation,
        "dimension": asked.item.dimension,
        "meme": asked.item.meme,
        "condition": prompt.condition,
        "prompt": asked.text,
        "served_model": answer.model,
        "prompt_sha256": answer.prompt,
        **{name: sent.get(name) for name in ("temperature", "top_p", "seed")},
        "tokens_in": case.tokens_in,
        "tokens_out": case.tokens_out,
        "cost": case.cost,
        "cut": answer.cut,
        "cached": answer.cached,
        "answered_at": answer.date,
        "option_logprobs": json.dumps(likely, ensure_ascii=False) if likely else "",
        "first_answer": case.first_answer,
    }


def _prompt_columns(prompt: Prompt) -> dict[str, Any]:
    names = ("input", "prompt_language", "country", "wording", "order")
    return {name: getattr(prompt, name) for name in names}
