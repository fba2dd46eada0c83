"""A run from begin to end. In: a run, its dataset, models. Out: a folder with answers and a page.

The folder has answers.parquet (an answer a row), run.json (settings, models, dataset, versions),
and the report. Each answer is kept as it comes, so that the same run again pays for none twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.answers import COLUMNS, ModelAnswers
from memeloc.evaluate.runs.asking import PROVENANCE, Answers, OnProgress, ask_all
from memeloc.evaluate.runs.items import RunData, groups_of
from memeloc.evaluate.runs.prompt_texts import Prompts
from memeloc.evaluate.runs.questions import questions, skipped
from memeloc.evaluate.runs.reading_prompts import read_prompts
from memeloc.evaluate.runs.run import Run, RunModel
from memeloc.files import replacing
from memeloc.language_models import (
    Budget,
    Cache,
    FileCache,
    LanguageModel,
    ModelSettings,
    OverBudgetError,
    Plan,
    read_model_settings,
)
from memeloc.language_models.recording import sent_counts, sent_text
from memeloc.version import __version__

ANSWERS = "answers.parquet"
RUN = "run.json"
KEPT = "kept-answers.db"
"""Where answers are kept as they come, of a run outside of a workspace."""
_SENT = {"temperature", "seed", "max_tokens", "logprobs", "extra"}
"""Settings of models in whose place run.json has what requests held, as counts of answers."""
LOGPROBS = 20
"""Likeliest tokens that are asked for where options are compared by them; servers give no more."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a run is asked with.

    Attributes:
        folder: in which the run's texts of prompts are looked for.
        defaults: settings of the client that a run's models do not have, such as `base_url`.
        cache: keeps answers; None keeps them in the run's own folder.
        budget: money for all models together, in the currency of their prices; None for any.
    """

    folder: Path
    defaults: Mapping[str, Any]
    cache: Cache | None = None
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run would ask: the answer to `--dry-run`.

    Attributes:
        items: of the dataset, in `languages`.
        models: a plan each.
        most: money at the most, with every question asked again as often as the run allows.
        notes: what cannot be asked.
    """

    run: str
    items: int
    languages: tuple[str, ...]
    models: tuple[Plan, ...]
    most: float
    currency: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run went.

    Attributes:
        questions: that there are, over all models.
        answered: with an answer, `cached` of them kept from an earlier run.
        reasked: answers that were invalid and asked for again.
        invalid, refused: last answers that chose no option; the refused among them.
        requests: that were sent and paid for in this run, at `cost`.
        failures: questions that got no answer, a sentence each.
        stopped: why not all were asked; empty if all were.
        about: dataset, split, mappings, seed and the like.
        answers, page: the files; None where they were not written.
        notes: what was noticed, a sentence each.
    """

    run: str
    out: Path
    questions: int
    answered: int
    cached: int
    reasked: int
    invalid: int
    refused: int
    requests: int
    cost: float
    currency: str
    failures: tuple[str, ...]
    about: Mapping[str, str]
    stopped: str
    over_budget: bool
    answers: Path | None
    page: Path | None
    notes: tuple[str, ...]


def plan_run(run: Run, data: RunData, sources: Sources, out: Path | None = None) -> RunPlan:
    """What a run would ask and cost; nothing is sent and no key is needed.

    `out` is the folder of its results, in which answers of an earlier run may be kept.

    Raises:
        InputError: the run names no model, or prompts lack what it asks for.
    """
    prompts = read_prompts(run.prompts, sources.folder, run.labels)
    plans, notes = [], list(data.notes)
    most = 0.0
    is_begun = out is not None and (out / KEPT).is_file()
    with _cache(sources, out) if out is not None and is_begun else nullcontext() as kept:
        for described, settings in _models(run, sources):
            notes += skipped(run, data, described)
            model = LanguageModel(settings, cache=sources.cache or kept)
            asked = (each.question for each in questions(run, data, prompts, described))
            plan = model.plan(asked)
            plans.append(plan)
            most += plan.most + _reasked_most(run, settings, plan)
    return RunPlan(
        run.name,
        len(data.items),
        data.languages,
        tuple(plans),
        most,
        plans[0].currency,
        tuple(dict.fromkeys(notes)),
    )


def evaluate_run(
    run: Run,
    data: RunData,
    out: str | Path,
    sources: Sources,
    *,
    on_progress: OnProgress | None = None,
    on_model: Callable[[str], None] | None = None,
) -> RunResult:
    """Ask all questions of a run, read and score the answers, and write its folder.

    The folder is written when all questions were asked; until then the answers are kept.

    Args:
        on_progress: is given how many more questions are done, and how many there are.
        on_model: is given the name of each model before it is asked.

    Raises:
        InputError: the run, its prompts or its dataset do not fit one another.
        MissingError: urllib3, pandas or a key is missing.
    """
    import pandas as pd

    out = Path(out)
    prompts = read_prompts(run.prompts, sources.folder, run.labels)
    models = _models(run, sources)
    counts = {
        described.title: sum(1 for _ in questions(run, data, prompts, described))
        for described, _ in models
    }
    if empty := [title for title, count in counts.items() if not count]:
        why = skipped(run, data, models[0][0]) or ["its inputs are none of the run's"]
        raise InputError(f"there is nothing to ask {empty[0]}: {why[0]}")
    out.mkdir(parents=True, exist_ok=True)
    budget = Budget(sources.budget)
    rows: list[dict[str, Any]] = []
    by_model: list[Answers] = []
    sent: dict[str, dict[str, dict[str, int]]] = {}
    requests, cost = 0, 0.0
    with _cache(sources, out) as cache:
        for described, settings in models:
            if on_model is not None:
                on_model(described.title)
            asked = questions(run, data, prompts, described)
            with LanguageModel(settings, cache=cache, budget=budget) as model:
                model.open()
                total = sum(counts.values())
                answers = ask_all(
                    run, asked, model, described, total=total, on_progress=on_progress
                )
                requests += model.spent.requests
                cost += model.spent.cost
            by_model.append(answers)
            sent[described.title] = sent_counts(answers.settings)
            rows += [answers.rows[number] for number in sorted(answers.rows)]
            if answers.stopped is not None:
                break
    stopped = by_model[-1].stopped
    table = pd.DataFrame(rows, columns=[*COLUMNS, *PROVENANCE])
    table = table.astype({"temperature": float, "top_p": float, "seed": "Int64"})
    about = _about(run, data, sent)
    table.attrs.update(about)
    notes = [*data.notes, *(note for each, _ in models for note in skipped(run, data, each))]
    failures = tuple(failure for each in by_model for failure in each.failures)
    if failures:
        notes.append(f"{counted(len(failures), 'question')} got no answer and are not counted.")
    page = None
    if stopped is None and rows:
        with replacing(out / ANSWERS) as temporary:
            table.to_parquet(temporary, index=False)
        _write_run(run, data, prompts, [settings for _, settings in models], sent, out / RUN)
        page = _write_page(run, data, table, out, notes, about)
    return RunResult(
        run=run.name,
        out=out,
        questions=sum(counts.values()),
        answered=len(rows),
        cached=int(table["cached"].sum()),
        reasked=sum(each.reasked for each in by_model),
        invalid=int(table["invalid"].sum()),
        refused=int(table["refused"].sum()),
        requests=requests,
        cost=cost,
        currency=models[0][1].currency,
        failures=failures,
        about=about,
        stopped="" if stopped is None else str(stopped),
        over_budget=isinstance(stopped, OverBudgetError),
        answers=out / ANSWERS if stopped is None and rows else None,
        page=page,
        notes=tuple(dict.fromkeys(notes)),
    )


def _models(run: Run, sources: Sources) -> list[tuple[RunModel, ModelSettings]]:
    """The models of a run, each with the settings of its client."""
    described = list(run.models)
    if not described:
        settings = read_model_settings(sources.defaults, where="[[model]] of the run")
        described = [RunModel.model_validate({"model": settings.model})]
    models = []
    for each in described:
        own = each.model_extra or {}
        reasons = (each.reasoning or run.reasoning) != "none"
        values = {
            **sources.defaults,
            "temperature": run.temperature,
            "seed": run.seed,
            "max_tokens": run.max_tokens + (run.reasoning_tokens if reasons else 0),
            **({"logprobs": LOGPROBS} if run.parser == "logprobs" else {}),
            **own,
            "model": each.model,
        }
        if run.top_p is not None:
            values["extra"] = {"top_p": run.top_p, **values.get("extra", {})}
        settings = read_model_settings(values, where=f"[[model]] {each.title}")
        if sources.budget is not None:
            settings.require_prices()
        models.append((each, settings))
    if len({settings.currency for _, settings in models}) > 1:
        raise InputError("the models of a run have prices in one currency, for its budget is one")
    return models


def _reasked_most(run: Run, settings: ModelSettings, plan: Plan) -> float:
    """What asking again may cost on top: each time the conversation is longer by an answer."""
    questions = plan.questions - plan.cached
    longer = settings.max_tokens + 200  # and the reminder
    further = settings.price(longer * questions * run.reasks * (run.reasks + 1) / 2, 0)
    return run.reasks * plan.most + further


@contextmanager
def _cache(sources: Sources, out: Path) -> Iterator[Cache]:
    if sources.cache is not None:
        yield sources.cache
        return
    with FileCache(out / KEPT) as cache:
        yield cache


def _write_run(
    run: Run,
    data: RunData,
    prompts: Prompts,
    models: Sequence[ModelSettings],
    sent: Mapping[str, Any],
    path: Path,
) -> None:
    values = {
        "memeloc": __version__,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": run.digest(),
        "run": run.model_dump(mode="json", by_alias=True),
        "models": [
            {**settings.model_dump(mode="json", exclude=_SENT), "sent": counts}
            for settings, counts in zip(models, sent.values(), strict=True)
        ],
        "dataset": dict(data.about),
        "items": len(data.items),
        "languages": data.languages,
        "prompts": {
            "name": prompts.name,
            "source": prompts.source,
            "texts": {tag: texts.model_dump() for tag, texts in prompts.languages.items()},
        },
        "notes": data.notes,
    }
    with replacing(path) as temporary:
        text = json.dumps(values, ensure_ascii=False, indent=2, default=asdict)
        temporary.write_text(text + "\n", encoding="utf-8")


def _about(run: Run, data: RunData, sent: Mapping[str, Any]) -> dict[str, str]:
    """What stands in every output: dataset, split, mappings, seed, and which run it is."""
    texts = {title: sent_text(counts) for title, counts in sent.items()}
    differ = len(set(texts.values())) > 1
    known = data.gold.about if data.gold is not None else data.about
    mappings = {"Mappings": ", ".join(run.gold.coarser)} if run.gold.coarser else {}
    return {
        **{name.capitalize(): text for name, text in known.items()},
        **mappings,
        "Run": run.name,
        "Run's SHA-256": run.digest()[:12],
        "Prompts": Path(run.prompts).name,
        "Sent": "; ".join(
            dict.fromkeys(f"{title}: {text}" if differ else text for title, text in texts.items())
        ),
    }


def _write_page(
    run: Run,
    data: RunData,
    table: Any,
    out: Path,
    notes: Sequence[str],
    about: Mapping[str, str],
) -> Path | None:
    """Score the answers and write the report; None where there is no gold."""
    if data.gold is None:
        return None
    from memeloc.evaluate.scores import ModelFacts, ScoreSettings, write_evaluation

    facts = {model.title: ModelFacts(model.family, model.parameters) for model in run.models}
    gaps = [*notes]
    asked_again = int((table["asks"] > 1).sum())
    if asked_again:
        gaps.append(f"{counted(asked_again, 'question')} had to be asked again.")
    answers = ModelAnswers.of(table, run.labels, gaps)
    settings = ScoreSettings(seed=run.seed, models=facts, countries=run.countries)
    groups = groups_of(data.items) if run.dataset.text_groups else data.gold.groups
    gold = replace(data.gold, about=about, groups=groups)
    return write_evaluation(answers, gold, out, settings).page
