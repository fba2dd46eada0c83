"""The language model of a workspace. In: its settings. Out: a client, with the store as cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    from memeloc.language_models import LanguageModel


@contextmanager
def open_model(
    workspace: WorkspaceFolder, name: str = "", budget: float | None = None
) -> Iterator[LanguageModel | None]:
    """The language model that is set up; None when there is none, and none is named.

    Args:
        workspace: with `[language_model]` in its settings.
        name: of another model at the same server.
        budget: the most that it may cost, in the currency of its prices.

    Raises:
        InputError: its settings are wrong.
    """
    values = workspace.settings.language_model
    if not (name or values or os.environ.get("OPENAI_MODEL")):
        yield None
        return
    from memeloc.language_models import Budget, LanguageModel, read_model_settings

    settings = read_model_settings(values, model=name)
    cache = workspace.store.computed.model_answers
    with LanguageModel(settings, cache=cache, budget=Budget(budget)) as model:
        yield model
