"""Finished memes in surveys. In: what was collected or selected. Out: memes, pictures, transcripts.

A finished meme has its text in its picture, so people of every culture are shown the same. A survey
keeps each picture's SHA-256: what is collected later, or reads otherwise, changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.model import SEPARATOR
from memeloc.survey.model import Culture
from memeloc.survey.recipes import Recipe
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import CAPTIONS, StoredSurvey
from memeloc.workspace.survey_memes import SurveyMemes, Wanted

SELECTED = "selected"
"""Stands for the finished memes that were selected, where a source's name may stand."""
RENDERED = "none"
"""Stands for no finished memes, where a recipe asks about some."""
SHOWN = (".jpg", ".png", ".gif", ".webp", ".avif")
"""Kinds of pictures that browsers and survey programs show."""


def asked_about(
    workspace: WorkspaceFolder, recipe: Recipe | None, collected: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return which finished memes a survey is of, empty for rendered ones; and a remark, if any.

    It is what somebody names, or else what the recipe says; where nothing of that kind was ever
    collected, a recipe goes with the workspace's own memes.
    """
    if collected is not None:
        return "" if collected == RENDERED else collected, ()
    if recipe is None or not recipe.design.collected:
        return "", ()
    if any("picture" in key for key in workspace.store.items.count()):
        return recipe.design.collected, ()
    return "", (
        f"{recipe.name} asks about finished memes; none were collected, so it asks about the "
        "workspace's own, rendered.",
    )


def collected_memes(
    workspace: WorkspaceFolder, source: str, wanted: Wanted, cultures: Sequence[Culture]
) -> SurveyMemes:
    """Return finished memes, each a template of its own: of a source, or those that were selected.

    Of a source, those that a filter dropped are left out; what people answered about a filter
    counts before its verdict. What was selected is taken as it is.

    Raises:
        InputError: there are no such finished memes, or not the one that is asked for.
    """
    items = _items(workspace, source)
    where = "What was selected" if source == SELECTED else f"What was collected from {source}"
    dropped = set() if source == SELECTED else _dropped(workspace, items)
    unshown = {id for id, item in items.items() if item.path and item.path.suffix not in SHOWN}
    ids = wanted.among(items, where)
    remarks = []
    if wanted.rows is None:
        ids = [meme for meme in ids if meme not in dropped | unshown]
        if dropped:
            many = f"{len(dropped):,} finished memes are left out"
            remarks.append(f"{many}, as filters dropped them.")
        if unshown:
            many = f"{len(unshown):,} finished memes are left out"
            kind = "browsers do not show their kind of picture"
            remarks.append(f"{many}, as {kind}: {min(unshown)} the first.")
    elif not_shown := [meme for meme in ids if meme in unshown]:
        raise InputError(
            f"The picture of {not_shown[0]} is of no kind that browsers show: "
            f"{items[not_shown[0]].path}",
            file=wanted.file,
            row=wanted.rows[not_shown[0]],
        )
    if not ids:
        raise InputError(f"{where} has no finished meme that filters keep and browsers show.")
    shown = {(items[meme].language or workspace.source.tag).split("-")[0] for meme in ids}
    others = [
        culture.code
        for culture in cultures
        if shown - {tag.tag.split("-")[0] for tag in (culture.locale, culture.second) if tag}
    ]
    if others:  # people are shown texts in another language than theirs
        remarks.append(
            f"People of {', '.join(others)} see texts in {', '.join(sorted(shown))}, which their "
            "sheets are not in: ask people who read them, and leave out labels for memes in "
            "another language (leave_out of a recipe of your own)."
        )
    return SurveyMemes(
        {meme: meme for meme in ids},
        remarks=tuple(remarks),
        pictures={meme: items[meme].picture for meme in ids},
    )


def collected_pictures(survey: StoredSurvey, memes: Collection[str]) -> dict[str, tuple[Path, str]]:
    """Return the pictures that a survey was built of, with what stands in them, by meme.

    Raises:
        InputError: one is not in the workspace.
    """
    store = survey.workspace.store
    items = list(store.items.find("picture", memes))
    hashes = {item.id: survey.pictures.get(item.id, item.picture) for item in items}
    files = store.items.picture_files(list(hashes.values()))
    for meme in sorted(memes):
        if hashes.get(meme) not in files:
            raise InputError(f"The picture of {meme} is not in this workspace's folder of images.")
    texts = _transcripts(survey, items)
    return {meme: (files[hashes[meme]], texts[meme]) for meme in memes}


def changed_pictures(survey: StoredSurvey) -> tuple[str, ...]:
    if not survey.pictures:
        return ()
    items = survey.workspace.store.items.find("picture", list(survey.pictures))
    return tuple(item.id for item in items if item.picture != survey.pictures[item.id])


def collected_texts(survey: StoredSurvey) -> dict[str, str]:
    """Return what stands in the survey's pictures, by meme."""
    return _transcripts(survey, survey.workspace.store.items.find("picture", list(survey.memes)))


def _transcripts(survey: StoredSurvey, items: Iterable[Item]) -> dict[str, str]:
    """Return transcripts as they are now, parts joined by ` // `; of a picture that is another one
    by now what went out with the survey, or nothing."""
    noted = {meme: text for by in survey.state(CAPTIONS).values() for meme, text in by.items()}
    return {
        item.id: SEPARATOR.join(item.parts)
        if item.picture == survey.pictures.get(item.id, item.picture)
        else noted.get(item.id, "")
        for item in items
    }


def _items(workspace: WorkspaceFolder, source: str) -> dict[str, Item]:
    store = workspace.store.items
    if source == SELECTED:
        selection = workspace.store.curation.selection()
        found = list(store.find("picture", selection.pictures if selection else ()))
        message = (
            "No finished meme was selected: run memeloc select, or name a source by --collected; "
            f"--collected {RENDERED} asks about the workspace's own memes, rendered."
        )
    else:
        found = list(store.find("picture", source=source))
        found = found or list(store.find("picture", dataset=source))
        sources = ", ".join(name for name, kind in store.count() if kind == "picture")
        message = (
            f"Nothing that was collected from {source[:60]!r} is a finished meme; there are such "
            f"of {sources or 'no source'}."
        )
    if not found:
        raise InputError(message)
    return {item.id: item for item in found}


def _dropped(workspace: WorkspaceFolder, items: Collection[str]) -> set[str]:
    from memeloc.curate.selecting.stages import answers_of

    curation = workspace.store.curation
    people, verdicts = answers_of(curation.judgements()), curation.verdicts()
    return {
        meme
        for meme in items
        for name, verdict in verdicts.get(meme, {}).items()
        if people.get((meme, name), verdict.verdict) == "drop"
    }
