"""`memeloc drop`. In: memes. Out: memes that are left out of everything, or brought back."""

from __future__ import annotations

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, DecidedBy, login, split
from memeloc.cli.show import Table, show

_TABLE = Table(
    "Dropped",
    "dropped",
    (
        "meme=meme_id",
        ("language", lambda row: row.language or "all"),
        "by=person why=comment",
    ),
)


def drop(
    memes: list[str] | None = Argument(
        None, metavar="[MEME...]", help="Ids of memes; without, what is dropped is listed."
    ),
    why: str = Option("", metavar="TEXT", help="Why, for the record."),
    langs: str = Option("all", metavar="TAGS", help="Languages to drop them in, or all."),
    take_back: bool = Option(False, "--take-back", help="Bring dropped memes back."),
    person: DecidedBy = "",
    as_json: AsJson = False,
) -> None:
    """Drop memes: leave them out of pictures, surveys, exports and the translation memory.

    Nothing is deleted: captions, corrections and the reason stay, and --take-back brings the meme
    back. A case is settled by dropping with `memeloc correct settle CASE --drop`.

    \b
    Example:
      memeloc drop --why "a pun that only English has" m-017 m-142
      memeloc drop m-020 --langs hi --why "means nothing in Hindi"
      memeloc drop m-020 --take-back
      memeloc drop
    """
    if memes and not (why or take_back):
        raise typer.BadParameter("say --why these memes are dropped")
    languages = None if langs == "all" else split(langs)
    changed = 0
    with memeloc.Workspace.find() as workspace:
        captions = workspace.captions
        if memes:
            change = captions.take_back if take_back else captions.drop
            changed = change(memes, why, languages=languages, person=person or login())
        dropped = captions.dropped()
    done = f"{'Brought back' if take_back else 'Dropped'}: {changed:,}. " if memes else ""
    result = {"changed": changed, "dropped": dropped}
    show(result, _TABLE, f"{done}Dropped now: {len(dropped):,}", as_json=as_json)
