"""A run from begin to end. In: a run, its dataset, models. Out: a folder with answers and a page.

An invalid answer is asked again with a reminder, as often as the run says; what is kept then is the
last answer. Passes: all questions, then those whose answer was invalid, and so on.

The folder has answers.parquet (an answer a row), run.json (settings, models, dataset, versions),
and the report. Each answer is kept as it comes, so that the same run again pays for none twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import COLUMNS, ModelAnswers
from memeloc.evaluate.choices import Choice, read_choice
from memeloc.evaluate.runs.dataset import RunData, RunItem, groups_of, in_languages
from memeloc.evaluate.runs.prompts import Choices, Prompts, PromptTexts, fill, read_prompts
from memeloc.evaluate.runs.run import NATIVE, Reasoning, Run, RunModel
from memeloc.files import replacing
from memeloc.language_models import (
    Answer,
    Budget,
    Cache,
    FileCache,
    LanguageModel,
    Message,
    ModelSettings,
    OverBudgetError,
    Question,
    option_logprobs,
    picture_of,
    read_model_settings,
)
from memeloc.language_models.job import Job, OnProgress, sent_counts, sent_text
from memeloc.version import __version__


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
    """Yield all questions to a model, each once, by item. Raise InputError if prompts lack a
    language, a wording or a country."""
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
        picture = _picture(item.picture, run.picture_side, shape=run.picture_shape)
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


_picture = lru_cache(maxsize=8)(picture_of)  # all questions about an item come together


ANSWERS = "answers.parquet"
RUN = "run.json"
KEPT = "kept-answers.db"
"""Where answers are kept as they come, of a run outside of a workspace."""
_SENT = {"temperature", "seed", "max_tokens", "logprobs", "extra"}
"""Settings of models in whose place run.json has what requests held, as counts of answers."""
LOGPROBS = 20
"""Likeliest tokens that are asked for where options are compared by them; servers give no more."""

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


@dataclass(frozen=True, eq=False)
class OpenRun:
    """A run with its dataset, ready to be planned and asked.

    Attributes:
        out: the folder of its results, in which answers of an earlier run may be kept.
        folder: in which the run's texts of prompts are looked for.
        defaults: settings of the client that a run's models do not have, such as `base_url`.
        cache: keeps answers; None keeps them in the run's own folder.
        budget: money for all models together, in the currency of their prices; None for any.
    """

    run: Run
    data: RunData
    out: Path
    folder: Path
    defaults: Mapping[str, Any] = field(default_factory=dict)
    cache: Cache | None = None
    budget: float | None = None

    def plan(self) -> dict[str, Any]:
        """Return what would be asked and cost; nothing is sent and no key is needed. Raise
        InputError if prompts lack what the run asks for.

        Returns:
            `run`, `items` of the dataset in `languages`, a plan each of the `models`, `most`: money
            at the most in `currency`, with every question asked again as often as the run allows;
            and `notes`: what cannot be asked.
        """
        run, data = self.run, self.data
        prompts = read_prompts(run.prompts, self.folder, run.labels)
        plans, notes, most = [], [*data.notes], 0.0
        with self._cache() if (self.out / KEPT).is_file() else nullcontext(self.cache) as cache:
            for described, settings in self._models():
                notes += skipped(run, data, described)
                asked = questions(run, data, prompts, described)
                sent = (Question[Any]((each.message,), each.form) for each in asked)
                plan = LanguageModel(settings, cache=cache).plan(sent)
                plans.append(plan)
                # Each time it is asked again the conversation is longer by an answer and reminder.
                longer = (settings.max_tokens + 200) * (plan.questions - plan.cached)
                again = settings.price(longer * run.reasks * (run.reasks + 1) / 2, 0)
                most += plan.most if run.parser == "json" else plan.most * (1 + run.reasks) + again
        return {
            "run": run.name,
            "items": len(data.items),
            "languages": data.languages,
            "models": plans,
            "most": most,
            "currency": plans[0].currency,
            "notes": [*dict.fromkeys(notes)],
        }

    def ask(
        self,
        *,
        on_progress: OnProgress = lambda more, total: None,
        on_model: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        """Ask all questions, read and score the answers, and write the folder.

        The folder is written when all questions were asked; until then the answers are kept. Raise
        InputError if the run, its prompts or its dataset do not fit one another; MissingError if
        urllib3, pandas or a key is missing.

        Args:
            on_progress: is given how many more questions are done, and how many there are.
            on_model: is given the name of each model before it is asked.

        Returns:
            How many `questions` there are over all models, `answered`, `cached` of them from an
            earlier run, `reasked`, last answers that are `invalid` (the `refused` and `cut` ones
            among them), `requests` that were paid for now, at `cost` in `currency`; `failures`:
            questions without an answer, a sentence each; `stopped`: why not all were asked, and
            whether it is `over_budget`; `about`: dataset, split, mappings, seed and the like; the
            files `answers` and `page`, None where they were not written; and `notes`.
        """
        import pandas as pd

        run, data, out = self.run, self.data, self.out
        prompts = read_prompts(run.prompts, self.folder, run.labels)
        models = self._models()
        total = 0
        for described, _ in models:
            count = sum(1 for _ in questions(run, data, prompts, described))
            if not count:
                why = skipped(run, data, models[0][0]) or ["its inputs are none of the run's"]
                raise InputError(f"there is nothing to ask {described.title}: {why[0]}")
            total += count
        out.mkdir(parents=True, exist_ok=True)
        budget = Budget(self.budget)
        rows: list[dict[str, Any]] = []
        sent: dict[str, dict[str, dict[str, int]]] = {}
        failures: list[str] = []
        notes = [*data.notes]
        reasked, requests, cost, stopped = 0, 0, 0.0, None
        with self._cache() as cache:
            for described, settings in models:
                if on_model is not None:
                    on_model(described.title)
                # Runs after papers go on as those did, whatever comes back.
                model = LanguageModel(settings, cache, budget, empty_too=bool(run.source))
                asking = _Asking(run, described, lambda more: on_progress(more, total))
                job = asking.job(model, questions(run, data, prompts, described))
                with model:
                    model.open()
                    job.run()
                requests += model.spent.requests
                cost += model.spent.cost
                answered = [row for _, row in sorted(asking.rows.items())]
                rows += answered
                failures += job.problems
                reasked += asking.reasked
                sent[described.title] = sent_counts(asking.settings)
                notes += skipped(run, data, described)
                if cut := sum(row["cut"] and row["invalid"] for row in answered):
                    notes.append(
                        f"{counted(cut, 'invalid answer')} of {described.title} ended at the limit "
                        f"of {counted(settings.max_tokens, 'token')} (reasoning_tokens or "
                        "max_tokens of the run)."
                    )
                stopped = job.error
                if stopped is not None:
                    break
        table = pd.DataFrame(rows, columns=[*COLUMNS, *PROVENANCE])
        table = table.astype({"temperature": float, "top_p": float, "seed": "Int64"})
        about = self._about(sent)
        table.attrs.update(about)
        if failures:
            notes.append(f"{counted(len(failures), 'question')} got no answer and are not counted.")
        page = None
        is_whole = stopped is None and bool(rows)
        if is_whole:
            with replacing(out / ANSWERS) as temporary:
                table.to_parquet(temporary, index=False)
            with replacing(out / RUN) as temporary:
                record = self._record(prompts, sent)
                text = json.dumps(record, ensure_ascii=False, indent=2, default=asdict)
                temporary.write_text(text + "\n", encoding="utf-8")
            page = self._write_page(table, notes, about)
        return {
            "run": run.name,
            "out": out,
            "questions": total,
            "answered": len(rows),
            "cached": int(table["cached"].sum()),
            "reasked": reasked,
            "invalid": int(table["invalid"].sum()),
            "refused": int(table["refused"].sum()),
            "cut": int((table["cut"] & table["invalid"]).sum()) if rows else 0,
            "requests": requests,
            "cost": cost,
            "currency": models[0][1].currency,
            "failures": failures,
            "about": about,
            "stopped": "" if stopped is None else str(stopped),
            "over_budget": isinstance(stopped, OverBudgetError),
            "answers": out / ANSWERS if is_whole else None,
            "page": page,
            "notes": [*dict.fromkeys(notes)],
        }

    def _models(self) -> list[tuple[RunModel, ModelSettings]]:
        """Return the models of the run, each with the settings of its client."""
        run = self.run
        described = list(run.models)
        if not described:
            settings = read_model_settings(self.defaults, where="[[model]] of the run")
            described = [RunModel.model_validate({"model": settings.model})]
        models = []
        for each in described:
            reasons = (each.reasoning or run.reasoning) != "none"
            values = {
                **self.defaults,
                "temperature": run.temperature,
                "seed": run.seed,
                "max_tokens": run.max_tokens + (run.reasoning_tokens if reasons else 0),
                **({"logprobs": LOGPROBS} if run.parser == "logprobs" else {}),
                **({"asks": run.reasks + 1} if run.parser == "json" else {}),
                **(each.model_extra or {}),
                "model": each.model,
            }
            if run.top_p is not None:
                values["extra"] = {"top_p": run.top_p, **values.get("extra", {})}
            settings = read_model_settings(values, where=f"[[model]] {each.title}")
            if self.budget is not None:
                settings.require_prices()
            models.append((each, settings))
        if len({settings.currency for _, settings in models}) > 1:
            raise InputError(
                "the models of a run have prices in one currency, for its budget is one"
            )
        return models

    @contextmanager
    def _cache(self) -> Iterator[Cache]:
        if self.cache is not None:
            yield self.cache
            return
        with FileCache(self.out / KEPT) as cache:
            yield cache

    def _record(self, prompts: Prompts, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return what run.json has."""
        models = zip(self._models(), sent.values(), strict=True)
        return {
            "memeloc": __version__,
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "sha256": self.run.digest(),
            "run": self.run.model_dump(mode="json", by_alias=True),
            "models": [
                {**settings.model_dump(mode="json", exclude=_SENT), "sent": counts}
                for (_, settings), counts in models
            ],
            "dataset": dict(self.data.about),
            "items": len(self.data.items),
            "languages": self.data.languages,
            "prompts": {
                "name": prompts.name,
                "source": prompts.source,
                "texts": {tag: texts.model_dump() for tag, texts in prompts.languages.items()},
            },
            "notes": self.data.notes,
        }

    def _about(self, sent: Mapping[str, Any]) -> dict[str, str]:
        """Return what stands in every output: dataset, split, mappings, seed, and which run."""
        run, data = self.run, self.data
        texts = {title: sent_text(counts) for title, counts in sent.items()}
        differ = len(set(texts.values())) > 1
        dataset = data.gold.about if data.gold is not None else data.about
        mappings = {"Mappings": ", ".join(run.gold.coarser)} if run.gold.coarser else {}
        lines = (f"{title}: {text}" if differ else text for title, text in texts.items())
        return {
            **{name.capitalize(): text for name, text in dataset.items()},
            **mappings,
            "Run": run.name,
            "Run's SHA-256": run.digest()[:12],
            "Prompts": Path(run.prompts).name,
            "Sent": "; ".join(dict.fromkeys(lines)),
        }

    def _write_page(self, table: Any, notes: list[str], about: Mapping[str, str]) -> Path | None:
        """Score the answers and write the report; None where there is no gold."""
        run, gold = self.run, self.data.gold
        if gold is None:
            return None
        from memeloc.evaluate.scores import ModelFacts, ScoreSettings, write_evaluation

        facts = {model.title: ModelFacts(model.family, model.parameters) for model in run.models}
        asked_again = int((table["asks"] > 1).sum())
        again = [f"{counted(asked_again, 'question')} had to be asked again."]
        answers = ModelAnswers.of(table, run.labels, [*notes, *again[: bool(asked_again)]])
        settings = ScoreSettings(seed=run.seed, models=facts, countries=run.countries)
        groups = groups_of(self.data.items) if run.dataset.text_groups else gold.groups
        gold = replace(gold, about=about, groups=groups)
        return write_evaluation(answers, gold, self.out, settings).page


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
class _Asking:
    """The answers of a model: `rows` by the question's number, and `settings` of the answers.

    `done` is given how many more questions have their last answer.
    """

    run: Run
    model: RunModel
    done: Callable[[int], None]
    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    settings: list[Mapping[str, Any]] = field(default_factory=list)
    reasked: int = 0
    _invalid: list[_Case] = field(default_factory=list)

    def job(self, model: LanguageModel, asked: Iterable[Asked]) -> Job:
        """Return the job of asking: all questions, then again those with an invalid answer."""

        def batches(problems: list[str] | None) -> Iterator[Iterable[Question[Any]]]:
            cases: Iterable[_Case] = (
                _Case(number, each, (each.message,)) for number, each in enumerate(asked)
            )
            for _ in range(self.run.reasks + 1):
                # Asked again, it is of another round: no answer that was kept before is its.
                yield (
                    Question[Any](each.messages, each.asked.form, each, round=each.asks - 1)
                    for each in cases
                )
                cases = sorted(self._invalid, key=lambda case: case.number)
                self._invalid = []
                self.reasked += len(cases)

        def name(case: _Case) -> str:
            return f"{case.asked.item.id} in {case.asked.item.language}"

        return Job(model, batches, self._store, name)

    def _store(self, answers: Sequence[tuple[_Case, Answer[Any]]]) -> None:
        before = len(self.rows)
        for case, answer in answers:
            case.tokens_in += answer.tokens_in
            case.tokens_out += answer.tokens_out
            case.cost += answer.cost
            choice = read_answer(self.run, case.asked, answer)
            # What does not fit a form was asked again by the client.
            if choice.invalid and case.asks <= self.run.reasks and case.asked.form is None:
                # Chat templates want turns that alternate and are not empty.
                words = Message("assistant", answer.text.strip() or "(no answer)")
                case.messages += (words, Message("user", case.asked.reminder))
                case.first_answer = case.first_answer or answer.text
                case.asks += 1
                self._invalid.append(case)
                continue
            self.rows[case.number] = self._row(case, answer, choice)
            self.settings.append(answer.settings)
        self.done(len(self.rows) - before)

    def _row(self, case: _Case, answer: Answer[Any], choice: Choice) -> dict[str, Any]:
        asked, item = case.asked, case.asked.item
        likely = _option_logprobs(asked, answer)
        return {
            "model": self.model.title,
            "item": item.id,
            "language": item.language,
            **asked.prompt,
            "answer": answer.text or answer.refusal,
            **choice.cells(asked.labels),
            "asks": case.asks + answer.attempts - 1,
            "dimension": item.dimension,
            "meme": item.meme,
            "prompt": asked.text,
            "served_model": answer.model,
            "prompt_sha256": answer.settings["question"],
            **{name: answer.sent.get(name) for name in ("temperature", "top_p", "seed")},
            "tokens_in": case.tokens_in,
            "tokens_out": case.tokens_out,
            "cost": case.cost,
            "cut": answer.cut,
            "cached": answer.cached,
            "answered_at": answer.date,
            "option_logprobs": json.dumps(likely, ensure_ascii=False) if likely else "",
            "first_answer": case.first_answer,
        }


