"""What annotators see, put together. In: a stored survey, rendered pictures. Out: `SheetsToSend`s.

What a sheet says is noted when it goes out, so that its answers are read by those texts, whatever
is corrected later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.model import Template
from memeloc.survey.design.build import Design, to_sheets
from memeloc.survey.design.planning import Pace
from memeloc.survey.model import Culture, MemeEntry
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import SurveyTexts, catalogue
from memeloc.version import __version__
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.stored_survey import CAPTIONS, NO_PICTURE, StoredSurvey
from memeloc.workspace.survey_memes import collected_pictures

if TYPE_CHECKING:
    from memeloc.render import Renderer

_EXAMPLE_SIDE = 640
"""Longer side of an example's picture, in pixels."""


def captions_in(
    workspace: WorkspaceFolder, cultures: Sequence[Culture]
) -> dict[str, dict[str, str]]:
    """By language tag and meme id the captions as they stand, parts joined by ` // `."""
    current = workspace.store.captions.current
    return {
        tag: {meme: str(version.caption) for meme, version in current(tag).items()}
        for tag in dict.fromkeys(culture.locale.tag for culture in cultures)
    }


def sheets_to_send(
    survey: StoredSurvey,
    cultures: Sequence[Culture],
    rounds: Sequence[int],
    *,
    pictures: Path,
    contact: str,
    minutes: int,
    paces: Mapping[str, Pace],
    on_example: Callable[[], None],
) -> SheetsToSend:
    """The sheets of some rounds and cultures with all that annotators see.

    `pictures` is a folder that `memeloc render` made; 0 minutes are worked out, by `paces` of
    cultures (by code), or an assumption; `on_example` is called after each example.

    Raises:
        InputError: a picture is missing, or an example's template.
    """
    batches = [batch for batch in survey.batches if batch.round in rounds]
    shown = {meme for batch in batches for meme in batch.memes}
    texts = {culture.locale.tag: survey.texts(culture) for culture in cultures}
    if survey.collected:
        finished = collected_pictures(survey, shown)
        show = {(meme, tag): finished[meme] for meme in shown for tag in texts}
    else:
        show = _rendered(pictures, shown, texts)
    examples = _examples(survey, cultures, texts, on_example)
    sheets = to_sheets(
        batches,
        Design(survey.name, survey.design.taxonomy, tuple(cultures)),
        lambda meme, culture: show[meme, culture.locale.tag][0],
        lambda meme, culture: show[meme, culture.locale.tag][1],
        lambda example, culture: examples[culture.code, example],
        templates=survey.memes,
        texts=survey.item_texts,
        person=survey.asks_person,
    )
    if not minutes:
        minutes = max(
            (paces.get(sheet.culture.code, Pace()).minutes(len(sheet.entries)) for sheet in sheets),
            default=1,
        )
    return SheetsToSend(
        survey.name,
        sheets,
        survey.taxonomy,
        texts,
        survey.codes(sheets),
        examples,
        contact,
        minutes,
        has_team=bool(survey.state("team")),
        order=survey.design.order,
    )


def stale_pictures(survey: StoredSurvey, to_send: SheetsToSend) -> tuple[tuple[str, str], ...]:
    """Memes and languages whose picture shows another caption than the current one.

    Finished memes are not rendered; see `memeloc.workspace.survey_memes.changed_pictures`.
    """
    if survey.collected:
        return ()
    current = captions_in(survey.workspace, [sheet.culture for sheet in to_send.sheets])
    stale = {
        (sheet.culture.locale.tag, entry.meme_id)
        for sheet in to_send.sheets
        for entry in sheet.entries
        if isinstance(entry, MemeEntry)
        and entry.caption != current[sheet.culture.locale.tag].get(entry.meme_id, entry.caption)
    }
    return tuple((meme, tag) for tag, meme in sorted(stale))


def note_texts(survey: StoredSurvey, to_send: SheetsToSend) -> None:
    noted = survey.state("texts")
    for tag, texts in to_send.texts.items():
        by_key = {key: texts.get(key) for key in texts.keys()}  # noqa: SIM118 - not a mapping
        digest = hashlib.sha256(json.dumps(by_key, sort_keys=True).encode()).hexdigest()[:16]
        key = f"{tag} {digest}"
        if key not in noted:
            noted[key] = {"place": len(noted), "texts": by_key}
            survey.put_state("texts", key, noted[key])
    # People name parts of captions, and pictures that were collected may become others.
    if not (survey.collected or any(each.kind == "span" for each in survey.taxonomy.questions)):
        return
    captions: dict[str, dict[str, str]] = survey.state(CAPTIONS)
    for sheet in to_send.sheets:
        own = captions.setdefault(sheet.culture.locale.tag, {})
        own |= {e.meme_id: e.caption for e in sheet.entries if isinstance(e, MemeEntry)}
    for tag, own in captions.items():
        survey.put_state(CAPTIONS, tag, own)


