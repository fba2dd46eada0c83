"""Finished memes in surveys. In: what was collected or selected. Out: memes, pictures, transcripts.

A finished meme has its text in its picture, so people of every culture are shown the same. A survey
keeps each picture's SHA-256: what is collected later, or reads otherwise, changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
    """Which finished memes a survey is of, empty for rendered ones; and a remark, if there is one.

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
    """Finished memes, each a template of its own: of a source, or those that were selected.

    Of a source, those that a filter dropped are left out; what people answered about a filter
    counts before its verdict. What was selected is taken as it is.

    Raises:
        InputError: there are no such finished memes, or not the one that is asked for.
    """
    items = _selected(workspace) if source == SELECTED else _of_source(workspace, source)
    where = "What was selected" if source == SELECTED else f"What was collected from {source}"
    dropped = set() if source == SELECTED else _dropped(workspace, items)
    unshown = {id for id, item in items.items() if item.path and item.path.suffix not in SHOWN}
    ids = wanted.among(items, where)
    if wanted.rows is None:
        ids = [meme for meme in ids if meme not in dropped | unshown]
    elif not_shown := [meme for meme in ids if meme in unshown]:
        raise InputError(
            f"The picture of {not_shown[0]} is of no kind that browsers show: "
            f"{items[not_shown[0]].path}",
            file=wanted.file,
            row=wanted.rows[not_shown[0]],
        )
    if not ids:
        raise InputError(f"{where} has no finished meme that filters keep and browsers show.")
    remarks = []
    if wanted.rows is None and dropped:
        remarks.append(f"{len(dropped):,} finished memes are left out, as filters dropped them.")
    if wanted.rows is None and unshown:
        remarks.append(
            f"{len(unshown):,} finished memes are left out, as browsers do not show their kind of "
            f"picture: {min(unshown)} the first."
        )
    remarks += _in_other_languages(workspace, [items[meme] for meme in ids], cultures)
    return SurveyMemes(
        {meme: meme for meme in ids},
        remarks=tuple(remarks),
        pictures={meme: items[meme].picture for meme in ids},
    )


def collected_pictures(survey: StoredSurvey, memes: Collection[str]) -> dict[str, tuple[Path, str]]:
    """The pictures that a survey was built of, with what stands in them, by meme.

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
    texts = transcripts(survey, items)
    return {meme: (files[hashes[meme]], texts[meme]) for meme in memes}


def changed_pictures(survey: StoredSurvey) -> tuple[str, ...]:
    if not survey.pictures:
        return ()
    items = survey.workspace.store.items.find("picture", list(survey.pictures))
    return tuple(item.id for item in items if item.picture != survey.pictures[item.id])


def collected_texts(survey: StoredSurvey) -> dict[str, str]:
    """What stands in the survey's pictures, by meme; see `transcripts`."""
    return transcripts(survey, survey.workspace.store.items.find("picture", list(survey.memes)))


def transcripts(survey: StoredSurvey, items: Iterable[Item]) -> dict[str, str]:
    """What stands in pictures, by meme: transcripts as they are now, parts joined by ` // `.

    Of a picture that is another one by now it is what went out with the survey, or nothing.
    """
    noted = {meme: text for by in survey.state(CAPTIONS).values() for meme, text in by.items()}
    return {
        item.id: SEPARATOR.join(item.parts)
        if item.picture == survey.pictures.get(item.id, item.picture)
        else noted.get(item.id, "")
        for item in items
    }


def _of_source(workspace: WorkspaceFolder, source: str) -> dict[str, Item]:
    of_source = list(workspace.store.items.find("picture", source=source))
    of_source = of_source or list(workspace.store.items.find("picture", dataset=source))
    items = {item.id: item for item in of_source}
    if not items:
        counted = workspace.store.items.count()
        sources = ", ".join(name for name, kind in counted if kind == "picture")
        raise InputError(
            f"Nothing that was collected from {source[:60]!r} is a finished meme; there are such "
            f"of {sources or 'no source'}."
        )
    return items


def _selected(workspace: WorkspaceFolder) -> dict[str, Item]:
    selection = workspace.store.curation.selection()
    ids = selection.pictures if selection else ()
    items = {item.id: item for item in workspace.store.items.find("picture", ids)}
    if not items:
        raise InputError(
            "No finished meme was selected: run memeloc select, or name a source by --collected; "
            f"--collected {RENDERED} asks about the workspace's own memes, rendered."
        )
    return items


def _in_other_languages(
    workspace: WorkspaceFolder, items: Collection[Item], cultures: Sequence[Culture]
) -> list[str]:
    """The sentence for cultures whose people are shown texts in another language than theirs."""
    shown = {(item.language or workspace.source.tag).split("-")[0] for item in items}
    codes = [
        culture.code
        for culture in cultures
        if shown - {tag.split("-")[0] for tag in _tags(culture)}
    ]
    if not codes:
        return []
    return [
        f"People of {', '.join(codes)} see texts in {', '.join(sorted(shown))}, which their sheets "
        "are not in: ask people who read them, and leave out labels for memes in another language "
        "(leave_out of a recipe of your own)."
    ]


def _tags(culture: Culture) -> list[str]:
    """The tags of the languages that a culture's people speak, as far as it is asked of them."""
    return [locale.tag for locale in (culture.locale, culture.second) if locale is not None]


def _dropped(workspace: WorkspaceFolder, items: Mapping[str, Item]) -> set[str]:
    from memeloc.curate.selecting.stages import answers_of

    curation = workspace.store.curation
    people, verdicts = answers_of(curation.judgements()), curation.verdicts()
    return {
        meme
        for meme in items
        for name, verdict in verdicts.get(meme, {}).items()
        if people.get((meme, name), verdict.verdict) == "drop"
    }
