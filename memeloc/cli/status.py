"""`memeloc status`. In: the workspace. Out: how far each language is, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memeloc.cli.options import AsJson
from memeloc.cli.show import Column, Table, show


def _columns(languages: Any) -> list[Column]:
    from memeloc.workspace.captions import stages_of

    def count(stage: str) -> Column:
        return (stage, lambda row: row.stages.get(stage, 0))

    return [
        ("language", lambda row: f"{row.language} (source)" if row.source else row.language),
        *map(count, stages_of(languages)),
        ("changed source", "changed_source"),
        ("missing", "missing"),
        ("to settle", "to_settle"),
    ]


_TABLES = (
    Table(
        lambda result: f"{result.memes:,} memes",
        lambda result: result.languages,
        lambda result: _columns(result.languages),
    ),
    Table(
        "Texts of surveys",
        lambda result: result.survey_texts,
        lambda result: _columns(result.survey_texts),
    ),
)


def status(as_json: AsJson = False) -> None:
    """Count the captions by language and stage, and say what to do next.

    \b
    Example:
      memeloc status
    """
    from memeloc.workspace import Workspace

    with Workspace.find() as workspace:
        result = workspace.status()

    def then(_: Any) -> Iterator[str]:
        if result.collected:
            counts = ", ".join(f"{count:,} {kind}s" for kind, count in result.collected.items())
            yield f"Collected: {counts}"
        yield from (f"Next: {step}" for step in result.next)

    show(result, as_json=as_json, tables=_TABLES, then=then)