def read_answer(run: Run, asked: Asked, answer: Answer[Any]) -> Choice:
    """Return the label that an answer chooses, by the run's parser."""
    options, text = asked.choices.options, answer.text
    if answer.refusal:
        return Choice("", True, True, "refused by the server")
    if answer.status != "answered":
        is_refused = answer.status == "refused"
        return Choice("", True, is_refused, "refused" if is_refused else "not as the schema has it")
    if answer.cut and not text.strip():
        return Choice("", True, False, "cut before anything could be read")
    if asked.form is not None:
        markers = [marker for marker, _ in options]
        label = asked.labels[markers.index(answer.value.answer)]
        reasons = getattr(answer.value, "explanation", "").strip()
        return Choice(label, False, False, "json", reasons)
    likely = _option_logprobs(asked, answer) if run.parser == "logprobs" else {}
    if likely:
        return Choice(max(likely, key=likely.__getitem__), False, False, "logprobs")
    if run.parser == "exact":
        wanted = text.strip().casefold()
        matches = [n for m, n in options if wanted in (m.casefold(), n.casefold())]
        choice = Choice(matches[0] if matches else "", not matches, False, "exact")
    else:
        language = asked.prompt["prompt_language"]
        choice = read_choice(text, options, language=language, prompt=asked.text)
    if not choice.name:
        return choice
    place = [name for _, name in options].index(choice.name)
    return replace(choice, name=asked.labels[place])


def _option_logprobs(asked: Asked, answer: Answer[Any]) -> dict[str, float]:
    """Return by label the logprob of its marker; empty where the server gives none."""
    markers = [marker for marker, _ in asked.choices.options]
    likely = option_logprobs(answer.logprobs, markers)
    return {
        label: likely[marker]
        for marker, label in zip(markers, asked.labels, strict=True)
        if marker in likely
    }
