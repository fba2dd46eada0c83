"""Asking a language model from the command line. In: a plan, a run. Out: what came of it, shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import typer

from memeloc.cli.output import progress, say
from memeloc.cli.show import explain, show
from memeloc.counts import counted

Result = Mapping[str, Any]


def ask_model(
    plan: Callable[[], Result],
    run: Callable[[Callable[[int, int], None]], Result],
    *,
    dry_run: bool,
    unit: str,
    asked: Callable[[Result], str],
    done: Callable[[Result], Iterable[str]],
) -> None:
    """Show a plan, or ask and show what came of it; end with status 1 where something is left.

    Args:
        plan, run: of the Python API; a run is given what reports its progress.
        asked: says what memes are asked for; `done`, what was done.
    """
    if dry_run:

        def planned(plan: Result) -> Iterator[str]:
            stored = counted(plan["there"], "answer is", "answers are") + " stored"
            yield (
                f"{counted(plan['memes'], 'meme')} {asked(plan)}"
                f"{'; ' + stored if plan['there'] else ''}"
            )
            yield plan["model"].line()
            yield from (f"\n{sample}" for sample in plan["model"].samples[:1])

        show(plan(), planned)
        return
    with progress(unit=unit) as bar:
        result = run(bar.report)
    show(result, done)
    if result["cost"]:
        say(result["cost"])
    without = result["refused"] + result["wrong"] - len(result["missing"])
    explain("Missing", result["missing"], more=without)
    more = result["unanswered"] - len(result["problems"])
    explain("No answer", result["problems"], more=more)
    if result["stopped"]:
        say(f"memeloc: {result['stopped']}")
    if result["stopped"] or result["unanswered"]:
        raise typer.Exit(1)
