"""Answers for inspect's viewer. In: a table of answers, gold. Out: a file .eval for each model.

inspect_ai (inspect.aisi.org.uk) shows logs of evaluations: `inspect view --log-dir DIR`. It is used
for writing alone: a sample is an answer, with a score for each culture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import MissingError
from memeloc.evaluate.answers import CONDITION, PROMPT
from memeloc.evaluate.gold import Gold
from memeloc.files import replacing

if TYPE_CHECKING:
    import pandas as pd

PIP = "Logs for inspect's viewer need inspect_ai: pip install 'memeloc[inspect]'"

_MARKS = ("C", "I", "N")
"""As inspect marks answers: correct, incorrect, no answer."""
_UNSAFE = re.compile(r"[^\w.-]+")


def write_inspect_logs(
    table: pd.DataFrame,
    out: str | Path,
    *,
    task: str,
    gold: Gold | None = None,
    about: Mapping[str, str] | None = None,
) -> tuple[Path, ...]:
    """Write the answers of each model as OUT/TASK-MODEL.eval.

    Args:
        table: with the columns of `ModelAnswers`; `prompt`, the text asked, `served_model`,
            `tokens_in`, `tokens_out` and `answered_at` are used where it has them.
        task: the name of the run.
        gold: what is right; without it answers have no scores.
        about: dataset, split, seed and the like, for each log.

    Raises:
        MissingError: inspect_ai is not installed.
    """
    try:
        import inspect_ai.log as logs
    except ImportError as error:
        raise MissingError(PIP) from error
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for model, rows in table.groupby("model", sort=False):
        samples = list(_samples(rows, gold))
        log = logs.EvalLog(
            status="success",
            eval=logs.EvalSpec(
                created=_first(rows, "answered_at") or "1970-01-01T00:00:00+00:00",
                task=task,
                dataset=logs.EvalDataset(
                    name=dict(about or {}).get("Dataset"), samples=len(samples)
                ),
                model=str(model),
                config=logs.EvalConfig(),
                metadata=dict(about or {}),
            ),
            results=_results(samples, gold),
            samples=samples,
        )
        path = folder / f"{_UNSAFE.sub('-', f'{task}-{model}')[:120]}.eval"
        with replacing(path) as temporary:
            logs.write_eval_log(log, str(temporary), format="eval")
        paths.append(path)
    return tuple(paths)


def _samples(rows: pd.DataFrame, gold: Gold | None) -> Iterator[Any]:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput, ModelUsage

    keys = (*CONDITION[1:], *PROMPT)
    for row in rows.to_dict("records"):
        right = _right(row["item"], gold)
        output = ModelOutput.from_content(
            str(row.get("served_model") or row["model"]), str(row["answer"])
        )
        tokens = int(row.get("tokens_in") or 0), int(row.get("tokens_out") or 0)
        output.usage = ModelUsage(
            input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)
        )
        metadata = {name: row[name] for name in (*keys, "rule", "invalid", "refused", "asks")}
        yield EvalSample(
            id="/".join(str(row[name]) for name in ("item", *keys)),
            epoch=1,
            input=str(row.get("prompt") or row["item"]),
            target=list(dict.fromkeys(right.values())),
            output=output,
            scores={name: _score(row, label) for name, label in right.items()},
            metadata=metadata,
        )


def _right(item: str, gold: Gold | None) -> dict[str, str]:
    """By culture what is right; without those that have no label."""
    if gold is None or item not in gold.table.index:
        return {}
    labels = gold.table.loc[item]
    return {str(culture): str(labels[culture]) for culture in labels.dropna().index}


def _score(row: Mapping[Any, Any], label: str) -> Any:
    from inspect_ai.scorer import Score

    correct, incorrect, none = _MARKS
    value = none if row["invalid"] else correct if row["choice"] == label else incorrect
    return Score(value=value, answer=row["choice"] or None, explanation=row["explanation"] or None)


def _results(samples: list[Any], gold: Gold | None) -> Any:
    """Accuracy by culture, over all prompts together; an invalid answer is wrong."""
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    scores = []
    for culture in gold.cultures if gold is not None else ():
        values = [each.scores[culture].value for each in samples if culture in each.scores]
        if values:
            accuracy = EvalMetric(name="accuracy", value=values.count(_MARKS[0]) / len(values))
            scores.append(
                EvalScore(
                    name=culture,
                    scorer="memeloc",
                    scored_samples=len(values),
                    metrics={"accuracy": accuracy},
                )
            )
    return EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=scores)


def _first(rows: pd.DataFrame, column: str) -> str:
    """The earliest value of a column; empty where there is none."""
    values = [str(value) for value in rows[column] if value] if column in rows.columns else []
    return min(values, default="")
