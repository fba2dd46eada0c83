"""`memeloc survey texts`. In: a language. Out: what annotators read, with the texts' names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from typer import Argument, Option

from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, show

if TYPE_CHECKING:
    from memeloc.survey.text_list import TextList

_TEXTS = Table("Texts", "texts", "name text")


def texts(
    beginning: str = Argument(
        "", metavar="[BEGINNING]", help="How their names begin.", show_default="all"
    ),
    lang: str = Option("en", "--lang", metavar="TAG", help="The language."),
    as_json: AsJson = False,
) -> None:
    """List the texts of surveys that ship, with the names that memeloc.toml replaces them by.

    A text of your own stands in memeloc.toml in the section `study.texts.TAG`, in English as well.

    \b
    Example:
      memeloc survey texts consent
      memeloc survey texts study --lang de
    """
    from memeloc.locales import default
    from memeloc.survey.text_list import list_texts

    show(list_texts(default().get(lang), beginning), _TEXTS, _readers, as_json=as_json)


def _readers(result: TextList) -> Iterator[str]:
    if result.read_by:
        yield f"Read by native speakers: {'; '.join(result.read_by)}"
    else:
        yield f"No native speaker has read the texts in {result.language} yet"
