"""`memeloc status`. In: the workspace. Out: how far each language is, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import Cell, print_json, table

if TYPE_CHECKING:
    from memeloc.store import LanguageStatus


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count the captions by language and stage, and say what to do next.

    \b
    Example:
      memeloc status
    """
    from memeloc.store import Workspace

    with Workspace.find() as workspace:
        memes = workspace.count_memes()
        languages = workspace.status()
        said = workspace.status("survey")
        rounds = workspace.settings.correction.rounds
        collected: Counter[str] = Counter()
        for (_, kind), count in workspace.count_items().items():
            collected[kind] += count
        selected = workspace.selection() is not None
    steps = next_steps(languages, memes, rounds)
    if collected and not selected:
        steps = ["memeloc dedup, memeloc filter, memeloc select", *(steps if memes else [])]
    if as_json:
        print_json(
            {
                "collected": dict(collected),
                "memes": memes,
                "languages": [_as_json(language) for language in languages],
                "survey_texts": [_as_json(language) for language in said if language.stages],
                "next": steps,
            }
        )
        return
    if collected:
        print("Collected: " + ", ".join(f"{n:,} {kind}s" for kind, n in collected.items()))
    _count(f"{memes:,} memes", languages)
    if texts := sum(sum(one.stages.values()) for one in said if one.source):
        _count(f"{texts:,} texts of surveys", [one for one in said if one.stages])
    for step in steps:
        print(f"Next: {step}")


def _count(title: str, languages: Sequence[LanguageStatus]) -> None:
    """Print a table of languages and the stages of their texts."""
    stages = list(dict.fromkeys(name for one in languages for name in one.stages))
    stages.sort(key=_order)
    columns = ["language", *stages, "changed source", "missing", "to settle"]
    rows: list[list[Cell]] = [
        [
            f"{one.language} (source)" if one.source else one.language,
            *(one.stages.get(name, 0) for name in stages),
            one.outdated,
            one.missing,
            one.cases,
        ]
        for one in languages
    ]
    table(title, columns, rows)


def next_steps(languages: Sequence[LanguageStatus], memes: int, rounds: int) -> list[str]:
    """What to do next, the most urgent first; the last step is to render.

    Args:
        languages: as `Workspace.status` counts.
        memes: how many there are.
        rounds: of correction, from the settings.
    """
    if not memes:
        return ["memeloc import TABLE"]
    targets = [one for one in languages if not one.source]
    if not targets:
        return ["name the languages to translate into in memeloc.toml"]
    steps = []
    if new := [one.language for one in targets if one.missing or one.outdated]:
        steps.append(f"memeloc translate --langs {','.join(new)}")
    for round_ in range(1, rounds + 1):
        ready = [one.language for one in targets if _ready(one, round_)]
        steps += [
            f"memeloc correct export --lang {language} --round {round_} --to NAME"
            for language in ready
        ]
    if waiting := [one.language for one in targets if one.cases]:
        steps += [f"memeloc correct settle --lang {language}" for language in waiting]
    return steps or ["memeloc render --langs all"]


def _ready(language: LanguageStatus, round_: int) -> bool:
    """Whether captions of a language wait for a round."""
    if round_ == 1:
        return bool(language.stages.get("translated"))
    before = (f"corrected {round_ - 1}", f"settled {round_ - 1}")
    return any(language.stages.get(stage) for stage in before)


def _order(stage: str) -> tuple[int, str]:
    """Where a stage's column stands: as the work goes."""
    name, _, round_ = stage.partition(" ")
    names = ("imported", "collected", "shipped", "translated", "corrected", "settled")
    return (int(round_ or 0), str(names.index(name)))


def _as_json(language: LanguageStatus) -> dict[str, object]:
    return {
        "language": language.language,
        "source": language.source,
        "stages": dict(language.stages),
        "changed_source": language.outdated,
        "missing": language.missing,
        "to_settle": language.cases,
    }