def sheets_as_sent(survey: StoredSurvey) -> list[SheetsToSend]:
    """The survey by the texts that went out last, then by earlier ones: to read answers by."""
    sent: dict[str, list[SurveyTexts]] = {}
    english = catalogue(survey.taxonomy)
    noted = survey.state("texts").items()
    for key, value in sorted(noted, key=lambda pair: -int(pair[1]["place"])):
        tag = key.partition(" ")[0]
        locale = survey.workspace.locale(tag)
        sent.setdefault(tag, []).append(SurveyTexts(locale, value["texts"], english))
    cultures = survey.design.cultures
    for culture in cultures:
        if culture.locale.tag not in sent:
            sent[culture.locale.tag] = [survey.texts(culture)]
    sheets = survey.all_sheets
    codes = survey.codes(sheets)
    names = [example.id for example in survey.taxonomy.examples]
    examples = {(culture.code, name): NO_PICTURE for culture in cultures for name in names}
    return [
        SheetsToSend(
            survey.name,
            sheets,
            survey.taxonomy,
            {tag: versions[min(age, len(versions) - 1)] for tag, versions in sent.items()},
            codes,
            examples,
            has_team=bool(survey.state("team")),
        )
        for age in range(max(map(len, sent.values())))
    ]


def _rendered(
    folder: Path, memes: set[str], tags: Collection[str]
) -> dict[tuple[str, str], tuple[Path, str]]:
    """Return by meme and language the rendered picture and the caption in it."""
    from memeloc.render.sets.reading import shown_pictures

    if not folder.is_dir():
        raise InputError(
            "There is no such folder; name the one that `memeloc render --out` wrote.", file=folder
        )
    rendered = shown_pictures(folder, set(tags))
    lacking = {
        tag: missing
        for tag in tags
        if (missing := [meme for meme in sorted(memes) if (meme, tag) not in rendered])
    }
    for tag, missing in lacking.items():
        raise InputError(
            f"{len(missing)} of {counted(len(memes), 'meme')} without picture in {tag}, "
            f"{missing[0]!r} the first; run: memeloc render --langs {','.join(lacking)} "
            f"--out {folder}",
            file=folder,
        )
    return rendered


def _examples(
    survey: StoredSurvey,
    cultures: Sequence[Culture],
    texts: Mapping[str, SurveyTexts],
    on_example: Callable[[], None],
) -> dict[tuple[str, str], Path]:
    """The taxonomy's examples in each culture's language; by code and id their pictures.

    A picture that was made of the same is not made again: a server is back sooner.
    """
    workspace, taxonomy = survey.workspace, survey.taxonomy
    pictures = {}

    @cache
    def renderer() -> Renderer:
        from memeloc.render import Renderer

        return Renderer(workspace.fonts, max_side=_EXAMPLE_SIDE)

    for culture in cultures:
        fonts = workspace.fonts.fingerprint(culture.locale)
        for example in taxonomy.examples:
            template = workspace.templates.get(example.template)
            if template is None:
                raise InputError(
                    f"The example {example.id} of {taxonomy.name} is on the template "
                    f"{example.template!r}, which this workspace does not have."
                )
            text = f"taxonomy.{taxonomy.name}.example.{example.id}.caption"
            caption = texts[culture.locale.tag].get(text)
            key = _example_key(template, caption, culture, fonts)
            path = survey.folder / "examples" / f"{culture.code}-{example.id}-{key}.jpg"
            if not path.exists():
                with replacing(path) as partial:
                    image = renderer().render(template, caption, culture.locale).image
                    image.save(partial, "JPEG", quality=88)
            pictures[culture.code, example.id] = path
            on_example()
    return pictures


def _example_key(template: Template, caption: str, culture: Culture, fonts: str) -> str:
    """Another one when anything that an example's picture is made of is another."""
    made_of = [
        *(__version__, _EXAMPLE_SIDE, caption, culture.locale),
        [asdict(box) for box in template.boxes],
        file_sha256(template.image_for(culture.locale)),
        fonts,
    ]
    return hashlib.sha256(repr(made_of).encode("utf-8", "surrogatepass")).hexdigest()[:16]
