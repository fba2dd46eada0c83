"""`memeloc status`. In: the workspace. Out: how far each language is, and what to do next."""

from __future__ import annotations

from typing import Any

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.show import Column, Table, show


def _columns(languages: Any) -> list[Column]:
    from memeloc.workspace.captions import stages_of

    return [
        ("language", lambda row: f"{row.language} (source)" if row.source else row.language),
        *(
            (stage, lambda row, stage=stage: row.stages.get(stage, 0))
            for stage in stages_of(languages)
        ),
        "changed_source missing to_settle",
    ]


_TABLES = (
    Table("{0.memes:,} memes", "languages", lambda result: _columns(result.languages)),
    Table("Texts of surveys", "survey_texts", lambda result: _columns(result.survey_texts)),
)


def status(as_json: AsJson = False) -> None:
    """Count the captions by language and stage, and say what to do next.

    \b
    Example:
      memeloc status
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.status()
    counts = ", ".join(f"{count:,} {kind}s" for kind, count in result.collected.items())
    then = [f"Collected: {counts}"] if counts else []
    show(result, *_TABLES, *then, *(f"Next: {step}" for step in result.next), as_json=as_json)
